"""Style of the messages and their translations, as far as a pattern can find faults in it."""

import re
from collections.abc import Iterator

from babel.messages import Message

from games.management.commands.messages import PLACEHOLDER, forms, ids

_TAG = re.compile(r"<[^>]+>")
_PART_OF = re.compile(r"%\(\w+\)s of %\(\w+\)s")
_LETTER = re.compile(r"[^\W\d_]")

_NO_SPACE = r"(?<!Atlantis)(?<![\s\u202f])[:;?!](?=\s|$)"  # "Atlantis!" is a title
_AFTER_WORD = re.compile(r"(?<=[^\W\d_]|[)»])" + _NO_SPACE)  # not "12:" in a board of text

# Style of the translations: a pattern, searched in the text without tags, and what it means.
STYLE: dict[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    "de": (
        (
            re.compile(r"(?<=[a-zäöüß,] )(?:Sie|Ihnen|Ihre?[mnrs]?)\b"),
            "addresses the reader formally",
        ),
    ),
    "fr": (
        (re.compile(r"(?i)\b(?:tu|te|toi|ton|ta|tes)\b|\bt’"), "says “tu” instead of “vous”"),
        (
            re.compile(_NO_SPACE + r"|[^\S\xa0\u202f][:;?!»]|«[^\u202f]"),
            "lacks a narrow no-break space at a punctuation mark",
        ),
        (re.compile(r"(?i)\be-mail"), "lets “e-mail” break: use a no-break hyphen (U+2011)"),
    ),
}


def style_errors(language: str, message: Message) -> Iterator[str]:
    """Yield what a reader would stumble over: no words to translate, or a rule of the language."""
    if not any(_LETTER.search(PLACEHOLDER.sub("", text)) for text in ids(message)):
        yield f"“{ids(message)[0]}” has no words: sentences are not glued from placeholders."
    if message.pluralizable and _PART_OF.search(ids(message)[0]):
        yield f"“{ids(message)[0]}”: neither number alone decides the plural, so use one text."
    for form in forms(message):
        for pattern, fault in STYLE.get(language, ()):
            if pattern.search(_TAG.sub("", form)):
                yield f"“{form}” {fault}."


def unspaced_punctuation(text: str, language: str) -> list[str]:
    """The lines of a French text in which a mark follows a word without a space."""
    if language != "fr":
        return []
    return [line for line in text.splitlines() if _AFTER_WORD.search(line)]
