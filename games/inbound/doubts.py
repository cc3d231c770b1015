"""What a line of a letter says about the rest: whether it casts doubt on a move or an answer, and
whether a text says yes or no to a vote.

Words and patterns are in lower case without accents and apostrophes, one clause at a time, in
English, German and French. Pure: no database, no settings.
"""

import re
import unicodedata

from games.rules import table_events
from games.rules.everyday_words import word_set

LONGEST = 1000  # characters of a text that are looked at
LATEST = 2  # clauses in front of an answer: a greeting, thanks, a name

_GAP = r"(?:\w+ ){0,3}"
_OPENING = (  # before the words that matter
    r"^(?:(?:oh|ah|ach|eh|euh|hey|hm+|well|ok|okay|sorry|pardon|please|bitte|and|und|et|so|also|but|aber|mais"
    r"|no|nein|ne|non|alors|bon|ps|nb|s il (?:te|vous) plait|svp|tut mir leid|desolee?|excuse moi) )*"
)
_SOON = (
    r"(?:later|tomorrow|tonight|next (?:week|month|year|time)|(?:in|from|on|by|after|before|until|till) \w+"
    r"|spater|nachher|morgen|ubermorgen|heute abend|(?:ab|im|am|nach|vor|bis|in) \w+|nachste\w* \w+"
    r"|plus tard|demain|ce soir|(?:apres|avant|des|en|a partir de|la semaine) \w+"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\w+tag|mittwoch)"
)
_ACT = (  # verbs of moving, voting and answering
    r"(?:do|play|move|mean|count|carry|make|take|use|agree|accept|vote|send|submit|execute|process|resign|want"
    r"|read|confirm|start|register|decide|answer|entscheid\w*|decid\w+|antwort\w*|repond\w*|mach\w*|spiel\w*|zieh\w*|zahl\w*|gelt\w*|werte\w*|nehm\w*|mein\w*|gemeint|will"
    r"|wollte|ausfuhr\w*|fuhr\w*|abgeb\w*|stimm\w*|zustimm\w*|bestatig\w*|jou\w+|fais|fait|faites|faire|prend\w*|prenez"
    r"|compt\w+|valid\w+|veux|voulais|vote\w*|envoy\w+|execut\w+|accept\w+|tien\w+|tenez|confirm\w+)"
)
# A line that takes back or replaces what stands elsewhere in the letter.
_RETRACTS = re.compile(
    rf"{_OPENING}(?:wait\b(?! and see)(?! for (?:you|me|us|ben)\b)|hold (?:on|off|it|this|that|my)\b|hang on|stop\b"
    r"|warte\w*\b(?! auf)|moment\b|halt\b|stopp\b|attend(?:s|ez)\b|un (?:instant|moment)|minute\b)"
    r"|^(?:no|nope|nah|nein|nee|non)$|^(?:no|nope|nein|non) (?:not|rather|i|we|please|don|doch|lieber|bitte|ich|das|pas"
    r"|je|plutot|c est|ce n|wait|the|[abc])\b"
    r"|\b(?:scratch (?:that|it)|scrap|ignore|disregard|forget (?:it|that|this|what|the|my|about)|cancel\w*|correction"
    r"|korrektur|korrigier\w*|rectif\w+|just kidding|kidding|joking|just a joke|nur (?:ein )?(?:scherz|spass)|war (?:ein|nur) (?:scherz|spass)|je plaisante|plaisantais|c etait une blague|oops|ups|hoppla|oups|typo|tippfehler|vertippt|verschrieben|faute de frappe"
    r"|my mistake|mistaken|by mistake|made a mistake|a mistake|an error|wrong \w+|irrtum\w*|irre mich|geirrt|versehen\w*"
    r"|fehler|falsch\w*|erreur\w*|me suis trompee?|trompee?s?|instead|stattdessen|anstatt|statt|au lieu|a la place"
    r"|changed? (?:my|our) mind|change of mind|second thoughts?|on reflection|never ?mind|nevermind"
    r"|anders (?:uberlegt|entschieden)|umentschieden|noch (?:ein)?mal uberlegt|change d avis|changer d avis|reflexion faite"
    r"|tout compte fait|tout bien reflechi|finalement|en fait|undo|withdraw\w*|revoke|retract\w*|take (?:it|that|this|my \w+) back"
    r"|vergiss|vergesst|ignorier\w*|streich\w*|stornier\w*|zuruckzieh\w*|zuruckgenommen|widerruf\w*|nehme \w+ zuruck"
    r"|ignorez|oublie[rz]?|annul\w+|laisse[rz]? tomber|(?:je|j) retire|reviens sur|i mean|i meant|we mean|meant to|make (?:that|it) [abc]"
    r"|(?:ich|wir) mein(?:e|te|en|ten)|gemeint|veux dire|voulais|voulait dire|actually|rather not|rather (?:have|play|move|take|use)"
    r"|(?:d|would) (?:prefer|rather)|should (?:be|have been|say|have said)|better not|lieber nicht|doch (?:nicht|lieber|kein\w*|noch)"
    r"|lieber (?:doch|mit|erst|noch|nur|eine?n?|die|den|das|[abc])|soll(?:te)? (?:\w+ ){0,2}(?:heissen|sein)|sondern|eigentlich"
    r"|plutot|mieux vaut|surtout pas|j aurais du|je prefere|hatte ich gern|not valid|ungultig|nicht gultig"
    r"|(?:does|do|should|must) not count|zahlt nicht|gilt nicht|ne compte pas|too (?:fast|hasty|quick)|zu (?:schnell|voreilig)"
    r"|trop vite)\b"
)
_DENIES = re.compile(
    rf"\b(?:do|did|does|will|would|must|should|can|could|please) (?:not|never) {_GAP}{_ACT}\b"
    rf"|{_OPENING}(?:not|never|nicht|niemals|pas) (?:{_ACT}|this|that|it|yet|now|so|das|so|diese\w*|jetzt|ce|cela|ca|celui|celle|[abc])\b"
    r"|\bnot (?:this|that)(?: one)?$|\bnot (?:yet|now|what i (?:want|meant))\b"
    rf"|\b{_ACT} {_GAP}nicht\b|\bnicht (?:{_ACT}|so gemeint|mehr|jetzt|ausfuhren)$|\bnoch nicht\b"
    rf"|\bne {_GAP}{_ACT} (?:\w+ )?(?:pas|plus|jamais|rien)\b|\bn (?:\w+ ){{0,2}}{_ACT} (?:\w+ )?pas\b|\bne pas \w+|\bpas (?:encore|maintenant|tout de suite|ca|cela)$"
    r"|\bpas (?:encore|tout de suite|maintenant)\b"
    r"|^(?:please |bitte )?(?:do|did) not$|\b(?:don t|dont) (?:do|play|move|take|count|make|send|use|vote|carry|execute|read)\b"
    r"|\b(?:kein|keine|keinen) (?:zug|stimme|zustimmung)\b|\bno (?:move|vote)\b|\baucun (?:coup|vote)\b"
)
_RESTRICTS = re.compile(
    r"^(?:ps |nb |and |und |et |ok |well )*(?:but|however|although|except|unless|provided|assuming|aber|allerdings"
    r"|jedoch|sofern|ausser|mais|sauf|cependant|toutefois|only|just only|nur|seulement|uniquement|or|oder|ou)\b(?! (?:non|wow|thanks|danke|merci)\b)"
    r"|\b(?:only (?:if|when|after|once|until|till|from|with)|unless|provided|as long as|so long as|on (?:the )?condition|(?:under|with|on) (?:the|one|a|this) condition"
    r"|assuming|depend(?:s|ing)|subject to|in case|except|nur (?:wenn|falls|unter|bis|ab|dann|mit)|es sei denn|vorausgesetzt|unter der (?:bedingung|voraussetzung)"
    r"|bedingung|sofern|solange|ausser|(?:kommt|hangt) (?:\w+ )?(?:drauf|darauf|davon|von)|abhangig|(?:seulement|uniquement|que) (?:si|apres|quand|jusqu)"
    r"|sauf|a (?:la |une )?condition|condition|a moins|pourvu|sous reserve|tant que|(?:ca|cela) depend|en supposant|depend de)\b"
    r"|(?<!as )(?<!even )(?<!see )(?<!know )(?<!wonder )\bif\b(?! (?:you ask|i may|i m honest|you ever|only|anyone cares))"
    r"|(?<!auch )(?<!selbst )(?<!als )(?<!immer )\b(?:wenn|falls)\b(?! (?:ich ehrlich|man|ihr mich fragt|du mich fragst))"
    r"|(?<!meme )(?<!comme )(?<!sais )(?<!voir )\bsi (?:tout|on|nous|vous|tu|il|ils|elle|elles|les|le|la|ben|personne|c est|j|je|l)\b"
)
_POSTPONES = re.compile(
    rf"{_OPENING}(?:(?:only|maybe|better|rather|not|erst|lieber|besser|nicht|vielleicht|plutot|pas|mieux vaut) )*{_SOON}(?: \w+)?$"
    rf"|\b(?:not|nicht|pas|only|erst|seulement) (?:before|until|till|from|vor|bis|ab|wenn|nach|am|im|spater|morgen|nachste\w*|avant|apres|demain)\b"
    rf"|\b{_ACT} {_GAP}(?:later|tomorrow|tonight|next|spater|morgen|erst|plus tard|demain|on \w+day|am \w+tag)\b"
    rf"|\b(?:later|tomorrow|tonight|spater|morgen|demain|plus tard) {_GAP}{_ACT}\b"
    r"|\b(?:let me|i ll|i will|i d like to|i want to|i (?:still )?need|i have to|we need|must|give me) (?:\w+ ){0,3}(?:think|decide|check|ask|sleep|confirm|consider|choose|time|moment)\b"
    r"|\b(?:sleep on it|until i|till i|when i|once i|once the|as soon as|before you|wait (?:with|until|till|before)"
    r"|sobald|bevor|bis ich|wenn ich|muss (?:\w+ ){0,3}(?:uberlegen|nachdenken|fragen|prufen|schauen)|uberleg\w* (?:\w+ ){0,3}noch|noch (?:\w+ ){0,2}uberleg\w*|druber schlafen"
    r"|darubernachdenken|gebe? (?:\w+ ){0,2}bescheid|warte\w* (?:noch|mit|damit|bis)"
    r"|des que|apres que|avant (?:de|que)|quand (?:je|j|ben|il|elle|on)|lorsque|jusqu a ce que|attend\w* (?:que|avant|encore|demain)"
    r"|dois (?:\w+ ){0,3}reflechir|vais (?:\w+ ){0,3}reflechir|reflechi(?:r|s|t)|je (?:te|vous) dirai|laisse[rz]? moi)\b"
)
_HEDGES = re.compile(
    r"^(?:maybe|perhaps|or (?:rather|maybe)|not sure|vielleicht|unsicher|peut etre|ou (?:plutot|alors|bien))\b"
    r"|\b(?:not sure|unsure|undecided|which one|should i|what do you think|nicht sicher|unsicher|unentschieden|soll ich"
    r"|was meinst|was meint|pas sure?|hesite|qu en (?:penses|pensez)|dois je)\b"
)
# "-C olive-", "~~C olive~~": people strike out so where nothing can be struck out.
_STRUCK = re.compile(r"\s*([-~–—]{1,3})(?![-~–—])\s?[^\n]{0,300}?\w[^\n]{0,300}?\s?\1\s*[.!]?\s*")
_IDIOMS = re.compile(
    r"\b(?:can ?not wait|can t wait|cant wait|could not wait|do not worry|don t worry|don t mind|do not mind|no (?:problem|worries|hurry|rush|stress|idea|wonder|matter)"
    r"|not bad|not at all|why not|wait and see|no matter|kein(?:e|en)? (?:problem|eile|stress|ahnung|sorge|wunder)|nicht schlecht|macht nichts|halb so schlimm"
    r"|warum nicht|by all means|bis (?:bald|spater|dann|morgen|sonntag|montag|dienstag|mittwoch|donnerstag|freitag|samstag)|guten morgen"
    r"|pas (?:mal|de (?:probleme|soucis?|stress|panique))|pourquoi pas|(?:a|see you) (?:demain|plus tard|tomorrow|later|on \w+|next \w+|in \w+)"
    r"|ce n est rien|rien de grave|si bien|si beau|si belle|ou non|(?:sorry|apologies) for (?:the|my|any) (?:mistake|error)s?"
    r"|(?:thanks|danke|merci) (?:for|fur|de|pour) (?:\w+ ){0,3}(?:waiting|warten|wait|attendre|patience|geduld))\b"
)


