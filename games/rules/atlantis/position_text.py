"""The position as text: as a plain board, as sentences, and as facts about each player.

`board_text` is for emails without pictures:

    15 fla3+   a stack: space, item, value; + when another tile lies under it
    16 ~4~     the gap that begins here costs 4; == is a bridge, ~~ more of the same water
       1A 2C   below a stack: figure A of the first seat and C of the second stand there

Items are the first letters of their names in the reader's language; a move may name them so.
`position_text` is for people who do not see the board.
"""

import textwrap
from collections.abc import Iterator

from ..presentation import PlayerFacts, TextSection
from ..text import Seat, Text, Translate, _, and_list, literal, ngettext
from .model import ATLANTIS, FIGURES, MAINLAND, Gap, Item, Player, View
from .names import ITEM_NAMES, place_name, spaces_name, tile_name

CELL = 10
CELLS_IN_A_ROW = 7
ITEM_LETTERS = 3
WIDTH = 72


def board_text(view: View, translate: Translate = str) -> str:
    """The path in rows of seven spaces, then a legend; at most 72 columns wide."""
    items = {item: translate(name).lower()[:ITEM_LETTERS] for item, name in ITEM_NAMES.items()}
    lines = [f"{translate(_('Atlantis'))}  {_figures_at(view, ATLANTIS)}".rstrip()]
    gaps = {space: gap for gap in view.gaps for space in range(gap.first, gap.last + 1)}
    for start in range(0, len(view.path), CELLS_IN_A_ROW):
        cells, below = "", ""
        for index in range(start, min(start + CELLS_IN_A_ROW, len(view.path))):
            number, space = index + 1, view.path[index]
            if space.top is not None:
                more = "+" if space.height > 1 else ""
                cell = f"{items[space.top.item]}{space.top.value}{more}"
            elif (gap := gaps.get(number)) is None:
                cell = ""
            elif gap.bridged:
                cell = "=="
            else:
                cell = f"~{gap.price}~" if number == gap.first else "~~"
            cells += f"{number:2}:{cell}".ljust(CELL)
            below += f"   {_figures_at(view, number)}".ljust(CELL)
        lines.append(cells.rstrip())
        if below.strip():
            lines.append(below.rstrip())
    lines.append(f"{translate(_('Mainland'))}  {_figures_at(view, MAINLAND)}".rstrip())
    lines.append("")
    lines.extend(_legend(items, translate))
    return "\n".join(lines) + "\n"


def _legend(items: dict[Item, str], translate: Translate) -> list[str]:
    """The meaning of the signs of the board."""
    # No-break spaces keep each pair on one line, and "=" keeps the list from being a move.
    named = ", ".join(
        f"{items[item]}\xa0=\xa0{translate(name)}" for item, name in ITEM_NAMES.items()
    )
    signs = translate(
        _(
            "Each space has a number, an item and its value. + another tile lies below, ~3~ water "
            "that costs 3, == water with a bridge. Below a space: 1A figure A of player 1."
        )
    )
    lines = [*textwrap.wrap(named, WIDTH), *textwrap.wrap(signs, WIDTH)]
    return [line.replace("\xa0", " ") for line in lines]


def _figures_at(view: View, space: int) -> str:
    return " ".join(f"{player.seat + 1}{letter}" for player, letter in _standing(view, space))


def position_text(view: View) -> tuple[TextSection, ...]:
    """The figures of each player in turn order, then the path from Atlantis to the mainland."""
    lines = tuple(
        literal(
            "%(seat)s: %(figures)s; %(facts)s",
            seat=Seat(player.seat),
            figures=figures(view.players[player.seat]),
            facts=player.text,
        )
        for player in players(view)
    )
    start = _with_figures(view, ATLANTIS, _("Atlantis"))
    end = _with_figures(view, MAINLAND, _("Mainland"))
    return (
        TextSection(_("Players"), lines),
        TextSection(_("The path"), (start, *_path(view), end)),
    )


def _path(view: View) -> Iterator[Text]:
    """A line for each stack and for each stretch of water."""
    gaps = {gap.first: gap for gap in view.gaps}
    water: list[int] = []
    for number, space in enumerate(view.path, start=1):
        if space.top is None:
            water.append(number)
            continue
        if water:
            yield _water(water, gaps.get(water[0]))
            water = []
        yield _stack(view, number)
    if water:
        yield _water(water, gaps.get(water[0]))


def _stack(view: View, number: int) -> Text:
    space = view.path[number - 1]
    assert space.top is not None, "a stack has a top tile"
    words: dict[str, int | Text] = {"space": number, "tile": tile_name(space.top)}
    if space.height == 1:
        stack = _("Space %(space)s: %(tile)s", **words)
    else:
        stack = ngettext(
            "Space %(space)s: %(tile)s, %(count)s tile below it",
            "Space %(space)s: %(tile)s, %(count)s tiles below it",
            space.height - 1,
            **words,
        )
    return _with_figures(view, number, stack)


def _water(spaces: list[int], gap: Gap | None) -> Text:
    where = spaces_name(spaces[0], spaces[-1])
    if gap is None:
        return _("Water at %(spaces)s, free to cross", spaces=where)
    if gap.bridged:
        return _("Gap at %(spaces)s, bridged", spaces=where)
    return _("Gap at %(spaces)s, costs %(price)s", spaces=where, price=gap.price)


def _with_figures(view: View, space: int, text: Text) -> Text:
    """The text and the figures that stand there: "Space 6: ring 2 – figure C (Alice)"."""
    here = [
        _("figure %(figure)s (%(seat)s)", figure=letter, seat=Seat(player.seat))
        for player, letter in _standing(view, space)
    ]
    return literal("%(text)s – %(here)s", text=text, here=and_list(here)) if here else text


def _standing(view: View, space: int) -> Iterator[tuple[Player, str]]:
    """The figures on a space, each with its player."""
    for player in view.players:
        for letter, at in zip(FIGURES, player.figures, strict=True):
            if at == space:
                yield player, letter


def players(view: View) -> tuple[PlayerFacts, ...]:
    """Return the players in the order of play: tiles and their sum, cards, the bridge."""
    return tuple(
        PlayerFacts(seat, str(seat + 1), _facts(view.players[seat])) for seat in view.order
    )


def _facts(player: Player) -> tuple[Text, ...]:
    values = sorted((tile.value for tile in player.tiles), reverse=True)
    tiles = ngettext(
        "a tile worth %(sum)s",
        "tiles %(values)s, worth %(sum)s",
        len(values),
        values=" ".join(map(str, values)),
        sum=player.points,
    )
    return (
        tiles if values else _("no tiles"),
        ngettext("%(count)s card", "%(count)s cards", player.cards),
        *([_("bridge")] if player.bridge else []),
    )


def figures(player: Player) -> Text:
    """ "A on Atlantis, B on space 12, C on the mainland"."""
    a, b, c = map(place_name, player.figures)
    return literal("A %(a)s, B %(b)s, C %(c)s", a=a, b=b, c=c)
