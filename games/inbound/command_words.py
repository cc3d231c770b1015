"""The words of commands in replies, and of days, in English, German and French.

Words and patterns are in lower case without accents and punctuation, as `commands` compares them;
the patterns at the end apply to lines as they were written.
"""

import re
from datetime import date, timedelta

import msgspec

from games.rules.everyday_words import word_set

# Each command as whole lines, with a semicolon behind each: English, German, French.
SHOW = """
    show; show me; board; show board; show the board; show me the board; hand; show hand; show my
    hand; show me my hand; show board and hand; whose turn is it; who is next;
    zeige; zeigen; zeig; brett; spielplan; zeige brett; zeig brett; zeige das brett; zeig das
    brett; zeig mir das brett; zeige mir das brett; zeige den spielplan; zeig den spielplan; zeig
    mir den spielplan; zeige hand; zeig hand; zeige meine hand; zeig meine hand; zeig mir meine
    hand; wer ist dran; wer ist am zug; bin ich dran; bin ich am zug;
    montre; montrer; montrez; plateau; montre le plateau; montrez le plateau; montrer le plateau;
    montre moi le plateau; montrez moi le plateau; voir le plateau; montre ma main; montrez ma
    main; montre moi ma main; a qui de jouer; c est a qui; c est a qui de jouer; a qui est ce de
    jouer;
"""
SHOW_WORDS = """
    show words; show in words; show text;
    zeige worte; zeige in worten;
    montre mots; montre en mots; montre les mots;
"""
SHOW_ORDERS = """
    plan; plans; my plan; my plans; show plan; show my plan; show the plan; what is my plan; show me my plan;
    mein plan; plane; meine plane; zeige plan; zeig plan; zeige meinen plan; zeig meinen plan; zeige den
    plan; zeig mir meinen plan; was ist mein plan;
    mon plan; mes plans; montre plan; montre le plan; montre mon plan; montrez mon plan; montre moi mon
    plan; voir mon plan; quel est mon plan;
"""
LEGAL = """
    legal; legal moves; moves; my moves; options; my options; show moves; show legal moves; list
    moves; list legal moves; what can i do; what can i play; what are my options; what are my
    moves; which moves are possible; what is possible;
    erlaubt; moglich; moeglich; zuge; zuege; meine zuge; meine zuege; was geht; was ist moglich;
    was ist moeglich; was kann ich tun; was kann ich machen; was kann ich spielen; mogliche zuge;
    moegliche zuege; zeige zuge; zeige zuege; welche zuge sind moglich; welche zuege sind
    moeglich; welche zuge gibt es; welche zuege gibt es;
    possible; coups; mes coups; coups possibles; coups permis; permis; montre les coups; que puis
    je faire; que puis je jouer; qu est ce que je peux faire; qu est ce que je peux jouer; quels
    coups sont possibles;
"""
HELP = """
    help; help me; commands;
    hilfe; hilf mir; helft mir; befehle;
    aide; aide moi; aidez moi; a l aide; commandes;
"""
RULES = """
    rules; the rules; how do i write a move; how do i move;
    regeln; spielregeln; wie schreibe ich einen zug; wie schreibt man einen zug; wie ziehe ich;
    wie zieht man;
    regles; les regles; regle du jeu; comment jouer;
"""
STATUS = """
    status; my games;
    spielstand; meine partien; meine spiele;
    statut; mes parties;
"""
STANDINGS = """
    standings; the standings; show standings; show the standings; show me the standings;
    tabelle; die tabelle; zeige tabelle; zeig tabelle; zeige die tabelle; zeig die tabelle; zeig mir
    die tabelle;
    classement; le classement; montre le classement; montrez le classement; voir le classement;
"""
STOP_ALL = """
    stop; stop all; stop all emails; stop all mails; unsubscribe all; turn off all emails; turn off
    all emails of this service;
    stopp; stopp alle mails; stop alle mails; alle mails ausschalten; alle mails dieses dienstes
    ausschalten;
    ne plus recevoir aucun e mail; ne plus recevoir aucun e mail de ce service; arret; arrete; arreter; arretez; arreter tout;
"""
START_ALL = """
    start; start emails; start all; restart; turn all emails of this service back on;
    starten; alle mails dieses dienstes wieder einschalten;
    redemarrer; recommencer; recevoir de nouveau les e mails de ce service;
"""
PAUSE = """
    pause; pause this game; pause emails; pause email; emails off; stop emails; pause mails; pause
    mail; mails pause; stop mails; mails off; unsubscribe; turn off emails;
    pausieren; mails aus; mails anhalten; mails pausieren; abmelden; abbestellen; mails ausschalten;
    die mails zu dieser partie ausschalten; mails abbestellen;
    e mails desactives; desactiver les e mails;
    desabonner; pause courriels; pause les mails; suspendre mails;
"""
RESUME = """
    resume; resume emails; resume email; emails on; resume mails; resume mail; mails on; turn emails
    for this game back on;
    fortsetzen; mails an; mails weiter; mails fortsetzen; mails einschalten; die mails zu dieser
    partie wieder einschalten;
    recevoir de nouveau les e mails de cette partie;
    reprendre; reprendre mails; reprendre les mails; reprendre courriels;
"""
UNDO = """
    undo; undo move; undo my move; undo last move; take back; take it back; takeback;
    zurucknehmen; zuruecknehmen; zug zurucknehmen; ruckgangig; rueckgaengig;
    annuler; annulez; reprendre mon coup; annuler mon coup;
"""
TAKE_SEAT_BACK = """
    take my seat back; take back my seat; take back seat; i want my seat back; my seat;
    sitz zurucknehmen; meinen sitz zurucknehmen; sitz zuruecknehmen; meinen sitz zuruecknehmen;
    platz zurucknehmen; meinen platz zurucknehmen; platz zuruecknehmen; meinen platz
    zuruecknehmen; platz wieder ubernehmen; platz wieder uebernehmen;
    reprendre ma place; je reprends ma place; reprendre mon siege;
"""
RESIGN = """
    resign; i resign; give up; i give up; quit;
    aufgeben; ich gebe auf;
    abandonner; abandon; j abandonne;
"""

