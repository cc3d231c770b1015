"""Announcements of changed tables to the process that pushes them to open pages (NOTIFY).

They contain nothing private: which table, its version, when its latest note was written, and on a
topic of its own the number of the last message. PostgreSQL delivers them when the transaction
commits, and never otherwise.
"""

from games.models import Game, Message
from games.table_stamps import ANNOUNCE, ANNOUNCE_LOBBY, ANNOUNCE_TALK

from .pipeline import Statement, execute


def about_table(game: Game, *, was_listed: bool = False) -> list[Statement]:
    """Announce the table, as statements to execute after its rows have changed.

    was_listed: whether the table was in the list of open tables before.
    """
    statements: list[Statement] = [(ANNOUNCE, [game.pk])]
    if game.is_open and (was_listed or game.status == Game.Status.GATHERING):
        statements.append((ANNOUNCE_LOBBY, []))
    return statements


def about_message(game_id: int, *, is_note: bool) -> list[Statement]:
    """Announce a change of the messages of a table: to those who may read them, and a note to all
    who see the table."""
    return [(ANNOUNCE_TALK, [game_id]), *([(ANNOUNCE, [game_id])] if is_note else ())]


def on_message_deleted(instance: Message, **_signal: object) -> None:
    """A receiver of `post_delete`: pages forget the message."""
    execute(about_message(instance.game_id, is_note=instance.seq is not None))
