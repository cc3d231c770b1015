"""Style of the messages and their translations, as far as a pattern can find faults in it."""

import re
from collections.abc import Iterator

from babel.messages import Message

from games.management.commands.messages import PLACEHOLDER, forms, ids

_TAG = re.compile(r"<[^>]+>")
_PART_OF = re.compile(r"%\(\w+\)s of %\(\w+\)s")
_SITE = re.compile(r"^(?!.*\bpage\b).*\bsite\b", re.DOTALL)
_THIS_PAGE = re.compile(r"\bdiese[rns]? Seite\b", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")

_NO_SPACE = r"(?<![\s\u202f])(?:[:;?]|(?<!Atlantis)!)(?=\s|$)"  # "Atlantis!" is a title
GLUED = re.compile(_NO_SPACE)
_AFTER_WORD = re.compile(r"(?<=[^\W\d_]|[)»])" + _NO_SPACE)  # not "12:" in a board of text

_STRAIGHT_QUOTES = (re.compile(r"[\"']"), "has straight quotation marks or apostrophes")
_BRACKETS = (re.compile(r"\(%\(creature\)s\)"), "has a creature in brackets, not in the sentence")
_PERCENT = (re.compile(r"(?<![\xa0\u202f])%%"), "lacks a no-break space before a percent sign")

# English says "it’s" and "don’t" in answers to replies, and "it is" and "do not" in rules, logs and
# legal texts.
_ANSWERS = ("games/inbound/", "games/mail/kinds/answer.py", "templates/mail/reply_")
_FORMAL = (
    "templates/games/rules/",
    "templates/games/about.html",
    "templates/games/conduct.html",
    "games/rules/atlantis/event_text.py",
    "games/rules/escape/event_text.py",
    "games/rules/table_text.py",
)
_CONTRACTION = re.compile(r"(?i)n’t\b|\b(?:it|that|there)’s\b|\b(?:I|you|we|they)’\w")
_FULL = re.compile(
    r"(?i)\b(?:do|does|did|is|are|was|were|has|have|had|could|would|will|can) ?not\b"
    r"|\b(?:it|that) is\b|\b(?:you|we) (?:are|will)\b"
)

# Style of the texts: a pattern, searched in the text without tags, and what it means. English is
# the language of the source.
STYLE: dict[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    "en": (
        _STRAIGHT_QUOTES,
        (re.compile(r"\s%%"), "has a space before a percent sign"),
        (
            re.compile(r"\be-mail|\b[Mm]ails?\b(?<!Atlantis by Mail)(?! server| listener)"),
            "says “mail” or “e-mail” instead of “email”",
        ),
        (re.compile(r"(?i)\b(?:shall|meanwhile|whilst|utili[sz]e)\b"), "is not plain English"),
        (
            re.compile(
                r"(?i)\b(?:some|any|every)body\b|\b(?:made|moves?|turns?) in time\b|stand still"
            ),
            "says “-body”, “in time” or “stand still” for “-one”, “on time” or “are paused”",
        ),
    ),
    "de": (
        _STRAIGHT_QUOTES,
        _BRACKETS,
        _PERCENT,
        (
            re.compile(r"(?<=[a-zäöüß,] )(?:Sie|Ihnen|Ihre?[mnrs]?)\b"),
            "addresses the reader formally",
        ),
        (re.compile("”"), "has English quotation marks: German ones are „…“"),
        (
            re.compile(r"\b(?:[Ss]chreib|[Ss]chick|[Vv]ersuch (?=es|sie)|setz|spiel|zieh)\b"),
            "shortens an imperative, which ends in -e elsewhere",
        ),
        (re.compile(r"(?i)(?<!\()\be[-\u2011]?mails?\b"), "says “E-Mail” instead of “Mail”"),
        (
            re.compile(
                r"Tischleitung|Antwort(?:en)? im Voraus|Fristen stehen still|für immer fort"
                r"|Mitspielende|\bForscher"
            ),
            "says another term than the table of CONTRIBUTING.md",
        ),
    ),
    "fr": (
        _STRAIGHT_QUOTES,
        _BRACKETS,
        _PERCENT,
        (re.compile(r"(?i)\b(?:tu|te|toi|ton|ta|tes)\b|\bt’"), "says “tu” instead of “vous”"),
        (
            re.compile(_NO_SPACE + r"|[^\S\u202f][:;?!»]|«[^\u202f]"),
            "lacks a narrow no-break space at a punctuation mark",
        ),
        (
            re.compile(
                r"(?i)\b(?:de|que) (?:«\u202f%\(|%\((?!(?:before|count|first|folder|from|hex|hexes|least"
                r"|paid|price|start)\)s))"  # these begin with a figure, a name of a space or a mark
            ),
            "has “de” or “que” before a name, which may begin with a vowel",
        ),
        (
            re.compile(
                r"(?i)réponses? d’avance|(?:manqu|laissé passer)[^.]{0,20}\bdélai"
                r"|\brameaux?\b|\bcourriels?\b|\bbots?\b|(?<!e‑)(?<!suspendre )(?<!reprendre )(?<!Atlantis by )\bmails?\b"
            ),
            "says another term than the table of CONTRIBUTING.md",
        ),
        (
            re.compile(
                r"(?i)\bvous a(?:vait)? (?:invité|retiré)\b|\bvous êtes (?:connecté|inscrit|invité)\b"
                r"|\bj’en suis sûr\b"
            ),
            "takes the reader for a man",
        ),
        (re.compile(r"^Plus (?:de (?!\d)|d’)"), "begins like “more”, and means “no more”"),
        (re.compile(r"(?i)\be-mail"), "lets “e-mail” break: use a no-break hyphen (U+2011)"),
    ),
}


def style_errors(language: str, message: Message) -> Iterator[str]:
    """Yield what a reader would stumble over: no words to translate, or a rule of the language."""
    if not any(_LETTER.search(PLACEHOLDER.sub("", text)) for text in ids(message)):
        yield f"“{ids(message)[0]}” has no words: sentences are not glued from placeholders."
    if message.pluralizable and _PART_OF.search(ids(message)[0]):
        yield f"“{ids(message)[0]}”: neither number alone decides the plural, so use one text."
    for spoken, texts in (("en", ids(message)), (language, forms(message))):
        for text in texts:
            for pattern, fault in STYLE.get(spoken, ()):
                if pattern.search(_TAG.sub("", text)):
                    yield f"“{text}” {fault}."
    files = [file for file, _line in message.locations]
    for text in ids(message):
        if files and all(file.startswith(_ANSWERS) for file in files) and _FULL.search(text):
            yield f"“{text}” is said in an answer: use a contraction, as in speech."
        if any(file.startswith(_FORMAL) for file in files) and _CONTRACTION.search(text):
            yield f"“{text}” is a rule, a log or a legal text: write without contractions."
    if language == "de" and _SITE.search(ids(message)[0]):
        for form in forms(message):
            if _THIS_PAGE.search(form):
                yield f"“{form}” calls the site “Seite”, which is a page: write “Website”."


def unspaced_punctuation(text: str, language: str) -> list[str]:
    """The lines of a French text in which a mark follows a word without a space."""
    if language != "fr":
        return []
    return [line for line in text.splitlines() if _AFTER_WORD.search(line)]


# -- what is rendered ----------------------------------------------------------------------

# Words before a moment, and words for a time without an end, which do not follow them.
UNTIL = r"until|by|since|bis(?: zum)?|seit|ab|jusqu’(?:à|au)|depuis(?: le)?"
ENDLESS = r"for good|never|none|auf Dauer|nie|niemals|keine?|définitivement|jamais|aucune?|–|-"
MISFITS = re.compile(rf"\b(?:{UNTIL})\s*:?\s*(?:{ENDLESS})(?!\w)", re.IGNORECASE)
# French elides these words before a vowel, and numbers the first of a month.
ELIDED = re.compile(r"(?i)(?<![\w’])(?:de|que|le|la|je|ne|se) «?[\s\u202f]*(?=[aeiouyàâéèêëîïôœ])")
FIRST = re.compile(
    r"\b1 (?:(?:janv|févr|juil|sept|oct|nov|déc)\.|janvier|février|mars|avril|mai|juin|juillet|août"
    r"|(?:septem|octo|novem|décem)bre)"
)


def misfits(words: str, language: str) -> list[str]:
    """What does not fit in this text: a value behind a word, and in French what is glued, not
    elided, or the first of a month without its ending."""
    words = "\n".join(line for line in words.splitlines() if line.strip())
    patterns = [MISFITS, *([GLUED, ELIDED, FIRST] if language == "fr" else [])]
    found = [one for pattern in patterns for one in pattern.finditer(words)]
    return [words[max(0, one.start() - 40) : one.end() + 40] for one in found]
