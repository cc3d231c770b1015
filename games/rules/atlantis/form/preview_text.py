"""The preview of a move: the sentences of the log, their consequences, and warnings.

It says nothing about what the player cannot know: covered tiles, the deck, other hands.
"""

from collections.abc import Iterator

from ...text import Seat, Text, _, ngettext
from .. import path
from ..coins import settle
from ..event_text import move_sentences, sentence
from ..model import FIGURES, MAINLAND, Bought, Drew, Moved, Played, Tile
from ..move_context import MoveContext
from ..moves import draws
from ..names import gap_name, letter

LOWEST, HIGHEST = 1, 7  # what a tile not yet seen may be worth


def lines(context: MoveContext, event: Played) -> Iterator[Text]:
    """The sentences of the preview: what the log will say, then the path as the move leaves it."""
    drew = Drew(event.seat, _drawn(context, event), None, ends_turn=True)
    done = move_sentences(event) if isinstance(event, Moved) else [sentence(event)]
    yield from filter(None, [*done, sentence(drew)])
    if isinstance(event, Bought):
        yield _("Then you move.")
    elif isinstance(event, Moved):
        yield from _path_left(context, event)
        if _ends_game(context, event):
            yield from _ending(context, event)


def warnings(context: MoveContext, event: Played) -> Iterator[Text]:
    """Yield warnings about what the player may have overlooked."""
    if not isinstance(event, Moved):
        return
    paid = sum(tile.value for tile in event.paid_tiles) + len(event.paid_cards)
    if paid > event.price:
        yield ngettext(
            "You overpay by %(count)s point. No change is given.",
            "You overpay by %(count)s points. No change is given.",
            paid - event.price,
        )
    yield from _bridge_wasted(context, event)
    if not _ends_game(context, event):
        if context.me.cards and context.me.cards == _played(event):
            yield _("You have no cards left: next turn you will have only the cards you draw now.")
        if event.paid_tiles and len(event.paid_tiles) == len(context.me.tiles):
            yield _("You spend all your tiles.")
    elif _lost(context, event):
        yield _("This move ends the game, and you would not win.")


def _figures(context: MoveContext, event: Played) -> list[int]:
    """Return the places of the player's own figures after the move."""
    figures = list(context.me.figures)
    if isinstance(event, Moved):
        figures[event.figure] = event.via[-1]
    return figures


def _ends_game(context: MoveContext, event: Moved) -> bool:
    return _figures(context, event).count(MAINLAND) == len(FIGURES)


def _played(event: Played) -> int:
    """Return the number of cards that leave the hand before the draw."""
    return len(event.cards) + len(event.paid_cards) if isinstance(event, Moved) else 0


def _drawn(context: MoveContext, event: Played) -> int:
    """Return the number of cards drawn, which the deck and the discards limit."""
    there = context.view.deck + len(context.view.discards) + _played(event)
    return min(draws(event, _figures(context, event)), there)


# -- the path --------------------------------------------------------------------------


def _is_covering(context: MoveContext, event: Moved) -> bool:
    """Return whether a tile lies under the one taken."""
    return event.taken_from is not None and context.view.path[event.taken_from - 1].height > 1


def _path_left(context: MoveContext, event: Moved) -> Iterator[Text]:
    """Yield the effects on the path of taking the tile."""
    if _is_covering(context, event):
        yield _("There is another tile underneath.")
    left = context.gaps_left(event)
    for gap in path.changed(left, context.gaps):
        if gap.bridged:
            yield _(
                "The bridge now spans the gap at %(gap)s, free for everyone.", gap=gap_name(gap)
            )
        else:
            yield _("The gap at %(gap)s now costs %(price)s.", gap=gap_name(gap), price=gap.price)
    for gap in context.gaps:
        if path.gap_at(left, gap.first) is None:
            yield (
                _("The bridge over gap %(gap)s is lost.", gap=gap_name(gap))
                if gap.bridged
                else _("The gap at %(gap)s disappears.", gap=gap_name(gap))
            )


def _bridge_wasted(context: MoveContext, event: Moved) -> Iterator[Text]:
    """Bridges that help none of the player's figures."""
    site = event.bridge_after if event.bridge_before is None else event.bridge_before
    if site is None:
        return
    is_crossed = event.bridge_before is not None and event.start < site < event.via[-1]
    if path.gap_at(context.gaps_left(event), site) is None:
        yield _("This move itself destroys your bridge.")
        if not is_crossed:
            yield _("The bridge saves you nothing.")
    elif not is_crossed and all(figure > site for figure in _figures(context, event)):
        yield _(
            "None of your figures still has to cross this gap: the bridge would only help the "
            "others."
        )


# -- the end ---------------------------------------------------------------------------


def _ending(context: MoveContext, event: Moved) -> Iterator[Text]:
    yield _("This is your third figure on the mainland: the game ends.")
    low, high = _scores(context, event, HIGHEST), _scores(context, event, LOWEST)
    for seat in context.view.order:
        points = str(low[seat]) if low[seat] == high[seat] else f"{low[seat]} … {high[seat]}"
        yield _("%(player)s’s score: %(points)s", player=Seat(seat), points=points)


def _lost(context: MoveContext, event: Moved) -> bool:
    """Return whether somebody else is ahead at the end, whatever the last tile uncovered is
    worth."""
    me = context.me.seat
    return all(
        scores[me] < max(scores)
        for scores in (_scores(context, event, value) for value in (LOWEST, HIGHEST))
    )


def _scores(context: MoveContext, event: Moved, unseen: int) -> list[int]:
    """The final scores, if the tile that this move uncovers is worth `unseen`."""
    gaps = context.gaps_left(event)
    if event.taken is not None and _is_covering(context, event):
        tops = list(context.tops)
        tops[event.taken_from or 0] = Tile(event.taken.item, unseen)
        gaps = path.find_gaps(tops, [gap.first for gap in gaps if gap.bridged])
    scores = []
    for player in context.view.players:
        points = player.points + player.cards
        if player.seat == context.me.seat:
            points += event.taken.value if event.taken is not None else 0
            points += _drawn(context, event) - _played(event)
            scores.append(points - sum(tile.value for tile in event.paid_tiles))
            continue
        ways = (path.crossed(gaps, figure, MAINLAND) for figure in player.figures)
        owed = sum(gap.price for way in ways for gap in way)
        tiles, cards = settle(owed, player.tiles, player.cards)
        short = max(0, owed - sum(tiles) - cards)
        scores.append(points - sum(tiles) - cards - short)
    return scores


def reason_not_to_move(context: MoveContext, figure: int, cheapest: int | None) -> Text:
    """Return why this figure is not offered. cheapest: the price of its cheapest way."""
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
