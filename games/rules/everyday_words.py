"""Words around a move that every game reads alike, in English, German and French.

All words are in lower case without accents. Fillers say nothing about the move; a doubtful word
says that the sentence may not be an order at all: negations, doubts, conditions, alternatives,
reports and the past.
"""

import re

# A line of one of these alone says that nothing is to be done.
NOTHING = frozenset(["no", "none", "nothing", "pass", "nein", "nichts", "non", "rien"])


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLERS = _words(
    # English; "a" is left to each game
    "i we my mine our me ll am m an the please pls kindly thanks thank you thx ty cheers hi hello "
    "hey dear hiya greetings all everyone everybody folks friends there good morning afternoon "
    "evening day night regards best wishes ok okay yes yeah yep alright great fine so now here "
    "then next also and with for to on onto at over into in it this is plus turn "
    "move moves moving play plays playing go goes going make makes making do take takes taking "
    "use uses using will want let "
    # German
    "ich wir mein meine meinen meiner meinem meins mir mich bitte danke dank vielen schonen "
    "hallo hi moin servus gruss gruesse grusse viele beste liebe lieben freundlichen mfg lg vg "
    "zusammen ihr euch guten tag abend tach der die das den dem ein eine einen einem einer "
    "und mit dann danach anschliessend auf nach zu zum zur in im ins fur fuer bei uber ueber an "
    "spiele spielen spiel spielt ziehe ziehen zieh zieht nehme nehmen nimm mache machen mach "
    "gehe gehen geh geht fahre fahren fahr rucke ruecke rucken ruecken vor laufe laufen lauft werde will zug ist also jetzt nun hier gut gern gerne "
    "ja okay "
    # French
    "je nous mon ma mes moi le la les un une des du de au aux et puis ensuite alors avec "
    "sur vers dans en joue jouer jouons joues fais faire vais veux prends prendre mets mettre "
    "va avance avancer bouge bouger utilise utiliser bonjour bonsoir salut coucou merci svp stp "
    "beaucoup cordialement bien amicalement amities tous tout toutes monde coup tour oui "
    "maintenant ici bonne journee soiree"
)

# Elided French articles and pronouns.
ELISIONS = re.compile(r"\b[dlj]['’`]", re.IGNORECASE)
# Thanks and wishes: they say nothing about the move, wherever they stand. Some have a word that
# would be doubtful by itself, or that is no filler. Praise may be about somebody else's move.
_TO_EVERYBODY = (
    r"(?: (?:to )?(?:you )?(?:all|everyone|everybody)| (?:euch )?(?:allen|alle)| euch| dir"
    r"| [aà] (?:tous|toutes|vous|vous tous|tout le monde))?"
)
COURTESIES = re.compile(
    r"\b(?:(?:many )?thanks(?: a lot| so much| very much)?|thank you(?: so much| very much)?|thx"
    r"|good luck(?: to you)?|have fun|best wishes|all the best|(?:best|kind|warm) regards"
    r"|have a (?:nice|good|great|lovely) (?:day|evening|week|weekend|one)|gl ?hf|cheers"
    r"|see you (?:soon|then)|bye(?: bye)?"
    r"|danke(?: sch(?:ö|oe|o)n| sehr| vielmals)?|(?:vielen|besten|herzlichen) dank"
    r"|viel (?:gl(?:ü|ue|u)ck|spa(?:ß|ss)|erfolg|vergn(?:ü|ue|u)gen)(?: noch)?|gutes spiel"
    r"|(?:einen )?sch(?:ö|oe|o)nen (?:tag|abend|sonntag)(?: noch)?"
    r"|(?:ein )?sch(?:ö|oe|o)nes wochenende|(?:liebe|viele|beste|sch(?:ö|oe|o)ne)"
    r" gr(?:ü|ue|u)(?:ß|ss)e|bis (?:bald|dann)|tsch(?:ü|ue|u)ss"
    r"|merci(?: beaucoup| bien)?|bonne (?:chance|partie|journ[ée]e|soir[ée]e)|bon (?:jeu|week-end)"
    r"|bien [aà] vous|amusez[ -]vous(?: bien)?|[aà] bient[oô]t|à plus)" + _TO_EVERYBODY + r"(?!\w)",
    re.IGNORECASE,
)
# Turns of phrase of which a single word would mean something else.
PHRASES = re.compile(
    r"\b(?:s['’` ]?il[ -](?:te|vous)[ -]pla[iî]t|guten morgen|let['’]?s|let me|i['’]m|i am"
    r"|my (?:move|turn|order)s? (?:is|are|will be)|mein(?:e)? (?:zug|n[aä]chster zug) (?:ist|w[aä]re)"
    r"|mon coup (?:est|sera)|ce sera|c['’` ]est|voici|voil[aà]|[aà] (?:tous|toutes|vous|tout le monde)"
    r"|a\+|of course|here is|here['’]?s|hier (?:ist |kommt )?mein(?:e)? (?:zug|antwort)"
    r"|chers? (?:amis|tous|toutes)|n[aä]chster zug)"
    r"(?!\w)",
    re.IGNORECASE,
)

