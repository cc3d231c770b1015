"""Two worlds that are one and the same for seat 0 and differ in everything it may not know.

Logs of both games from their first event, and the tables that have these logs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from typing import Any

from msgspec.structs import replace

from games.log import event_store, table_events
from games.models import Game, Seat, User
from games.rules import GAMES
from games.rules.atlantis.model import Dealt, Drew, Item, Moved, Prepared
from games.rules.chance import IdentityChance, SeededChance, bot_chance
from games.rules.escape.hexes import LAND_INDEX
from games.rules.escape.model import DEFENCES, KEPT, Back, DefenceStage, Sank

from .escape_games import PRESETS
from .game_seeds import seed_of
from .rolled_back import rolled_back

AT = datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC)
ESCAPE = GAMES["escape"]
DEALT = 30  # cards on top of the deck that hands are made of, or that seat 0 may draw next
MOST_GAMES = 200
SEED = b"\0" * 32  # of the luck after these logs

Events = list[Any]


@cache
def atlantis() -> tuple[Events, Events]:
    """After a round, seat 0 to move; what it draws next is the same in both."""
    events = atlantis_round()
    (deck,) = (e.deck for e in events if hasattr(e, "deck"))
    shuffled = (*deck[:DEALT], *reversed(deck[DEALT:]))
    twin = [replace(e, deck=shuffled) if hasattr(e, "deck") else e for e in atlantis_twin(events)]
    return events, twin


@cache
def escape() -> tuple[Events, Events]:
    """Seat 0 is asked whether it defends, and seat 1 holds tiles face down."""
    for number in range(MOST_GAMES):
        events = _attacked(number)
        if events is None:
            continue
        twin = escape_twin(events)
        one, other = (_state(log) for log in (events, twin))
        if one.kept[1] != other.kept[1] and one.backs != other.backs and one.values != other.values:
            return events, twin
    raise AssertionError(f"no such position in {MOST_GAMES} games")


@cache
def defence() -> tuple[Events, Events]:
    """Seat 1 is asked whether it defends: in the first world it holds the tile for that, in the
    second one it holds another tile instead."""
    for number in range(MOST_GAMES):
        events = _attacked(number, asked=1)
        if events is None:
            continue
        state = _state(events)
        wanted = DEFENCES[state.board.rolled]
        if wanted in state.kept[1] and (twin := _without(events, wanted)) is not None:
            return events, twin
    raise AssertionError(f"no such position in {MOST_GAMES} games")


def _without(events: Events, back: Back) -> Events | None:
    """The same, but the kept tile of seat 1 with this back changed places with a hidden one."""
    state = _state(events)
    (prepared,) = (e for e in events if hasattr(e, "tiles"))
    tiles = list(prepared.tiles)
    for at, event in enumerate(events):
        if not isinstance(event, Sank) or (event.seat, event.back, event.kept) != (1, back, True):
            continue
        for place, hidden in enumerate(state.backs):
            mine, other = LAND_INDEX[event.hex], tiles[place]
            same_terrain = other.terrain == tiles[mine].terrain
            if hidden in KEPT and hidden not in DEFENCES.values() and same_terrain:
                tiles[mine], tiles[place] = other, tiles[mine]
                twin = [replace(e, tiles=tuple(tiles)) if e is prepared else e for e in events]
                twin[at] = replace(event, back=other.back)
                return twin if back not in _state(twin).kept[1] else None
    return None


def _begin(kind: str, options: Any) -> Events:
    created = table_events.Created(
        commitment="0" * 64, game=kind, options=dict(options), seat_count=2, pace_days=3
    )
    return [
        created,
        table_events.Joined(seat=0),
        table_events.Joined(seat=1),
        table_events.Started(seats=2),
    ]


def atlantis_round() -> Events:
    """The log of a game of Atlantis in which each of two players has made a move."""
    engine = GAMES["atlantis"]
    options = engine.check_options({"order": "seated"}, 2)
    laid = list(engine.setup(options, 2, SeededChance(b"t" * 32, 5)))
    state = engine.fold(laid)
    for seq in (7, 9):
        seat = engine.rules.to_act(state)[0]
        command = engine.bot.choose(engine.rules.view(state, seat), IdentityChance())
        moved = engine.rules.decide(state, seat, command, SeededChance(b"t" * 32, seq))
        laid += moved
        state = engine.fold(moved, state)
    assert engine.rules.to_act(state) == (0,)
    return [*_begin("atlantis", options), *laid]


def atlantis_twin(events: Events) -> Events:
    """The same but for what seat 0 may not know: seat 1's hand and draw, the deck, covered
    tiles."""
    played = [card for e in events if isinstance(e, Moved) and e.seat == 1 for card in e.cards]
    taken = {event.taken_from for event in events if isinstance(event, Moved)}
    twin: Events = []
    for event in events:
        match event:
            case Prepared(path=path, deck=deck):
                hidden = [len(s) > 1 and n not in taken for n, s in enumerate(path, 1)]
                covered = [
                    stack[:-1] for stack, is_hidden in zip(path, hidden, strict=True) if is_hidden
                ]
                turned = iter([*covered[1:], covered[0]])
                under = [
                    (*next(turned), stack[-1]) if is_hidden else stack
                    for stack, is_hidden in zip(path, hidden, strict=True)
                ]
                twin.append(replace(event, path=tuple(under), deck=tuple(reversed(deck))))
            case Dealt(hands=hands):
                kept = list(hands[1] or ())
                for card in played:
                    kept.remove(card)
                theirs = tuple(sorted([*played, *map(other_item, kept)]))
                twin.append(replace(event, hands=(hands[0], theirs)))
            case Drew(seat=1, cards=cards):
                twin.append(replace(event, cards=tuple(map(other_item, cards or ()))))
            case _:
                twin.append(event)
    return twin


def other_item(card: Item) -> Item:
    """Another item, the same one each time."""
    items = list(Item)
    return items[(items.index(card) + 3) % len(items)]


def _attacked(number: int, asked: int = 0) -> Events | None:
    """The log of a game with this luck up to such a question to seat `asked`; None for none."""
    options = ESCAPE.check_options({"order": "seated"}, 2)
    seed = seed_of(number)
    before = _begin("escape", options)
    laid = list(ESCAPE.setup(options, 2, SeededChance(seed, 5)))
    planning = [0, 1]
    while ESCAPE.rules.outcome(state := ESCAPE.fold(laid)) is None:
        if (
            isinstance(state.board.stage, DefenceStage)
            and asked in state.board.stage.asked
            and state.kept[1]
        ):
            return [*before, *laid]
        if planning:
            seat = planning.pop()
            command = ESCAPE.notation.parse(f"plan {PRESETS[seat]}", ESCAPE.rules.view(state, seat))
        else:
            seat = ESCAPE.rules.to_act(state)[0]
            bot_luck = bot_chance(seed, seat, len(before) + len(laid) + 1)
            command = ESCAPE.bot.choose(ESCAPE.rules.view(state, seat), bot_luck)
        luck = SeededChance(seed, len(before) + len(laid) + 1)
        laid += ESCAPE.rules.decide(state, seat, command, luck)
    return None


def _state(events: Events) -> Any:
    return ESCAPE.fold([e for e in events if not isinstance(e, table_events.Event)])


def escape_twin(events: Events) -> Events:
    """The same but for backs nobody has seen, and the tiles, values and plans of seat 1.

    Answers to attacks stay as they are. One that a standing order gave comes together with its
    question, at once and as a part of the same move, so everybody sees that it was not given later.
    """
    state = _state(events)
    (prepared,) = (e for e in events if hasattr(e, "tiles"))
    tiles = list(prepared.tiles)
    twin = list(events)
    # Each tile that seat 1 still holds changes places with one that nobody has turned.
    hidden = [place for place, back in enumerate(state.backs) if back is not None]
    for at, event in enumerate(events):
        if type(event).__name__ != "Sank" or event.seat != 1 or not event.kept:
            continue
        place = LAND_INDEX[event.hex]
        others = [
            other
            for other in hidden
            if tiles[other].terrain == event.terrain
            and tiles[other].back in state.kept[1] + state.kept[0]
            and tiles[other].back != event.back
        ]
        if event.back in state.kept[1] and others:
            tiles[place], tiles[others[0]] = tiles[others[0]], tiles[place]
            twin[at] = replace(event, back=tiles[place].back)
    for terrain in "bfm":
        places = [place for place in hidden if tiles[place].terrain == terrain]
        turned = [tiles[place] for place in (*places[1:], *places[:1])]
        for place, tile in zip(places, turned, strict=True):
            tiles[place] = tile
    for at, event in enumerate(events):
        match type(event).__name__:
            case "Prepared":
                twin[at] = replace(event, tiles=tuple(tiles))
            case "Placed" if event.seat == 1:
                twin[at] = replace(event, value=7 - event.value)
            case "Planned" if event.seat == 1:
                twin[at] = replace(event, values=event.values[::-1])
    return twin


def move_alike(kind: str, worlds: tuple[Events, Events]) -> str:
    """A move of seat 0 that uncovers the same in both worlds, as it is written."""
    engine = GAMES[kind]
    states = [
        engine.fold([e for e in log if not isinstance(e, table_events.Event)]) for log in worlds
    ]
    for command in engine.rules.legal_commands(states[0], 0):
        seen = []
        for state in states:
            news = engine.rules.decide(state, 0, command, SeededChance(SEED, len(worlds[0]) + 1))
            after = engine.rules.view(engine.fold(news, state), 0)
            seen.append(([engine.rules.visible(event, 0) for event in news], after))
        if seen[0] == seen[1]:
            return engine.notation.describe(command, engine.rules.view(states[0], 0))
    raise AssertionError("every move shows something else")


def with_other_own_secrets(events: Events) -> Events:
    """The same but for what seat 0 knows and nobody else, so that a look at it must differ."""
    changed = []
    for event in events:
        match type(event).__name__:
            case "Dealt":
                mine, theirs = event.hands
                changed.append(replace(event, hands=(tuple(map(other_item, mine)), theirs)))
            case "Placed" if event.seat == 0:
                changed.append(replace(event, value=7 - event.value))
            case _:
                changed.append(event)
    return changed


@contextmanager
def world(kind: str, events: Events, people: list[User], by: User | None = None) -> Iterator[Game]:
    """A running table with this log, which is gone afterwards. by: who caused all of its events."""
    played = [event for event in events if not isinstance(event, table_events.Event)]
    engine = GAMES[kind]
    to_act = engine.rules.to_act(engine.fold(played))
    with rolled_back():
        game = Game.objects.create(
            pk=2**40,
            public_id="twinworlds22",
            kind=kind,
            name="Twins",
            options=dict(next(e.options for e in events if isinstance(e, table_events.Created))),
            seat_count=2,
            status=Game.Status.RUNNING,
            version=len(events),
            to_act=list(to_act),
            seed=SEED,
            commitment="0" * 64,
        )
        for number, user in enumerate(people):
            asked = {"asked_seq": len(events), "asked_at": AT}
            asked |= {"clock_seq": len(events), "due_at": AT}
            more = asked if number in to_act else {}
            Seat.objects.create(game=game, number=number, place=number, user=user, **more)
        event_store.append(game, 0, events, by=by.pk if by is not None else None, at=AT)
        yield game