def clauses(text: str) -> list[str]:
    """The clauses of a text, in lower case without accents and with single spaces."""
    short = unicodedata.normalize("NFKD", text[:LONGEST].casefold())
    short = re.sub(r"n['’`´]t\b", " not", short)
    kept = "".join(char for char in short if not unicodedata.combining(char))
    kept = re.sub(r"['’`´-]", " ", kept).replace("œ", "oe").replace("ß", "ss")
    kept = kept.replace("ca not", "can not")
    found = (
        re.sub(r"[^\w]+", " ", part).strip() for part in re.split(r"[.,;:!?…()\n–—]|  - ", kept)
    )
    return [part for part in found if part]


def doubt(line: str) -> str:
    """Return how a line casts doubt on the acts of its letter: "struck", "retracts", "denies",
    "restricts", "postpones" or "asks"; "" if it does not, as thanks and table talk."""
    if _STRUCK.fullmatch(line[:LONGEST]):
        return "struck"
    if line.strip() and not re.sub(r"[?？\s!.…🤔🤷]", "", line[:LONGEST]):
        return "asks" if "?" in line or "？" in line or "🤔" in line else ""
    for clause in clauses(line):
        said = _IDIOMS.sub(" ", clause).strip()
        for kind, pattern in _KINDS.items():
            if pattern.search(said):
                return kind
    return ""


