"""Factories of people, games and moves."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone

from games import services
from games.log import event_store
from games.log.game_log import Log
from games.models import Game, QuotaUse, Seat, TableSettings, User
from games.rules.bots import Level
from games.rules.contract import Command
from games.services.locked_game import LockedGame
from tests.support.bots import bot_choice
from tests.support.game_seeds import usual_seed


def person(name: str, **fields: Any) -> User:
    """A user with this name and an address derived from it."""
    address = f"{name.lower()}@example.org"
    user = User.objects.create_user(address, display_name=name, **fields)
    if user.is_staff:
        user.groups.set(Group.objects.filter(name=services.role_of(user)))
    return user


def table_of(
    *people: User, seats: int | None = None, bots: int | Mapping[int, Level] = 0, **fields: object
) -> Game:
    """A table of Atlantis, hosted by the first of these people, the others seated after the bots.

    Play goes in the order of the seats. With all seats taken (the default) it has started.
    """
    host, *others = people
    all_seats = len(people) + (bots if isinstance(bots, int) else len(bots))
    given: dict[str, Any] = {
        "kind": "atlantis",
        "name": "Round the mainland",
        "seat_count": all_seats if seats is None else seats,
        "options": {"order": "seated"},
        "timeout_policy": Game.TimeoutPolicy.WAIT,
        **fields,
    }
    with usual_seed():
        game = services.game_create(host=host, bots=bots, **with_settings(given))
    for other in others:
        services.game_join(game_id=game.pk, user=other, token=game.invite_token)
    return fresh(game)


def with_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Arguments of game_create, of which those about the table are put into its settings."""
    chosen = given.keys() & set(TableSettings.__struct_fields__)
    others = {name: given[name] for name in given.keys() - chosen}
    return {**others, "settings": TableSettings(**{name: given[name] for name in chosen})}


def given_up(*people: User, **fields: Any) -> Game:
    """A table of Atlantis whose game is over: the last of these people resigned at its
    beginning."""
    game = table_of(*people, resign_policy=Game.ResignPolicy.END, **fields)
    services.game_resign(game_id=game.pk, user=people[-1])
    return fresh(game)


def fresh(game: Game) -> Game:
    """The game as the database has it now."""
    return Game.objects.get(pk=game.pk)


def quota_windows_end() -> None:
    """An hour or a day later, as far as limits are concerned."""
    QuotaUse.objects.update(ends_at=timezone.now() - timedelta(hours=1))


def seats_of(game: Game) -> list[Seat]:
    """The seats and their users as the database has them now."""
    return list(Seat.objects.filter(game=game).select_related("user").order_by("number"))


def due(game: Game, number: int = 0) -> datetime:
    """The open deadline of a seat, from the database."""
    at = Seat.objects.get(game=game, number=number).due_at
    assert at is not None, f"seat {number} is not asked"
    return at


def log_of(game: Game) -> Log:
    """The game's log as the database has it now."""
    return event_store.load(fresh(game))


def some_move(game: Game, *, choose: int = 0) -> tuple[int, Command]:
    """(seat, command) of a legal move: the one a bot would make, or by number (from 1)
    the others in the order of `legal_commands`."""
    log = log_of(game)
    seat = log.projection.to_act[0]
    if choose == 0:
        return seat, bot_choice(log, seat)
    commands = list(log.engine.rules.legal_commands(log.state, seat))
    return seat, commands[(choose - 1) % len(commands)]


def people_of(game: Game) -> dict[int, User]:
    """The people at the table by seat."""
    seats = game.seats.filter(user__isnull=False).select_related("user")
    return {seat.number: seat.user for seat in seats if seat.user}


def person_on(game: Game, seat: int) -> User:
    """The user on this seat, which is taken."""
    user = game.seats.get(number=seat).user
    assert user is not None
    return user


def play_one(game: Game, **more: object) -> services.Played:
    """The player who is asked makes the move that a bot would make."""
    now, people = fresh(game), people_of(game)
    log = event_store.load(now)
    seat = next(seat for seat in log.projection.to_act if seat in people)
    return services.game_play(
        game_id=now.pk,
        user=people[seat],
        seat=seat,
        command=bot_choice(log, seat),
        version=now.version,
        **more,  # type: ignore[arg-type]
    )


Choose = Callable[[Log], tuple[int, Command] | None]


def play_at_once(game: Game, choose: Choose) -> Game:
    """The moves (seat, command) that `choose` gives, until it gives none or the game ends, in one
    transaction and at one time: the log is loaded once."""
    people = people_of(game)
    with transaction.atomic():
        locked = LockedGame(game.pk)
        while locked.game.status == Game.Status.RUNNING and (move := choose(locked.log)):
            seat, command = move
            view = locked.log.engine.rules.view(locked.log.state, seat)
            services.game_play_line_locked(
                locked,
                user=people[seat],
                seat=seat,
                line=locked.log.engine.notation.describe(command, view),
                version=locked.log.version,
            )
    return fresh(game)


def play_turns(game: Game, moves: int) -> Game:
    """This number of moves of people, one after the other; stops at the end of the game."""
    people, left = people_of(game), iter(range(moves))

    def choose(log: Log) -> tuple[int, Command] | None:
        if next(left, None) is None:
            return None
        seat = next(seat for seat in log.projection.to_act if seat in people)
        return seat, bot_choice(log, seat)

    return play_at_once(game, choose)


def play_to_the_end(game: Game) -> Game:
    """All moves there are, people's and bots'."""
    people = people_of(game)

    def choose(log: Log) -> tuple[int, Command] | None:
        seat = next((seat for seat in log.projection.to_act if seat in people), None)
        return None if seat is None else (seat, bot_choice(log, seat))

    while (now := play_at_once(game, choose)).status == Game.Status.RUNNING:
        services.game_play_bots(game_id=game.pk)
    return now


def miss_deadline(game: Game) -> int:
    """The player who is asked misses the deadline; returns the seat."""
    number = fresh(game).to_act[0]
    due = Seat.objects.get(game=game, number=number).due_at
    assert due is not None
    services.deadline_check(now=due + timedelta(minutes=1))
    return number
