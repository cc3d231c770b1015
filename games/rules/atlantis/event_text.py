"""What happened, for the log and for emails.

In the past tense, so that the same sentence reads well with a name and with "you". Only what
the event shows; `view` decides who may read what.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from ..text import Seat, Text, _, ngettext, paragraph, result, seat_list
from . import model
from .names import cards_named, coins_named, hand_named, letter, place, tile_name


def sentence(event: model.Event) -> Text | None:
    """The event, as `visible` left it, in one or a few sentences; None if it says nothing."""
    match event:
        case model.Prepared(order):
            return _("The path was laid out. Order of play: %(seats)s.", seats=seat_list(order))
        case model.Dealt():
            return _("The opening hands were dealt.")
        case model.Bought(seat, tile, count):
            return ngettext(
                "%(seat)s sold %(tile)s for %(count)s card.",
                "%(seat)s sold %(tile)s for %(count)s cards.",
                count,
                seat=Seat(seat),
                tile=tile_name(tile),
            )
        case model.Moved():
            return paragraph(_move(event))
        case model.Passed(seat, hand):
            return _(
                "%(seat)s could not move and revealed this hand: %(cards)s.",
                seat=Seat(seat),
                cards=hand_named(hand),
            )
        case model.Reshuffled(count):
            return ngettext(
                "The deck was empty, so %(count)s discarded card was shuffled.",
                "The deck was empty, so %(count)s discarded cards were shuffled.",
                count,
            )
        case model.Drew():
            return _draw(event)
        case model.Settled():
            return _settled(event)
        case model.Ended(scores, winners):
            return result(scores, winners)
        case _:
            assert_never(event)


def _move(event: model.Moved) -> Iterator[Text]:
    seat = Seat(event.seat)
    if event.bridge_before is not None:
        yield _bridged(seat, event.bridge_before)
    figure, lands = letter(event.figure), event.via[-1]
    cards, start = cards_named(event.cards), place(event.start)
    if lands == model.MAINLAND:
        yield _(
            "%(seat)s played %(cards)s: figure %(figure)s moved from %(start)s to the mainland.",
            seat=seat,
            cards=cards,
            figure=figure,
            start=start,
        )
    else:
        yield _(
            "%(seat)s played %(cards)s: figure %(figure)s moved from %(start)s to %(place)s.",
            seat=seat,
            cards=cards,
            figure=figure,
            start=start,
            place=place(lands),
        )
    if event.price:
        yield _payment(event)
    if event.taken is not None and event.taken_from is not None:
        yield _(
            "Tile taken: %(tile)s from %(place)s.",
            tile=tile_name(event.taken),
            place=place(event.taken_from),
        )
    else:
        yield _("There was no tile to take.")
    if event.bridge_after is not None:
        yield _bridged(seat, event.bridge_after)


def _bridged(seat: Seat, space: int) -> Text:
    return _("%(seat)s built a bridge over the gap at space %(space)s.", seat=seat, space=space)


def _payment(event: model.Moved) -> Text:
    values = [tile.value for tile in event.paid_tiles]
    coins = coins_named(values, event.paid_cards)
    over = sum(values) + len(event.paid_cards) - event.price
    if over:
        return _(
            "Paid %(coins)s for a cost of %(price)s (%(over)s too much).",
            coins=coins,
            price=event.price,
            over=over,
        )
    return _("Paid %(coins)s for a cost of %(price)s.", coins=coins, price=event.price)


def _draw(event: model.Drew) -> Text:
    if not event.count:
        return _("There were no cards left to draw.")
    if event.cards is None:
        return ngettext(
            "%(seat)s drew %(count)s card.",
            "%(seat)s drew %(count)s cards.",
            event.count,
            seat=Seat(event.seat),
        )
    return _("%(seat)s drew %(cards)s.", seat=Seat(event.seat), cards=hand_named(event.cards))


def _settled(event: model.Settled) -> Text:
    seat = Seat(event.seat)
    if not event.owed:
        return _("%(seat)s owed nothing for the final movement.", seat=seat)
    if not event.paid_tiles and not event.paid_cards:
        return _(
            "%(seat)s owed %(owed)s for the final movement and had nothing to pay with.",
            seat=seat,
            owed=event.owed,
        )
    coins = coins_named([tile.value for tile in event.paid_tiles], event.paid_cards)
    if event.short:
        return _(
            "%(seat)s owed %(owed)s for the final movement, paid everything (%(coins)s) and was "
            "%(short)s short.",
            seat=seat,
            owed=event.owed,
            coins=coins,
            short=event.short,
        )
    return _(
        "%(seat)s owed %(owed)s for the final movement and paid with %(coins)s.",
        seat=seat,
        owed=event.owed,
        coins=coins,
    )
