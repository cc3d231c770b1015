"""What a move would do, in sentences, before it is made: the preview and its warnings.

Puts the result of `moves.simulate` into words; what the player cannot know (covered tiles, the
deck, other hands) is left out.
"""

from collections.abc import Iterator, Sequence

from ...text import Seat, Text, _, and_list, ngettext
from .. import path
from ..coins import settle
from ..model import MAINLAND, Command, Gap, Move, Pass, Preview, Tile
from ..move_context import MoveContext
from ..names import cards_named, gap_name, letter, payment_named, place, tile_name, total

LOWEST, HIGHEST = 1, 7  # what a tile not yet seen may be worth


def lines(context: MoveContext, command: Command, plan: Preview) -> Iterator[Text]:
    """The sentences of the preview, in the order of the turn."""
    if isinstance(command, Move):
        yield from _way(command, plan)
        yield from _price(plan)
        yield from _taking(plan)
        if plan.bridge_after is not None:
            yield _(
                "Then you build your bridge over the gap at %(gap)s.",
                gap=_bridged_gap(
                    plan.bridge_after, context.gaps_after(plan.taken_from, context.bridges)
                ),
            )
    elif isinstance(command, Pass):
        yield _("None of your figures can move, so you show your hand to everyone.")
    elif plan.sold is not None:
        yield _("You sell your %(tile)s. It leaves the game.", tile=tile_name(plan.sold))
    yield _drawing(context, plan, _played(command))
    if plan.sold is not None:
        yield _("Then you move.")
    if plan.ends_game:
        yield from _ending(context, command, plan)


def warnings(context: MoveContext, command: Command, plan: Preview) -> Iterator[Text]:
    """What the player may have overlooked."""
    if not isinstance(command, Move):
        return
    if plan.overpaid:
        yield ngettext(
            "You overpay by %(count)s point. No change is given.",
            "You overpay by %(count)s points. No change is given.",
            plan.overpaid,
        )
    yield from _bridge_wasted(context, command, plan)
    if not plan.ends_game:
        if context.me.cards and context.me.cards == len(_played(command)):
            yield _("You have no cards left: next turn you will have only the cards you draw now.")
        if plan.paid_tiles and len(plan.paid_tiles) == len(context.me.tiles):
            yield _("You spend all your tiles.")
    elif _lost(context, command, plan):
        yield _("This move ends the game, and you would not win.")


# -- the way ---------------------------------------------------------------------------


def _way(move: Move, plan: Preview) -> Iterator[Text]:
    assert plan.start is not None and plan.lands is not None
    if plan.bridge_before is not None:
        yield _(
            "First you build your bridge over the gap at %(gap)s.",
            gap=_bridged_gap(plan.bridge_before, plan.gaps),
        )
    if len(plan.via) == 1:
        yield _(
            "Figure %(figure)s moves from %(start)s to %(place)s with %(cards)s.",
            figure=letter(move.figure),
            start=place(plan.start),
            place=place(plan.lands),
            cards=cards_named(move.cards),
        )
        return
    yield _(
        "Figure %(figure)s moves from %(start)s via %(stops)s to %(place)s with %(cards)s.",
        figure=letter(move.figure),
        start=place(plan.start),
        stops=and_list([place(stop) for stop in plan.via[:-1]]),
        place=place(plan.lands),
        cards=cards_named(move.cards),
    )


def _bridged_gap(first: int, gaps: Sequence[Gap]) -> str:
    """The name of the gap at this space; the space alone where no gap is known."""
    gap = path.gap_at(gaps, first)
    return str(first) if gap is None else gap_name(gap)


def _price(plan: Preview) -> Iterator[Text]:
    if not plan.gaps:
        yield _("You cross no gaps, so there is nothing to pay.")
        return
    prices = [gap.price for gap in plan.gaps if not gap.bridged]
    bridged = len(plan.gaps) - len(prices)
    if not prices:
        yield ngettext(
            "The gap you cross is bridged, so there is nothing to pay.",
            "All %(count)s gaps you cross are bridged, so there is nothing to pay.",
            bridged,
        )
        return
    yield ngettext(
        "You cross %(count)s gap: %(sum)s.",
        "You cross %(count)s gaps: %(sum)s.",
        len(prices),
        sum=total(prices),
    )
    if bridged:
        yield ngettext(
            "%(count)s more gap is bridged and free.",
            "%(count)s more gaps are bridged and free.",
            bridged,
        )
    coins = payment_named([tile.value for tile in plan.paid_tiles], plan.paid_cards)
    yield _("You pay with %(coins)s.", coins=coins)


# -- the tile --------------------------------------------------------------------------


def _taking(plan: Preview) -> Iterator[Text]:
    if plan.taken is None or plan.taken_from is None:
        yield _("There is no free stack behind the figure, so you take no tile.")
        return
    yield _(
        "You take %(tile)s from space %(space)s.", tile=tile_name(plan.taken), space=plan.taken_from
    )
    if plan.uncovers:
        yield _("There is another tile underneath.")
    elif plan.opened is not None:
        yield _opening(plan.opened, plan.merged)
    for gap in plan.closed:
        if gap.bridged:
            yield _("The bridge over gap %(gap)s is lost.", gap=gap_name(gap))
        else:
            yield _("The gap at %(gap)s disappears.", gap=gap_name(gap))