# Other ways to ask for the last step back, as whole lines. None of their words names a card, a
# figure, an explorer or a hex, so no line is a move as well.
UNDO_SENTENCE = re.compile(
    # English
    r"(?:please )?(?:(?:can|could) you |let me |(?:i|we) (?:(?:will|want to|would like to|d like to) )?)?"
    r"(?:please )?"
    r"(?:(?:undo|take back|revert|retract) (?:it|that|this|(?:(?:my|the|that|this|our|a) )?"
    r"(?:last |latest |previous )?(?:move|step|turn|placement))"
    r"|take (?:that|this|(?:my|the|that|this|our) (?:last |latest |previous )?"
    r"(?:move|step|turn|placement)) back|undo|take it back)"
    # German
    r"|(?:bitte )?(?:(?:ich|wir) )?(?:(?:mochte|moechte|mochten|moechten|will|wollen|wurde gerne?"
    r"|wuerde gerne?|kannst du|konntest du|koenntest du|konnen sie|koennen sie|konnten sie"
    r"|koennten sie|nehme|nimm|nehmt|nehmen|nehmen sie|mach|mache|macht|machen|machen sie) )?"
    r"(?:bitte )?(?:das|dies|es|ihn|(?:(?:mein|meinen|unseren|den|diesen) )?"
    r"(?:letzten |vorigen |vorherigen )?(?:zug|schritt)) (?:bitte )?(?:wieder )?"
    r"(?:zuruck|zurueck|zurucknehmen|zuruecknehmen|(?:ruckgangig|rueckgaengig)(?: machen)?)"
    r"|bitte (?:wieder )?(?:zurucknehmen|zuruecknehmen|(?:ruckgangig|rueckgaengig)(?: machen)?)"
    # French
    r"|(?:s il (?:te|vous) plait |svp )?(?:(?:je|nous) (?:(?:veux|voudrais|souhaite|souhaiterais"
    r"|voulons|voudrions) )?|j aimerais |(?:peux|pourrais) tu |(?:pouvez|pourriez) vous |j )?"
    r"(?:annule|annuler|annulez|annulons|reprends|reprendre|reprenez|retire|retirer|retirez) "
    r"(?:cela|ca|(?:(?:mon|le|ce|notre|un) )?(?:dernier |precedent )?"
    r"(?:coup|mouvement|deplacement|placement)(?: precedent)?)"
)
# A question that asks us to do something.
REQUEST = re.compile(r"(?:bitte )?(?:can|could|kannst|konn|koenn|peux|pouvez|pourr)")

# The name of the circle follows, which confirms it.
LEAVE_CIRCLE = re.compile(
    r"(?:(?:i )?(?:leave|quit)(?: the)? circle|(?:die )?runde verlassen|(?:ich )?verlasse die runde"
    r"|(?:je )?quitte[rz]?(?: le)? cercle)(?: (.+))?|(?:die )?runde (.+) verlassen"
)

