"""The board in plain text, for emails without pictures.

15 fla3+   a stack: space, item, value; + when another tile lies under it
16 ~4~     the gap that begins here costs 4; == is a bridge, ~~ more of the same water
   1A 2C   below a stack: figure A of the first seat and C of the second stand there

Items are the first letters of their names in the reader's language; a move may name them so.
"""

import textwrap

from ..text import Translate, _
from .model import ATLANTIS, FIGURES, MAINLAND, Item, View
from .names import ITEM_NAMES

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
    return " ".join(
        f"{player.seat + 1}{letter}"
        for player in view.players
        for letter, at in zip(FIGURES, player.figures, strict=True)
        if at == space
    )
