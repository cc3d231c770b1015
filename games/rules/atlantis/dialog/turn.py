"""The questions of a turn, from what to do to where the bridge goes."""

from __future__ import annotations

from collections.abc import Sequence

from ...asking import Asker
from ...engine import Option, Text, _, ngettext
from ..forecast import gap_name, reason_not_to_move
from ..model import FIGURES, MAINLAND, Buy, Command, Gap, Move, Pass
from ..table import Route, Table
from ..words import cards_named, letter, listed, place, tile_name
from .payment import payment, tile_icon
from .reach import Landing, Reach


def turn(asker: Asker, table: Table) -> Command:
    """The command that the answers make; UnansweredError where one is missing."""
    match _what(asker, table, reach := Reach(table)):
        case "buy":
            return _purchase(asker, table)
        case "pass":
            return Pass()
        case _:
            return _move(asker, table, reach)


def _what(asker: Asker, table: Table, reach: Reach) -> str:
    """move, buy or pass; not asked where there is nothing to do but move."""
    options = []
    if any(reach.offered(figure) for figure in range(len(FIGURES))):
        options.append(Option("move", _("Move a figure")))
    if not table.view.bought and any(tile.value > 1 for tile in table.me.tiles):
        detail = _("Give up a tile, draw half its value; then you move.")
        options.append(Option("buy", _("Buy cards first"), detail, icon="deck"))
    if reach.stuck:
        detail = _("No figure can move as things are: show your hand, draw 2 cards.")
        options.append(Option("pass", _("Pass"), detail))

    given = asker.given("do")
    misfit = _("This cannot be done now: choose what to do.")
    if given == "buy" and table.view.bought:
        misfit = _("You have bought in this turn already.")
    elif given == "pass":
        misfit = _("You can move, so you may not pass.")
    if [option.value for option in options] == ["move"] and given in (None, "move"):
        return "move"
    # Buying is never pressed on anybody: who does not choose moves, or passes.
    default = next(option.value for option in options if option.value != "buy")
    return asker.one("do", _("What do you do?"), options, default=default, misfit=misfit)


