"""The first own line as an order: one of a few commands, else a move in the game's notation.

A command is a whole line; a line that only begins like one is a move, and the game says whether it
can read it. Understood in English, German and French, in any case and with or without accents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import msgspec


class Show(msgspec.Struct, frozen=True):
    """The board and the hand once more."""


class Legal(msgspec.Struct, frozen=True):
    """What is possible now."""


class Help(msgspec.Struct, frozen=True):
    """What one can write."""


class Preview(msgspec.Struct, frozen=True):
    """What this move would do."""

    move: str


class Note(msgspec.Struct, frozen=True):
    """A word to the table."""

    text: str


class Resign(msgspec.Struct, frozen=True):
    """Give up; asks back unless it is sure."""

    sure: bool


class Mails(msgspec.Struct, frozen=True):
    """The mails of this game off, or on again."""

    off: bool


class Move(msgspec.Struct, frozen=True):
    """Anything else: for the game to read."""

    line: str


Order = Show | Legal | Help | Preview | Note | Resign | Mails | Move

_WHOLE: dict[Order, str] = {
    Show(): "show; show board; show me; show hand; board; zeige; zeigen; zeig; brett; montre; "
    "montrer; montrez; plateau",
    Legal(): "legal; legal moves; moves; options; what can i do; possible; erlaubt; moglich; "
    "moeglich; was geht; was kann ich tun; zuge; zuege; coups; coups possibles; permis; "
    "que puis je faire",
    Help(): "help; hilfe; aide",
    Resign(
        sure=False
    ): "resign; i resign; give up; i give up; quit; aufgeben; ich gebe auf; abandonner; abandon; j abandonne",
    Mails(off=True): "pause mails; pause mail; mails pause; stop mails; mails off; mails aus; "
    "mails anhalten; mails pausieren; unsubscribe; abmelden; abbestellen; desabonner; pause courriels; pause les mails; suspendre mails",
    Mails(off=False): "resume mails; resume mail; mails on; mails an; mails weiter; "
    "mails fortsetzen; reprendre mails; reprendre les mails; reprendre courriels",
}
_ORDERS = {words.strip(): order for order, text in _WHOLE.items() for words in text.split(";")}
# Courtesy at the end of a line, which orders nothing.
_COURTESY = re.compile(
    r"(?<=\S)[\s,;.!–-]+(?:please|thanks|thank you|bitte|danke|merci|svp|s[’']il (?:te|vous) pla[iî]t)"
    r"[\s,;.!]*$",
    re.IGNORECASE,
)
_SURE = ("yes", "ja", "oui")
_PREVIEW = re.compile(r"(?:preview|vorschau|aper[cç]u)\b\s*:?\s*(\S.*)", re.IGNORECASE)
_NOTE = re.compile(r"(?:note|notiz)\b\s*:?\s*(\S.*)", re.IGNORECASE | re.DOTALL)


def order_of(line: str) -> Order:
    """What a first own line asks for."""
    line = _COURTESY.sub("", line)
    if line.strip(" ?") == "" and "?" in line:
        return Help()
    plain = _plain(line)
    if found := _ORDERS.get(plain):
        return found
    first, _space, rest = plain.partition(" ")
    before, _space, last = plain.rpartition(" ")
    for word, order in ((first, _ORDERS.get(rest)), (last, _ORDERS.get(before))):
        if word in _SURE and isinstance(order, Resign):
            return Resign(sure=True)
    composed = unicodedata.normalize("NFC", line)
    if found_preview := _PREVIEW.fullmatch(composed):
        return Preview(found_preview[1])
    if found_note := _NOTE.fullmatch(composed):
        return Note(found_note[1])
    return Move(line)


def note_below(lines: Iterable[str]) -> str:
    """The note among the own lines after a move: from the line that begins with the word to the
    end of its paragraph; "" for none."""
    words: list[str] = []
    for line in lines:
        if words and not line.strip():
            break
        if words:
            words.append(line)
        elif found := _NOTE.fullmatch(unicodedata.normalize("NFC", line)):
            words.append(found[1])
    return "\n".join(words)


def _plain(line: str) -> str:
    """Lower case, no accents, no punctuation, single spaces."""
    letters = unicodedata.normalize("NFKD", line[:100].casefold())
    kept = (" " if not char.isalnum() else char for char in letters if not _is_accent(char))
    return " ".join("".join(kept).split())


def _is_accent(char: str) -> bool:
    return bool(unicodedata.combining(char))
