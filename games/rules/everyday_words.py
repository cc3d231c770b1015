"""Words around a move that every game reads alike, in English, German and French.

All words are in lower case without accents. Fillers say nothing about the move; a doubtful word
says that the sentence may not be an order at all: negations, doubts, conditions, alternatives,
reports and the past. MOVING, BESIDE, OPENERS and OPENING matter only for a line that is no move and
may come close to one.
"""

import re

# A line of one of these alone says that nothing is to be done.
NOTHING = frozenset(["no", "none", "nothing", "pass", "nein", "nichts", "non", "rien"])


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLERS = word_set(
    # English; "a" is left to each game
    "i we my mine our me ll am m an the please pls kindly thanks thank you thx ty cheers hi hello "
    "hey dear hiya greetings all everyone everybody folks friends there ok okay yes yeah yep alright great fine so now here "
    "then next also and with for to on onto at over into in it this is plus turn "
    "move moves moving play plays playing go goes going make makes making do take takes taking "
    "use uses using will want let "
    # German
    "ich wir mein meine meinen meiner meinem meins mir mich bitte danke dank vielen schonen "
    "hallo hi moin servus gruss gruesse grusse viele beste liebe lieben freundlichen mfg lg vg "
    "zusammen ihr euch tach der die das den dem ein eine einen einem einer "
    "und mit dann danach anschliessend auf nach zu zum zur in im ins fur fuer bei uber ueber an "
    "spiele spielen spiel spielt ziehe ziehen zieh zieht nehme nehmen nimm mache machen mach "
    "gehe gehen geh geht fahre fahren fahr rucke ruecke rucken ruecken vor laufe laufen lauft werde will zug ist also jetzt nun hier gut gern gerne "
    "ja okay "
    # French
    "je nous mon ma mes moi le la les un une des du de au aux et puis ensuite alors avec "
    "sur vers dans en pour me joue jouer jouons joues fais faire vais veux prends prendre mets mettre "
    "va avance avancer bouge bouger utilise utiliser bonjour bonsoir salut coucou merci svp stp "
    "beaucoup cordialement bien amicalement amities tous tout toutes monde coup tour oui "
    "maintenant ici bonne journee soiree"
)

# Elided French articles and pronouns, and “is” and “us” in English.
ELISIONS = re.compile(r"\b[dlj]['’`]|(?<=\w)['’`]s\b", re.IGNORECASE)
# Thanks and wishes: they say nothing about the move, wherever they stand. Some have a word that
# would be doubtful by itself, or that is no filler. Praise may be about somebody else's move.
_TO_EVERYBODY = (
    r"(?: (?:to )?(?:you )?(?:all|everyone|everybody)| (?:euch )?(?:allen|alle)| euch| dir"
    r"| [aà] (?:tous|toutes|vous|vous tous|tout le monde))?"
)
COURTESIES = re.compile(
    r"\b(?:(?:many )?thanks(?: a lot| so much| very much)?|thank you(?: so much| very much)?|thx"
    r"|good luck(?: to you)?|have fun|best wishes|all the best|(?:best|kind|warm) regards"
    r"|good (?:morning|afternoon|evening|day|night)|guten (?:morgen|tag|abend)"
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
    r"\b(?:s['’` ]?il[ -](?:te|vous)[ -]pla[iî]t|let['’]?s|let me|i['’]m|i am"
    r"|my (?:next )?(?:move|turn|order|answer|choice)s? (?:is|are|will be|would be)|mein(?:e)? (?:zug|n[aä]chster zug) (?:ist|w[aä]re)"
    r"|mon coup (?:est|sera)|ce sera|c['’` ]est|voici|voil[aà]|[aà] (?:tous|toutes|vous|tout le monde)"
    r"|a\+|of course|here is|here['’]?s|hier (?:ist |kommt )?mein(?:e)? (?:zug|antwort)"
    r"|chers? (?:amis|tous|toutes)|n[aä]chster zug)"
    r"(?!\w)",
    re.IGNORECASE,
)

