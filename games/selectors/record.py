"""The public record of a game that is over."""

from collections.abc import Iterable, Iterator

import msgspec
from django.utils.translation import gettext as _

from games.log import event_store, stored_rows, table_events
from games.log.stored_rows import StoredRow
from games.models import Game
from games.rules import GAMES, records
from games.rules.contract import AnyGame

from .access import NotFound


def record_lines(game: Game) -> Iterator[str]:
    """The public record of a game that is over, a JSON text per line (see games.rules.records),
    without the ends of the lines; NotFound before the end, and where no game was begun."""
    if not game.is_over or game.started_at is None:
        raise NotFound(_("You can download the record once the game is over."))
    seats = len(game.seat_list)
    engine = GAMES[game.kind]
    rows = list(stored_rows.read(game))
    head = next(row.digest for row in reversed(rows) if not row.order)
    header = records.Header(
        *(game.kind, game.options, seats, engine.codec.schema, game.commitment),
        id=game.public_id,
        head=head.hex(),
    )
    written = records.write(header, _record_body(rows, engine))
    return (line.decode().rstrip("\n") for line in written)


def _record_body(rows: Iterable[StoredRow], engine: AnyGame) -> Iterator[records.Line]:
    for row in rows:
        is_table = row.kind.startswith(table_events.PREFIX)
        own = row.schema == (1 if is_table else engine.codec.schema)
        yield records.Line(
            seq=row.seq,
            seat=row.seat,
            kind=row.kind,
            event=msgspec.json.decode(row.payload),
            schema=msgspec.UNSET if own else row.schema,
            at=event_store.time_text(row.at),
            order=row.order,
            actor=row.actor,
            digest=row.digest.hex(),
        )