DOUBTS = _words(
    # English
    "no not none nope never neither nor without cannot cant dont wont didnt doesnt isnt arent wasnt "
    "shouldnt wouldnt couldnt havent instead except but unless if whether maybe perhaps possibly "
    "probably presumably might may could would should can shall hope hoping think thinking thought "
    "guess suppose consider considering considered unsure uncertain wonder wondering doubt or "
    "either else otherwise later tomorrow yesterday earlier previously already last until till wait "
    "hold stop cancel undo forget ignore wrong mistake oops correction rather said says say saying "
    "told tell suggested suggests suggest advised advises wrote writes heard moved played did does "
    "was were had has have been paid sank sunk placed rolled went took chose wanted meant used "
    "almost nearly pretend example joke joking kidding test testing what which why how who whose "
    "when where he she they him her his their them others opponent opponents again withdraw "
    "retract revoke scrap nah nevermind avoid refuse decline hypothetically theoretically ideally "
    "hardly barely supposed "
    # German
    "nicht nie niemals nein kein keine keinen keinem keiner keines nix nichts ohne statt anstatt "
    "stattdessen ausser ausserdem aber sondern wenn falls ob sofern vielleicht eventuell evtl "
    "wahrscheinlich womoglich moglicherweise moeglicherweise konnte koennte konnten wurde wuerde "
    "wurden sollte sollten soll durfte duerfte darf hatte haette hatten habe hab hast hat haben "
    "war ware waere glaube denke dachte meinte meint uberlege ueberlege hoffe hoffentlich oder "
    "entweder weder noch spater spaeter morgen gestern vorhin bereits schon letzte letzter letztes "
    "letzten sagte sagt sage schrieb gesagt gespielt gezogen gesetzt gelegt bezahlt gekauft "
    "genommen gezahlt gewollt gemacht gemeint versenkt gewurfelt wollte fast beinahe warte warten "
    "stopp halt zuruck zurueck vergiss falsch fehler irrtum doch lieber eigentlich er ihm sein "
    "was wie warum welche welchen welcher wer wo wann kann konnen koennen muss unsicher "
    "vermutlich angenommen wohl ungern kaum beispiel scherz spass abgesehen niemand verzichte "
    # French
    "ne n pas jamais non ni aucun aucune sans sauf mais si sinon peut etre probablement "
    "eventuellement pourrais pourrait devrais devrait serait ferais ferait aurais aurait avait "
    "avais ai as ont avons avez etait etais ou soit plutot tard demain hier deja dernier derniere "
    "dit disait dis disent pense penser crois croyais hesite attends attendez annule annuler "
    "oublie erreur faux lieu presque quand lorsque que qu quoi quel quelle quels quelles comment "
    "pourquoi qui est il elle ils elles peux pouvais voulais voulait jouais jouait faillis "
    "aimerais voudrais souhaite souhaiterais mochte moechte exemple blague rien personne autre refuse evite espere"
)
# Behind a name that is none of the game's: somebody else has moved, or will.
REPORTING = _words(
    "plays moves takes uses goes places sinks spielt zieht nimmt geht setzt versenkt joue avance pose coule"
)
DOUBTFUL_SIGNS = re.compile(
    r"[?？¿❓❔👎❌🚫⛔🤔✖✗✘🙅🤷😕🫤]|(?<=\w)\s*/\s*(?=\w)|\b\w+n['’]t\b|~|\u202e|\u202d",
    re.IGNORECASE,
)
# French past participles, which are orders without their accent: joué, posée.
_PARTICIPLE = re.compile(r"\b\w{2,}é(?:e|s|es)?\b", re.IGNORECASE)
_NOUNS = re.compile(
    r"\b(?:équip|journé|soiré|marché|côté|amitié|désolé|enchanté)\w*", re.IGNORECASE
)
# Conditional in form only.
POLITE = re.compile(
    r"\b(?:(?:i|we)(?:['’]d| would) (?:like|love) to|(?:can|could) you (?:please )?"
    r"|(?:kannst|k(?:ö|oe|o)nntest) du|k(?:ö|oe|o)nnt ihr|(?:peux|pourrais)[ -]tu"
    r"|(?:pouvez|pourriez)[ -]vous"
    r"|(?:ich )?m(?:ö|oe|o)chte(?: ich)?|(?:ich )?w(?:ü|ue|u)rde(?: ich)? gerne?"
    r"|je (?:voudrais|souhaite|souhaiterais|veux bien)|j['’` ]?aimerais(?: bien)?"
    r"|no problem|kein problem|pas de probl[eè]me|pas de souci)\b",
    re.IGNORECASE,
)


def has_participle(text: str) -> bool:
    """Whether a French past participle with its accent is among these words (composed letters)."""
    return _PARTICIPLE.search(_NOUNS.sub(" ", text)) is not None
