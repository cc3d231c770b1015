"""The questions of a turn, from what to do to what to pay with."""

from collections.abc import Iterator, Sequence

from ...move_form import Choice, FormBuilder
from ...text import _, and_list, literal, ngettext, paragraph
from ..box import ITEMS
from ..coins import cards_of, counts_of
from ..model import FIGURES, MAINLAND, Buy, Cards, Gap, Move, Pass, Tile, TurnCommand, View
from ..move_context import MoveContext, Route, cheapest
from ..names import ITEM_NAMES, cards_named, gap_name, letter, place, tile_name
from .preview_text import reason_not_to_move
from .reach import Landing, Reach

Payment = tuple[tuple[int, ...], Cards]  # tile values, highest first, and cards, sorted


def turn(builder: FormBuilder[View], context: MoveContext, reach: Reach) -> TurnCommand:
    """The command that the answers make; UnansweredError where one is missing."""
    match _what(builder, context, reach):
        case "buy":
            return _purchase(builder, context)
        case "pass":
            return Pass()
        case _:
            return _move(builder, context, reach)


def _what(builder: FormBuilder[View], context: MoveContext, reach: Reach) -> str:
    """move, buy or pass; not asked where there is nothing to do but move."""
    choices = []
    if any(reach.offered(figure) for figure in range(len(FIGURES))):
        choices.append(Choice("move", _("Move a figure")))
    if not context.view.bought and any(tile.value > 1 for tile in context.me.tiles):
        detail = _("Sell one tile to draw half its value in cards, then move.")
        choices.append(Choice("buy", _("Buy cards first"), detail, icon="deck"))
    if reach.stuck:
        detail = _("None of your figures can move: show your hand and draw 2 cards.")
        choices.append(Choice("pass", _("Pass"), detail))

    given = builder.given("do")
    invalid_message = _("You cannot do that now. Choose again.")
    if given == "buy" and context.view.bought:
        invalid_message = _("You have already bought cards this turn.")
    elif given == "pass":
        invalid_message = _("You have a legal move, so you cannot pass.")
    if [choice.value for choice in choices] == ["move"] and given in (None, "move"):
        return "move"
    # Never preselect "buy": without an answer the player moves or passes.
    default = next(choice.value for choice in choices if choice.value != "buy")
    return builder.one(
        "do",
        _("What do you want to do?"),
        choices,
        default=default,
        invalid_message=invalid_message,
    )


