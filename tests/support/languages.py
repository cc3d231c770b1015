"""Untranslated English in texts of other languages."""

import re
from functools import cache

from django.utils.html import strip_tags

from games.management.commands import messages

LANGUAGES = ("de", "fr")
WORD = r"[A-Za-z’']+"


@cache
def recognisable(language: str) -> list[tuple[str, str, str]]:
    """The English messages of three words or more, said otherwise in this language: each with a
    text that it has wherever it stands, and a pattern."""
    found = []
    for message in messages.stored(language):
        for english, said in zip(messages.ids(message), messages.forms(message), strict=False):
            bare = re.sub(r"%\(\w+\)s|<[^>]+>", "\0", english)
            pieces = [" ".join(piece.split()) for piece in bare.split("\0")]
            if said == english or max(len(re.findall(WORD, piece)) for piece in pieces) < 3:
                continue
            pattern = ".{1,60}?".join(map(re.escape, pieces))
            found.append((english, max(pieces, key=len), rf"(?<!\w){pattern}"))
    return found


def english_in(text: str, language: str) -> list[str]:
    """The English messages that are recognisable in a text in this language."""
    shown = " ".join(text.replace("\u00a0", " ").split())
    return [
        english
        for english, piece, pattern in recognisable(language)
        if piece in shown and re.search(pattern, shown)
    ]


def readable(html: str) -> str:
    """Return the text of a page without its scripts and styles."""
    return strip_tags(re.sub(r"<(script|style)\b.*?</\1>", " ", html, flags=re.DOTALL))