# A player who is late may be named. Who asks for a day asks the others, not us.
_NAME = r"((?!(?:me|us|mir|uns)\b)\S+(?: \S+){0,3}?)"
GIVE_DAY = re.compile(
    rf"(?:i )?give(?: {_NAME})? (?:a|one|1)(?: more| extra)? day(?: more)?(?: (?:to|for) {_NAME})?"
    rf"|(?:ich )?(?:gebe|gib)(?: {_NAME})? (?:einen|1)(?: weiteren)? tag(?: mehr)?(?: an {_NAME})?"
    rf"|(?:{_NAME} )?(?:einen|1)(?: weiteren)? tag(?: mehr)? geben"
    rf"|(?:je )?(?:donne|accorde)[rz]? (?:un|1) jour(?: de plus| supplementaire)?(?: a {_NAME})?"
)
NUDGE = re.compile(
    rf"nudge(?: {_NAME})?|stupse?(?: {_NAME})? an|(?:{_NAME} )?anstupsen"
    rf"|(?:je )?relance[rz]?(?: {_NAME})?"
)

AWAY_UNTIL = re.compile(
    r"(?:(?:i am|i m|i will be|i ll be|ich bin|bin|je suis|je serai) )?"
    r"(?:away|on holidays?|on vacation|on leave|abwesend|verreist|im urlaub|weg|nicht da|absente?"
    r"|en vacances|en conge) (?:until|till|til|bis zum|bis|jusqu au|jusqu a) (.+)"
)
UNTIL_AWAY = re.compile(  # the order of words in German
    r"(?:(?:ich bin|bin) )?bis (?:zum )?(.+) (?:abwesend|verreist|im urlaub|weg|nicht da)"
)
ABOUT_ABSENCE = re.compile(
    r"\b(?:away|on (?:vacation|holidays?|leave)|out of office|urlaub|verreist|abwesend|unterwegs"
    r"|nicht da|bin (?:.{1,40} )?weg|vacances|absente?|en voyage)\b"
)

# A vote, and what it can be about. Of a pause follows the day, of a bot the player.
VOTE = re.compile(
    r"(?:(?:i )?(?:ask|call) for (?:a )?)?(?:vote|voting|abstimmen|abstimmung|voter|votez)"
    r"(?: (?:for|to|on|uber|ueber|fur|fuer|pour|de))?(?: (.+))?"
)
VOTE_PAUSE = re.compile(
    r"(?:(?:(?:a|eine|une|la|the) )?(?:pause|break)|pause the game|partie pausieren"
    r"|mettre la partie en pause)"
    r"(?: (?:(?:until|till|til|bis zum|bis|jusqu au|jusqu a) )?(.+))?"
)
VOTE_BOT = re.compile(
    r"(?:(?:a|an|einen|un|le) )?(?:bot|robot)"
    r"(?: (?:(?:for|fur|fuer|statt|pour|a la place de|a la place d) )?(.+))?"
)
VOTE_RESUME = """
    resume; resume the game; go on; end pause; end the pause;
    weiter; weiterspielen; fortsetzen; pause beenden;
    reprendre; reprendre la partie; fin de la pause; finir la pause; mettre fin a la pause;
"""
VOTE_CANCEL = """
    cancel; cancel game; cancel the game; end game; end the game; end the game without a result;
    abbrechen; abbruch; partie abbrechen; spiel abbrechen; partie beenden; partie ohne ergebnis
    beenden;
    annuler la partie; arreter la partie; terminer la partie; terminer la partie sans resultat;
"""

# Phrases that people say to each other, and that no command and no move contains.
TO_PLAYERS = re.compile(
    r"\b(?:thanks|thank you|thx|gg|good game|great game|well played|(?:nice|good|great) move"
    r"|good luck|have fun|congratulations|congrats|sorry"
    r"|danke|gut gespielt|schones spiel|schoenes spiel|(?:guter|schoner|schoener) zug"
    r"|gluckwunsch|glueckwunsch|viel (?:gluck|glueck|erfolg|spass)|entschuldigung"
    r"|merci|bien joue|bravo|bonne chance|belle partie|beau coup|felicitations|desolee?)\b"
)