def _purchase(asker: Asker, table: Table) -> Command:
    """Which tile to give up; of equal values the first collected goes."""
    first = {tile.value: tile for tile in reversed(table.me.tiles)}
    options = [
        Option(
            str(value),
            tile_name(first[value]),
            ngettext("draws %(count)s card", "draws %(count)s cards", value // 2),
            icon=tile_icon(first[value]),
        )
        for value in sorted(first)
        if value > 1
    ]
    value = asker.one(
        "tile",
        _("Which tile do you give up?"),
        options,
        misfit=_("You cannot give up that tile: choose another one."),
        note=_("A tile of value 1 buys nothing.") if 1 in first else None,
    )
    return Buy(int(value))


def _move(asker: Asker, table: Table, reach: Reach) -> Move:
    figure = _figure(asker, table, reach)
    landing = _landing(asker, table, reach, figure)
    # The bridge decides what has to be paid, and so which cards can be played; the form shows
    # it behind the cards all the same, since few turns build one.
    shown = len(asker.fields)
    before, after = _bridge(asker, table, reach, landing)
    bridge_fields = asker.fields[shown:]
    del asker.fields[shown:]
    route = _cards(asker, reach.payable(landing, before))
    asker.fields.extend(bridge_fields)
    tiles, cards = payment(asker, table, route, landing.due(before))
    return Move(
        figure,
        route.cards,
        tiles,
        cards,
        bridge_before=before.first if before else None,
        bridge_after=after.first if after else None,
    )


# -- figure and landing ----------------------------------------------------------------


def _figure(asker: Asker, table: Table, reach: Reach) -> int:
    options = []
    reasons = []
    for figure, every in enumerate(reach.landings):
        name = letter(figure)
        if offered := reach.offered(figure):
            options.append(
                Option(
                    name,
                    _(
                        "%(figure)s on %(place)s",
                        figure=name,
                        place=place(table.me.figures[figure]),
                    ),
                    ngettext("%(count)s landing", "%(count)s landings", len(offered)),
                    mark=f"figure-{table.me.seat}-{name}",
                    icon=f"figure-{table.me.seat}-{name}",
                )
            )
        else:
            least = min((landing.price for landing in every), default=None)
            reasons.append(reason_not_to_move(table, figure, least))
    chosen = asker.one(
        "figure",
        _("Which figure moves?"),
        options,
        misfit=_("That figure cannot move now: choose another one."),
        note=_sentences(reasons),
    )
    return FIGURES.index(chosen)


def _landing(asker: Asker, table: Table, reach: Reach, figure: int) -> Landing:
    offered = {_space_value(landing.space): landing for landing in reach.offered(figure)}
    name = letter(figure)
    dear = len(reach.landings[figure]) - len(offered)
    note = ngettext(
        "%(count)s more landing costs more than you can pay.",
        "%(count)s more landings cost more than you can pay.",
        dear,
    )
    chosen = asker.one(
        "landing",
        _("Where does figure %(figure)s land?", figure=name),
        [_landing_option(table, reach, landing) for landing in offered.values()],
        misfit=_("Figure %(figure)s cannot land there: choose again.", figure=name),
        note=note if dear else None,
    )
    return offered[chosen]


def _landing_option(table: Table, reach: Reach, landing: Landing) -> Option:
    label = place(landing.space)
    tile = table.tops[landing.space]
    if tile is not None:
        label = _("%(place)s, %(tile)s", place=label, tile=tile_name(tile))
    payable = reach.payable(landing)
    ways = payable or landing.routes
    cards = cards_named(ways[0].cards)
    if len(ways) > 1:
        cards = ngettext(
            "%(cards)s, or %(count)s other way",
            "%(cards)s, or %(count)s other ways",
            len(ways) - 1,
            cards=cards,
        )
    if not landing.price:
        price = _("costs nothing")
    elif payable:
        price = _("costs %(price)s", price=landing.price)
    else:
        price = _("costs %(price)s, only with your bridge", price=landing.price)
    return Option(
        _space_value(landing.space),
        label,
        _("%(cards)s · %(price)s", cards=cards, price=price),
        mark="mainland" if landing.space == MAINLAND else f"space-{landing.space}",
        icon=_stack_icon(table, landing.space),
    )


def _stack_icon(table: Table, space: int) -> str:
    tile = table.tops[space]
    if tile is None:
        return "mainland"
    tall = table.view.path[space - 1].height > 1
    return f"stack-{tile.item}-{tile.value}" if tall else tile_icon(tile)


def _space_value(space: int) -> str:
    return "mainland" if space == MAINLAND else str(space)


def _cards(asker: Asker, payable: Sequence[Route]) -> Route:
    """Which cards to play, where there is a choice; an old answer gives way silently."""
    by_value = {".".join(route.cards): route for route in payable}
    if len(by_value) == 1:
        return payable[0]
    options = []
    for value, route in by_value.items():
        stops = [place(stop) for stop in route.via[:-1]]
        detail = _("by way of %(stops)s", stops=listed(stops)) if stops else None
        icon = f"card-{route.cards[0]}"
        options.append(Option(value, cards_named(route.cards), detail, icon=icon))
    chosen = asker.one("cards", _("Which cards do you play?"), options, default=options[0].value)
    return by_value[chosen]


# -- the bridge ------------------------------------------------------------------------


def _bridge(
    asker: Asker, table: Table, reach: Reach, landing: Landing
) -> tuple[Gap | None, Gap | None]:
    """(gap bridged before the move, gap bridged after it)."""
    before, after = reach.sites_before(landing), reach.sites_after(landing)
    if not before and not after:
        return None, None
    payable = bool(reach.payable(landing))
    options = []
    if payable:
        options.append(Option("none", _("Not this turn")))
    if before:
        detail = _("The gap is free for this move already.")
        options.append(Option("before", _("Before the move"), detail, icon="bridge"))
    if after:
        detail = _("Once the tile is taken, before you draw.")
        options.append(Option("after", _("After the move"), detail, icon="bridge"))
    chosen = asker.one(
        "bridge",
        _("Build your bridge?"),
        options,
        default=options[0].value,
        misfit=_("The bridge cannot be built then: choose again."),
        note=_("You have one in the whole game. A bridged gap is free for everyone.")
        if payable
        else _("Only with your bridge can you pay for this way."),
    )
    if chosen == "none":
        return None, None
    if chosen == "before":
        return _gap(asker, table, landing, before, made=False), None
    return None, _gap(asker, table, landing, after, made=True)


def _gap(asker: Asker, table: Table, landing: Landing, sites: Sequence[Gap], *, made: bool) -> Gap:
    """Over which gap; beforehand the one that saves this player most. made: after the move."""
    figures = list(table.me.figures)
    if made:
        figures[landing.figure] = landing.space

    def saves(gap: Gap) -> int:
        return gap.price * sum(place < gap.first for place in figures)

    by_value = {str(gap.first): gap for gap in sites}
    chosen = asker.one(
        "gap",
        _("Over which gap?"),
        [_gap_option(table, gap, on_the_way=gap in landing.gaps and not made) for gap in sites],
        default=str(max(sites, key=saves).first),
        misfit=_("No bridge can be built there: choose another gap."),
    )
    return by_value[chosen]


def _gap_option(table: Table, gap: Gap, *, on_the_way: bool) -> Option:
    if on_the_way:
        detail = _("price %(price)s, saved on this way", price=gap.price)
    elif gap in table.gaps:
        detail = _("price %(price)s", price=gap.price)
    else:
        detail = _("price %(price)s, as this move leaves it", price=gap.price)
    # On the board, as it is before the move, the gap may begin elsewhere or be a stack still.
    there = next((old for old in table.gaps if gap.first <= old.first <= gap.last), None)
    return Option(
        str(gap.first),
        ngettext(
            "Gap at space %(gap)s",
            "Gap at spaces %(gap)s",
            gap.last - gap.first + 1,
            gap=gap_name(gap),
        ),
        detail,
        mark=f"gap-{there.first}" if there else f"space-{gap.first}",
    )


def _sentences(parts: Sequence[Text]) -> Text | None:
    """Several sentences as one text."""
    if not parts:
        return None
    joined = parts[0]
    for part in parts[1:]:
        joined = _("%(first)s %(second)s", first=joined, second=part)
    return joined
