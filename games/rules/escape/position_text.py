"""The position as sentences: for people who do not see the board."""

from collections.abc import Iterator

from ..presentation import TextSection
from ..text import Text, _, and_list, joined, literal, ngettext
from . import model
from .board import at, crew
from .hexes import INDEX, ISLE_SHORES, ISLES, NAMES, ROW_LETTERS, SPANS
from .names import TERRAIN_NAMES, explorer_names
from .players import players


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