def _opening(gap: Gap, merged: Sequence[Gap]) -> Text:
    name = gap_name(gap)
    if gap.bridged:
        return _("The bridge now spans the gap at %(gap)s, free for everyone.", gap=name)
    if not merged:
        return _("A gap opens at %(gap)s, price %(price)s.", gap=name, price=gap.price)
    return ngettext(
        "The gap grows to %(gap)s, price %(price)s.",
        "Two gaps merge into %(gap)s, price %(price)s.",
        len(merged),
        gap=name,
        price=gap.price,
    )


def _bridge_wasted(context: MoveContext, move: Move, plan: Preview) -> Iterator[Text]:
    """Bridges that help none of the player's figures."""
    site = plan.bridge_before if plan.bridge_before is not None else plan.bridge_after
    if site is None or plan.lands is None:
        return
    if any(gap.first <= site <= gap.last for gap in plan.closed):
        yield _("This move itself destroys your bridge.")
        if path.gap_at(plan.gaps, site) is None:
            yield _("The bridge saves you nothing.")
        return
    figures = list(context.me.figures)
    figures[move.figure] = plan.lands
    behind = any(figure < site for figure in figures)
    if not behind and path.gap_at(plan.gaps, site) is None:
        yield _(
            "None of your figures still has to cross this gap: the bridge would only help the "
            "others."
        )


# -- the cards -------------------------------------------------------------------------


def _played(command: Command) -> tuple[str, ...]:
    """The cards that leave the hand before the draw."""
    return (*command.cards, *command.pay_cards) if isinstance(command, Move) else ()


def _draws(context: MoveContext, plan: Preview, played: Sequence[str]) -> int:
    """Cards there will be to draw: the deck and the discards hold no more."""
    return min(plan.draws, context.view.deck + len(context.view.discards) + len(played))


def _drawing(context: MoveContext, plan: Preview, played: Sequence[str]) -> Text:
    count = _draws(context, plan, played)
    if count < plan.draws:
        return ngettext(
            "You draw %(count)s card; no more are left.",
            "You draw %(count)s cards; no more are left.",
            count,
        )
    return ngettext("You draw %(count)s card.", "You draw %(count)s cards.", count)


# -- the end ---------------------------------------------------------------------------


def _ending(context: MoveContext, move: Command, plan: Preview) -> Iterator[Text]:
    yield _("This is your third figure on the mainland: the game ends.")
    low, high = _scores(context, move, plan, HIGHEST), _scores(context, move, plan, LOWEST)
    for seat in context.view.order:
        points = str(low[seat]) if low[seat] == high[seat] else f"{low[seat]} … {high[seat]}"
        yield _("Score of %(player)s: %(points)s", player=Seat(seat), points=points)


def _lost(context: MoveContext, move: Command, plan: Preview) -> bool:
    """Whether somebody else is ahead at the end, whatever the last tile uncovered is worth."""
    me = context.me.seat
    return all(
        scores[me] < max(scores)
        for scores in (_scores(context, move, plan, value) for value in (LOWEST, HIGHEST))
    )


def _scores(context: MoveContext, move: Command, plan: Preview, unseen: int) -> list[int]:
    """The final scores, if the tile that this move uncovers is worth `unseen`."""
    tops = list(context.tops)
    if plan.taken_from is not None and plan.taken is not None:
        tops[plan.taken_from] = Tile(plan.taken.item, unseen) if plan.uncovers else None
    bridges = context.bridges
    if plan.bridge_before is not None:
        bridges = (*bridges, plan.bridge_before)
    gaps = path.find_gaps(tops, bridges)
    scores = []
    for player in context.view.players:
        points = sum(tile.value for tile in player.tiles) + player.cards
        if player.seat == context.me.seat:
            played = _played(move)
            points += plan.taken.value if plan.taken is not None else 0
            points += _draws(context, plan, played) - len(played)
            scores.append(points - sum(tile.value for tile in plan.paid_tiles))
            continue
        ways = (path.crossed(gaps, figure, MAINLAND) for figure in player.figures)
        owed = sum(gap.price for way in ways for gap in way)
        tiles, cards = settle(owed, player.tiles, player.cards)
        short = max(0, owed - sum(tiles) - cards)
        scores.append(points - sum(tiles) - cards - short)
    return scores


def reason_not_to_move(context: MoveContext, figure: int, cheapest: int | None) -> Text:
    """Why this figure is not offered; cheapest: the least that a way of it costs."""
    name = letter(figure)
    if context.me.figures[figure] == MAINLAND:
        return _("Figure %(figure)s is on the mainland.", figure=name)
    if cheapest is None:
        return _("Figure %(figure)s cannot go anywhere with these cards.", figure=name)
    return _(
        "Figure %(figure)s cannot move: its cheapest route costs %(price)s, more than you can pay.",
        figure=name,
        price=cheapest,
    )
