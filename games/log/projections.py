"""Statements that update the rows of a table, sent in one message with its events."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from games.log.game_log import Projection
from games.log.pipeline import Statement
from games.models import Game, Seat


def update_game(game: Game, projection: Projection, now: datetime) -> None:
    """Set the fields of a game to what follows from its log. now: when that changed. Does not
    save."""
    if game.status == Game.Status.GATHERING and projection.status == Game.Status.RUNNING:
        game.started_at = now
    if projection.status == Game.Status.PAUSED and game.paused_at is None:
        game.paused_at = now
    if projection.status != Game.Status.PAUSED:
        game.paused_at = None
    if projection.status in (Game.Status.FINISHED, Game.Status.ABORTED) and game.ended_at is None:
        game.ended_at = now
    game.status = projection.status
    game.version = projection.version
    game.to_act = list(projection.to_act)
    game.scores = list(projection.scores) if projection.scores is not None else None
    game.winners = list(projection.winners) if projection.winners is not None else None


def game_changes(game: Game) -> Statement:
    """Writes what of the Game row follows from the log, and the host, who may have left."""
    text = (
        "UPDATE games_game SET status = %s, version = %s, to_act = %s::smallint[],"
        " scores = %s::integer[], winners = %s::smallint[], started_at = %s, paused_at = %s,"
        " ended_at = %s, last_event_at = %s, host_id = %s, outage_id = %s, vote_due_at = %s WHERE id = %s"
    )
    values: list[Any] = [str(game.status), game.version, game.to_act, game.scores, game.winners]
    values += [game.started_at, game.paused_at, game.ended_at, game.last_event_at]
    values += [game.host_id, game.outage_id, game.vote_due_at, game.pk]
    return text, values


def seat_changes(seats: Iterable[Seat]) -> list[Statement]:
    """Writes the questions of these seats."""
    text = (
        "UPDATE games_seat SET asked_seq = %s, asked_at = %s, due_at = %s, time_left = %s,"
        " clock_seq = %s, bank_left = %s, bank_from = %s, remind_from = %s, remind_at = %s,"
        " overdue = %s WHERE id = %s"
    )
    return [(text, _values(seat)) for seat in seats]


def _values(seat: Seat) -> list[Any]:
    asked = [seat.asked_seq, seat.asked_at, seat.due_at, seat.time_left]
    bank = [seat.bank_left, seat.bank_from]
    return [*asked, seat.clock_seq, *bank, seat.remind_from, seat.remind_at, seat.overdue, seat.pk]


def seat_holder(seat: Seat, former: int | None) -> list[Statement]:
    """Writes who holds this seat now, and its question. former: the user (pk) who has given it
    up."""
    text = (
        "UPDATE games_seat SET user_id = %s, is_bot = %s, bot_level = %s, mails_off = %s,"
        " joined_at = %s, open_since = %s WHERE id = %s"
    )
    values: list[Any] = [seat.user_id, seat.is_bot, str(seat.bot_level), seat.mails_off]
    values += [seat.joined_at, seat.open_since, seat.pk]
    statements = [(text, values), *seat_changes([seat])]
    if former is not None:
        insert = (
            "INSERT INTO games_formerseat (game_id, user_id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
        )
        statements.append((insert, [seat.game_id, former]))
    return statements