# "yes" where something was offered: one word of YES, and others of both sets.
YES = """
    yes yep yeah yup y ok okay oki sure correct exactly right perfect
    ja jo jawohl jep genau richtig stimmt perfekt
    oui ouais da accord exact exactement parfait
"""
AROUND_YES = """
    please thanks thank you play it do that s is the one what i meant agree confirm
    bitte danke mach das gern gerne der die so sehr ich stimme zu meine meinte passt bestatige
    merci svp d c est bien ca cela j je accepte confirme
"""
THUMBS_UP = re.compile("[👍👌✅☑✔🆗🙂😀😊💯]")
# "no" to what was offered: one word of NO, and others of both sets.
NO = """
    no nope nah not
    nein nee no noe nicht
    non pas
"""
AROUND_NO = """
    thanks thank you please that s this is what i meant mean it don t do play change my answer to
    danke bitte das war habe hab ich so es gemeint meinte lieber meine antwort auf in andern aendern
    merci svp ca cela c ce n est etait changer ma reponse en
"""
THUMBS_DOWN = re.compile("[👎❌🚫🙅✋⛔]")
# A word beside a command to resign that says that it is meant.
SURE = ("yes", "ja", "oui")

# -- days --------------------------------------------------------------------------------------

# Days as people write them, without a slash: its order is unclear.


class CalendarDay(msgspec.Struct, frozen=True, tag=True):
    """A day of a month. year: 0 for the next such day. weekday: its name as written, or ""."""

    day: int
    month: int
    year: int = 0
    weekday: str = ""

    def seen_from(self, today: date) -> date:
        """The day that was meant by somebody who wrote it today. ValueError if there is none within
        a year, or if it is another day of the week."""
        is_later = (self.month, self.day) >= (today.month, today.day)
        found = date(self.year or today.year + (not is_later), self.month, self.day)
        if self.weekday and not _begins_name(self.weekday, _WEEKDAYS[found.weekday()]):
            raise ValueError(f"{found} is no {self.weekday}")
        return found


class Weekday(msgspec.Struct, frozen=True, tag=True):
    """The next such day after today. number: 0 for Monday."""

    number: int

    def seen_from(self, today: date) -> date:
        """The day that was meant by somebody who wrote it today."""
        return today + timedelta(days=(self.number - today.weekday() - 1) % 7 + 1)


class DaysAhead(msgspec.Struct, frozen=True, tag=True):
    """Today or tomorrow."""

    count: int

    def seen_from(self, today: date) -> date:
        """The day that was meant by somebody who wrote it today."""
        return today + timedelta(days=self.count)


WrittenDay = CalendarDay | Weekday | DaysAhead

_MONTHS = (
    "jan january januar janner janvier janv",
    "feb february februar feber fevrier fev fevr",
    "mar march marz maerz mrz mars",
    "apr april avril avr",
    "may mai",
    "jun june juni juin",
    "jul july juli juillet juil",
    "aug august aout",
    "sep sept september septembre",
    "oct october okt oktober octobre",
    "nov november novembre",
    "dec december dez dezember decembre",
)
_WEEKDAYS = (
    "monday montag lundi",
    "tuesday dienstag mardi",
    "wednesday mittwoch mercredi",
    "thursday donnerstag jeudi",
    "friday freitag vendredi",
    "saturday samstag sonnabend samedi",
    "sunday sonntag dimanche",
)
_DAYS_IN_WORDS: dict[str, WrittenDay] = {
    **{name: Weekday(number) for number, names in enumerate(_WEEKDAYS) for name in names.split()},
    **dict.fromkeys(("today", "heute", "aujourd hui"), DaysAhead(0)),
    **dict.fromkeys(("tomorrow", "morgen", "demain"), DaysAhead(1)),
}
_MONTH_NUMBERS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er)?")
_AROUND_DAYS = frozenset(
    ["the", "of", "den", "dem", "le", "einschliesslich", "inclusive", "inclus"]
)


def _begins_name(word: str, names: str) -> bool:
    """Return whether a word is one of these names or begins one: "mo", "mon", "montag"."""
    return len(word) > 1 and any(name.startswith(word) for name in names.split())


