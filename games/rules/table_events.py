"""Events of the table around a game: players join and leave, moderators act, deadlines pass.

Together with the events of the game they are its log. Pure like the rules: no clock, no randomness,
no database. They contain seat numbers, never names or addresses. What a moderator wrote about an
action stands beside the log, where it can be deleted.
"""

from collections.abc import Iterable
from typing import Annotated, Literal, assert_never, cast

import msgspec

from .bots import Level
from .tuples import put

SCHEMA = 1
PREFIX = "table."  # of every kind here, and of no engine's

Status = Literal["gathering", "running", "paused", "finished", "aborted"]
Proposal = Literal["pause", "resume", "cancel", "bot", "take_back"]
VoteOutcome = Literal["passed", "refused", "expired", "overtaken"]


class _Event(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    pass


class Created(_Event, frozen=True, tag="table.created", omit_defaults=True):
    """Always event 1. commitment: SHA-256 of the seed of all random results, hexadecimal.

    Time per move: pace_days and pace_hours together. bank_days: the time bank of each seat;
    bank_returns: moves in time refill it. weekends_off: Saturdays and Sundays do not count.
    circle: the public id of the circle for which the table was made, "" for none.
    """

    commitment: str
    game: str
    options: dict[str, str]
    seat_count: int
    pace_days: int
    pace_hours: int = 0
    bank_days: int = 0
    bank_returns: bool = False
    weekends_off: bool = False
    circle: str = ""


class Joined(_Event, frozen=True, tag="table.joined", omit_defaults=True):
    """A player or a bot took this seat; the seats from it on move up by one. level: how well the
    bot plays."""

    seat: int
    bot: bool = False
    level: Level = Level.NORMAL


class Left(_Event, frozen=True, tag="table.left"):
    """A player left before the start; the seats after it move down by one."""

    seat: int


class Started(_Event, frozen=True, tag="table.started"):
    """The seats are final; the setup of the game follows."""

    seats: int


class Resigned(_Event, frozen=True, tag="table.resigned"):
    """The player resigned: a bot takes over, or the game ends for everybody."""

    seat: int
    to: Literal["bot", "end"]


class Paused(_Event, frozen=True, tag="table.paused", omit_defaults=True):
    """Nobody may move and no deadline runs.

    until: when a pause ends by itself for which the players have voted, ISO 8601; "" for that of a
    moderator, which only moderators end. It may follow a pause that was voted.
    """

    until: str = ""


class Resumed(_Event, frozen=True, tag="table.resumed"):
    """The game goes on; DeadlineMoved events follow."""


class Extended(_Event, frozen=True, tag="table.extended", omit_defaults=True):
    """More time, for one seat or (None) for all that are asked; until: ISO 8601, UTC. giver: the
    seat of the player who gave it; None for a moderator. DeadlineMoved events follow."""

    seat: int | None
    until: str
    giver: int | None = None


class DeadlineMoved(_Event, frozen=True, tag="table.deadline_moved"):
    """The open deadline of this seat is later by these seconds. code: why (games.clock.Code).

    A deadline is the time of the event that asked, plus the time per move, plus these seconds.
    "announced": the player was given this deadline before the question came back.
    """

    seat: int
    code: Literal[
        "weekend", "absence", "bank", "quiet", "pause", "outage", "moderator", "given", "announced"
    ]
    seconds: Annotated[int, msgspec.Meta(ge=1)]


class BankChanged(_Event, frozen=True, tag="table.bank_changed"):
    """The time bank of this seat has these seconds more, or fewer: a move that was made in time
    returned some, or one that took longer used some."""

    seat: int
    seconds: int


class SeatHanded(_Event, frozen=True, tag="table.seat_handed", omit_defaults=True):
    """A moderator, the host or a vote gave the seat to a bot or to another player.

    lost: to a bot, because its player had missed the deadline, who may take the seat back.
    """

    seat: int
    to: Literal["bot", "player"]
    lost: bool = False


class Seated(_Event, frozen=True, tag="table.seated"):
    """Follows SeatHanded to a player: the user in the row's column `by` holds the seat now."""

    seat: int


class PlayerModerates(_Event, frozen=True, tag="table.player_moderates"):
    """The player on this seat moderates the game too, because nobody else can."""

    seat: int


class BotPlayed(_Event, frozen=True, tag="table.bot_played"):
    """A bot played one turn for a player; its moves follow."""

    seat: int


class RolledBack(_Event, frozen=True, tag="table.rolled_back", omit_defaults=True):
    """The game goes on from the position after event to_seq; what came later is undone.

    seat: the player who took back their own last step; None for a moderator.
    """

    to_seq: int
    seat: int | None = None


class TimedOut(_Event, frozen=True, tag="table.timed_out"):
    """The deadline of this seat passed."""

    seat: int


class Covered(_Event, frozen=True, tag="table.covered"):
    """Follows TimedOut: a bot plays the turn of this seat, which keeps its player; its moves
    follow."""

    seat: int


class TakenOver(_Event, frozen=True, tag="table.taken_over"):
    """Follows TimedOut: after too many misses in a row a bot holds the seat."""

    seat: int


class TakenBack(_Event, frozen=True, tag="table.taken_back"):
    """The player who lost the seat to a bot holds it again: the user in the row's column `by`."""

    seat: int


class Replaced(_Event, frozen=True, tag="table.replaced"):
    """Somebody else took a seat that was open: the user in the row's column `by` holds it from now
    on."""

    seat: int


class Excused(_Event, frozen=True, tag="table.excused"):
    """Event `missed`, with which a deadline of this seat passed, is no miss of its player."""

    seat: int
    missed: Annotated[int, msgspec.Meta(ge=1)]


class Aborted(_Event, frozen=True, tag="table.aborted"):
    """The game ended without a result: by a moderator, because the last player left, because nobody
    came for weeks, or by a vote."""

    code: Literal["moderator", "empty", "waited", "vote"]


class VoteOpened(_Event, frozen=True):
    """The player on this seat asked the others, and agrees. One vote is open at a time; the end of
    the game ends it."""

    seat: int

    @property
    def about(self) -> Proposal:
        tag = str(self.__struct_config__.tag)
        return cast("Proposal", tag.removeprefix("table.vote_"))


class PauseVote(VoteOpened, frozen=True, tag="table.vote_pause"):
    """The vote would pause the game. until: the day on which the pause ends, as its first moment,
    ISO 8601."""

    until: str


class ResumeVote(VoteOpened, frozen=True, tag="table.vote_resume"):
    """The vote would end the pause."""


class CancelVote(VoteOpened, frozen=True, tag="table.vote_cancel"):
    """The vote would end the game without a result."""


class BotVote(VoteOpened, frozen=True, tag="table.vote_bot"):
    """The vote would give the seat `late` to a bot."""

    late: int


class TakeBackVote(VoteOpened, frozen=True, tag="table.vote_take_back"):
    """The vote would go back to the position after event `to_seq`."""

    to_seq: int


Vote = PauseVote | ResumeVote | CancelVote | BotVote | TakeBackVote


class VoteAnswered(_Event, frozen=True, tag="table.vote_answered"):
    """The player on this seat answered the open vote."""

    seat: int
    agrees: bool


class VoteSettled(_Event, frozen=True, tag="table.vote_settled"):
    """The open vote, which was about this, ended; if it passed, its effect follows.

    expired: somebody did not answer in time. overtaken: what it was about is no longer so.
    """

    about: Proposal
    outcome: VoteOutcome


class VoteMoved(_Event, frozen=True, tag="table.vote_moved"):
    """The open vote closes later by these seconds, in which the service did not work."""

    seconds: Annotated[int, msgspec.Meta(ge=1)]


class Revealed(_Event, frozen=True, tag="table.revealed", omit_defaults=True):
    """Always the last event: the seed (hexadecimal), so that all random results can be checked.

    orders: the digest of the last private order, "" where none was left, so that the chain of the
    events covers the orders as well.
    """

    seed: str
    orders: str = ""


Event = (
    Created
    | Joined
    | Left
    | Started
    | Resigned
    | Paused
    | Resumed
    | Extended
    | DeadlineMoved
    | BankChanged
    | SeatHanded
    | Seated
    | PlayerModerates
    | BotPlayed
    | RolledBack
    | TimedOut
    | Covered
    | TakenOver
    | TakenBack
    | Replaced
    | Excused
    | Aborted
    | Vote
    | VoteAnswered
    | VoteSettled
    | VoteMoved
    | Revealed
)

_encoder = msgspec.json.Encoder(order="sorted")
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def encode(event: Event) -> bytes:
    """Canonical JSON, the tag under "kind"."""
    return _encoder.encode(event)


def decode(payload: bytes | str, schema: int) -> Event:
    """The event in a stored payload; ValueError for an unknown schema."""
    if schema != SCHEMA:
        raise ValueError(f"events of the table of schema {schema} are unknown here")
    return _decoder.decode(payload)


class TableState(msgspec.Struct, frozen=True):
    """The table after a number of events. bots[i]: whether seat i has a bot; levels[i]: how well it
    plays, NORMAL for people.

    quit: seats whose resignation ended the game. vote: the open one. paused_until: when a pause
    that was voted ends by itself, "" for another. seed: set once the game is over.
    """

    status: Status = "gathering"
    commitment: str = ""
    game: str = ""
    options: dict[str, str] = {}
    seat_count: int = 0
    pace_days: int = 0
    pace_hours: int = 0
    bank_days: int = 0
    bank_returns: bool = False
    weekends_off: bool = False
    circle: str = ""
    bots: tuple[bool, ...] = ()
    levels: tuple[Level, ...] = ()
    quit: tuple[int, ...] = ()
    vote: Vote | None = None
    paused_until: str = ""
    seed: str | None = None

    @property
    def people(self) -> tuple[int, ...]:
        """The seats where a person sits, or sat when the game ended."""
        return tuple(seat for seat, bot in enumerate(self.bots) if not bot)


def evolve(state: TableState, event: Event) -> TableState:
    """The table after this event; knows no rules and never refuses."""
    change = msgspec.structs.replace
    match event:
        case Created():
            return TableState(
                commitment=event.commitment,
                game=event.game,
                options=event.options,
                seat_count=event.seat_count,
                pace_days=event.pace_days,
                pace_hours=event.pace_hours,
                bank_days=event.bank_days,
                bank_returns=event.bank_returns,
                weekends_off=event.weekends_off,
                circle=event.circle,
            )
        case Joined():
            seat = event.seat
            return change(
                state,
                bots=(*state.bots[:seat], event.bot, *state.bots[seat:]),
                levels=(*state.levels[:seat], event.level, *state.levels[seat:]),
            )
        case Left():
            bots = state.bots[: event.seat] + state.bots[event.seat + 1 :]
            levels = state.levels[: event.seat] + state.levels[event.seat + 1 :]
            return change(state, bots=bots, levels=levels)
        case Started():
            return change(state, status="running")
        case Resumed():
            return change(state, status="running", paused_until="")
        case Resigned(to="end"):
            return change(state, status="finished", quit=(*state.quit, event.seat), vote=None)
        case Resigned() | SeatHanded():
            return _held_by(state, event.seat, bot=event.to == "bot")
        case TakenOver() | TakenBack() | Replaced():
            return _held_by(state, event.seat, bot=isinstance(event, TakenOver))
        case Paused():
            return change(state, status="paused", paused_until=event.until)
        case Aborted():
            return change(state, status="aborted", vote=None)
        case VoteOpened():
            return change(state, vote=event)
        case VoteSettled():
            return change(state, vote=None)
        case VoteAnswered() | VoteMoved():
            return state
        case Revealed():
            return change(state, seed=event.seed)
        case Extended() | DeadlineMoved() | BankChanged() | Seated() | PlayerModerates():
            return state
        case BotPlayed() | RolledBack() | TimedOut() | Covered() | Excused():
            return state
        case _:
            assert_never(event)


def _held_by(state: TableState, seat: int, *, bot: bool) -> TableState:
    """The table with a person, or a normal bot, on this seat."""
    return msgspec.structs.replace(
        state, bots=put(state.bots, seat, bot), levels=put(state.levels, seat, Level.NORMAL)
    )


def fold(events: Iterable[Event], state: TableState | None = None) -> TableState:
    """The table after all these events."""
    state = state or TableState()
    for event in events:
        state = evolve(state, event)
    return state
