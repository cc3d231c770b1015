"""Reads the first own line of a reply: one of a few commands, else a move in the game's notation.

A command is a whole line. A line that only begins like one is a move, and the game decides whether
it can read it. Understands English, German and French, in any case and with or without accents.
"""

import difflib
import re
import unicodedata
from collections.abc import Iterable

import msgspec

from . import absence_days


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


class ShowWords(msgspec.Struct, frozen=True):
    """Show the position in words, without a picture."""


class Rules(msgspec.Struct, frozen=True):
    """Explain how a move is written, with a link to the rules."""


class Status(msgspec.Struct, frozen=True):
    """List all games of the user."""


class StopAll(msgspec.Struct, frozen=True):
    """Turn all emails of this service off, or on again."""

    off: bool


class Undo(msgspec.Struct, frozen=True):
    """Take back one's last step."""


class Away(msgspec.Struct, frozen=True):
    """Enter an absence from today until this day. year: 0 for the next such day."""

    day: int
    month: int
    year: int = 0


class TakeBack(msgspec.Struct, frozen=True):
    """Take back the seat that a bot holds after missed deadlines."""


class Move(msgspec.Struct, frozen=True):
    """Anything else: a line for the game to read."""

    line: str


ReplyCommand = (
    Show
    | ShowWords
    | Legal
    | Help
    | Rules
    | Status
    | Preview
    | Note
    | Resign
    | SwitchMail
    | StopAll
    | Undo
    | TakeBack
    | Away
    | Move
)

_PHRASES: dict[ReplyCommand, str] = {
    Show(): "show; show board; show me; show hand; board; zeige; zeigen; zeig; brett; montre; "
    "montrer; montrez; plateau",
    Legal(): "legal; legal moves; moves; options; what can i do; possible; erlaubt; moglich; "
    "moeglich; was geht; was kann ich tun; zuge; zuege; coups; coups possibles; permis; "
    "que puis je faire",
    Help(): "help; hilfe; aide",
    ShowWords(): "show words; show in words; show text; zeige worte; zeige in worten; montre mots; "
    "montre en mots; montre les mots",
    Rules(): "rules; the rules; regeln; spielregeln; regles; les regles; regle du jeu",
    Status(): "status; my games; spielstand; meine partien; meine spiele; statut; mes parties",
    StopAll(off=True): "stop; stop all; stop all emails; stop all mails; stopp; stopp alle mails; "
    "stop alle mails; arret; arrete; arreter; arretez; arreter tout; unsubscribe all",
    StopAll(off=False): "start; start emails; start all; restart; starten; redemarrer; recommencer",
    Undo(): "undo; undo move; undo my move; undo last move; take back; take it back; takeback; "
    "zurucknehmen; zuruecknehmen; zug zurucknehmen; ruckgangig; rueckgaengig; annuler; annulez; "
    "reprendre mon coup; annuler mon coup",
    TakeBack(): "take my seat back; take back my seat; take back seat; i want my seat back; my seat; "
    "sitz zurucknehmen; meinen sitz zurucknehmen; sitz zuruecknehmen; meinen sitz zuruecknehmen; "
    "platz zurucknehmen; meinen platz zurucknehmen; platz zuruecknehmen; "
    "meinen platz zuruecknehmen; reprendre ma place; je reprends ma place; reprendre mon siege",
    Resign(is_sure=False): "resign; i resign; give up; i give up; quit; aufgeben; ich gebe auf; "
    "abandonner; abandon; j abandonne",
    SwitchMail(
        on=False
    ): "pause; pause this game; pausieren; pause emails; pause email; emails off; stop emails; pause mails; pause mail; "
    "mails pause; stop mails; mails off; mails aus; "
    "mails anhalten; mails pausieren; unsubscribe; abmelden; abbestellen; desabonner; "
    "pause courriels; pause les mails; suspendre mails",
    SwitchMail(
        on=True
    ): "resume; fortsetzen; reprendre; resume emails; resume email; emails on; resume mails; resume mail; "
    "mails on; mails an; mails weiter; "
    "mails fortsetzen; reprendre mails; reprendre les mails; reprendre courriels",
}
_COMMANDS = {
    phrase.strip(): command
    for command, phrases in _PHRASES.items()
    for phrase in phrases.split(";")
}
# Other ways to ask for the last step back, as whole lines. None of their words names a card, a
# figure, an explorer or a hex, so no line is a move as well.
_UNDO = re.compile(
    # English
    r"(?:please )?(?:(?:can|could) you |let me |(?:i|we) (?:(?:will|want to|would like to|d like to) )?)?"
    r"(?:please )?"
    r"(?:(?:undo|take back|revert|retract) (?:it|that|this|(?:(?:my|the|that|this|our) )?"
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
    r"(?:cela|ca|(?:(?:mon|le|ce|notre) )?(?:dernier |precedent )?"
    r"(?:coup|mouvement|deplacement|placement)(?: precedent)?)"
)
# Courtesy at the end of a line, which asks for nothing.
_COURTESY = re.compile(
    r"(?<=\S)[\s,;.!–-]+(?:please|thanks|thank you|bitte|danke|merci|svp|s[’']il (?:te|vous) pla[iî]t)"
    r"[\s,;.!]*$",
    re.IGNORECASE,
)
_SURE = ("yes", "ja", "oui")
_YES = frozenset(
    [
        "yes",
        "yep",
        "yeah",
        "yup",
        "y",
        "ok",
        "okay",
        "oki",
        "ja",
        "jo",
        "jawohl",
        "jep",
        "oui",
        "ouais",
        "da",
        "accord",
        "sure",
        "correct",
        "exactly",
        "right",
        "genau",
        "richtig",
        "stimmt",
        "exact",
        "exactement",
        "parfait",
        "perfect",
        "perfekt",
    ]
)
_AROUND_YES = frozenset(
    [
        "please",
        "thanks",
        "thank",
        "you",
        "bitte",
        "danke",
        "merci",
        "svp",
        "play",
        "it",
        "do",
        "that",
        "mach",
        "das",
        "gern",
        "gerne",
        "d",
        "c",
        "est",
        "bien",
        "that",
        "s",
        "is",
        "what",
        "i",
        "meant",
        "der",
        "die",
        "so",
        "sehr",
    ]
)
_THUMBS = re.compile("[👍👌✅☑✔🆗🙂😀😊💯]")
_PREVIEW = re.compile(r"(?:preview|vorschau|aper[cç]u)\b\s*:?\s*(\S.*)", re.IGNORECASE)
_ARTICLE = re.compile(r"\W*(?:a\b.*|A\b[^,;.!–]*)", re.DOTALL)
_NOTE_BEHIND = re.compile(
    r"(\S.*?)[\s,;.!(–—-]+(?:note|notiz|remarque)\b\s*[:：]?\s+(\S.*)", re.IGNORECASE | re.DOTALL
)
_GREETING = re.compile(
    r"(hi|hello|hey|dear|good (morning|evening|day)|hallo|liebe[rs]?|moin|servus"
    r"|guten (morgen|tag|abend)|bonjour|bonsoir|salut|cher|chère)\b",
    re.IGNORECASE,
)
_AWAY = re.compile(
    r"\b(?:away|on (?:vacation|holidays?|leave)|out of office|urlaub|verreist|abwesend|unterwegs"
    r"|vacances|absente?|en voyage)\b",
    re.IGNORECASE,
)
_AWAY_UNTIL = re.compile(
    r"(?:(?:i am|i m|i will be|i ll be|ich bin|bin|je suis|je serai) )?"
    r"(?:away|on holidays?|on vacation|on leave|abwesend|verreist|im urlaub|absente?|en vacances"
    r"|en conge) (?:until|till|til|bis zum|bis|jusqu au|jusqu a) (.+)"
)
_UNTIL_AWAY = re.compile(  # the order of words in German
    r"(?:(?:ich bin|bin) )?bis (?:zum )?(.+) (?:abwesend|verreist|im urlaub)"
)
_NOTE = re.compile(r"(?:note|notiz)\b\s*:?\s*(\S.*)", re.IGNORECASE | re.DOTALL)


