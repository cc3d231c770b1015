"""Reads the first own line of a reply: one of a few commands, else a move in the game's notation.

A command is a whole line. A line that only begins like one is a move, and the game decides whether
it can read it. Understands English, German and French, in any case and with or without accents.
"""

import difflib
import re
import unicodedata
from collections.abc import Iterable

import msgspec

from games.models import MAX_TALK
from games.rules import table_events

from . import command_words


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


class Say(msgspec.Struct, frozen=True):
    """Write to the others at the table. text: its first line."""

    text: str


class Report(msgspec.Struct, frozen=True):
    """Report a player to the moderators. text: its first line, which begins with a name."""

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
    """Enter an absence from today until this day."""

    until: command_words.WrittenDay


class TakeBack(msgspec.Struct, frozen=True):
    """Take back the seat that a bot holds after missed deadlines."""


class AskVote(msgspec.Struct, frozen=True):
    """Ask the others at the table. about: None for a vote that we do not know. until: of a pause,
    if the line names a day. player: whose seat a bot is to have, if the line names one. is_sure:
    the line confirms that the game is to end."""

    about: table_events.Proposal | None
    until: command_words.WrittenDay | None = None
    player: str = ""
    is_sure: bool = False


class AnswerVote(msgspec.Struct, frozen=True):
    """Answer the vote that the email was about."""

    agrees: bool


class Decline(msgspec.Struct, frozen=True):
    """Say no to what the last answer asked."""


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
    | Say
    | Report
    | Resign
    | SwitchMail
    | StopAll
    | Undo
    | TakeBack
    | Away
    | AskVote
    | AnswerVote
    | Decline
    | Move
)

_PHRASES: dict[ReplyCommand, str] = {
    Show(): command_words.SHOW,
    ShowWords(): command_words.SHOW_WORDS,
    Legal(): command_words.LEGAL,
    Help(): command_words.HELP,
    Rules(): command_words.RULES,
    Status(): command_words.STATUS,
    StopAll(off=True): command_words.STOP_ALL,
    StopAll(off=False): command_words.START_ALL,
    SwitchMail(on=False): command_words.PAUSE,
    SwitchMail(on=True): command_words.RESUME,
    Undo(): command_words.UNDO,
    TakeBack(): command_words.TAKE_SEAT_BACK,
    Resign(is_sure=False): command_words.RESIGN,
}


def _whole_lines(phrases: str) -> list[str]:
    return [" ".join(phrase.split()) for phrase in phrases.split(";") if phrase.strip()]


COMMANDS = {
    line: command for command, phrases in _PHRASES.items() for line in _whole_lines(phrases)
}
_VOTES: dict[str, table_events.Proposal] = {
    **dict.fromkeys(_whole_lines(command_words.VOTE_RESUME), "resume"),
    **dict.fromkeys(_whole_lines(command_words.VOTE_CANCEL), "cancel"),
}
_YES = frozenset(command_words.YES.split())
_YES_SENTENCE = _YES.union(command_words.AROUND_YES.split())
_NO = frozenset(command_words.NO.split())
_NO_SENTENCE = _NO.union(command_words.AROUND_NO.split())
# A line that may begin with the article instead of the figure A.
_ARTICLE = re.compile(r"\W*(?:a\b.*|A\b[^,;.!–]*)", re.DOTALL)


def parse(line: str) -> ReplyCommand:
    """The command in the first own line of a reply."""
    whole = line
    line = command_words.COURTESY.sub("", line)
    if line.strip(" ?") == "" and "?" in line:
        return Help()
    plain = _plain(line)
    if found := COMMANDS.get(plain):
        return found
    if command_words.UNDO_SENTENCE.fullmatch(plain):
        return Undo()
    if (away := _away(line, plain)) is not None:
        return away
    if found_vote := command_words.VOTE.fullmatch(plain):
        return _vote(line, found_vote[1] or "")
    first, _space, rest = plain.partition(" ")
    before, _space, last = plain.rpartition(" ")
    for word, others in ((first, rest), (last, before)):
        if word in command_words.SURE and isinstance(COMMANDS.get(others), Resign):
            return Resign(is_sure=True)
    composed = unicodedata.normalize("NFC", line)
    if match := command_words.PREVIEW.fullmatch(composed):
        return Preview(match[1])
    # Thanks at the end of a note belong to it.
    if match := command_words.NOTE.fullmatch(unicodedata.normalize("NFC", whole)):
        return Note(match[1])
    if match := command_words.SAY.fullmatch(unicodedata.normalize("NFC", whole)):
        return Say(match[1])
    if match := command_words.REPORT.fullmatch(unicodedata.normalize("NFC", whole)):
        return Report(match[1])
    # "A flag please" may be about any figure, unlike "A flag".
    return Move(split_note(whole if _ARTICLE.fullmatch(whole) else line)[0])


def _away(line: str, plain: str) -> Away | None:
    """The absence that a line enters; None for any other line."""
    found = command_words.AWAY_UNTIL.fullmatch(plain) or command_words.UNTIL_AWAY.fullmatch(plain)
    day = command_words.read_day(found[1]) if found is not None and "/" not in line else None
    return Away(day) if day is not None else None


