"""The position as text: as a plain board, as sentences, as facts about each player, and as labels
of the drawn board.

`board_text` is for emails without pictures:

    b f m    beach, forest, mountain, and who stands there: fV3; several by their colours: fVVU
    ·        sea                 v3, vvu   swimmers
    [VVN]    a ship and its crew, [] an empty one
    S H W    sea serpent, shark, whale
    *        more than fits here: see the lines below the board

Rows are lettered, columns numbered; every second row lies half a hex to the right. `position_text`
and the labels are for people who do not see the board.
"""

import textwrap
from collections.abc import Iterator

from ..presentation import PlayerFacts, TextSection
from ..text import Text, Translate, _, and_list, joined, literal, ngettext
from . import model
from .board import at, crew, lost, out, own, saved
from .hexes import INDEX, ISLE_SHORES, ISLES, LAND, NAMES, ROW_LETTERS, SPANS
from .names import BACKS, COLOURS, CREATURES, TERRAIN_NAMES, explorer_name, explorer_names

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


def board_text(view: model.View, translate: Translate = str) -> str:
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


def _translated(line: str, translate: Translate) -> str:
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
    if not board.is_setup:
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


def position_text(view: model.View) -> tuple[TextSection, ...]:
    """The players in turn order, then what is on the hexes, row by row, then the isles."""
    board = view.board
    sections = [TextSection(_("Players"), tuple(player.line for player in players(view)))]
    for row, letter in enumerate(ROW_LETTERS[: len(SPANS)]):
        first, last = SPANS[row]
        lines = [_hex(view, INDEX[row, col]) for col in range(first, last + 1)]
        if found := tuple(line for line in lines if line is not None):
            sections.append(TextSection(_("Row %(row)s", row=letter), found))
    sections.append(TextSection(_("Isles"), tuple(_isle(board, i) for i in range(len(ISLES)))))
    return tuple(sections)


def _isle(board: model.Board, isle: int) -> Text:
    """The place of an isle and the pieces on it."""
    beside = and_list([literal(NAMES[hex_]) for hex_ in ISLE_SHORES[isle]])
    safe = at(board, model.SAVED + isle)
    if not safe:
        return _("Isle %(isle)s, beside %(hexes)s", isle=ISLES[isle], hexes=beside)
    return _(
        "Isle %(isle)s, beside %(hexes)s: %(explorers)s",
        isle=ISLES[isle],
        hexes=beside,
        explorers=explorer_names(safe),
    )


def _hex(view: model.View, hex_: int) -> Text | None:
    """The pieces on a hex; None for empty sea."""
    parts = list(_things(view.board, hex_))
    if not parts:
        return None
    return literal("%(hex)s: %(things)s", hex=NAMES[hex_], things=joined(parts, "; "))


def _things(board: model.Board, hex_: int) -> Iterator[Text]:
    here = at(board, hex_)
    if board.map[hex_] != model.SEA:
        yield TERRAIN_NAMES[board.map[hex_]]
        if here:
            yield literal(explorer_names(here))
    elif here:
        yield _("swimming: %(explorers)s", explorers=explorer_names(here))
    if hex_ in board.ships:
        aboard = crew(board, hex_)
        if aboard:
            yield _("ship with %(explorers)s", explorers=explorer_names(aboard))
        else:
            yield _("empty ship")
    if count := board.serpents.count(hex_):
        yield ngettext("%(count)s sea serpent", "%(count)s sea serpents", count)
    if count := board.sharks.count(hex_):
        yield ngettext("%(count)s shark", "%(count)s sharks", count)
    if count := board.whales.count(hex_):
        yield ngettext("%(count)s whale", "%(count)s whales", count)


def players(view: model.View) -> tuple[PlayerFacts, ...]:
    """Return the players in the order of play: colours, explorers by where they are, tiles, known
    values."""
    board = view.board
    letters = [
        model.COLOUR_LETTERS[seat : board.colours : board.seats] for seat in range(board.seats)
    ]
    return tuple(
        PlayerFacts(
            seat,
            "".join(letters[seat]),
            tuple(_facts(view, seat)),
            tuple(
                (explorer_name(who), value)
                for who in own(board, seat)
                if out(board.where[who]) and (value := view.values[who])
            ),
        )
        for seat in board.order
    )


def _facts(view: model.View, seat: int) -> Iterator[Text]:
    board, mine = view.board, own(view.board, seat)
    yield and_list([COLOURS[colour] for colour in range(seat, board.colours, board.seats)])
    there = [who for who in mine if out(board.where[who])]
    yield _("%(count)s on the board", count=len(there))
    safe = saved(board, seat)
    points = [view.values[who] for who in safe]
    if points and all(points) and not board.options.equal:
        known = sum(filter(None, points))
        yield _("%(count)s saved (worth %(points)s)", count=len(safe), points=known)
    else:
        yield _("%(count)s saved", count=len(safe))
    if gone := len(lost(board, seat)):
        yield _("%(count)s lost", count=gone)
    if hand := sum(board.where[who] == model.IN_HAND for who in mine):
        yield _("%(count)s in hand", count=hand)
    if tiles := view.kept[seat]:
        yield _("%(tiles)s kept", tiles=and_list([BACKS[tile] for tile in tiles]))
    elif held := board.held[seat]:
        yield ngettext("%(count)s face-down tile", "%(count)s face-down tiles", held)


def hexagon_label(view: model.View, hex_: int) -> Text:
    """ "E5, forest, with V1, V3"."""
    board = view.board
    kind, people = TERRAIN_NAMES[board.map[hex_]], at(board, hex_)
    if people:
        return _(
            "%(hex)s, %(terrain)s, with %(explorers)s",
            hex=NAMES[hex_],
            terrain=kind,
            explorers=explorer_names(people),
        )
    return literal("%(hex)s, %(terrain)s", hex=NAMES[hex_], terrain=kind)


def explorer_label(view: model.View, who: int) -> Text:
    """ "V3, vermilion, worth 5"."""
    name, colour, value = explorer_name(who), COLOURS[who // model.EACH], view.values[who]
    if value is None:
        return literal("%(explorer)s, %(colour)s", explorer=name, colour=colour)
    return _("%(explorer)s, %(colour)s, worth %(value)s", explorer=name, colour=colour, value=value)


def summary(view: model.View, translate: Translate) -> str:
    """The position in a few sentences, as the description of the drawn board."""
    board = view.board
    tiles = [
        translate(
            literal(
                "%(count)s %(terrain)s", terrain=TERRAIN_NAMES[kind], count=board.map.count(kind)
            )
        )
        for kind in model.TERRAINS
    ]
    sentences = [translate(_("Tiles remaining: %(tiles)s.", tiles=", ".join(tiles)))]
    sentences += [f"{translate(player.line)}." for player in players(view)]
    hidden = (
        [
            translate(literal("%(hex)s %(back)s", hex=NAMES[hex_], back=BACKS[back]))
            for hex_, back in zip(LAND, view.backs, strict=True)
            if back is not None
        ]
        if view.backs
        else []
    )
    if hidden:
        sentences.append(
            translate(_("Under the remaining tiles: %(tiles)s.", tiles=", ".join(hidden)))
        )
    return " ".join(sentences)
