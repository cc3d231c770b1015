"""Reads one line of a letter: one of a few commands, else a line for the game.

A command is a whole line. A line that only begins like one is a move, and the game decides whether
it can read it. Understands English, German and French, in any case and with or without accents.
"""

import difflib
import re
import unicodedata

import msgspec

from games.rules import table_events
from games.rules.everyday_words import COURTESIES

from . import command_words


class Act(msgspec.Struct, frozen=True, tag=True):
    """What a line asks for."""


class Show(Act, frozen=True):
    """Show the board and the hand."""


class Legal(Act, frozen=True):
    """List what is possible now."""


class Help(Act, frozen=True):
    """List what can be written."""


class Preview(Act, frozen=True):
    """Show what this move would do."""

    line: str


class Note(Act, frozen=True):
    """Put a note beside the move of the letter, or beside the last one. is_sure: as of `Say`."""

    text: str
    is_sure: bool = True


class Say(Act, frozen=True):
    """Write to the others at the table. is_sure: the line cannot be an ordinary sentence."""

    text: str
    is_sure: bool = True


class Report(Act, frozen=True):
    """Report a player to the moderators. text: begins with a name."""

    text: str


class Resign(Act, frozen=True):
    """Give up the seat."""


class SwitchMail(Act, frozen=True):
    """Turn the emails of this game on or off."""

    on: bool


class ShowWords(Act, frozen=True):
    """Show the position in words, without a picture."""


class ShowOrders(Act, frozen=True):
    """Show what the player has entered in advance."""


class Rules(Act, frozen=True):
    """Explain how a move is written, with a link to the rules."""


class Status(Act, frozen=True):
    """List all games of the user."""


class ShowStandings(Act, frozen=True):
    """Show the standings of the circle for which the table was made."""


class LeaveCircle(Act, frozen=True):
    """Leave that circle. name: as the line has it, which confirms that it is meant."""

    name: str


class GiveDay(Act, frozen=True):
    """Give a player who is late a day more. player: "" for the only one."""

    player: str = ""


class Nudge(Act, frozen=True):
    """Remind a player who is late. player: "" for the only one."""

    player: str = ""


class StopAll(Act, frozen=True):
    """Turn all emails of this service off, or on again."""

    off: bool


class Undo(Act, frozen=True):
    """Take back one's last step."""


class Away(Act, frozen=True):
    """Enter an absence from today until this day."""

    until: command_words.WrittenDay


class TakeBack(Act, frozen=True):
    """Take back the seat that a bot holds after missed deadlines."""


class AskVote(Act, frozen=True):
    """Ask the others at the table. about: None for a vote that we do not know. until: of a pause,
    if the line names a day. player: whose seat a bot is to have, if the line names one. is_sure:
    the line confirms that the game is to end."""

    about: table_events.Proposal | None
    until: command_words.WrittenDay | None = None
    player: str = ""
    is_sure: bool = False


class AnswerVote(Act, frozen=True):
    """Answer the vote that the email was about."""

    agrees: bool


class Answer(Act, frozen=True):
    """Say yes or no to what was asked, and nothing else. move: the line, if it is one as well."""

    agrees: bool
    move: str = ""


class Move(Act, frozen=True):
    """Anything else: a line for the game to read. seq: the position for which it was offered."""

    line: str
    seq: int | None = None


AnyAct = (
    Show
    | ShowWords
    | ShowOrders
    | Legal
    | Help
    | Rules
    | Status
    | ShowStandings
    | LeaveCircle
    | GiveDay
    | Nudge
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
    | Answer
    | Move
)

# What only shows something.
Shown = Show | ShowWords | ShowOrders | Legal | Help | Rules | Status | ShowStandings | Preview

