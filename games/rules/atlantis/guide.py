"""The question to a player and its possible answers, for emails."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..guidance import Guide, LegalLine, LegalSection, legal_line, sections
from ..text import Text, _, joined, ngettext
from . import path
from .model import FIGURES, MAINLAND, Cards, Gap, View
from .move_context import MoveContext, Route, cheapest, routes
from .names import letter, place, tile_name

TITLES = (_("Figure A"), _("Figure B"), _("Figure C"))


class _Way(NamedTuple):
    """A move of a figure, and how it is written. price: what it costs. saves: how much less than
    without the bridge that it builds."""

    price: int
    figure: int
    line: LegalLine
    saves: int = 0


def guide(view: View) -> Guide | None:
    """The question to the viewer; None where it is not its turn."""
    if view.viewer is None or view.viewer not in view.to_act:
        return None
    context = MoveContext(view)
    ways, bridges, sale = _cheapest_first(_ways(context)), _bridges(context), _sale(context)
    forms = []
    if ways:
        task = _("Move one of your figures")
        forms.append(
            _(
                "the figure and the cards in the order in which you play them; if the route costs "
                "something, add “pay cheapest”, or “pay” and your tiles and cards"
            )
        )
    else:
        task = _("None of your figures can move: pass, or try your bridge or a sale")
        forms.append(_("“pass” if you cannot or do not want to make a move possible"))
    if bridges:
        forms.append(_("with your bridge: “bridge” and the space, before or after the move"))
    if sale:
        forms.append(_("before your move, to draw cards: “buy” and the value of a tile you sell"))
    return Guide(task, tuple(forms), tuple(_examples(ways, bridges)))


def _examples(ways: list[_Way], bridges: list[_Way]) -> Iterator[LegalLine]:
    """The cheapest move, that of another figure if there is one, and a bridge that saves points."""
    if not ways:
        yield legal_line("pass")
    else:
        yield ways[0].line
        others = [way for way in ways if way.figure != ways[0].figure] or ways[1:]
        yield from (way.line for way in others[:1])
    yield from (way.line for way in bridges[:1] if way.saves or not ways)


def legal(view: View) -> tuple[LegalSection, ...]:
    """A line for each place that a figure can reach and pay for, with the fewest cards, the
    cheapest first."""
    if view.viewer is None or view.viewer not in view.to_act:
        return ()
    context = MoveContext(view)
    ways = _cheapest_first(_ways(context))
    of_figures = (
        [way.line for way in ways if way.figure == figure] for figure in range(len(FIGURES))
    )
    return sections(
        *zip(TITLES, of_figures, strict=True),
        (
            _("With your bridge, here or over another gap, before or after a move"),
            [way.line for way in _bridges(context)],
        ),
        (_("Before your move, sell a tile to draw cards"), _sale(context)),
        (_("No figure can move"), [] if ways else [legal_line("pass")]),
    )


def _cheapest_first(ways: Iterable[_Way]) -> list[_Way]:
    return sorted(ways, key=lambda way: way.price)


def _sale(context: MoveContext) -> list[LegalLine]:
    """One line for all tiles that can be sold."""
    values = sorted({tile.value for tile in context.me.tiles if tile.value > 1})
    if context.view.bought or not values:
        return []
    cards = ngettext("draws %(count)s card", "draws %(count)s cards", values[0] // 2)
    detail = cards if len(values) == 1 else _("draws a card for each 2 of its value")
    return [legal_line("buy", map(str, values), detail=detail)]


def _ways(context: MoveContext) -> Iterator[_Way]:
    """The places that the figures can reach and pay for with bridges as they are."""
    for figure in range(len(FIGURES)):
        for route in _shortest(context, figure):
            price = sum(gap.price for gap in _crossed(context, route))
            line = _line(context, figure, route, price)
            if line is not None:
                yield _Way(price, figure, line)


def _bridges(context: MoveContext) -> list[_Way]:
    """Return for each figure the move that the player's bridge makes cheapest, with the bridge that
    saves most; where none saves anything, the first move that is possible with the first bridge."""
    open_gaps = [gap for gap in context.gaps if not gap.bridged]
    if not context.me.bridge or not open_gaps:
        return []
    found: list[_Way] = []
    free: list[_Way] = []
    for figure in range(len(FIGURES)):
        of_figure: list[_Way] = []
        for route in _shortest(context, figure):
            gaps = [gap for gap in _crossed(context, route) if not gap.bridged]
            site = max(gaps, key=lambda gap: gap.price, default=open_gaps[0])
            before = sum(gap.price for gap in gaps)
            price = before - site.price if gaps else 0
            if (line := _line(context, figure, route, price, site, before)) is not None:
                way = _Way(price, figure, line, before - price)
                (of_figure if way.saves else free).append(way)
        found += _cheapest_first(of_figure)[:1]
    return _cheapest_first(found) or free[:1]


def _shortest(context: MoveContext, figure: int) -> list[Route]:
    """Return for each place that the figure can reach the way with the fewest cards."""
    best: dict[int, Route] = {}
    for route in routes(context, figure):
        known = best.get(route.lands)
        if known is None or len(route.cards) < len(known.cards):
            best[route.lands] = route
    return [route for _lands, route in sorted(best.items())]


def _crossed(context: MoveContext, route: Route) -> tuple[Gap, ...]:
    return path.crossed(context.gaps, route.start, route.lands)


def _line(
    context: MoveContext,
    figure: int,
    route: Route,
    price: int,
    bridge: Gap | None = None,
    before: int = 0,
) -> LegalLine | None:
    """The move with what it leads to; None where it cannot be paid. before: the price without the
    bridge."""
    payment = cheapest(context, route.cards, price)
    if payment is None:
        return None
    parts = [place(route.lands)]
    if before:
        parts.append(_("costs %(price)s instead of %(before)s", price=price, before=before))
    elif price:
        parts.append(ngettext("costs %(count)s", "costs %(count)s", price))
    if (paid := _worth(*payment)) > price:
        parts.append(_("you pay %(paid)s", paid=paid))
    taken = context.taken_from(figure, route.lands)
    if taken is not None and (tile := context.tops[taken]) is not None:
        parts.append(_("takes %(tile)s", tile=tile_name(tile)))
    if context.arrivals(figure, route.lands) == len(FIGURES) and route.lands == MAINLAND:
        parts.append(_("ends the game"))
    return legal_line(
        *(() if bridge is None else ("bridge", str(bridge.first))),
        letter(figure),
        " ".join(route.cards),
        *(["pay cheapest"] if price else []),
        detail=joined(parts, ", "),
    )


def _worth(tiles: tuple[int, ...], cards: Cards) -> int:
    return sum(tiles) + len(cards)


def introduction(view: View) -> tuple[Text, ...]:
    """The game in short, for the first email."""
    return (
        _(
            "Lead your three figures along the path of tiles from Atlantis to the mainland, and "
            "collect tiles on the way. The game ends when someone’s third figure arrives; then "
            "tiles count their value and cards one point each, and players whose figures have "
            "not arrived pay for the rest of the way."
        ),
        _(
            "On your turn you play a card, and one of your figures goes to the next tile with that "
            "item. If a figure stands there, you play another card and go on. You pay for the "
            "water that you cross, take the nearest free tile behind your figure, and draw a card, "
            "plus one for each of your figures on the mainland."
        ),
        _(
            "In the picture, each tile shows its item and its value, and a shadow of a second tile "
            "if one lies below. Figures carry the letters A, B and C and the colour of their "
            "player. Water between two tiles costs as much as the lower of the two values; once in "
            "the game you can make a stretch of water free with your bridge."
        ),
    )
