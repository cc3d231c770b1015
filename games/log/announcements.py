"""Announcements of changed tables to the process that pushes them to open pages (NOTIFY).

They contain nothing private: which table, its version, and when its
latest note was written. PostgreSQL delivers them when the transaction commits, and never otherwise.
"""

from games.models import Game, TableNote
from games.table_stamps import ANNOUNCE, ANNOUNCE_LOBBY

from .pipeline import Statement, execute


def of_table(game: Game, *, was_listed: bool = False) -> list[Statement]:
    """Announce the table, as statements to execute after its rows have changed.

    was_listed: whether the table was in the list of open tables before.
    """
    statements: list[Statement] = [(ANNOUNCE, [game.pk])]
    if game.is_open and (was_listed or game.status == Game.Status.GATHERING):
        statements.append((ANNOUNCE_LOBBY, []))
    return statements


_SAVE_NOTE = (
    "INSERT INTO games_tablenote (game_id, seq, seat, text, at) VALUES (%s, %s, %s, %s, %s)"
    " ON CONFLICT (game_id, seq) DO UPDATE SET text = excluded.text, at = excluded.at"
)


def save_note(note: TableNote) -> None:
    """Save a note and announce its table, in one message to PostgreSQL."""
    values = [note.game_id, note.seq, note.seat, note.text, note.at]
    execute([(_SAVE_NOTE, values), (ANNOUNCE, [note.game_id])])


def announce(game_id: int) -> None:
    """Announce a table whose notes have changed."""
    execute([(ANNOUNCE, [game_id])])


def on_note_deleted(instance: TableNote, **_signal: object) -> None:
    """A receiver of `post_delete`: pages forget a note that a moderator has deleted."""
    announce(instance.game_id)