def read_day(words: str) -> WrittenDay | None:
    """The day in words without accents and punctuation: "3 jan", "january 3rd", "1er janvier 2027",
    "3 1 2027", "2027 01 03", "sun 3 jan", "sunday", "tomorrow". None if they are anything else."""
    parts = [part for part in words.split() if part not in _AROUND_DAYS]
    if (found := _DAYS_IN_WORDS.get(" ".join(parts))) is not None:
        return found
    if len(parts) > 2 and any(_begins_name(parts[0], names) for names in _WEEKDAYS):
        dated = read_day(" ".join(parts[1:]))
        if isinstance(dated, CalendarDay):
            return msgspec.structs.replace(dated, weekday=parts[0])
    if len(parts) == 3 and all(part.isdecimal() for part in parts) and len(parts[0]) == 4:
        parts.reverse()
    if not 2 <= len(parts) <= 3:
        return None
    year = parts[2] if len(parts) == 3 else "0"
    day, month = (parts[1], parts[0]) if parts[0] in _MONTH_NUMBERS else (parts[0], parts[1])
    match = _DAY.fullmatch(day)
    number = _MONTH_NUMBERS.get(month) or (int(month) if re.fullmatch(r"\d{1,2}", month) else 0)
    if match is None or not 1 <= number <= 12 or not re.fullmatch(r"0|20\d\d", year):
        return None
    return CalendarDay(int(match[1]), number, int(year))


# -- patterns for lines as they were written ---------------------------------------------------

# Courtesy at the end of a line, which asks for nothing.
COURTESY = re.compile(
    r"(?<=[^\s,;.!–-])[\s,;.!–-]++(?:please|thanks|thank you|bitte|danke|merci|svp|s[’']il (?:te|vous) pla[iî]t)"
    r"[\s,;.!]*+$",
    re.IGNORECASE,
)
# Words of a line that greets or signs, besides courtesies and names.
AROUND_COURTESY = word_set(
    "hi hello hey hiya dear all everyone everybody friends folks guys team there and to you too again so very much everything"
    " hallo hi moin servus liebe lieber liebes zusammen alle allen ihr euch leute freunde und an dir mal wieder"
    " bonjour bonsoir salut coucou cher chere chers cheres tous toutes a et les amis le la mes aussi bien"
    " please bitte svp ok okay gg gl hf haha hihi lol"
)
_GREETING = (
    r"(?:hi|hiya|hello|hey|dear|good (?:morning|evening|day)|hallo|liebe[rs]?|moin|servus"
    r"|guten (?:morgen|tag|abend)|bonjour|bonsoir|salut|coucou|ch(?:er|[èe]re)s?)\b"
)
GREETING = re.compile(_GREETING, re.IGNORECASE)
# A line that greets anybody, by whatever words: "Hallo ihr zwei," A single letter may be a figure.
SALUTATION = re.compile(rf"{_GREETING},?(?: (?:à|[^\W\d_]{{2,}})){{0,5}}\s?[,!]+", re.IGNORECASE)
PREVIEW = re.compile(r"(?:preview|vorschau|aper[cç]u)\b\s*+:?+\s*+([^\s:].*)", re.IGNORECASE)
# A figure, an explorer, a hex or a space.
FIGURE_OR_PLACE = re.compile(r"\b[A-C]\b|\d")
SAY_WORDS = "say sag sage dis dire dites message nachricht"  # the nouns with a colon only
NOTE_WORDS = "note notiz remarque"
_TALK = "|".join((SAY_WORDS + " " + NOTE_WORDS).split())
_REPORT = "(?:report|melden|signaler)"
NEEDS_MORE = re.compile(rf"\W*(preview|vorschau|aper[cç]u|{_TALK})\W*", re.IGNORECASE)
TALK = re.compile(rf"({_TALK})\b(?:\s*+([:：])\s*+|\s++)([^\s:：].*)", re.IGNORECASE | re.DOTALL)
TALK_BEHIND = re.compile(rf"[\s,;.!(–—-]\s?({_TALK})\s?[:：]", re.IGNORECASE)
REPORT = re.compile(rf"{_REPORT}\b\s*+[:：]?+\s*+([^\s:].*)?", re.IGNORECASE | re.DOTALL)
# Behind "say" without a colon: what is said word for word, unless the line says to whom or what.
SAID = re.compile(
    r"(?:hi|hello|hey|thanks|thank you|sorry|congratulations|well played|good (?:luck|game)|hallo|danke"
    r"|entschuldigung|gut gespielt|viel gl|gl[uü]ckwunsch|bonjour|bonsoir|salut|merci|d[eé]sol|bravo|bien jou)",
    re.IGNORECASE,
)
ABOUT_SAYING = re.compile(
    r"\b(?:to|that|from|for|zu|dass|an|von|f[uü]r|meine[mnr]?|deine[mnr]?|à|au|aux|que|de|ta|ton|your|my)\b",
    re.IGNORECASE,
)
QUOTES = "\"“”„«»‘’'"