_KINDS = {
    "retracts": _RETRACTS,
    "denies": _DENIES,
    "postpones": _POSTPONES,
    "restricts": _RESTRICTS,
    "asks": _HEDGES,
}

# -- yes and no --------------------------------------------------------------------------------

_YES = word_set(
    # English, German, French
    "yes yep yeah yup y aye ok okay oki sure absolutely definitely certainly agreed fine totally alright gladly"
    " ja jo jawohl jep jupp klar logo okidoki einverstanden natuerlich naturlich selbstverstandlich gern gerne"
    " unbedingt genau meinetwegen dafur passt abgemacht sicher"
    " oui ouais ouaip volontiers absolument certainement evidemment parfait entendu banco bien accord"
)
_NO = word_set("no nope nah n nein nee nix noe niemals nicht non nan never negative jamais surtout")
# What is for and against. A negation in front turns it round: "not against", "nichts dagegen".
_FOR = re.compile(
    r"\b(?:(?:i|we) (?:\w+ )?agree|agree|agreed|in favou?r|(?:i|we|a?m|im|are|re|all|both|definitely|totally|absolutely|completely|fully|very) for it|happy (?:with|to)|fine|ok|okay|works for me|sounds? (?:good|fine|great)"
    r"|good idea|go ahead|go for it|(?:let s|lets|let us) (?:do|pause|stop|cancel|end|take)|do it|i accept|accept|approve|support|welcome|of course|by all means|count me in|i m in|i am in|with pleasure|my vote is yes|vote yes|vote for"
    r"|einverstanden|dafur|stimme (?:\w+ )?zu|stimme (?:mit )?(?:dafur|ja)|zustimm\w*|in ordnung|geht klar|passt|gute idee|guter vorschlag|klingt gut|von mir aus|mach(?:t|en wir)? (?:das|ruhig|so)|gerne?|recht|auf jeden fall|bin dabei"
    r"|d accord|accord|^(?:j )?accepte|j accepte|suis pour|vote pour|vote oui|volontiers|bonne idee|bien sur|bien entendu|ca (?:me )?(?:va|marche|convient)|me (?:va|convient)|allons y|allez y|vas y|avec plaisir|faisons|approuve|soutiens|partant\w*|favorable)\b"
)
_AGAINST = re.compile(
    r"\b(?:against|disagree|refuse|decline|reject|oppose\w*|objections?|object|veto|problems?|issues?|concerns?|mind|worries|vote no|bad idea"
    r"|dagegen|ablehn\w*|lehne\b|weigere|einwand|einwande|einspruch|problem|bedenken|stimme (?:mit )?nein|schlechte idee"
    r"|contre|refuse|oppose\w*|objections?|probleme|souci|soucis|inconvenient|rejette|vote non|vote contre|mauvaise idee|hors de question|out of the question|no way|kommt nicht in frage|auf keinen fall|in no way|pas question|rather not|prefer not|lieber nicht|better not|besser nicht|eher nicht|plutot pas|mieux pas)\b"
)
_HELD = re.compile(
    r"\b(?:rather not|prefer not|lieber nicht|better not|besser nicht|eher nicht|plutot pas|hors de question|pas question|out of the question"
    r"|no way|kommt nicht in frage|auf keinen fall|in no way)\b"
)
_GOING_ON = re.compile(
    r"\b(?:continue|continuer|continuons|keep (?:on )?playing|keep going|go on|carry on|play on|play it out|finish (?:the|this|it)|weiter ?spielen|weiter ?machen"
    r"|weiterspielen|weitermachen|spielen wir weiter|machen wir weiter|zu ende spielen|fortsetzen|poursuivre|poursuivons)\b"
)
_SIGHS = re.compile(
    r"^(?:(?:oh|ah|ach|och|well|na|tja|bon|alors|so|please|bitte|sorry|then|dann) )+(?=\w)"
)
# Words of a clause that says nothing but "not": "Not for me."
_BARE = word_set(
    "absolutely definitely certainly really thanks not nicht pas for me us fur mich uns pour moi nous on je ne prefere"
    " sicher bestimmt ganz gar sur absolument certainement vraiment du tout at all"
)
_SAYS_YES, _SAYS_NO = re.compile(r"\b(?:yes|ja|oui)\b"), re.compile(r"\b(?:no|nein|non)\b")
_NEGATORS = word_set(
    "not no never none nothing without nor nicht nichts nix kein keine keinen keiner keinerlei nie ohne ne n pas rien aucun"
    " aucune jamais sans zero"
)
_UNDECIDED = re.compile(r"\b(?:why not|warum nicht|wieso nicht|pourquoi pas)\b")
_INDIFFERENT = re.compile(
    r"\b(?:don t care|do not care|whatever|up to you|as you (?:like|wish)|either way|abstain|egal|enthalte mich|wie ihr (?:wollt|meint)|comme (?:vous|tu) (?:voulez|veux)|peu importe"
    r"|m abstiens|(?:ben|he|she|they|er|sie|il|elle) (?:said|says|sagt|sagte|dit|a dit|meint))\b"
)
_UP = re.compile("[👍👌✅☑✔🆗💯]")
_DOWN = re.compile("[👎❌🚫🙅✋⛔]")


