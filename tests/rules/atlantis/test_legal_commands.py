"""The legal commands: sound and complete, counted, and small where hands are large."""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations, product

import pytest
from hypothesis import given, settings

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.coins import cards_of, counts_of
from games.rules.atlantis.model import FIGURES, Buy, Cards, Command, Move, Moved, Pass, State
from games.rules.atlantis.move_context import MoveContext, routes
from games.rules.chance import SeededChance
from games.rules.errors import IllegalMove
from tests.rules.perft import perft
from tests.support.lengths import by_length

from .positions import small_positions
from .tables import Unshuffled, legal, table

Key = tuple[object, ...]


def chains(cards: Cards) -> set[Cards]:
    """All ways to play some of the cards, in every order."""
    return {chain for size in range(1, len(cards) + 1) for chain in permutations(cards, size)}


def part_of(whole: tuple[object, ...]) -> Iterator[tuple[object, ...]]:
    """All ways to take some of each kind."""
    counted = sorted(Counter(whole).items())
    for counts in product(*(range(n + 1) for _, n in counted)):
        yield tuple(kind for (kind, _), n in zip(counted, counts, strict=True) for _ in range(n))


def every_command(state: State) -> Iterator[Command]:
    """Everything that seat 0 could ever say in a small position, sense or nonsense."""
    yield Pass()
    yield from (Buy(value) for value in range(9))
    held = cards_of(state.hands[0])
    values = tuple(tile.value for tile in state.tiles[0])
    last = max((number for number, stack in enumerate(state.path, 1) if stack), default=0) + 1
    spaces = [*range(last + 1)] if state.unbuilt[0] else [2]
    bridges: list[tuple[int | None, int | None]] = [(None, None)]
    bridges += [(space, None) for space in spaces] + [(None, space) for space in spaces]
    for figure, chain in product(range(len(FIGURES)), chains(held)):
        left = cards_of(a - b for a, b in zip(counts_of(held), counts_of(chain), strict=True))
        for tiles, cards, (before, after) in product(part_of(values), part_of(left), bridges):
            yield Move(figure, chain, tiles, cards, before, after)  # type: ignore[arg-type]


def accepted(state: State, command: Command) -> Moved | Command | None:
    """The move that decide makes of it (or the command itself), None if it is refused."""
    try:
        events = ATLANTIS.rules.decide(state, 0, command, Unshuffled())
    except IllegalMove:
        return None
    return events[0] if isinstance(events[0], Moved) else command


def key(done: Moved | Command) -> Key:
    """Return all parts of a command but the coins and the order of the cards."""
    if isinstance(done, Moved):
        cards = counts_of(done.cards)
        return (done.figure, done.via[-1], cards, done.bridge_before, done.bridge_after)
    return (done,)


def cost(done: Moved) -> tuple[int, int]:
    """Return the loss, and the number of cards given."""
    paid = sum(tile.value for tile in done.paid_tiles) + len(done.paid_cards)
    return paid - done.price, len(done.paid_cards)


def check_against_decide(state: State) -> None:
    cheapest: dict[Key, tuple[int, int]] = {}
    for command in every_command(state):
        if (done := accepted(state, command)) is not None:
            worth = cost(done) if isinstance(done, Moved) else (0, 0)
            cheapest[key(done)] = min(worth, cheapest.get(key(done), worth))

    offered: dict[Key, tuple[int, int]] = {}
    for command in ATLANTIS.rules.legal_commands(state, 0):
        done = accepted(state, command)
        assert done is not None, f"{command} is offered but refused"
        assert key(done) not in offered, f"{command} is offered twice"
        offered[key(done)] = cost(done) if isinstance(done, Moved) else (0, 0)
    assert offered == cheapest


@settings(max_examples=by_length(15, 160), deadline=None)
@given(small_positions())
def test_they_are_what_decide_accepts_and_nothing_is_missing(state: State) -> None:
    check_against_decide(state)


@settings(max_examples=by_length(15, 160), deadline=None)
@given(small_positions(cards=4, tiles=2, bridge=False))
def test_the_same_with_more_coins_and_no_bridge(state: State) -> None:
    check_against_decide(state)


@pytest.mark.parametrize(
    "position",
    [
        "f1 o2 . h3 . f2 o1 | *0/1/2 fohf f1o3 b | 4/6/0 oh h3 b",
        "f2 = o3 . h1 . f2 | *1/3/54 fooh o1 b | 5/0/0 oh h3",
        "f1 o2 h1 f3 | *1/2/3 ffoh - b | 4/0/0 oh h3 b",
        "f3 . o5 . h2 | *1/54/54 fo f2 b | 0/0/0 oh h3 b",
    ],
)
def test_fixed_positions_against_decide(position: str) -> None:
    check_against_decide(table(position))


