"""What a player is asked and can answer, for emails."""

from collections.abc import Iterator

from ..guidance import Guide, LegalLine, LegalSection, legal_line, sections
from ..text import Text, _, joined, ngettext
from . import path
from .model import FIGURES, MAINLAND, View
from .move_context import MoveContext, Route, cheapest, routes
from .names import letter, place, tile_name

TITLES = (_("Figure A"), _("Figure B"), _("Figure C"))


def guide(view: View) -> Guide | None:
    """What the viewer is asked; None where it is not its turn."""
    if view.viewer is None or view.viewer not in view.to_act:
        return None
    context = MoveContext(view)
    ways = [way for figure in range(len(FIGURES)) for way in _ways(context, figure)]
    sells = _sellable(context)
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
    if context.me.bridge and any(not gap.bridged for gap in context.gaps):
        forms.append(_("with your bridge: “bridge” and the space, before or after the move"))
    if sells:
        forms.append(_("before your move, to draw cards: “buy” and the value of a tile you sell"))
    return Guide(task, tuple(forms), tuple(_examples(ways, sells)))


def _examples(ways: list[LegalLine], sells: list[str]) -> Iterator[str]:
    """The shortest line, and the longest of another figure if there is one."""
    if not ways:
        yield "pass"
        if sells:
            yield f"buy {sells[-1]}"
        return
    lines = sorted(map(str, ways), key=len)
    yield lines[0]
    others = [line for line in lines[1:] if line[0] != lines[0][0]] or lines[1:]
    if others:
        yield others[-1]
    elif sells:
        yield f"buy {sells[-1]}"


def legal(view: View) -> tuple[LegalSection, ...]:
    """A line for each place that a figure can reach and pay for, with the fewest cards."""
    if view.viewer is None or view.viewer not in view.to_act:
        return ()
    context = MoveContext(view)
    ways = [tuple(_ways(context, figure)) for figure in range(len(FIGURES))]
    sells = _sellable(context)
    return sections(
        *zip(TITLES, ways, strict=True),
        (_("With your bridge"), _bridges(context, [way for some in ways for way in some])),
        (
            _("Before your move, sell a tile to draw cards"),
            [legal_line("buy", sells)] if sells else [],
        ),
        (_("No figure can move"), [] if any(ways) else [legal_line("pass")]),
    )


def _sellable(context: MoveContext) -> list[str]:
    if context.view.bought:
        return []
    return [str(v) for v in sorted({tile.value for tile in context.me.tiles if tile.value > 1})]


def _ways(context: MoveContext, figure: int) -> Iterator[LegalLine]:
    """The places that the figure can reach and pay for with bridges as they are."""
    best: dict[int, Route] = {}
    for route in routes(context, figure):
        known = best.get(route.lands)
        if known is None or len(route.cards) < len(known.cards):
            best[route.lands] = route
    for lands, route in sorted(best.items()):
        price = sum(gap.price for gap in path.crossed(context.gaps, route.start, lands))
        if cheapest(context, route.cards, price) is None:
            continue
        words = [letter(figure), " ".join(route.cards), *(["pay cheapest"] if price else [])]
        yield legal_line(*words, detail=_detail(context, figure, lands, price))


def _detail(context: MoveContext, figure: int, lands: int, price: int) -> Text:
    """ "space 17, costs 3, takes olive 4"."""
    parts = [place(lands)]
    if price:
        parts.append(ngettext("costs %(count)s", "costs %(count)s", price))
    taken = context.taken_from(figure, lands)
    if taken is not None and (tile := context.tops[taken]) is not None:
        parts.append(_("takes %(tile)s", tile=tile_name(tile)))
    if context.arrivals(figure, lands) == len(FIGURES) and lands == MAINLAND:
        parts.append(_("ends the game"))
    return joined(parts, ", ")


def _bridges(context: MoveContext, ways: list[LegalLine]) -> Iterator[LegalLine]:
    """The player's bridge in front of the first move above; any other move can follow as well."""
    open_gaps = [str(gap.first) for gap in context.gaps if not gap.bridged]
    if not context.me.bridge or not open_gaps or not ways:
        return
    first = min(ways, key=lambda way: len(way.parts))
    words = " ".join(part[0] for part in first.parts)
    yield legal_line(
        "bridge", open_gaps, words, detail=_("or before any other move that stays possible")
    )


def introduction(view: View) -> tuple[Text, ...]:
    """The game in short, for the first email."""
    return (
        _(
            "Lead your three figures along the path of tiles from Atlantis to the mainland, and "
            "collect tiles on the way. The game ends when somebody’s third figure arrives; then "
            "tiles count their value and cards one point each, and players whose figures have not "
            "arrived pay for the rest of the way."
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