_PHRASES: dict[AnyAct, str] = {
    Show(): command_words.SHOW,
    ShowWords(): command_words.SHOW_WORDS,
    ShowOrders(): command_words.SHOW_ORDERS,
    Legal(): command_words.LEGAL,
    Help(): command_words.HELP,
    Rules(): command_words.RULES,
    Status(): command_words.STATUS,
    ShowStandings(): command_words.STANDINGS,
    StopAll(off=True): command_words.STOP_ALL,
    StopAll(off=False): command_words.START_ALL,
    SwitchMail(on=False): command_words.PAUSE,
    SwitchMail(on=True): command_words.RESUME,
    Undo(): command_words.UNDO,
    TakeBack(): command_words.TAKE_SEAT_BACK,
    Resign(): command_words.RESIGN,
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
_TALK = {
    word: kind
    for kind, words in ((Say, command_words.SAY_WORDS), (Note, command_words.NOTE_WORDS))
    for word in words.split()
}
# A line that may begin with the article instead of the figure A.
_ARTICLE = re.compile(r"\W*(?:a\b.*|A\b[^,;.!–]*)", re.DOTALL)


def parse(line: str) -> AnyAct:
    """The act that a line of a letter asks for."""
    whole = unicodedata.normalize("NFC", line)
    line = command_words.COURTESY.sub("", line)
    if line.strip(" ?") == "" and "?" in line:
        return Help()
    plain = _plain(line)
    found = COMMANDS.get(plain)
    if found is not None:
        return found
    if command_words.UNDO_SENTENCE.fullmatch(plain):
        return Undo()
    if (away := _away(line, plain)) is not None:
        return away
    if found_circle := command_words.LEAVE_CIRCLE.fullmatch(plain):
        return LeaveCircle(found_circle[1] or found_circle[2] or "")
    for pattern, act in ((command_words.GIVE_DAY, GiveDay), (command_words.NUDGE, Nudge)):
        if helps := pattern.fullmatch(plain):
            return act(next(filter(None, helps.groups()), ""))
    if found_vote := command_words.VOTE.fullmatch(plain):
        return _vote(line, found_vote[1] or "")
    first, _space, rest = plain.partition(" ")
    before, _space, last = plain.rpartition(" ")
    for word, others in ((first, rest), (last, before)):
        if word in command_words.SURE and COMMANDS.get(others) == Resign():
            return Resign()
    if match := command_words.PREVIEW.fullmatch(unicodedata.normalize("NFC", line)):
        return Preview(match[1])
    # Thanks at the end of words for the table belong to them.
    if match := command_words.TALK.fullmatch(whole):
        return _talk(_TALK[match[1].casefold()], match)
    if match := command_words.REPORT.fullmatch(whole):
        return Report(match[1] or "")
    if is_yes(whole) or is_no(whole):
        return Answer(is_yes(whole))
    # "A flag please" may be about any figure, unlike "A flag".
    return Move(whole if _ARTICLE.fullmatch(whole) else line)


def is_asked(line: str, act: AnyAct) -> bool:
    """Return whether a line asks about a change instead of ordering it: "Leave circle Sunday?"."""
    changes = not isinstance(act, Shown | Move | Answer | Say | Note | Report)
    is_question = re.search("[?？]", line) and not command_words.REQUEST.match(_plain(line))
    return changes and bool(is_question)


def _talk(kind: type[Say | Note], match: re.Match[str]) -> Say | Note:
    """Read words for the table: certain with a colon, or where no sentence begins like this, such
    as a greeting or a quotation after "say"."""
    said = match[3]
    is_greeting = command_words.SAID.match(said) and not command_words.ABOUT_SAYING.search(said)
    is_quoted = said[:1] in command_words.QUOTES
    is_verb = kind is Say and match[1].casefold() not in ("message", "nachricht")
    return kind(said, is_sure=bool(match[2]) or (is_verb and bool(is_greeting or is_quoted)))


def split_talk(line: str) -> tuple[str, Say | Note | None]:
    """(the line, words for the table behind it that begin with their word and a colon)."""
    composed = unicodedata.normalize("NFC", line)
    found = command_words.TALK_BEHIND.search(composed)
    if found is None or not composed[: found.start()].strip():
        return line, None
    said = composed[found.end() :].strip().removesuffix(")").rstrip()
    return composed[: found.start()], _TALK[found[1].casefold()](said) if said else None


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


def is_greeting(line: str) -> bool:
    """Return whether the line begins with a greeting."""
    return command_words.GREETING.match(line) is not None


def is_salutation(line: str) -> bool:
    """Return whether the line is one that stands above a letter: a greeting, and to whom."""
    return command_words.SALUTATION.fullmatch(line.strip()) is not None


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
    if not 3 <= len(plain) <= 30 or plain in COMMANDS:
        return None
    # "play" is closer to a move than to "plan".
    known = [words for words, act in COMMANDS.items() if act != ShowOrders()]
    return next(iter(difflib.get_close_matches(plain, known, 1, 0.74)), None)


def is_courtesy(line: str, names: frozenset[str]) -> bool:
    """Return whether a line only greets, thanks or wishes something, or is only a name.

    names: the words of the players' names, in lower case without accents.
    """
    if not _plain(line):
        return True  # an emoji, a smiley
    rest = COURTESIES.sub(" ", line[:200])
    known = command_words.AROUND_COURTESY.union(names)
    left = [word for word in re.findall(r"[^\W_]+", rest) if not known.issuperset(words_of(word))]
    are_names = len(left) <= 3 and all(word[0].isupper() and len(word) > 1 for word in left)
    return not left or (is_greeting(line) and are_names)


def words_of(name: str) -> list[str]:
    """The words of a name, as `is_courtesy` compares them."""
    return _plain(name).split()


def plain_name(written: str) -> str:
    """Return a player's name as commands compare it."""
    return _plain(written)


def _plain(line: str) -> str:
    """Lower case, no accents, no punctuation, single spaces."""
    letters = unicodedata.normalize("NFKD", line[:100].casefold())
    kept = (c if c.isalnum() else " " for c in letters if not unicodedata.combining(c))
    return " ".join("".join(kept).split())