DOUBTS = word_set(
    # English
    "no not none nope never neither nor without cannot cant dont wont didnt doesnt isnt arent wasnt "
    "shouldnt wouldnt couldnt havent instead except but unless if whether maybe perhaps possibly "
    "probably presumably might may could would should can shall hope hoping think thinking thought "
    "guess bet suppose consider considering considered unsure uncertain wonder wondering doubt or "
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
    "vermutlich angenommen wette wohl ungern kaum beispiel scherz spass abgesehen niemand verzichte "
    # French
    "ne n pas jamais non ni aucun aucune sans sauf mais si sinon peut etre probablement "
    "eventuellement pourrais pourrait devrais devrait serait ferais ferait aurais aurait avait "
    "avais ai as ont avons avez etait etais ou soit plutot tard demain hier deja dernier derniere "
    "dit disait dis disent pense penser crois croyais hesite attends attendez annule annuler "
    "oublie erreur faux lieu presque quand lorsque que qu quoi quel quelle quels quelles comment "
    "pourquoi qui est il elle ils elles peux pouvais voulais voulait jouais jouait faillis "
    "aimerais voudrais souhaite souhaiterais mochte moechte exemple blague parie rien personne autre refuse evite espere"
)
# Behind a name that is none of the game's: somebody else has moved, or will.
REPORTING = word_set(
    "plays moves takes uses goes places sinks spielt zieht nimmt geht setzt versenkt joue avance pose coule"
)
DOUBTFUL_SIGNS = re.compile(
    r"[?？¿❓❔👎❌🚫⛔🤔✖✗✘🙅🤷😕🫤]|(?<=\w)\s*/\s*(?=\w)|\b\w+n['’]t\b|~|\u202e|\u202d",
    re.IGNORECASE,
)
# French past participles, which are orders without their accent: joué, posée.
_PARTICIPLE = re.compile(r"\b\w{2,}é(?:e|s|es)?\b", re.IGNORECASE)
_NOUNS = re.compile(
    r"\b(?:équip|journé|soiré|marché|côté|amitié|désolé|enchanté|dispersé)\w*", re.IGNORECASE
)
# A request in the form of a question or a wish: a modal verb, and who is asked or who wishes.
POLITE = re.compile(
    r"\b(?:(?:i|we)(?:['’]d| would) (?:like|love|be (?:glad|happy))(?: to)?"
    r"|(?:can|could|will|would) you(?: please| kindly)?|(?:can|could|may|might) (?:i|we)(?: please| have)?"
    r"|if (?:i|we) may|if you please|be so (?:kind|good)(?: and| as to)?"
    r"|(?:kannst|k(?:ö|oe|o)nntest|w(?:ü|ue|u)rdest) du|k(?:ö|oe|o)nnte?t ihr|w(?:ü|ue|u)rdet ihr"
    r"|(?:k(?:ö|oe|o)nnte?n|w(?:ü|ue|u)rden) sie|d(?:arf|(?:ü|ue|u)rfte) ich"
    r"|(?:(?:ich|wir) )?(?:w(?:ü|ue|u)rden?|h(?:ä|ae|a)tten?)(?: ich| wir)?(?: (?:mich|uns))?"
    r"(?: sehr)? gerne?|(?:(?:ich|wir) )?m(?:ö|oe|o)chten?(?: ich| wir)?"
    r"|(?:seid?|w(?:ä|ae|a)rs?t (?:du|ihr)) (?:bitte )?so (?:gut|nett|lieb|freundlich)(?: und)?"
    r"|(?:peux|pourrais)[ -]tu|tu (?:peux|pourrais)|(?:pouvez|pourriez)[ -]vous"
    r"|vous (?:pouvez|pourriez)|(?:puis|pourrais)[ -]je|veuillez"
    r"|(?:auriez[ -]vous|aurais[ -]tu|ayez|aie) (?:la |l['’])(?:gentillesse|bont[ée]|amabilit[ée]) de"
    r"|je (?:voudrais|souhaite|souhaiterais|veux bien)|j['’` ]?aimerais(?: bien)?"
    r"|no problem|kein problem|pas de probl[eè]me|pas de souci)(?!\w)",
    re.IGNORECASE,
)

# Verbs of moving and choosing in the first person, as orders and infinitives, and the nouns.
MOVING = word_set(
    "play move take use go going put place set choose pick select opt advance sail sink make do "
    "bring send want wish turn choice answer decision decided decide "
    "spiele spielen spiel ziehe ziehen zieh nehme nehmen nimm mache machen mach gehe gehen geh "
    "fahre fahren setze setzen setz stelle stellen lege legen leg lauf laufe laufen rucke ruecke "
    "rucken ruecken vorrucken vorruecken wunsche wuensche will bewege bewegen beweg wahle waehle wahlen waehlen entscheide bringe bringen "
    "bring schicke schicken schick versenke versenken zug wahl antwort entscheidung "
    "joue jouer jouons jouez prends prendre prenez mets mettre mettez mettons bouge bouger bougez "
    "avance avancer avancez deplace deplacer deplacez choisis choisir choisissez pose poser posez "
    "place placer placez decide opte envoie envoyer envoyez vais veux desire coup choix reponse decision"
)
# Words for when, how and for whom one moves, and for what the figure does.
BESIDE = word_set(
    "today this time just simply quickly finally again me us away of by still be "
    "advances walks climbs steps jumps swims hops rides runs heads enters stands comes gets carries "
    "heute diesmal zeit mal eben endlich schnell einfach nem um es sich uns los so "
    "steigt fahrt faehrt springt schwimmt lauft laeuft klettert wandert ruckt rueckt kommt bekommt "
    "tragt traegt steht platzieren punkten points "
    "aujourd hui cette fois enfin simplement bon allez donc ce ci on y se jusqu "
    "monte plonge saute nage marche grimpe debarque embarque rejoint emmene prend porte passe"
)
# A greeting or an apology in front of a move begins with one of these, and may go on with anything.
OPENERS = word_set(
    "hi hello hey hiya yo dear morning evening sorry apologies pardon excuse "
    "hallo hallochen moin servus gruss liebe lieber guten schonen entschuldigung entschuldige "
    "entschuldigt verzeihung leid "
    "bonjour bonsoir salut coucou cher chere chers desole desolee desoles navre navree excuses excusez"
)
# A greeting or an apology at the beginning of a clause.
OPENING = re.compile(
    r"\W*(?:(?:hi|hello|hey|dear|good (?:morning|evening|day)|hallo|moin|servus|guten \w+|bonjour|bonsoir"
    r"|salut|coucou)|(?:i['’]?m |we['’]?re |i am |so |very |really |truly |my |oh |sehr |wirklich |vraiment |bitte |mes |mille |toutes mes )*"
    r"(?:sorry|apolog\w+|pardon\w*|excuse\w*|entschuldig\w*|verzeih\w*|tut mir leid|d[ée]sol[ée]\w*"
    r"|navr[ée]\w*))\b",
    re.IGNORECASE,
)


def has_participle(text: str) -> bool:
    """Return whether a French past participle with its accent is among these words (composed
    letters)."""
    return _PARTICIPLE.search(_NOUNS.sub(" ", text)) is not None
