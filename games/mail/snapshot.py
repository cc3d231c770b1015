"""Games as emails show them: the log and the seats, read once for a batch of emails."""

from games.log.loader import read_table
from games.models import Game, OutboxMail
from games.selectors import SeatNames


class GameSnapshot:
    """A game with its log and its seats in order, each with its user."""

    def __init__(self, game: Game) -> None:
        self.game, self.log, self.seats = read_table(game.pk)
        self.seat_names = SeatNames(self.log, self.seats)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names in the active language."""
        return self.seat_names.now


class Snapshots:
    """The games of one batch of emails. A game that has moved on since is read again.

    mail: the email that is being composed, which may be about rows of several games.
    """

    def __init__(self) -> None:
        self._by_game: dict[int, GameSnapshot] = {}
        self.mail: OutboxMail | None = None

    def of(self, game: Game) -> GameSnapshot:
        """The snapshot of `game`, at least as new as the given row."""
        found = self._by_game.get(game.pk)
        if found is None or found.log.version < game.version:
            found = self._by_game[game.pk] = GameSnapshot(game)
        return found