def opinion(text: str, about: table_events.Proposal | None = None) -> bool | None:
    """Whether a text says yes or no to a vote about this; None if it says neither, both, or yes
    with a condition.

    The first clause that decides counts, if it is one of the first few. A negation turns round what
    is for or against; reasons behind the answer may say anything that is no opposite answer and no
    condition.
    """
    up, down = _UP.search(text) is not None, _DOWN.search(text) is not None
    found: list[bool] = []
    for number, clause in enumerate(clauses(text)):
        said = _answer(clause, about, is_first=not found)
        if said is not None and not found and number > LATEST:
            return None  # it is not an answer
        if _INDIFFERENT.search(clause):
            return None
        if _SAYS_YES.search(clause) and _SAYS_NO.search(clause):
            return None
        if said is not None:
            found.append(said)
        rest = _IDIOMS.sub(" ", clause)
        if _POSTPONES.search(rest) or _RESTRICTS.search(rest) or _HEDGES.search(rest):
            is_reason = found and not found[0] and said is None and not _RESTRICTS.search(rest)
            if not is_reason:
                return None
        denies = _DENIES.search(rest) and (not found or found[0])
        if said is None and (denies or _RETRACTS.search(rest)):
            return None
    if "?" in text and not _UNDECIDED.search(" ".join(clauses(text))):
        return None
    if up != down:
        found.append(up)
    return found[0] if found and len(set(found)) == 1 else None


