"""Makes moves in a service whose processes are being killed.

`python -m tests.support.children.player_process <games> <moves> [<emails>]` runs with the variables
of that service. Where nothing sends emails, more of them may wait than are written. Each move goes
through services.game_play, again and again with the same version until it is known to be in the
log. It prints a line for every move, and "done" at the end.
"""

import itertools
import os
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import django

from tests.support.lengths import by_length

T = TypeVar("T")

PACE = 0.02  # seconds between two moves at least
# Moves come in bursts: the first number of emails may wait, then the outbox is given a few seconds
# to get down to the second. Some emails of a burst come in time, some turns are over before anybody
# is notified.
MOST_WAITING, FEW_WAITING = by_length((8, 2), (30, 5))
REST = 5.0
PATIENCE = 180.0  # seconds that a database may be away


def main(games: int, moves: int, most_waiting: int = MOST_WAITING) -> None:
    """This number of games of two people, the moves dealt out among them in turn."""
    django.setup()
    from games import services
    from games.log import event_store
    from games.models import Game, OutboxMail, TableSettings, User

    people = [
        User.objects.create_user(f"player{number}@example.org", display_name=f"P {number}")
        for number in range(2)
    ]

    def table(number: int) -> Game:
        settings = TableSettings(seat_count=2)
        game = services.game_create(
            host=people[number % 2], kind="atlantis", name=f"Table {number}", settings=settings
        )
        services.game_join(game_id=game.pk, user=people[1 - number % 2])
        return game

    tables = [table(number) for number in range(min(games, 5))]
    tables += [table(number) for number in range(5, games)]

    def move(game: Game) -> str:
        now = Game.objects.get(pk=game.pk)
        log = event_store.load(now)
        if not log.projection.to_act:
            return ""
        seat = log.projection.to_act[0]
        user = now.seats.select_related("user").get(number=seat).user
        assert user is not None
        command = next(iter(log.engine.rules.legal_commands(log.state, seat)))
        made = services.game_play(
            game_id=now.pk, user=user, seat=seat, command=command, version=now.version
        )
        return f"{now.pk} {made.version}"

    def waiting() -> int:
        return OutboxMail.objects.filter(state__in=["queued", "sending"]).count()

    count = 0
    for game in itertools.cycle(tables):
        if count == moves:
            break
        words = stubborn(lambda game=game: move(game))  # type: ignore[misc]
        if words:
            count += 1
            print("moved", words, flush=True)
        time.sleep(PACE)
        if stubborn(waiting) > most_waiting:
            end = time.monotonic() + REST
            while stubborn(waiting) > FEW_WAITING and time.monotonic() < end:
                time.sleep(0.1)
    print("done", flush=True)


def stubborn(work: Callable[[], T]) -> T:
    """Do it until the database lets us, on a new connection each time."""
    from django.db import connection

    from games.web.unavailable import is_unavailable

    end = time.monotonic() + PATIENCE
    while True:
        try:
            return work()
        except Exception as error:
            if not is_unavailable(error) or time.monotonic() > end:
                raise
            connection.close()
            time.sleep(0.1)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")
    main(*map(int, sys.argv[1:]))
