"""The final scoring in words: what each seat crossed, paid, kept and scored.

Reads the view of a finished game. It explains the numbers that the events gave and adds
nothing up that they do not say; the scoring itself is in `rules`.
"""

from collections.abc import Iterable

from ..text import Seat, Text, _, ngettext
from .model import FIGURES, Player, Settled, View
from .names import payment_named, total

Lines = tuple[tuple[int, tuple[Text, ...]], ...]


def settlement(view: View) -> Lines:
    """(seat, lines) from the highest score to the lowest, equal ones in turn order.

    Empty before the end.
    """
    if view.outcome is None:
        return ()
    scores = view.outcome.scores
    settled = {part.seat: part for part in view.settled}
    ranking = sorted(view.order, key=lambda seat: -scores[seat])
    return tuple(
        (seat, tuple(_lines(view.players[seat], settled.get(seat), scores[seat])))
        for seat in ranking
    )


def ending(view: View) -> Text | None:
    """Say whose figures had all arrived, which ended the game; None before the end, while no seat
    has settled."""
    settled = {part.seat for part in view.settled}
    arrived = [seat for seat in view.order if seat not in settled]
    if len(arrived) != 1:
        return None
    return _(
        "%(seat)s brought all three figures to the mainland, which ended the game.",
        seat=Seat(arrived[0]),
    )


def _lines(player: Player, settled: Settled | None, score: int) -> Iterable[Text]:
    if settled is not None and settled.owed:
        for letter, prices in zip(FIGURES, settled.crossings, strict=True):
            if prices:
                yield _crossing(letter, prices)
        yield _payment(settled)
        if overpaid := _paid(settled) - settled.owed + settled.short:
            yield _("Overpaid by %(points)s. No change is given.", points=overpaid)
    elif settled is None:
        yield _("All figures are on the mainland, so nothing is owed.")
    else:
        yield _("Nothing is owed for the final movement.")

    values = sorted((tile.value for tile in player.tiles), reverse=True)
    if values:
        yield ngettext(
            "%(count)s tile: %(sum)s.", "%(count)s tiles: %(sum)s.", len(values), sum=total(values)
        )
    else:
        yield _("No tiles: 0.")
    yield ngettext(
        "%(count)s card in hand: %(points)s.",
        "%(count)s cards in hand: %(points)s.",
        player.cards,
        points=player.cards,
    )
    if settled is not None and settled.short:
        yield _("Unpaid debt: −%(points)s.", points=settled.short)
    yield ngettext("Score: %(count)s point.", "Score: %(count)s points.", score)


def _crossing(letter: str, prices: tuple[int, ...]) -> Text:
    return ngettext(
        "Figure %(figure)s crossed %(count)s gap in the final movement: %(sum)s.",
        "Figure %(figure)s crossed %(count)s gaps in the final movement: %(sum)s.",
        len(prices),
        figure=letter,
        sum=total(prices),
    )


def _payment(settled: Settled) -> Text:
    tiles = sorted((tile.value for tile in settled.paid_tiles), reverse=True)
    owed = settled.owed
    if not tiles and not settled.paid_cards:
        return _("Owed %(owed)s, with nothing to pay with.", owed=owed)
    return _(
        "Owed %(owed)s and paid with %(coins)s.",
        owed=owed,
        coins=payment_named(tiles, settled.paid_cards),
    )


def _paid(settled: Settled) -> int:
    return sum(tile.value for tile in settled.paid_tiles) + len(settled.paid_cards)
