"""The end in words: why the game is over, who was saved, who was lost, and what that is worth.

Reads the view of a finished game, where nothing is secret any more.
"""

from collections.abc import Iterable, Iterator

from ..text import Text, _, and_list, ngettext
from .board import lost, own, saved
from .model import VALUES, OverStage, View
from .names import BACKS, explorer_name

Lines = tuple[tuple[int, tuple[Text, ...]], ...]


def settlement(view: View) -> Lines:
    """(seat, lines) from the highest score to the lowest, equal ones in turn order; () before."""
    outcome = view.board.outcome
    if outcome is None:
        return ()
    ranking = sorted(view.board.order, key=lambda seat: -outcome.scores[seat])
    return tuple((seat, tuple(_lines(view, seat, outcome.scores[seat]))) for seat in ranking)


def ending(view: View) -> Text | None:
    """Return why the game is over; None before that."""
    if not isinstance(view.board.stage, OverStage):
        return None
    return {
        "volcano": _("The volcano erupted: everyone not on an isle was lost."),
        "nobody": _("Nobody was left on the board, so the game ended."),
        "calm": _(
            "Every player took twelve turns after the last tile sank: everyone still at sea "
            "was lost."
        ),
        "submerged": _("The last tile sank: everyone not on an isle was too late."),
    }.get(view.board.cause)


def _lines(view: View, seat: int, score: int) -> Iterator[Text]:
    board = view.board
    safe = saved(board, seat)
    if safe:
        yield ngettext(
            "%(count)s explorer saved: %(explorers)s.",
            "%(count)s explorers saved: %(explorers)s.",
            len(safe),
            explorers=_with_values(view, safe),
        )
    else:
        yield _("No explorers saved.")
    gone = lost(board, seat)
    if gone:
        yield ngettext(
            "%(count)s lost: %(explorers)s.",
            "%(count)s lost: %(explorers)s.",
            len(gone),
            explorers=_with_values(view, gone),
        )
    adrift = tuple(who for who in own(board, seat) if who not in safe and who not in gone)
    if adrift:
        yield ngettext(
            "%(count)s not saved in time: %(explorers)s.",
            "%(count)s not saved in time: %(explorers)s.",
            len(adrift),
            explorers=_with_values(view, adrift),
        )
    tiles = view.kept[seat]
    if tiles:
        yield ngettext(
            "%(count)s face-down tile left: %(tiles)s.",
            "%(count)s face-down tiles left: %(tiles)s.",
            len(tiles),
            tiles=and_list([BACKS[tile] for tile in tiles]),
        )
    if board.options.equal:
        yield _("All equal: %(score)s.", score=score)
        return
    most = sum(VALUES) * (board.colours // board.seats)
    values = sorted((view.values[who] or 0 for who in safe), reverse=True)
    if len(values) > 1:
        yield _(
            "%(sum)s = %(score)s of %(most)s points.",
            sum=" + ".join(map(str, values)),
            score=score,
            most=most,
        )
    else:
        yield _("%(score)s of %(most)s points.", score=score, most=most)


def _with_values(view: View, explorers: Iterable[int]) -> str:
    """ "V3 (6), V1 (2)", the most valuable first."""
    ranked = sorted(explorers, key=lambda who: (-(view.values[who] or 0), who))
    return ", ".join(f"{explorer_name(who)} ({view.values[who]})" for who in ranked)