def parse(line: str) -> ReplyCommand:
    """The command in the first own line of a reply."""
    whole = line
    line = _COURTESY.sub("", line)
    if line.strip(" ?") == "" and "?" in line:
        return Help()
    plain = _plain(line)
    if found := _COMMANDS.get(plain):
        return found
    if _UNDO.fullmatch(plain):
        return Undo()
    if "/" not in line and (until := _AWAY_UNTIL.fullmatch(plain) or _UNTIL_AWAY.fullmatch(plain)):
        day = absence_days.parse(until[1])
        if day is not None:
            return Away(*day)
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
    # "A flag please" may be about any figure, unlike "A flag".
    return Move(split_note(whole if _ARTICLE.fullmatch(whole) else line)[0])


def is_yes(line: str) -> bool:
    """Whether the line agrees, and says nothing else."""
    words = _plain(line).split()
    if not words:
        return _THUMBS.match(line.strip()) is not None
    is_sure = not _YES.isdisjoint(words) and "?" not in line
    return is_sure and all(word in _YES or word in _AROUND_YES for word in words)


def split_note(line: str) -> tuple[str, str]:
    """(the move, the note behind it on the same line or "")."""
    composed = unicodedata.normalize("NFC", line)
    found = _NOTE_BEHIND.fullmatch(composed)
    return (found[1], found[2].rstrip(" )")) if found else (line, "")


def is_greeting(line: str) -> bool:
    """Whether the line begins with a greeting."""
    return _GREETING.match(line) is not None


def is_about_absence(line: str) -> bool:
    """Whether a line that is no move says that its writer is away."""
    return _AWAY.search(line) is not None


def nearest(line: str) -> str | None:
    """The command that a short line probably means."""
    plain = _plain(line)
    if not 3 <= len(plain) <= 30:
        return None
    return next(iter(difflib.get_close_matches(plain, _COMMANDS, 1, 0.74)), None)


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
