"""Labels and a description of the board for people who do not see it."""

from collections.abc import Callable

from ...text import Text, _, literal
from ..board import at
from ..hexes import LAND, NAMES
from ..model import EACH, TERRAINS, View
from ..names import BACKS, COLOURS, TERRAIN_NAMES, explorer_name, explorer_names
from ..players import players


def hexagon(view: View, hex_: int) -> Text:
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


def explorer(view: View, who: int) -> Text:
    """ "V3, vermilion, worth 5"."""
    name, colour, value = explorer_name(who), COLOURS[who // EACH], view.values[who]
    if value is None:
        return literal("%(explorer)s, %(colour)s", explorer=name, colour=colour)
    return _("%(explorer)s, %(colour)s, worth %(value)s", explorer=name, colour=colour, value=value)


def summary(view: View, translate: Callable[[Text], str]) -> str:
    """The position in a few sentences."""
    board = view.board
    tiles = [
        translate(
            literal(
                "%(count)s %(terrain)s", terrain=TERRAIN_NAMES[kind], count=board.map.count(kind)
            )
        )
        for kind in TERRAINS
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
