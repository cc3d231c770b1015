"""The position as sentences: for people who do not see the board."""

from collections.abc import Iterator

from ..presentation import TextSection
from ..text import Seat, Text, _, and_list, literal, ngettext
from .model import ATLANTIS, FIGURES, MAINLAND, Gap, View
from .names import spaces_name, tile_name
from .players import figures, players


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
        for player in view.players
        for letter, at in zip(FIGURES, player.figures, strict=True)
        if at == space
    ]
    return literal("%(text)s – %(here)s", text=text, here=and_list(here)) if here else text
