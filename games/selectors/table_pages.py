"""One position of one game, now or in the past, with everything that a page about it needs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from games.log import event_store, table_events
from games.log.game_log import Log, LogItem
from games.models import Game, Seat
from games.rules.contract import AnyGame, Event, View

from .access import NotFound, Reader, seat_of
from .deadlines import LatePlayer, deadline_lines, possible_help, then_sentence
from .moves import (
    LogLine,
    items_begun,
    line_writer,
    lost_orders,
    since_last_move,
    unfit_orders_sentence,
    visible_events,
)
from .seat_names import SeatNames
from .talk import notes_of
from .votes import PossibleVote, VoteText, pause_sentences, possible_votes, vote_text, why_no_votes


@dataclass(frozen=True)
class TablePage:
    """Everything a page about one position of one game needs, as `viewer` may see it.

    seq: the event after which the position stands, log.version for the present. recent: what
    the reader has not seen yet (now) or the move that led here (in the past).
    """

    game: Game
    engine: AnyGame
    viewer: int | None
    seats: tuple[Seat, ...]
    names: tuple[str, ...]  # of those who held the seats at this position
    bots: tuple[bool, ...]  # likewise
    version: int
    seq: int
    view: View | None  # None before the start
    items: tuple[LogItem, ...]  # of the log, up to this position
    write: Callable[[LogItem], LogLine]  # puts one of them into words
    recent: tuple[Event, ...]
    steps: tuple[int, ...]  # all positions there are, by event number
    own_step: int | None  # the one after the reader's last move; None without one, and in the past
    my_turn: bool
    deadlines: tuple[tuple[str, ...], ...]  # of each seat, explained; () where none is open
    then: str  # what happens when the viewer's deadline passes; "" if it is not their turn
    lost_orders: str  # what became of what the viewer had left in advance: which rollback undid it, or why it does not fit
    misses: tuple[str, ...]  # of each seat: whose last miss can be excused, "" for nobody
    vote: VoteText | None  # the open one, now
    resigned: dict[int, str]  # the names of those in whose place bots play now, by seat
    votes: tuple[PossibleVote, ...]  # that the viewer can ask for now
    late: tuple[LatePlayer, ...]  # for whom the viewer can do something now
    pause: str  # whose pause it is and how it ends; "" for a game that is not paused
    why_no_votes: str  # why there are none; "" for another reader
    views: tuple[View, ...]  # with every seat's eyes, once the game is over
    has_played: bool  # the reader has, or once had, a seat in the game
    seed: str  # of all chance, hexadecimal; "" until the log reveals it

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """The log in words, in order."""
        return tuple(self.write(item) for item in self.items)

    def newest_lines(self, most: int, most_fresh: int) -> tuple[LogLine, ...]:
        """The last lines of the log, the newest first, at least `most` and at most `most_fresh` of
        what happened since the reader's last move: words for all would take longer with each
        move."""
        lines: list[LogLine] = []
        for item in reversed(self.items):
            if len(lines) >= (most_fresh if lines and lines[-1].fresh else most):
                break
            lines.append(self.write(item))
        return tuple(lines)

    @property
    def is_now(self) -> bool:
        """Whether this is the present position."""
        return self.seq == self.version or not self.steps or self.seq >= self.steps[-1]

    @property
    def earlier(self) -> int | None:
        """The position one step back."""
        return max((step for step in self.steps if step < self._step), default=None)

    @property
    def later(self) -> int | None:
        """The position one step on."""
        return min((step for step in self.steps if step > self._step), default=None)

    @property
    def moves_since(self) -> int:
        """The number of moves since the reader's last one; 0 without one."""
        return sum(step > self.own_step for step in self.steps) if self.own_step else 0

    @cached_property
    def _step(self) -> int:
        """The step at which this position stands: the last one not after seq."""
        return max((step for step in self.steps if step <= self.seq), default=0)

    @property
    def seat(self) -> Seat | None:
        """The reader's own seat, if any."""
        return self.seats[self.viewer] if self.viewer is not None else None


def table_page(game: Game, user: Reader) -> TablePage:
    """The present of a game that came from `game_for`: two queries more, however long it is."""
    return _page(game, event_store.load(game), seat_of(game, user), user.pk, None)


def position_at(game: Game, user: Reader, seq: int) -> TablePage:
    """The game as it stood after event `seq`, NotFound where there was no such position: events
    before the setup have none."""
    log = event_store.load(game)
    if not 1 <= seq <= log.version or not log.until(seq).effective:
        raise NotFound(_("This game has no such position."))
    return _page(game, log, seat_of(game, user), user.pk, seq)


def _page(
    game: Game, log: Log, viewer: int | None, user_id: int | None, seq: int | None
) -> TablePage:
    engine, then = log.engine, log if seq is None else log.until(seq)
    seats = tuple(game.seat_list)
    names = SeatNames(log, seats)
    everything = game.is_over
    write = line_writer(
        log, viewer, names, user_id=user_id, notes=notes_of(game), everything=everything
    )
    if seq is None:
        recent = since_last_move(log, viewer, user_id)
    else:
        recent = tuple(i for i in then.items if not i.first.is_table and not i.undone)[-1:]
    lost = lost_orders(log, viewer, user_id)
    own = log.last_move(viewer, user_id) if viewer is not None and seq is None else None
    begun = bool(then.effective)
    my_turn = (
        seq is None
        and viewer is not None
        and game.status == Game.Status.RUNNING
        and viewer in game.to_act
    )
    return TablePage(
        game=game,
        engine=engine,
        viewer=viewer,
        seats=seats,
        names=names.now if seq is None else names.at(seq),
        bots=then.table.bots,
        version=log.version,
        seq=then.version,
        view=engine.rules.view(then.state, viewer) if begun else None,
        items=tuple(item for item in items_begun(log) if item.last_seq <= then.version),
        write=write,
        recent=visible_events(log, recent, viewer, everything=everything),
        steps=log.positions,
        own_step=own.last_seq if own is not None else None,
        my_turn=my_turn,
        deadlines=tuple(deadline_lines(log, each) if seq is None else () for each in seats),
        then=_then(log, seats[viewer]) if my_turn and viewer is not None else "",
        lost_orders=""
        if seq is not None
        else write(lost).text
        if lost is not None
        else unfit_orders_sentence(log, viewer),
        misses=tuple(_misser(log, names, each.number) for each in seats) if begun else (),
        vote=vote_text(log, seats, viewer) if seq is None else None,
        resigned={
            entry.event.seat: names.at(entry.seq - 1)[entry.event.seat]
            for entry in log.entries
            if isinstance(entry.event, table_events.Resigned) and seats[entry.event.seat].is_bot
        },
        votes=possible_votes(game, log, seats, viewer) if seq is None else (),
        late=possible_help(game, log, seats, viewer) if seq is None else (),
        pause=" ".join(pause_sentences(log)) if seq is None else "",
        why_no_votes=why_no_votes(log, seats, viewer) if seq is None else "",
        views=(
            tuple(engine.rules.view(then.state, seat.number) for seat in seats)
            if everything and begun
            else ()
        ),
        has_played=begun and user_id in log.seating.players,
        seed=log.table.seed or "",
    )


def _then(log: Log, seat: Seat) -> str:
    rules = log.engine.rules
    question = rules.question(rules.view(log.state, seat.number))
    if question is not None and question.default is not None:
        return _("If you do not respond by then, the attack goes ahead.")
    return then_sentence(log, seat)


def _misser(log: Log, names: SeatNames, seat: int) -> str:
    missed = log.last_miss(seat)
    return names.at(missed.seq)[seat] if missed is not None else ""