def _purchase(builder: FormBuilder[View], context: MoveContext) -> TurnCommand:
    """Ask for the tile to give up; of equal values, the first collected one is given."""
    first = {tile.value: tile for tile in reversed(context.me.tiles)}
    choices = [
        Choice(
            str(value),
            tile_name(first[value]),
            ngettext("draw %(count)s card", "draw %(count)s cards", value // 2),
            icon=_tile_icon(first[value]),
        )
        for value in sorted(first)
        if value > 1
    ]
    value = builder.one(
        "tile",
        _("Which tile do you want to sell?"),
        choices,
        invalid_message=_("You cannot sell that tile. Choose another one."),
        help_text=_("A tile worth 1 buys no cards.") if 1 in first else None,
    )
    return Buy(int(value))


def _move(builder: FormBuilder[View], context: MoveContext, reach: Reach) -> Move:
    figure = _figure(builder, context, reach)
    landing = _landing(builder, context, reach, figure)
    # The bridge decides what has to be paid, and so which cards can be played; the form shows
    # it behind the cards all the same, since few turns build one.
    shown = len(builder.fields)
    before, after = _bridge(builder, context, reach, landing)
    bridge_fields = builder.fields[shown:]
    del builder.fields[shown:]
    route = _cards(builder, reach.payable(landing, before))
    builder.fields.extend(bridge_fields)
    tiles, cards = _payment(builder, context, route, landing.due(before))
    return Move(
        figure,
        route.cards,
        tiles,
        cards,
        bridge_before=before.first if before else None,
        bridge_after=after.first if after else None,
    )


def planned_move(builder: FormBuilder[View], context: MoveContext, reach: Reach) -> Move:
    """The figure and cards of a plan. It is paid when it is played, and builds no bridge."""
    figure = _figure(builder, context, reach)
    landing = _landing(builder, context, reach, figure)
    return Move(figure, _cards(builder, reach.payable(landing)).cards)


# -- figure and landing ----------------------------------------------------------------


def _figure(builder: FormBuilder[View], context: MoveContext, reach: Reach) -> int:
    """The figure to move. Figures on the same space are one choice: the first of them moves."""
    places: dict[int, list[int]] = {}
    reasons = []
    for figure, every in enumerate(reach.landings):
        if reach.offered(figure):
            places.setdefault(context.me.figures[figure], []).append(figure)
        else:
            least = min((landing.price for landing in every), default=None)
            reasons.append(reason_not_to_move(context, figure, least))
    chosen = builder.one(
        "figure",
        _("Which figure do you want to move?"),
        [_figure_choice(context, reach, alike) for alike in places.values()],
        invalid_message=_("That figure cannot move now. Choose another one."),
        help_text=paragraph(reasons),
        aliases={letter(figure): letter(alike[0]) for alike in places.values() for figure in alike},
    )
    return FIGURES.index(chosen)


def _figure_choice(context: MoveContext, reach: Reach, alike: Sequence[int]) -> Choice:
    first = alike[0]
    elements = [f"figure-{context.me.seat}-{letter(figure)}" for figure in alike]
    offered = reach.offered(first)
    return Choice(
        letter(first),
        _(
            "%(figure)s on %(place)s",
            figure=", ".join(map(letter, alike)),
            place=place(context.me.figures[first]),
        ),
        ngettext("%(count)s destination", "%(count)s destinations", len(offered)),
        element_id=elements[0],
        icon=elements[0],
        also=tuple(elements[1:]),
    )


def _landing(
    builder: FormBuilder[View], context: MoveContext, reach: Reach, figure: int
) -> Landing:
    offered = {_space_value(landing.space): landing for landing in reach.offered(figure)}
    name = letter(figure)
    dear = len(reach.landings[figure]) - len(offered)
    note = ngettext(
        "%(count)s more destination costs more than you can pay.",
        "%(count)s more destinations cost more than you can pay.",
        dear,
    )
    chosen = builder.one(
        "landing",
        _("Where should figure %(figure)s go?", figure=name),
        [_landing_choice(context, reach, landing) for landing in offered.values()],
        invalid_message=_("Figure %(figure)s cannot go there. Choose again.", figure=name),
        help_text=note if dear else None,
    )
    return offered[chosen]


def _landing_choice(context: MoveContext, reach: Reach, landing: Landing) -> Choice:
    label = place(landing.space)
    tile = context.tops[landing.space]
    if tile is not None:
        label = literal("%(place)s, %(tile)s", place=label, tile=tile_name(tile))
    payable = reach.payable(landing)
    ways = payable or landing.routes
    cards = cards_named(ways[0].cards)
    if len(ways) > 1:
        cards = ngettext(
            "%(cards)s, or %(count)s other way to get there",
            "%(cards)s, or %(count)s other ways to get there",
            len(ways) - 1,
            cards=cards,
        )
    if not landing.price:
        price = _("free")
    elif payable:
        price = _("costs %(price)s", price=landing.price)
    else:
        price = _("costs %(price)s, only if you build your bridge", price=landing.price)
    detail = literal("%(cards)s · %(price)s", cards=cards, price=price)
    taken = context.taken_from(landing.figure, landing.space)
    if taken is not None and (top := context.tops[taken]) is not None:
        detail = _("takes %(tile)s · %(ways)s", tile=tile_name(top), ways=detail)
    return Choice(
        _space_value(landing.space),
        label,
        detail,
        element_id="mainland" if landing.space == MAINLAND else f"space-{landing.space}",
        icon=_stack_icon(context, landing.space),
    )


def _stack_icon(context: MoveContext, space: int) -> str:
    tile = context.tops[space]
    if tile is None:
        return "mainland"
    tall = context.view.path[space - 1].height > 1
    return f"stack-{tile.item}-{tile.value}" if tall else _tile_icon(tile)


def _space_value(space: int) -> str:
    return "mainland" if space == MAINLAND else str(space)


def _cards(builder: FormBuilder[View], payable: Sequence[Route]) -> Route:
    """Ask for the cards to play, if there is a choice; an outdated answer is ignored."""
    by_value = {".".join(route.cards): route for route in payable}
    if len(by_value) == 1:
        return payable[0]
    choices = []
    for value, route in by_value.items():
        stops = [place(stop) for stop in route.via[:-1]]
        detail = _("via %(stops)s", stops=and_list(stops)) if stops else None
        icon = f"card-{route.cards[0]}"
        choices.append(Choice(value, cards_named(route.cards), detail, icon=icon))
    chosen = builder.one(
        "cards", _("Which cards do you want to play?"), choices, default=choices[0].value
    )
    return by_value[chosen]


# -- the bridge ------------------------------------------------------------------------


def _bridge(
    builder: FormBuilder[View], context: MoveContext, reach: Reach, landing: Landing
) -> tuple[Gap | None, Gap | None]:
    """(gap bridged before the move, gap bridged after it)."""
    before, after = reach.sites_before(landing), reach.sites_after(landing)
    if not before and not after:
        return None, None
    payable = bool(reach.payable(landing))
    choices = []
    if payable:
        choices.append(Choice("none", _("No bridge this turn")))
    if before:
        detail = _("This move can already use it.")
        choices.append(Choice("before", _("Before the move"), detail, icon="bridge"))
    if after:
        detail = _("After you take the tile, before you draw.")
        choices.append(Choice("after", _("After the move"), detail, icon="bridge"))
    chosen = builder.one(
        "bridge",
        _("Build your bridge?"),
        choices,
        default=choices[0].value,
        invalid_message=_("You cannot build the bridge then. Choose again."),
        help_text=_("You have one bridge per game. A bridged gap is free for everyone.")
        if payable
        else _("You can only pay for this route if you build your bridge."),
    )
    if chosen == "none":
        return None, None
    if chosen == "before":
        return _gap(builder, context, landing, before, made=False), None
    return None, _gap(builder, context, landing, after, made=True)


def _gap(
    builder: FormBuilder[View],
    context: MoveContext,
    landing: Landing,
    sites: Sequence[Gap],
    *,
    made: bool,
) -> Gap:
    """Ask for the gap; beforehand, preselect the one that saves this player most. made: after the
    move."""
    figures = list(context.me.figures)
    if made:
        figures[landing.figure] = landing.space

    def saves(gap: Gap) -> int:
        return gap.price * sum(place < gap.first for place in figures)

    by_value = {str(gap.first): gap for gap in sites}
    chosen = builder.one(
        "gap",
        _("Over which gap?"),
        [_gap_choice(context, gap, on_the_way=gap in landing.gaps and not made) for gap in sites],
        default=str(max(sites, key=saves).first),
        invalid_message=_("You cannot build a bridge there. Choose another gap."),
    )
    return by_value[chosen]


def _gap_choice(context: MoveContext, gap: Gap, *, on_the_way: bool) -> Choice:
    if on_the_way:
        detail = _("price %(price)s, saved on this move", price=gap.price)
    elif gap in context.gaps:
        detail = _("price %(price)s", price=gap.price)
    else:
        detail = _("price %(price)s after this move", price=gap.price)
    # On the board, as it is before the move, the gap may begin elsewhere or be a stack still.
    there = next((old for old in context.gaps if gap.first <= old.first <= gap.last), None)
    return Choice(
        str(gap.first),
        ngettext(
            "Gap at space %(gap)s",
            "Gap at spaces %(gap)s",
            gap.last - gap.first + 1,
            gap=gap_name(gap),
        ),
        detail,
        element_id=f"gap-{there.first}" if there else f"space-{gap.first}",
    )


# -- the payment -----------------------------------------------------------------------


def _payment(builder: FormBuilder[View], context: MoveContext, route: Route, due: int) -> Payment:
    """Ask what to pay with, of the own tiles and cards; the cheapest are ticked. The player can
    afford this way."""
    least = cheapest(context, route.cards, due)
    assert least is not None, "only ways that can be paid are offered"
    if not due:
        return least
    tiles = sorted((tile.value for tile in context.me.tiles), reverse=True)
    names = _numbered(tiles)
    ticked = builder.pay(
        "pay",
        ngettext(
            "How do you want to pay %(count)s point?",
            "How do you want to pay %(count)s points?",
            due,
        ),
        [*_tile_choices(context), *_card_choices(context, route)],
        due=due,
        stamp=f"{due}:{'.'.join(route.cards)}",
        initial=[*_numbered(least[0]), *_numbered(least[1])],
        invalid_message=_("You do not have all of these tiles and cards. Choose again."),
    )
    paid = [sum(name.partition(".")[0] == item for name in ticked) for item in ITEMS]
    return (
        tuple(value for name, value in zip(names, tiles, strict=True) if name in ticked),
        cards_of(paid),
    )


def _numbered(values: Sequence[object]) -> list[str]:
    """[5, 5, 2] → ["5.1", "5.2", "2.1"]."""
    return [f"{value}.{values[: at + 1].count(value)}" for at, value in enumerate(values)]


def _tile_choices(context: MoveContext) -> list[Choice]:
    """Tiles, highest first; "5.2" is the second tile of value 5."""
    tiles = sorted(context.me.tiles, key=lambda tile: -tile.value)
    return [
        Choice(name, tile_name(tile), icon=_tile_icon(tile), worth=tile.value)
        for name, tile in zip(_numbered([tile.value for tile in tiles]), tiles, strict=True)
    ]


def _card_choices(context: MoveContext, route: Route) -> Iterator[Choice]:
    """Cards by item; those that the move itself plays are shown but cannot pay."""
    for item, held, used in zip(ITEMS, context.hand, counts_of(route.cards), strict=True):
        for number in range(1, held + 1):
            is_played = number > held - used
            yield Choice(
                f"{item.value}.{number}",
                ITEM_NAMES[item],
                _("played") if is_played else None,
                icon=f"card-{item}",
                worth=0 if is_played else 1,
                fixed=is_played,
            )


def _tile_icon(tile: Tile) -> str:
    """The name of a tile's picture."""
    return f"tile-{tile.item}-{tile.value}"
