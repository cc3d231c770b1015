"""The rules of a turn, applied to the view of the seat that plays.

Whether a move is legal depends on public facts and one's own hand alone, so everything here
reads a View and nothing else: `decide`, the form, the bot and `legal_commands` all get the same
answer, and none of them can leak what the player does not know.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from ..errors import IllegalMove
from ..text import _, ngettext
from . import model, path
from .box import INDEX, ITEMS
from .coins import cards_of, counts_of, tiles_worth
from .move_context import MoveContext, cheapest, plain_moves, routes
from .names import ITEM_NAMES, letter, place

DRAWS_ON_A_PASS = 2


# -- one command -----------------------------------------------------------------------


def simulate(view: model.View, command: model.TurnCommand) -> model.Played:
    """Return the event that the command would lead to for the viewer. Raises IllegalMove."""
    check_turn(view)
    context = MoveContext(view)
    match command:
        case model.Buy():
            return _simulate_buy(context, command)
        case model.Move():
            return _simulate_move(context, command)
        case model.Pass():
            return _simulate_pass(context)


def draws(event: model.Played, figures: Sequence[int]) -> int:
    """Return the number of cards that the seat draws after this event. figures: the places of its
    own figures by then."""
    match event:
        case model.Bought(_, _, count):
            return count
        case model.Passed():
            return DRAWS_ON_A_PASS
        case model.Moved():
            return 1 + figures.count(model.MAINLAND)


def check_turn(view: model.View) -> None:
    """IllegalMove where the seat that looks may do nothing at all."""
    if view.outcome is not None:
        raise IllegalMove(_("The game is over."))
    if view.viewer is None:
        raise IllegalMove(_("Spectators cannot move."))
    if view.viewer not in view.to_act:
        raise IllegalMove(_("It’s not your turn."))


def check_sale(view: model.View) -> None:
    """IllegalMove where the seat that looks may sell no tile any more."""
    if view.bought:
        raise IllegalMove(
            _("You have already bought cards this turn. You can sell only one tile per turn.")
        )


def _simulate_buy(context: MoveContext, buy: model.Buy) -> model.Bought:
    check_sale(context.view)
    sold = tiles_worth((buy.value,), context.me.tiles)
    if sold is None:
        raise IllegalMove(_("You have no tile worth %(value)s to sell.", value=buy.value))
    if buy.value < 2:
        raise IllegalMove(_("A tile worth 1 buys no cards: you draw half its value, rounded down."))
    return model.Bought(context.me.seat, sold[0], buy.value // 2)


def _simulate_pass(context: MoveContext) -> model.Passed:
    if move := next(plain_moves(context), None):
        raise IllegalMove(
            _(
                "You have a legal move, so you cannot pass. For example, figure %(figure)s can "
                "move with the card “%(item)s”.",
                figure=letter(move.figure),
                item=ITEM_NAMES[move.cards[0]],
            )
        )
    return model.Passed(context.me.seat, cards_of(context.hand))


def _simulate_move(context: MoveContext, move: model.Move) -> model.Moved:
    check_hand(context, (*move.cards, *move.pay_cards))
    way = _way(context, move)
    paid_tiles = _check_payment(context, move, way.price)
    taken_from = context.taken_from(move.figure, way.lands)
    after = None
    if move.bridge_after is not None:
        if context.arrivals(move.figure, way.lands) == len(context.me.figures):
            raise IllegalMove(
                _(
                    "Your third figure on the mainland ends the game, so you can no longer build a "
                    "bridge."
                )
            )
        left = context.gaps_after(taken_from, way.bridges)
        after = _bridge_site(context, left, move.bridge_after).first
    return model.Moved(
        seat=context.me.seat,
        figure=move.figure,
        cards=move.cards,
        start=way.start,
        via=way.via,
        price=way.price,
        paid_tiles=paid_tiles,
        paid_cards=tuple(sorted(move.pay_cards, key=INDEX.__getitem__)),
        taken=None if taken_from is None else context.tops[taken_from],
        taken_from=taken_from,
        bridge_before=way.bridge_before,
        bridge_after=after,
        planned=move.planned,
    )


def landing_of(view: model.View, move: model.Move) -> int:
    """Return the space on which the figure of this move lands. Raises IllegalMove for none."""
    return _way(MoveContext(view), move).lands


def price_of(view: model.View, move: model.Move) -> int:
    """Return the price of the way of this move. Its payment is not checked.

    Raises IllegalMove if there is no such way.
    """
    context = MoveContext(view)
    check_hand(context, move.cards)
    return _way(context, move).price


def paid_cheapest(view: model.View, move: model.Move, price: int) -> model.Move:
    """Return the move with the cheapest payment of this price; unchanged if it cannot be paid."""
    payment = cheapest(MoveContext(view), move.cards, price)
    if payment is None:
        return move
    return replace(move, pay_tiles=payment[0], pay_cards=payment[1])


class _Way(msgspec.Struct, frozen=True):
    """The way of a move. gaps, bridges: as the figure crosses them, which is after the move has
    built a bridge before it."""

    start: int
    via: tuple[int, ...]
    bridge_before: int | None
    bridges: tuple[int, ...]
    gaps: tuple[model.Gap, ...]

    @property
    def lands(self) -> int:
        return self.via[-1]

    @property
    def price(self) -> int:
        return sum(gap.price for gap in path.crossed(self.gaps, self.start, self.lands))


def _way(context: MoveContext, move: model.Move) -> _Way:
    start, via = _follow(context, move)
    if move.bridge_before is None:
        return _Way(start, via, None, context.bridges, context.gaps)
    if move.bridge_after is not None:
        raise IllegalMove(
            _("You have only one bridge: build it before or after the move, not both.")
        )
    site = _bridge_site(context, context.gaps, move.bridge_before).first
    bridges = (*context.bridges, site)
    return _Way(start, via, site, bridges, path.find_gaps(context.tops, bridges))


def check_hand(context: MoveContext, cards: model.Cards) -> None:
    """Raise IllegalMove unless all of these cards are in the hand."""
    for item, held, wanted in zip(ITEMS, context.hand, counts_of(cards), strict=True):
        if wanted > held == 0:
            raise IllegalMove(_("You have no “%(item)s” card.", item=ITEM_NAMES[item]))
        if wanted > held:
            raise IllegalMove(
                _(
                    "You need %(wanted)s × %(item)s, but have only %(held)s.",
                    wanted=wanted,
                    item=ITEM_NAMES[item],
                    held=held,
                )
            )


def _follow(context: MoveContext, move: model.Move) -> tuple[int, tuple[int, ...]]:
    """Return the start of the figure and all its landings.

    Raises IllegalMove unless each landing but the last one is occupied, and the last one is free.
    """
    if not 0 <= move.figure < len(context.me.figures):
        raise IllegalMove(_("Your figures are A, B and C."))
    start = context.me.figures[move.figure]
    if start == model.MAINLAND:
        raise IllegalMove(
            _(
                "Figure %(figure)s is already on the mainland and cannot move.",
                figure=letter(move.figure),
            )
        )
    if not move.cards:
        raise IllegalMove(_("You must play at least one card to move a figure."))
    at = start
    via: list[int] = []
    for item in move.cards:
        if via and at not in context.occupied:
            raise IllegalMove(
                _(
                    "Figure %(figure)s stops at %(place)s because it is free, so you cannot play "
                    "“%(item)s” there.",
                    figure=letter(move.figure),
                    place=place(at),
                    item=ITEM_NAMES[item],
                )
            )
        at = path.next_space(context.tops, at, item)
        via.append(at)
    if at in context.occupied:
        raise IllegalMove(
            _("%(place)s is occupied: play another card to move on.", place=place(at))
        )
    return start, tuple(via)


def _bridge_site(context: MoveContext, gaps: Sequence[model.Gap], space: int) -> model.Gap:
    """Return the gap at this space. Raises IllegalMove if the player may not bridge it."""
    if not context.me.bridge:
        raise IllegalMove(_("You have already built your bridge."))
    gap = path.gap_at(gaps, space)
    if gap is None:
        raise IllegalMove(_("There is no gap at space %(space)s.", space=space))
    if gap.bridged:
        raise IllegalMove(_("The gap at space %(space)s is already bridged.", space=space))
    return gap


def _check_payment(context: MoveContext, move: model.Move, price: int) -> model.Tiles:
    """Return the tiles that the move pays with.

    Raises IllegalMove unless they are there and the payment reaches the price, and for a payment of
    a move that costs nothing.
    """
    paid_tiles = tiles_worth(sorted(move.pay_tiles, reverse=True), context.me.tiles)
    if paid_tiles is None:
        raise IllegalMove(
            _(
                "You do not have all the tiles you want to pay with: %(tiles)s.",
                tiles=", ".join(map(str, move.pay_tiles)),
            )
        )
    paid = sum(move.pay_tiles) + len(move.pay_cards)
    if not price and (move.pay_tiles or move.pay_cards):
        raise IllegalMove(_("This move is free, so you cannot pay for it."))
    if paid >= price:
        return paid_tiles
    most = context.purse.worth + sum(context.hand) - len(move.cards)
    if most < price:
        raise IllegalMove(
            ngettext(
                "This move costs %(count)s point, but your tiles and remaining cards are worth "
                "only %(most)s.",
                "This move costs %(count)s points, but your tiles and remaining cards are worth "
                "only %(most)s.",
                price,
                most=most,
            )
        )
    if not paid:
        raise IllegalMove(
            ngettext(
                "This move costs %(count)s point: say what you want to pay with.",
                "This move costs %(count)s points: say what you want to pay with.",
                price,
            )
        )
    raise IllegalMove(
        ngettext(
            "This move costs %(count)s point, but you pay only %(paid)s.",
            "This move costs %(count)s points, but you pay only %(paid)s.",
            price,
            paid=paid,
        )
    )


# -- all commands ----------------------------------------------------------------------


def legal_moves(view: model.View) -> Iterator[model.TurnCommand]:
    """Yield every command of the viewer, in a fixed order; none if it is not their turn.

    Each way has one payment, the cheapest, and a bridge is named by the first space of its gap.
    """
    if view.viewer not in view.to_act:
        return
    context = MoveContext(view)
    move: model.Move | None = None
    for move in plain_moves(context):
        yield move
    if context.me.bridge:
        yield from _bridge_moves(context)
    if not view.bought:
        for value in sorted({tile.value for tile in context.me.tiles if tile.value > 1}):
            yield model.Buy(value)
    if move is None:
        yield model.Pass()


def _bridge_moves(context: MoveContext) -> Iterator[model.Move]:
    """Yield the moves that build the bridge of the player, before the move or after it."""
    sites_after: dict[tuple[int, int], list[int]] = {}
    for figure in range(len(context.me.figures)):
        for route in routes(context, figure):
            crossed = path.crossed(context.gaps, route.start, route.lands)
            price = sum(gap.price for gap in crossed)
            plain = cheapest(context, route.cards, price)
            for gap in context.gaps:
                if gap.bridged:
                    continue
                payment = plain
                if gap in crossed:
                    payment = cheapest(context, route.cards, price - gap.price)
                if payment is not None:
                    yield model.Move(figure, route.cards, *payment, bridge_before=gap.first)
            if plain is None:
                continue
            key = figure, route.lands
            if key not in sites_after:
                sites_after[key] = _sites_after(context, *key)
            for space in sites_after[key]:
                yield model.Move(figure, route.cards, *plain, bridge_after=space)


def _sites_after(context: MoveContext, figure: int, lands: int) -> list[int]:
    """Return the first spaces of the gaps that can be bridged after this landing."""
    if context.arrivals(figure, lands) == len(context.me.figures):
        return []
    left = context.gaps_after(context.taken_from(figure, lands), context.bridges)
    return [gap.first for gap in left if not gap.bridged]
