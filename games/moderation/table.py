"""A game as the moderation pages read it, with the emails and the moderators' actions about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from games import selectors
from games.log.entry import Entry
from games.log.game_log import Log
from games.log.loader import read_table
from games.models import Decision, Game, OutboxMail, Seat

ROWS_SHOWN = 30  # the newest actions of moderators
MAILS_SHOWN = 10


@dataclass(frozen=True)
class ModeratedTable:
    """A game with its log and seats. reveal: with all secrets; always so once the game is over."""

    game: Game
    log: Log
    seats: Sequence[Seat]
    reveal: bool = False

    @classmethod
    def of(cls, game: Game, *, reveal: bool = False) -> "ModeratedTable":
        """Read the table in one round trip."""
        found, log, seats = read_table(game.pk)
        return cls(found, log, seats, reveal or found.is_over)

    @cached_property
    def names(self) -> selectors.SeatNames:
        """The names of the seats at any point of the log."""
        return selectors.SeatNames(self.log, self.seats)

    def sentences(self, entries: Sequence[Entry]) -> list[str]:
        """The events in words, one sentence each; some have none."""
        all_sentences = (
            selectors.sentence_of(self.log, entry, None, self.names, everything=self.reveal)
            for entry in entries
        )
        return [sentence for sentence in all_sentences if sentence]

    def text(self, entries: Sequence[Entry]) -> str:
        """The events in words, as one paragraph."""
        return " ".join(self.sentences(entries)) or _("Nothing that spectators may see.")

    def standstill(self) -> list[list[str]]:
        """Return why the game waits: for each seat to act, the sentences that its player and the
        others read on their pages and in their emails. [] once the game is over."""
        if self.game.status == Game.Status.PAUSED:
            return [[*selectors.pause_sentences(self.log)]]
        if self.game.status != Game.Status.RUNNING:
            return []
        return [self._waits_for(seat) for seat in self.seats if seat.number in self.game.to_act]

    def _waits_for(self, seat: Seat) -> list[str]:
        name = self.names.now[seat.number]
        if seat.is_bot:
            return [_("%(name)s is thinking.") % {"name": name}]
        said = [_("%(name)s is to move.") % {"name": name}]
        if then := selectors.then_sentence(self.log, seat):
            said.append(_("%(name)s reads: “%(text)s”") % {"name": name, "text": then})
        if seat.overdue:
            said.append(
                _(
                    "The table waits. The host can let a bot play this turn or give the seat to a bot."
                )
            )
        said.append(selectors.absence_text(seat.user, timezone.now(), name))
        said.append(selectors.deadline_sentence(self.log, seat))
        return list(filter(None, said))


def mails_about(game: Game, mails: QuerySet[OutboxMail]) -> QuerySet[OutboxMail]:
    """The newest of these emails that are about a game."""
    return mails.filter(game=game).order_by("-created_at", "-pk")[:MAILS_SHOWN]


def decisions_about(game: Game, decisions: QuerySet[Decision]) -> QuerySet[Decision]:
    """The newest of these decisions that are about a game, and what moderators looked at there."""
    return decisions.filter(game=game).select_related("by", "words", "appeal__answer")[:ROWS_SHOWN]
