"""Tables of *Atlantis* that differ in secrets alone."""

from collections.abc import Callable

import msgspec

from games.log import event_store
from games.models import Game
from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.model import Dealt, Prepared
from games.rules.contract import Event
from tests.factories import fresh, log_of


def with_other_secrets(events: tuple[Event, ...], viewer: int) -> list[Event]:
    """The same game of two with everything changed that `viewer` may not know: the hand of the
    other, the deck, covered tiles.

    The first cards of the deck stay, so that what is drawn next is the same.
    """
    prepared, dealt = events[0], events[1]
    assert isinstance(prepared, Prepared) and isinstance(dealt, Dealt)
    hands = [hand or () for hand in dealt.hands]
    spent = sum(map(len, hands))
    deck = list(prepared.deck)
    other = 1 - viewer
    at = next(i for i in range(len(deck) - 1, spent + 9, -1) if deck[i] not in hands[other])
    changed = tuple(sorted((deck[at], *hands[other][1:]), key=list(type(deck[at])).index))
    dealt_places = [i for i in range(spent) if deck[i] == hands[other][0]]
    deck[dealt_places[0]], deck[at] = deck[at], deck[dealt_places[0]]
    tail = deck[spent + 9 :]
    deck[spent + 9 :] = tail[::-1]
    now = ATLANTIS.fold(events)  # a first move can lift the tile of a stack as far as here
    stacks = [n for n in range(20, 26) if len(now.path[n]) == 2]  # of A tiles
    path = list(prepared.path)
    for a, b in zip(stacks, stacks[1:] + stacks[:1], strict=True):
        path[a] = (prepared.path[b][0], prepared.path[a][1])
    hands[other] = changed
    return [
        msgspec.structs.replace(prepared, deck=tuple(deck), path=tuple(path)),
        msgspec.structs.replace(dealt, hands=tuple(hands)),
        *events[2:],
    ]


def twin_table(game: Game, change: Callable[[tuple[Event, ...]], list[Event]]) -> Game:
    """Another game with the same rows, whose events of the rules went through `change`."""
    log = log_of(game)
    seats = list(game.seats.all())
    twin = fresh(game)
    twin.pk, twin.public_id, twin.invite_token = None, "z" * 12, "z" * 24
    twin.save()
    for seat in seats:
        seat.pk, seat.game = None, twin
        seat.save()
    engine_events = tuple(entry.event for entry in log.entries if not entry.is_table)
    changed = iter(change(engine_events))
    events = [e.event if e.is_table else next(changed) for e in log.entries]
    for seq, (entry, event) in enumerate(zip(log.entries, events, strict=True)):
        event_store.append(twin, seq, [event], entry.by, at=entry.at)
    return twin
