"""The names of the seats of a game at any point of its log, in the active language."""

from collections.abc import Callable, Sequence
from functools import cached_property

from django.utils.translation import get_language

from games.log import table_events
from games.log.entry import Entry
from games.log.game_log import Log
from games.log.seating import Holder, Holders
from games.models import Seat, User, bot_name, former_player, names_at_table, seat_names


class SeatNames:
    """The names of the players, now and when each event happened.

    seats: as they are now, in order, with their users. People who hold no seat any more are read
    in one query, when the first of them is named.
    """

    def __init__(self, log: Log, seats: Sequence[Seat]) -> None:
        self._log, self._seats = log, seats
        self._known: dict[tuple[str | None, Holders], tuple[str, ...]] = {}  # by language

    @property
    def now(self) -> tuple[str, ...]:
        """The names at the end of the log."""
        return seat_names(self._seats)

    def at(self, seq: int) -> tuple[str, ...]:
        """The names after event `seq`, seats numbered as they were then."""
        return self._of(self._log.seating.after(seq))

    def for_sentence(self, entry: Entry) -> tuple[str, ...]:
        """The names for the sentence about this event: a player who leaves still has the seat."""
        leaving = isinstance(entry.event, table_events.Resigned | table_events.TakenOver)
        return self.at(entry.seq - 1 if leaving else entry.seq)

    def _of(self, holders: Holders) -> tuple[str, ...]:
        key = get_language(), holders
        if key not in self._known:
            now = holders == self._log.seating.now and len(holders) == len(self._seats)
            self._known[key] = self.now if now else self._then(holders)
        return self._known[key]

    def _then(self, holders: Holders) -> tuple[str, ...]:
        """The names of former holders, which also differ from those of the present players."""
        seating = self._log.seating
        numbers = [seating.last_number(holder) for holder in holders]
        if len(set(numbers)) < len(numbers):  # one of them left before the start
            numbers = list(range(len(holders)))
        people = {holder.user for holder in holders}
        later = [seat for seat in self._seats if seat.is_bot or seat.user_id not in people]
        names = names_at_table(
            [*map(self._name, holders), *(seat.own_name for seat in later)],
            [*numbers, *(seat.number for seat in later)],
        )
        return tuple(names[: len(holders)])

    def _name(self, holder: Holder) -> str:
        """The name of a holder, "" for one without a name."""
        if holder.is_bot:
            number = self._log.seating.last_number(holder)
            return bot_name(self._place(number), holder.level)
        person = self._people.get(holder.user)
        return person.shown_name if person is not None else former_player()

    def _place(self, number: int) -> int:
        """The place of this seat. Of a bot that left before the start, no row knows it any more."""
        return self._seats[number].place if number < len(self._seats) else number

    @cached_property
    def _people(self) -> dict[int | None, User]:
        """Everybody who has ever held a seat and still has an account."""
        known: dict[int | None, User] = {
            seat.user.pk: seat.user for seat in self._seats if seat.user is not None
        }
        gone = self._log.seating.people - known.keys()
        return {**known, **(User.objects.in_bulk(gone) if gone else {})}


MOST_WORDS = 12  # of a name


def name_at_start(
    names: Sequence[str], text: str, plain: Callable[[str], str]
) -> tuple[int, str] | None:
    """Return the place of the name with which this text begins, and the rest of the text; None for
    no name. Of two names, the longer one counts. The first words of a name are enough if no other
    name begins so. plain: how names are compared. "" stands for somebody without a name."""
    written = text.split(maxsplit=MOST_WORDS)[:MOST_WORDS]
    plain_names = [plain(name) for name in names]
    starts = [(count, plain(" ".join(written[:count]))) for count in range(len(written), 0, -1)]
    for is_whole in (True, False):
        for count, start in starts:
            found = [
                number
                for number, name in enumerate(plain_names)
                if start and (name == start if is_whole else name.startswith(f"{start} "))
            ]
            if len(found) == 1:
                return found[0], "".join(text.split(maxsplit=count)[count:])
    return None