def test_each_bridge_is_named_by_the_first_space_of_its_gap() -> None:
    commands = legal("f2 .3 o5 | *1/M/M o - b | 0/0/0 - -")
    assert [c.bridge_before for c in commands if isinstance(c, Move)] == [2]


def test_equal_cards_to_one_landing_are_one_command() -> None:
    # Flag then olive, or olive then flag: both orders lead over occupied tiles to helmet 3.
    commands = legal("f1 o1 f2 o2 h3 | *0/M/M foh - | 1/2/0 - - | 3/4/0 - -")
    reached = [c.cards for c in commands if isinstance(c, Move)]
    assert len(reached) == len({tuple(sorted(cards)) for cards in reached})


def test_a_seat_that_is_not_to_act_has_none() -> None:
    state = table("f1 | *0/0/0 f - | 0/0/0 f -")
    assert list(ATLANTIS.rules.legal_commands(state, 1)) == []


def crowded() -> State:
    """Four players, the one to act with forty cards; eleven tiles in a row are occupied."""
    path = "f1 o2 h3 a4 r5 c6 s7 f2 o3 h4 a5 r6 c7 s1 . f3 o4 . h5 a6 . r7 c1 . s2"
    forty = "ffffffoooooohhhhhhaaaaaarrrrrrccccccssss"
    assert len(forty) == 40
    return table(
        f"{path} | *0/1/2 {forty} f1o2h3a4r5c6s7f2o3h4 b"
        " | 3/4/5 f - b | 6/7/8 o - b | 9/10/11 h - b"
    )


def test_forty_cards_and_chains_over_eleven_figures_do_not_blow_up() -> None:
    # Written out in every order, the chains over eleven figures alone would be millions.
    state = crowded()
    ways = [
        (figure, route)
        for figure in range(3)
        for route in routes(MoveContext(ATLANTIS.rules.view(state, 0)), figure)
    ]
    assert max(len(way.cards) for _figure, way in ways) >= 6
    assert len(ways) == 8799
    assert len({(figure, way.lands, counts_of(way.cards)) for figure, way in ways}) == len(ways)


def test_and_their_commands_are_accepted_by_decide() -> None:
    state = crowded()
    for command in legal(state)[::997]:
        assert accepted(state, command) is not None


# -- counts of whole trees of commands (perft) ---------------------------------------------


THREE_SEATS = (
    "f1 o1 h1 a1 . f2 o2 h2 a2"
    " | *0/1/2 foha r6 b | 3/4/6 ffoo c2 | 7/8/9 hhaa s3 b | deck fohafohafoha"
)


@pytest.mark.long
@pytest.mark.parametrize(
    ("position", "counts"),
    [
        # One landing; a pass for want of cards; then statue or flag take figure A home.
        ("f1 o2 | *0/M/M f - | 0/0/0 - - | deck s", [1, 1, 2]),
        # Any figure to flag 1; any to olive 2; any with the statue drawn to the mainland.
        ("f1 o2 h3 | *0/0/0 f - | 0/0/0 o - | deck sss", [3, 9, 27]),
        # Sell, pass, or bridge the gap and go.
        ("f3 . o5 | *1/M/M o s2 b | 1/M/M ooo s2 | deck fff | discards sss", [3, 7, 12, 14, 5]),
        ("f2 . o5 . h3 a4 | *1/0/0 oa s6 b | 3/0/0 hf r5 b | deck fohafohafoha", [31, 599, 4181]),
        (
            "f2c6 = o5 . h3 a4 f1 | *1/3/0 oaff s2h1 b | 5/0/6 hfo r5 b | deck fohafohafoha",
            [41, 908, 11623],
        ),
        (THREE_SEATS, by_length([55, 1143], [55, 1143, 33020])),
    ],
)
def test_counts_of_fixed_positions(position: str, counts: list[int]) -> None:
    state = table(position)
    assert [perft(ATLANTIS, state, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.long
@pytest.mark.parametrize(
    ("seats", "counts"),
    [(2, by_length([36, 981], [36, 981, 20268])), (3, [39, 1278]), (4, [39, 1773])],
)
def test_counts_from_a_fresh_table(seats: int, counts: list[int]) -> None:
    state = ATLANTIS.fold(ATLANTIS.setup({}, seats, SeededChance(bytes(range(32)), 1)))
    assert [perft(ATLANTIS, state, depth) for depth in range(1, len(counts) + 1)] == counts
