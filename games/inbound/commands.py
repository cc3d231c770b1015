"""Reads the first own line of a reply: one of a few commands, else a move in the game's notation.

A command is a whole line. A line that only begins like one is a move, and the game decides whether
it can read it. Understands English, German and French, in any case and with or without accents.
"""

import re
import unicodedata
from collections.abc import Iterable

import msgspec


class Show(msgspec.Struct, frozen=True):
    """Show the board and the hand."""


class Legal(msgspec.Struct, frozen=True):
    """List what is possible now."""


class Help(msgspec.Struct, frozen=True):
    """List what can be written."""


class Preview(msgspec.Struct, frozen=True):
    """Show what this move would do."""

    line: str


class Note(msgspec.Struct, frozen=True):
    """Put a note beside the last move."""

    text: str


class Resign(msgspec.Struct, frozen=True):
    """Give up; asks back unless it is sure."""

    is_sure: bool


class SwitchMail(msgspec.Struct, frozen=True):
    """Turn the emails of this game on or off."""

    on: bool


class Move(msgspec.Struct, frozen=True):
    """Anything else: a line for the game to read."""

    line: str


ReplyCommand = Show | Legal | Help | Preview | Note | Resign | SwitchMail | Move

_PHRASES: dict[ReplyCommand, str] = {
    Show(): "show; show board; show me; show hand; board; zeige; zeigen; zeig; brett; montre; "
    "montrer; montrez; plateau",
    Legal(): "legal; legal moves; moves; options; what can i do; possible; erlaubt; moglich; "
    "moeglich; was geht; was kann ich tun; zuge; zuege; coups; coups possibles; permis; "
    "que puis je faire",
    Help(): "help; hilfe; aide",
    Resign(is_sure=False): "resign; i resign; give up; i give up; quit; aufgeben; ich gebe auf; "
    "abandonner; abandon; j abandonne",
    SwitchMail(
        on=False
    ): "pause emails; pause email; emails off; stop emails; pause mails; pause mail; "
    "mails pause; stop mails; mails off; mails aus; "
    "mails anhalten; mails pausieren; unsubscribe; abmelden; abbestellen; desabonner; "
    "pause courriels; pause les mails; suspendre mails",
    SwitchMail(on=True): "resume emails; resume email; emails on; resume mails; resume mail; "
    "mails on; mails an; mails weiter; "
    "mails fortsetzen; reprendre mails; reprendre les mails; reprendre courriels",
}
_COMMANDS = {
    phrase.strip(): command
    for command, phrases in _PHRASES.items()
    for phrase in phrases.split(";")
}
# Courtesy at the end of a line, which asks for nothing.
_COURTESY = re.compile(
    r"(?<=\S)[\s,;.!–-]+(?:please|thanks|thank you|bitte|danke|merci|svp|s[’']il (?:te|vous) pla[iî]t)"
    r"[\s,;.!]*$",
    re.IGNORECASE,
)
_SURE = ("yes", "ja", "oui")
_PREVIEW = re.compile(r"(?:preview|vorschau|aper[cç]u)\b\s*:?\s*(\S.*)", re.IGNORECASE)
_NOTE = re.compile(r"(?:note|notiz)\b\s*:?\s*(\S.*)", re.IGNORECASE | re.DOTALL)


def parse(line: str) -> ReplyCommand:
    """The command in the first own line of a reply."""
    line = _COURTESY.sub("", line)
    if line.strip(" ?") == "" and "?" in line:
        return Help()
    plain = _plain(line)
    if found := _COMMANDS.get(plain):
        return found
    first, _space, rest = plain.partition(" ")
    before, _space, last = plain.rpartition(" ")
    for word, others in ((first, rest), (last, before)):
        if word in _SURE and isinstance(_COMMANDS.get(others), Resign):
            return Resign(is_sure=True)
    composed = unicodedata.normalize("NFC", line)
    if match := _PREVIEW.fullmatch(composed):
        return Preview(match[1])
    if match := _NOTE.fullmatch(composed):
        return Note(match[1])
    return Move(line)


def note_below(lines: Iterable[str]) -> str:
    """The note among the own lines after a move, to the end of its paragraph; "" for none."""
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
    kept = (c if c.isalnum() else " " for c in letters if not unicodedata.combining(c))
    return " ".join("".join(kept).split())
