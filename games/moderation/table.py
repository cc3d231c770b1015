"""A game as the moderation pages read it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from games import selectors
from games.log.entry import Entry
from games.log.game_log import Log
from games.log.loader import read_table
from games.models import Game, Seat


@dataclass(frozen=True)
class ModeratedTable:
    """A game with its log and seats. reveal: with all secrets; always so once the game is over."""

    game: Game
    log: Log
    seats: Sequence[Seat]
    reveal: bool = False

    @classmethod
    def of(cls, game: Game, *, reveal: bool = False) -> "ModeratedTable":
        """Read in one round trip."""
        found, log, seats = read_table(game.pk)
        return cls(found, log, seats, reveal or found.is_over)

    @cached_property
    def names(self) -> selectors.SeatNames:
        """What to call the seats, now and then."""
        return selectors.SeatNames(self.log, self.seats)

    def sentences(self, entries: Sequence[Entry]) -> list[str]:
        """What these events say, one sentence each; some say nothing."""
        all_sentences = (
            selectors.sentence_of(self.log, entry, None, self.names, everything=self.reveal)
            for entry in entries
        )
        return [sentence for sentence in all_sentences if sentence]

    def text(self, entries: Sequence[Entry]) -> str:
        """What these events say, as one paragraph."""
        return " ".join(self.sentences(entries)) or _("Nothing that spectators may see.")
