"""The effects of a moderator's action, shown before it is confirmed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.log.game_log import Log
from games.models import Game, bot_name
from games.moderation.table import ModeratedTable
from games.rules.contract import State
from games.translate import join_names, say

Values = Mapping[str, Any]  # the cleaned values of the action's form


@dataclass(frozen=True)
class Consequences:
    """sentences: what will happen. undone: the moves that will not count any more. boards: (title,
    drawing as spectators see it), now and afterwards."""

    sentences: Sequence[str]
    undone: Sequence[str] = ()
    boards: Sequence[tuple[str, SafeString]] = ()


def of_rollback(table: ModeratedTable, values: Values) -> Consequences:
    """The positions before and after it, and the moves between them."""
    log, to_seq = table.log, values["to_seq"]
    then = log.until(to_seq)
    undone = [move for move in log.moves if move[-1].seq > to_seq]
    return Consequences(
        [
            _("Now: %(position)s") % {"position": _position(table, log, log.version)},
            _("Afterwards: %(position)s") % {"position": _position(table, then, to_seq)},
            ngettext("%(count)s move is undone.", "%(count)s moves are undone.", len(undone))
            % {"count": len(undone)},
            _("Players whose turn it then is get their full time again."),
        ],
        [f"{log.move_number(move[-1].seq)}: {table.text(move)}" for move in reversed(undone)],
        [
            (_("Now"), _board(table, log.state, "now")),
            (_("Afterwards"), _board(table, then.state, "then")),
        ],
    )


def of_abort(table: ModeratedTable, values: Values) -> Consequences:
    """The game that will not go on."""
    players = _("Players: %(names)s.") % {"names": join_names(table.names.now)}
    if table.game.status == Game.Status.GATHERING:
        return Consequences([players, _("The table is closed, and nobody can join it.")])
    return Consequences(
        [
            _now(table),
            players,
            _("The game ends without a result for anyone. This cannot be undone."),
            _("All hands, the deck and the seed become public."),
        ],
        boards=_board_now(table),
    )


def of_bot_turn(table: ModeratedTable, values: Values) -> Consequences:
    """The turn that a bot will play."""
    name = table.names.now[values["seat"]]
    return Consequences(
        [
            _now(table),
            _("A bot plays this turn for %(name)s, who keeps the seat.") % {"name": name},
            _("Its move is not known in advance. Only a rollback can undo it."),
        ],
        boards=_board_now(table),
    )


def of_new_player(table: ModeratedTable, values: Values) -> Consequences:
    """The seat that changes hands."""
    number, to = values["seat"], values["to"]
    names = {
        "old": table.names.now[number],
        "new": bot_name(table.seats[number].place) if to is None else to.name,
        "number": number + 1,
    }
    sentences = [
        _now(table),
        _("%(new)s takes over seat %(number)s from %(old)s.") % names,
    ]
    if to is not None:
        sentences.append(
            _("%(new)s sees the hand and everything else that this seat may see.") % names
        )
    seat = table.seats[number]
    if seat.user_id is not None:
        sentences.append(_("%(old)s can only watch from now on.") % names)
    if number in table.game.to_act:
        sentences.append(
            _("It is the turn of this seat. The bot moves at once.")
            if to is None
            else _("It is the turn of this seat. The full time starts again.")
        )
    return Consequences(sentences, boards=_board_now(table))


def _now(table: ModeratedTable) -> str:
    position = _position(table, table.log, table.log.version)
    return _("Now: %(position)s") % {"position": position}


def _position(table: ModeratedTable, log: Log, seq: int) -> str:
    """ "move 7 has been made, Alice is to move."; log: as it was at `seq`."""
    asked = [table.names.now[seat] for seat in log.engine.rules.to_act(log.state)]
    values = {"number": table.log.move_number(seq), "names": join_names(asked)}
    if not asked:
        return _("after move %(number)s, nobody to move.") % values
    if not values["number"]:
        return _("the start of the game, %(names)s to move.") % values
    return _("after move %(number)s, %(names)s to move.") % values


def _board_now(table: ModeratedTable) -> list[tuple[str, SafeString]]:
    return [(_("Now"), _board(table, table.log.state, "now"))]


def _board(table: ModeratedTable, state: State, prefix: str) -> SafeString:
    engine, names = table.log.engine, table.names.now
    svg = engine.board_svg(
        engine.rules.view(state, None),
        translate=lambda text: say(text, names),
        prefix=prefix,
    )
    return mark_safe(svg)  # noqa: S308  # our own drawing; it escapes labels with names in them
