"""Tables of Escape from Atlantis for tests, and games that come to a position that is wanted."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import pytest

from games import services
from games.models import Game, OutboxMail, Seat, User
from games.rules import GAMES
from games.rules.chance import SeededChance, bot_chance, order_chance
from games.rules.contract import Command, State
from games.rules.escape.model import DefenceStage
from tests.factories import fresh, log_of, play_at_once, table_of

from .bots import bot_choice
from .game_seeds import seed_of, set_seed

Wanted = Callable[[State], bool]
PRESETS = ("coast", "spread", "inland", "coast")
MOST_GAMES = 80
# The games, of 1,200, in which positions that tests want (attacks, kept tiles) come the soonest.
EVENTFUL = (0, 6, 17, 50, 256, 714)


def escape_table(*people: User, **options: Any) -> Game:
    """A table of Escape from Atlantis; play goes in the order of the seats, three days a move."""
    return table_of(
        *people,
        seats=options.pop("seats", None),
        bots=options.pop("bots", 0),
        kind="escape",
        name="Before it sinks",
        options={"order": "seated", **options},
        pace_days=3,
    )


def play_line(game: Game, user: User, line: str, *, version: int | None = None) -> services.Played:
    """This player makes the move of this line in the position as it is now, or at `version`."""
    now = fresh(game)
    return services.game_play_line(
        game_id=game.pk,
        user=user,
        seat=seat_of(game, user).number,
        line=line,
        version=version or now.version,
    )


def seat_of(game: Game, user: User) -> Seat:
    """The seat of this player, as the database has it now."""
    return Seat.objects.get(game=game, user=user)


def state_of(game: Game) -> State:
    """The position now."""
    return log_of(game).state


def mail_count(game: Game, user: User, kind: str = "turn") -> int:
    """Count the emails of this kind that were written to this person."""
    return OutboxMail.objects.filter(game=game, user=user, kind=kind).count()


def play_on(game: Game, wanted: Wanted, most: int = 300) -> Game:
    """Everybody moves as bots would, until the position is the one wanted or the end."""
    for _move in range(most):
        now, log = fresh(game), log_of(game)
        if now.status != Game.Status.RUNNING or wanted(log.state):
            return now
        number = now.to_act[0]
        user = now.seats.get(number=number).user
        assert user is not None
        command = bot_choice(log, number)
        play(now, user, command)
    raise AssertionError(f"not within {most} moves")


def play(game: Game, user: User, command: Command) -> services.Played:
    """This player makes this move in the position as it is now."""
    return services.game_play(
        game_id=game.pk,
        user=user,
        seat=seat_of(game, user).number,
        command=command,
        version=fresh(game).version,
    )


class Move(NamedTuple):
    """A command of a game that has been thought through, and the position before it."""

    before: State
    seat: int
    command: Command


def table_with_luck(
    monkeypatch: pytest.MonkeyPatch, people: tuple[User, ...], number: int, **options: str
) -> Game:
    """A table with the luck of this number."""
    set_seed(monkeypatch, number)
    return escape_table(*people, **options)


def game_with(
    monkeypatch: pytest.MonkeyPatch, people: tuple[User, ...], wanted: Wanted, **options: str
) -> Game:
    """A game of these people that has come to such a position: its luck is looked for without a
    database, then the game is played at a table, everybody with a plan and then as bots would."""
    number, moves = soonest(wanted, len(people), **options)
    game = table_with_luck(monkeypatch, people, number, **options)
    game = play_moves(game, moves)
    assert wanted(state_of(game))
    return game


def play_moves(game: Game, moves: Iterable["Move"]) -> Game:
    """These moves, at once."""
    commands = ((move.seat, move.command) for move in moves)
    return play_at_once(game, lambda _log: next(commands, None))


def soonest(wanted: Wanted, seats: int, **options: str) -> tuple[int, list["Move"]]:
    """The luck of a game in which such a position comes, and the moves until then: the soonest of
    the eventful games, else the first of all."""
    games = [foreseen(number, seats, **options) for number in EVENTFUL]
    for count, moves in enumerate(zip(*games, strict=False)):
        for game, number, move in zip(games, EVENTFUL, moves, strict=True):
            if wanted(move.before):
                return number, list(islice(game, count))
    for number in range(MOST_GAMES):
        game = foreseen(number, seats, **options)
        for count, move in enumerate(game):
            if wanted(move.before):
                return number, list(islice(game, count))
    raise AssertionError(f"no such position in {MOST_GAMES} games")


class Replayed:
    """The items of an iterator, which is read once, for any number of readers."""

    def __init__(self, source: Iterator[Move]) -> None:
        self._source, self._known = source, list[Move]()

    def __iter__(self) -> Iterator[Move]:
        at = 0
        while True:
            if at == len(self._known):
                try:
                    self._known.append(next(self._source))
                except StopIteration:
                    return
            yield self._known[at]
            at += 1


@cache
def foreseen(number: int, seats: int, **options: str) -> Iterable[Move]:
    """`played_by_bots`, thought through once in a test process."""
    return Replayed(played_by_bots(number, seats, **options))


def played_by_bots(number: int, seats: int, **options: str) -> Iterator[Move]:
    """The moves of the game with the luck of this number: a plan of each seat, the last one
    first, then what a bot would do on every seat, to the end."""
    engine, seed = GAMES["escape"], seed_of(number)
    version = seats + 2  # the table was made, people sat down, it started
    chosen = engine.check_options({"order": "seated", **options}, seats)
    news = engine.setup(chosen, seats, SeededChance(seed, version + 1))
    state, version = engine.fold(news), version + len(news)
    planning, orders = list(range(seats)), 0
    while engine.rules.outcome(state) is None:
        if planning:
            seat = planning.pop()
            command = engine.notation.parse(f"plan {PRESETS[seat]}", engine.rules.view(state, seat))
        else:
            seat = engine.rules.to_act(state)[0]
            luck = bot_chance(seed, seat, version + 1)
            command = engine.bot.choose(engine.rules.view(state, seat), luck)
        yield Move(state, seat, command)
        news = engine.rules.decide(state, seat, command, SeededChance(seed, version + 1))
        if engine.rules.is_order(command) and len(news) == 1:
            orders += 1
            order = engine.rules.decide(state, seat, command, order_chance(seed, orders))
            state = engine.fold(order, state)
            continue
        state, version = engine.fold(news, state), version + len(news)


def attacked(*, seats: int = 1, by: str = "") -> Wanted:
    """This number of seats are asked whether they defend, against a shark or whale where `by` says
    so."""
    return lambda state: (
        isinstance(state.board.stage, DefenceStage)
        and len(state.board.stage.asked) == seats
        and (not by or state.board.stage.creature == by)
    )
