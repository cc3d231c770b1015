"""Events as sentences for the log and for emails.

In the past tense, so that the same sentence reads well with a name and with "you". Only what
the event shows; `view` decides who may read what.
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from ..text import Seat, Text, _, and_list, joined, ngettext, paragraph, result, seat_list
from . import model
from .names import AN_ITEM, cards_in_sentence, coins_named, hand_named, letter, place, tile_name


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
            return paragraph(move_sentences(event))
        case model.Planned(seat, lines):
            if lines is None:
                return None
            if not lines:
                return _("%(seat)s deleted the plan for the next turn.", seat=Seat(seat))
            done = _("%(seat)s made a plan for the next turn.", seat=Seat(seat))
            return joined([done, *plan_lines(lines)], "\n")
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


def sentences(events: Sequence[model.Event]) -> tuple[Text | None, ...]:
    """The events of a move: only its first sentence names the player in any case."""
    return tuple(map(sentence, events))


def counted(event: model.Event, count: int) -> Text | None:
    """Return None: every move is told by itself."""
    return None


def learnt(events: Sequence[model.Event]) -> tuple[Text, ...]:
    """The cards drawn, by player, the hands revealed and the decks shuffled."""
    drawn = dict[int, int]()
    found: list[Text] = []
    for event in events:
        match event:
            case model.Drew(seat=seat, count=count) if count:
                drawn[seat] = drawn.get(seat, 0) + count
            case model.Passed(seat=seat):
                found.append(_("%(seat)s revealed a hand.", seat=Seat(seat)))
            case model.Reshuffled():
                found.append(_("The discarded cards were shuffled."))
    return (
        *(
            ngettext(
                "%(seat)s drew %(count)s card.",
                "%(seat)s drew %(count)s cards.",
                count,
                seat=Seat(seat),
            )
            for seat, count in drawn.items()
        ),
        *found,
    )


def losses(view: model.View, events: Sequence[model.Event]) -> tuple[Text, ...]:
    """Payments and sales of a bot that stood in for the viewer: nobody else can take anything."""
    moves = [e for e in events if isinstance(e, model.Moved) and e.seat == view.viewer]
    values = [tile.value for move in moves for tile in move.paid_tiles]
    cards = [card for move in moves for card in move.paid_cards]
    sold = [e.tile for e in events if isinstance(e, model.Bought) and e.seat == view.viewer]
    found = []
    if values or cards:
        found.append(_("Paid for you: %(coins)s.", coins=coins_named(values, cards)))
    if sold:
        found.append(_("Sold for you: %(tiles)s.", tiles=and_list(list(map(tile_name, sold)))))
    return tuple(found)


def move_sentences(event: model.Moved) -> Iterator[Text]:
    """A move up to the tile taken, sentence by sentence."""
    seat = Seat(event.seat)
    if event.bridge_before is not None:
        yield _bridged(event.bridge_before)
    words: dict[str, str | Seat | Text] = {
        "seat": seat,
        "figure": letter(event.figure),
        "cards": cards_in_sentence(event.cards),
        "start": place(event.start),
    }
    if event.via[-1] == model.MAINLAND:
        yield _(
            "%(seat)s played %(cards)s: figure %(figure)s moved from %(start)s to the mainland.",
            **words,
        )
    else:
        words["place"] = place(event.via[-1])
        yield _(
            "%(seat)s played %(cards)s: figure %(figure)s moved from %(start)s to %(place)s.",
            **words,
        )
    if event.price:
        yield _payment(event)
    if event.taken is not None and event.taken_from is not None:
        tile, start = tile_name(event.taken), place(event.taken_from)
        yield _("Tile taken: %(tile)s from %(place)s.", tile=tile, place=start)
    else:
        yield _("There was no tile to take.")
    if event.bridge_after is not None:
        yield _bridged(event.bridge_after)
    if event.planned:
        yield _("This was played as planned.")


def plan_lines(lines: Sequence[model.PlanLine]) -> Iterator[Text]:
    """The lines of a plan with all that must hold, in words; what becomes of it without any."""
    if not lines:
        yield _("Your plan is deleted. You will be asked on your turn.")
    for number, line in enumerate(lines, 1):
        yield joined(tuple(_plan_sentences(number, line)), " ")


def _plan_sentences(number: int, line: model.PlanLine) -> Iterator[Text]:
    yield _(
        "%(number)s. Figure %(figure)s plays %(cards)s.",
        number=number,
        figure=letter(line.figure),
        cards=cards_in_sentence(line.cards),
    )
    if line.lands is not None:
        yield _("This must lead to %(place)s.", place=place(line.lands))
    if line.most:
        yield ngettext(
            "It may cost at most %(count)s point.",
            "It may cost at most %(count)s points.",
            line.most,
        )
    else:
        yield _("It must cost nothing.")
    if line.least:
        yield _("The tile taken must be worth at least %(value)s.", value=line.least)
    if line.spare is not None:
        item = AN_ITEM[line.spare]
        yield _("If the figure lands on an occupied space, it plays %(item)s as well.", item=item)
    if line.ends:
        yield _("It may end the game.")
    if line.even_so:
        yield _("It is played even if another figure reaches the mainland first.")


def _bridged(space: int) -> Text:
    return _("A bridge was built over the gap at space %(space)s.", space=space)


def _payment(event: model.Moved) -> Text:
    values, price = [tile.value for tile in event.paid_tiles], event.price
    coins = coins_named(values, event.paid_cards)
    over = sum(values) + len(event.paid_cards) - price
    if not over:
        return _("Paid %(coins)s for a cost of %(price)s.", coins=coins, price=price)
    return _(
        "Paid %(coins)s for a cost of %(price)s (%(over)s too much).",
        coins=coins,
        price=price,
        over=over,
    )


def _draw(event: model.Drew) -> Text:
    # Follows a sentence of the same move that names the player.
    if not event.count:
        return _("There were no cards left to draw.")
    if event.cards is not None:
        return _("Drew %(cards)s.", cards=hand_named(event.cards))
    return ngettext("Drew %(count)s card.", "Drew %(count)s cards.", event.count)


def _settled(event: model.Settled) -> Text:
    words: dict[str, int | Seat | Text] = {"seat": Seat(event.seat), "owed": event.owed}
    if not event.owed:
        return _("%(seat)s owed nothing for the final movement.", **words)
    if not event.paid_tiles and not event.paid_cards:
        return _(
            "%(seat)s owed %(owed)s for the final movement and had nothing to pay with.", **words
        )
    words["coins"] = coins_named([tile.value for tile in event.paid_tiles], event.paid_cards)
    if event.short:
        return _(
            "%(seat)s owed %(owed)s for the final movement, paid everything (%(coins)s) and was "
            "%(short)s short.",
            short=event.short,
            **words,
        )
    return _("%(seat)s owed %(owed)s for the final movement and paid with %(coins)s.", **words)
