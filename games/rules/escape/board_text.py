"""The board in plain text, for emails without pictures.

    b f m    beach, forest, mountain, and who stands there: fV3; several by their colours: fVVU
    ·        sea                 v3, vvu   swimmers
    [VVN]    a ship and its crew, [] an empty one
    S H W    sea serpent, shark, whale
    *        more than fits here: see the lines below the board

Rows are lettered, columns numbered; every second row lies half a hex to the right.
"""

import textwrap
from collections.abc import Callable, Iterator

from ..text import Text, _
from . import model
from .board import at, crew
from .hexes import INDEX, ISLE_SHORES, ISLES, NAMES, ROW_LETTERS, SPANS
from .names import BACKS, CREATURES, TERRAIN_NAMES, explorer_name, explorer_names

TERRAIN_WORDS = dict(zip(("beach", "forest", "mountain"), model.TERRAINS, strict=True))
_TERRAIN_NAMES = {terrain: word for word, terrain in TERRAIN_WORDS.items()}
CELL = 6  # columns of a hex; half a hex is three
COLUMNS = 12
MARGIN = 1  # with cells of six, no line is wider than 72
WIDTH = 72
# What stands in the lines of crowded hexes beside names: "E5 beach U1 V1", "D8 whale".
WORDS: dict[str, Text] = {
    **{str(name): name for name in TERRAIN_NAMES.values()},
    **{creature.value: name for creature, name in CREATURES.items()},
    "ship": BACKS[model.Back.SHIP],
}


# Translators: the letters are those of the map and stay as they are.
_LEGEND = _(
    "b beach, f forest, m mountain, · sea. V3 an explorer, v3 a swimmer, VVU several. [VVN] a "
    "ship with explorers aboard, [] an empty ship. S sea serpent, H shark, W whale. * more than "
    "fits, see below the map. Colours: U blue, V vermilion, Y yellow, N black."
)
_SHORES = _(
    "Isles, with the sea hexes beside them: %(isles)s.",
    isles=", ".join(
        f"{isle} {' '.join(NAMES[hex_] for hex_ in shores)}"
        for isle, shores in zip(ISLES, ISLE_SHORES, strict=True)
    ),
)


def board_text(view: model.View, translate: Callable[[Text], str] = str) -> str:
    """The map and below it what did not fit, the isles, a legend; at most 72 columns wide."""
    board = view.board
    lines = [_ruler()]
    crowded: list[int] = []
    for row, (first, last) in enumerate(SPANS):
        shift = CELL // 2 if row % 2 == 0 else 0
        line = ROW_LETTERS[row].ljust(MARGIN) + " " * (shift + first * CELL)
        for col in range(first, last + 1):
            hex_ = INDEX[row, col]
            text = cell(board, hex_)
            if len(text) > CELL - 1:
                text = text[: CELL - 2] + "*"
            if "*" in text or _is_crowd(board, hex_):
                crowded.append(hex_)
            line += text.center(CELL)
        lines.append(line.rstrip())
    lines.append("")
    below = [_translated(hex_line(board, hex_), translate) for hex_ in crowded]
    below += map(translate, _below(view))
    for line in below:
        lines += textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
    lines += ["", *textwrap.wrap(translate(_LEGEND), WIDTH)]
    lines += textwrap.wrap(translate(_SHORES), WIDTH)
    return "\n".join(lines) + "\n"


def _translated(line: str, translate: Callable[[Text], str]) -> str:
    """A line of what is on a hex, the words in it in the reader's language."""
    return " ".join(translate(WORDS[word]) if word in WORDS else word for word in line.split(" "))


def cell(board: model.Board, hex_: int) -> str:
    """The content of a hex, in as few signs as possible."""
    text = "S" * board.serpents.count(hex_)
    text += "H" * board.sharks.count(hex_)
    text += "W" * board.whales.count(hex_)
    here = at(board, hex_)
    if board.map[hex_] != model.SEA:
        return board.map[hex_] + _people(here)
    text += _people(here).lower()
    if hex_ in board.ships:
        text += (
            "["
            + "".join(model.COLOUR_LETTERS[who // model.EACH] for who in crew(board, hex_))
            + "]"
        )
    return text or "·"


def _people(explorers: tuple[int, ...]) -> str:
    if len(explorers) == 1:
        return explorer_name(explorers[0])
    return "".join(model.COLOUR_LETTERS[who // model.EACH] for who in explorers)


def _is_crowd(board: model.Board, hex_: int) -> bool:
    """Whether the cell does not show all explorers there."""
    return board.where.count(hex_) > 1 or hex_ + model.ABOARD in board.where


def _ruler() -> str:
    """The numbers of the columns, between the places that they have in even and odd rows."""
    line = ""
    for col in range(COLUMNS):
        line = line.ljust(MARGIN + CELL * col + CELL // 2) + str(col + 1)
    return line


def _below(view: model.View) -> Iterator[Text]:
    """The lines below the map."""
    board = view.board
    for isle, name in enumerate(ISLES):
        safe = at(board, model.SAVED + isle)
        if safe:
            yield _("isle %(isle)s: %(explorers)s", isle=name, explorers=explorer_names(safe))
    if board.stage is not model.Stage.SETUP:
        ships, sharks, whales = board.supply
        yield _(
            "not yet in play: ships %(ships)s, sharks %(sharks)s, whales %(whales)s",
            ships=ships,
            sharks=sharks,
            whales=whales,
        )


def hex_line(board: model.Board, hex_: int) -> str:
    """The content of a hex, after its name: "E5 beach U1 V1"; "" for nothing but water. The backs
    of tiles stay hidden."""
    terrain = board.map[hex_]
    words = [] if terrain == model.SEA else [_TERRAIN_NAMES[terrain]]
    words.extend(map(explorer_name, at(board, hex_)))
    herds = (board.serpents, board.sharks, board.whales)
    for creature, herd in zip(model.Creature, herds, strict=True):
        words.extend([creature.value] * herd.count(hex_))
    if hex_ in board.ships:
        words.append("ship")
        words.extend(map(explorer_name, at(board, hex_ + model.ABOARD)))
    return " ".join([NAMES[hex_], *words]) if words else ""