def _answer(clause: str, about: table_events.Proposal | None, *, is_first: bool) -> bool | None:
    """Whether a clause is for or against; None if it does not decide."""
    if _UNDECIDED.search(clause):
        return True
    if _HELD.search(clause):
        return False
    clause = _SIGHS.sub("", clause)
    words = clause.split()
    if (negated := _AGAINST.search(clause)) is not None:
        return _is_negated(clause, negated)
    if words and words[0] in _YES:
        return words[1:2] not in (["pas"], ["nicht"], ["not"])
    if words and words[0] in _NO and not _GOING_ON.search(clause):
        return False
    if (going := _GOING_ON.search(clause)) is not None and about is not None:
        return _is_negated(clause, going) is not (about == "resume")
    if (said := _FOR.search(clause)) is not None:
        return not _is_negated(clause, said) and _NEGATORS.isdisjoint(said[0].split())
    if is_first and words and _BARE.issuperset(words):
        return False if not _NEGATORS.isdisjoint(words) else None
    if is_first and 0 < len(words) <= 4 and words[-1] in _YES - {"bien", "sicher"}:
        return _NEGATORS.isdisjoint(words)
    return None


def _is_negated(clause: str, found: re.Match[str]) -> bool:
    """Return whether words are negated: up to five words before them, or two behind."""
    before, behind = clause[: found.start()].split(), clause[found.end() :].split()
    return not _NEGATORS.isdisjoint([*before[-5:], *behind[:2]])
