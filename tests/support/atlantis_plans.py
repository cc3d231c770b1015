"""Plans of players at a table of Atlantis."""

from random import Random

from msgspec.structs import replace

from games import services
from games.models import Game, User
from games.rules.atlantis import model
from tests.factories import fresh, log_of
from tests.rules.atlantis.games import ATLANTIS
from tests.rules.atlantis.planning import lines_of


def plan_of(game: Game, user: User) -> str:
    """A plan of this player: up to three moves of one card that are possible now, without
    conditions."""
    log = log_of(game)
    view = log.engine.rules.view(log.state, game.seats.get(user=user).number)
    lines = [
        replace(line, lands=None, most=99, least=0, even_so=True)
        for line in lines_of(view, 500, Random(1))
        if len(line.cards) == 1
    ]
    return str(ATLANTIS.notation.describe(model.Plan(tuple(lines[:3])), view))


def dear(game: Game, user: User) -> str:
    """A plan of this player that never fits: no tile is worth that much."""
    return f"{plan_of(game, user).partition(',')[0]}, take at least 9"


def send(game: Game, user: User, line: str, *, version: int | None = None) -> services.Played:
    """This player sends a line."""
    return services.game_play_line(
        game_id=game.pk,
        user=user,
        seat=game.seats.get(user=user).number,
        line=line,
        version=version or fresh(game).version,
    )