def _vote(line: str, plain: str) -> AskVote:
    """The vote that a line asks for. plain: what follows the first word."""
    if (about := _VOTES.get(plain)) is not None:
        return AskVote(about)
    before, _space, last = plain.rpartition(" ")
    if last in command_words.SURE and _VOTES.get(before) == "cancel":
        return AskVote("cancel", is_sure=True)
    if found := command_words.VOTE_PAUSE.fullmatch(plain):
        day = command_words.read_day(found[1]) if found[1] and "/" not in line else None
        return AskVote("pause", until=day)
    if found := command_words.VOTE_BOT.fullmatch(plain):
        return AskVote("bot", player=found[1] or "")
    is_undo = COMMANDS.get(plain) == Undo() and plain not in ("annuler", "annulez")
    if is_undo or command_words.UNDO_SENTENCE.fullmatch(plain):
        return AskVote("take_back")
    return AskVote(None)


def is_yes(line: str) -> bool:
    """Return whether the line agrees, and says nothing else."""
    words = _plain(line).split()
    if not words:
        return command_words.THUMBS_UP.match(line.strip()) is not None
    return "?" not in line and not _YES.isdisjoint(words) and _YES_SENTENCE.issuperset(words)


def is_no(line: str) -> bool:
    """Return whether the line declines, and says nothing else."""
    words = _plain(line).split()
    if not words:
        return command_words.THUMBS_DOWN.match(line.strip()) is not None
    return "?" not in line and not _NO.isdisjoint(words) and _NO_SENTENCE.issuperset(words)


def split_note(line: str) -> tuple[str, str]:
    """(the move, the note behind it on the same line or "")."""
    composed = unicodedata.normalize("NFC", line)
    found = command_words.NOTE_BEHIND_MOVE.search(composed)
    move = composed[: found.start()].rstrip(command_words.BEFORE_NOTE) if found else ""
    return (move, composed[found.end() :].rstrip(" )")) if found and move else (line, "")


def is_greeting(line: str) -> bool:
    """Return whether the line begins with a greeting."""
    return command_words.GREETING.match(line) is not None


def is_about_absence(line: str) -> bool:
    """Return whether a line that is no move says that its writer is away."""
    plain, words = _plain(line), command_words
    return any(
        (
            words.ABOUT_ABSENCE.search(plain),
            words.AWAY_UNTIL.fullmatch(plain),
            words.UNTIL_AWAY.fullmatch(plain),
        )
    )


def is_to_players(line: str) -> bool:
    """Return whether a line that is no move seems to be meant for the other players.

    A line that names a figure or a place is taken for a move with thanks, and is answered with what
    is wrong with the move.
    """
    line = command_words.COURTESY.sub("", line)
    has_place = command_words.FIGURE_OR_PLACE.search(line) is not None
    return not has_place and command_words.TO_PLAYERS.search(_plain(line)) is not None


def incomplete(line: str) -> str:
    """The command of a line that lacks its move or text: "preview" or "note"; "" for others."""
    found = command_words.NEEDS_MORE.fullmatch(unicodedata.normalize("NFC", line))
    return found[1] if found else ""


def nearest(line: str) -> str | None:
    """The command that a short line probably means."""
    plain = _plain(line)
    if not 3 <= len(plain) <= 30:
        return None
    return next(iter(difflib.get_close_matches(plain, COMMANDS, 1, 0.74)), None)


def note_below(lines: Iterable[str]) -> str:
    """The note among the own lines after a move, to the end of its paragraph; "" for none."""
    words: list[str] = []
    for line in lines:
        if words and not line.strip():
            break
        if words:
            words.append(line)
        elif found := command_words.NOTE.fullmatch(unicodedata.normalize("NFC", line)):
            words.append(found[1])
    return "\n".join(words)


def is_name(name: str, written: str) -> bool:
    """Return whether a player's name was written in a command."""
    return _plain(name) == _plain(written)


def text_for_players(line: str, more: Iterable[str]) -> str:
    """The text for others, as the row of the reply stores it: a message or a report with all its
    lines, or the note with a move; "" for none."""
    if isinstance(command := parse(line), Say | Report):
        return stored_text([command.text, *more])
    return stored_text([split_note(line)[1] or note_below(more)])


def stored_text(lines: Iterable[str]) -> str:
    """These lines with single spaces. Of a text that is too long for a message, one character more
    than a message may have is kept, so that it is refused."""
    text = re.sub(" +", " ", "\n".join(lines).strip())
    return text if len(text) <= MAX_TALK else f"{text[:MAX_TALK]}…"


def _plain(line: str) -> str:
    """Lower case, no accents, no punctuation, single spaces."""
    letters = unicodedata.normalize("NFKD", line[:100].casefold())
    kept = (c if c.isalnum() else " " for c in letters if not unicodedata.combining(c))
    return " ".join("".join(kept).split())
