"""The last event of each game of a list in words, without reading whole logs."""

from collections.abc import Sequence

from games.log import event_store, table_events
from games.log.entry import Entry
from games.models import Game, seat_names
from games.rules import GAMES, table_text
from games.rules.text import Text
from games.translate import say

from .access import Reader, seat_of

TAIL = 24  # events at the end of a log; a move has fewer
# Named in these are a player who has left, and the number of a move.
UNSAID = (table_events.Resigned, table_events.TakenOver, table_events.RolledBack)


def last_sentences(games: Sequence[Game], reader: Reader) -> dict[int, str]:
    """What happened last in these games (with their seats) that are played, by pk, as the reader
    may know it: the first sentence about the last move, or about what happened at the table since.

    "" for the few sentences that need the log from its start.
    """
    played = [game for game in games if game.status in (Game.Status.RUNNING, Game.Status.PAUSED)]
    tails = event_store.newest(played, TAIL)
    return {game.pk: _last_sentence(game, tails[game.pk], seat_of(game, reader)) for game in played}


def _last_sentence(game: Game, tail: Sequence[Entry], viewer: int | None) -> str:
    rules, presentation = GAMES[game.kind].rules, GAMES[game.kind].presentation
    found: Text | None = None
    for entry in reversed(tail):
        event = entry.event
        if isinstance(event, table_events.Event):
            if isinstance(event, UNSAID):
                break
            found = found or table_text.sentence(event)
        else:
            seen = rules.visible(event, viewer)
            found = presentation.sentence(seen) or found
        if found is not None and (entry.is_table or rules.command_of(event) is not None):
            return say(found, seat_names(game.seat_list))
    return ""
