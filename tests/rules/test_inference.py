"""Nobody can work out what a bot hides: neither a learner nor the bot's own code.

The attackers read what spectators read of many games. A choice is well hidden if they predict it no
more often than the rules' own prior allows, up to four standard deviations.

What sensible later play reveals is not asked here; see docs/fair-play.md.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache
from math import sqrt
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from games.rules import GAMES, selfplay
from games.rules.__main__ import game_seed
from games.rules.atlantis.box import CARDS
from games.rules.atlantis.model import Item, Move, Moved
from games.rules.bots import Budget, Level
from games.rules.chance import IdentityChance, bot_chance
from games.rules.contract import BotChance, View
from games.rules.errors import MoveError
from games.rules.escape.hexes import ISLE_DISTANCE, LAND
from games.rules.escape.model import EACH, VALUES, Command, Defend, Place, Placed
from games.rules.escape.names import place_name
from tests.support.lengths import by_length

from .escape.scenes import Scene

pytestmark = pytest.mark.long  # more games in `make test-long`

ESCAPE, ATLANTIS = GAMES["escape"], GAMES["atlantis"]
SIGMAS = 4
LEVELS = by_length((Level.NORMAL,), tuple(Level))
BUDGET = Budget(6)  # of strong bots: what they hide does not depend on how long they search


class Hidden(msgspec.Struct, frozen=True):
    """A hidden choice. before: what a spectator saw until then. facts: some of it in few values,
    for a learner. prior: the probability of each value by the rules."""

    value: Hashable
    before: View
    facts: tuple[Hashable, ...]
    prior: Mapping[Any, float]


def bound(choices: Sequence[Hidden]) -> float:
    """Return how often the best guess by the prior alone is right at most."""
    best = [max(choice.prior.values()) for choice in choices]
    return sum(best) + SIGMAS * sqrt(sum(p * (1 - p) for p in best))


def learned(choices: Sequence[Hidden], fact: int) -> tuple[int, list[Hidden]]:
    """(right guesses, what was guessed): of the second half, by the commonest value that went with
    the same fact in the first half."""
    half = len(choices) // 2
    seen: dict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for choice in choices[:half]:
        seen[choice.facts[fact]][choice.value] += 1
    asked = list(choices[half:])
    fallback = Counter(choice.value for choice in choices[:half]).most_common(1)[0][0]
    guesses = [
        seen[one.facts[fact]].most_common(1)[0][0] if seen[one.facts[fact]] else fallback
        for one in asked
    ]
    return sum(guess == one.value for guess, one in zip(guesses, asked, strict=True)), asked


# -- Escape from Atlantis!: which value stands where --------------------------------------------


@cache
def placements(level: Level) -> tuple[Hidden, ...]:
    """The placements of bots, in the order in which they were made."""
    found: list[Hidden] = []
    for number in range(by_length(35, 400 if level is Level.NORMAL else 40)):
        seats = 2 + number % 3
        seed = game_seed("placements", number)
        before = ESCAPE.rules.initial()
        player = selfplay.by_bot(ESCAPE, seed, level, BUDGET)
        for state, events in selfplay.play(ESCAPE, {}, seats, seed, player):
            if isinstance(placed := events[0], Placed) and placed.value:
                found.append(_placement(ESCAPE.rules.view(before, None), placed))
            elif found and before.board.ships:
                break  # the setup is over
            before = state
    return tuple(found)


def _placement(before: View, placed: Placed) -> Hidden:
    facts = (
        placed.explorer % EACH,
        ISLE_DISTANCE[placed.hex],
        before.board.map[placed.hex],
        placed.hex,
        sum(before.board.where) % EACH,
    )
    # Spectators never see a value, so each of a colour's ten is as likely for each explorer.
    prior = {value: VALUES.count(value) / EACH for value in VALUES}
    return Hidden(placed.value, before, facts, prior)


def by_own_code(choices: Sequence[Hidden], luck: Callable[[], BotChance]) -> int:
    """Right guesses of an attacker that lets the bot place the explorers and remembers its
    answers."""
    right = 0
    guessed: dict[int, int] = {}
    for choice in choices:
        board = choice.before.board
        (seat,) = choice.before.to_act
        if all(place < 0 for place in board.where):
            guessed = {}  # a new game
        values = tuple(
            guessed.get(who) if who // EACH % board.seats == seat else None
            for who in range(len(board.where))
        )
        command = ESCAPE.bot.choose(replace(choice.before, viewer=seat, values=values), luck())
        assert isinstance(command, Place)
        right += command.value == choice.value
        who = next(who for who in range(seat * EACH, seat * EACH + EACH) if board.where[who] < 0)
        guessed[who] = command.value
    return right


@pytest.mark.parametrize("level", LEVELS)
def test_the_bots_own_code_does_not_find_out_who_stands_where(level: Level) -> None:
    choices = placements(level)
    assert len(choices) >= 1000
    assert by_own_code(choices, IdentityChance) <= bound(choices)


def test_the_bots_own_code_with_other_luck_does_not_either() -> None:
    choices, seqs = placements(Level.NORMAL), iter(range(10**6))
    assert by_own_code(choices, lambda: bot_chance(bytes(32), 0, next(seqs))) <= bound(choices)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("fact", range(5))
def test_no_learner_finds_out_who_stands_where(fact: int, level: Level) -> None:
    right, asked = learned(placements(level), fact)
    assert right <= bound(asked)


# -- Escape from Atlantis!: whether it defends ---------------------------------------------------


@pytest.mark.parametrize("level", Level)
def test_whether_a_bot_defends_where_little_is_at_stake_depends_on_its_luck(level: Level) -> None:
    beaches = " | ".join(f"{place_name(hex_)} beach" for hex_ in LAND[:20])
    scene = Scene(
        f"A3 whale shark | A4 shark ship V1=1 V2=1 | kept 2 whale-defence | {beaches}", dice="whale"
    )
    scene.play(f"sink {place_name(LAND[0])}").play("whale A3 A4")
    view = scene.view(2)
    seed = bytes(32)
    answers = {
        ESCAPE.bot_command(level, view, bot_chance(seed, 1, seq), BUDGET) for seq in range(60)
    }
    assert answers == {Defend(True), Defend(False)}


@pytest.mark.parametrize("level", Level)
def test_a_bot_always_defends_where_much_is_at_stake(level: Level) -> None:
    scene = Scene(
        "A3 whale shark | A4 shark ship V1=6 V2=5 V3=4 | kept 2 whale-defence", dice="whale"
    )
    scene.play("sink J7").play("whale A3 A4")
    seed = bytes(32)
    answers = {
        ESCAPE.bot_command(level, scene.view(2), bot_chance(seed, 1, seq), BUDGET)
        for seq in range(60)
    }
    assert answers == {Defend(True)}


# -- Atlantis: which cards pay -------------------------------------------------------------------


@cache
def payments(level: Level) -> tuple[Hidden, ...]:
    """The first cards with which bots paid: which of their cards they part with."""
    found: list[Hidden] = []
    for number in range(by_length(42, 500 if level is Level.NORMAL else 100)):
        seats = 2 + number % 3
        seed = game_seed("payments", number)
        before = ATLANTIS.rules.initial()
        player = selfplay.by_bot(ATLANTIS, seed, level, BUDGET)
        for state, events in selfplay.play(ATLANTIS, {}, seats, seed, player):
            if isinstance(moved := events[0], Moved) and moved.paid_cards:
                found.append(_payment(ATLANTIS.rules.view(before, None), moved))
            before = state
    return tuple(found)


def _payment(before: View, moved: Moved) -> Hidden:
    unseen = Counter(CARDS)
    unseen.subtract(before.discards)
    unseen.subtract(moved.cards)  # known to be in the hand, and not to be left for paying
    prior = {str(item): count / unseen.total() for item, count in unseen.items()}
    rarest, commonest = min(prior, key=prior.__getitem__), max(prior, key=prior.__getitem__)
    facts = ("", commonest, rarest, moved.cards[0], len(moved.paid_cards))
    return Hidden(one_of(moved.paid_cards, before.turn), before, facts, prior)


def one_of(cards: Sequence[Item], turn: int) -> str:
    """One of the cards paid, whichever; not always the first, as they are sorted."""
    return str(cards[turn % len(cards)])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("fact", range(5))
def test_no_learner_finds_out_which_card_pays(fact: int, level: Level) -> None:
    choices = payments(level)
    assert len(choices) >= by_length(200, 400)
    right, asked = learned(choices, fact)
    assert right <= bound(asked)


@pytest.mark.parametrize("level", LEVELS)
def test_the_bots_own_code_with_a_likely_hand_does_not_find_out_which_card_pays(
    level: Level,
) -> None:
    choices = payments(level)
    guesses = list(_by_likely_hands(choices))
    right = sum(guess == choice.value for guess, choice in guesses)
    assert right <= bound([choice for _guess, choice in guesses])


def _by_likely_hands(choices: Sequence[Hidden]) -> Iterator[tuple[str, Hidden]]:
    """Yield the items with which the bot would pay, if its hand were like the unseen cards."""
    for number, choice in enumerate(choices):
        view: Any = choice.before
        (seat,) = view.to_act
        unseen = Counter(CARDS)
        unseen.subtract(view.discards)
        luck = bot_chance(bytes(32), seat, number + 1)
        hand = luck.shuffle(tuple(unseen.elements()))[: view.players[seat].cards]
        players = list(view.players)
        order = list(Item)
        players[seat] = replace(players[seat], hand=tuple(sorted(hand, key=order.index)))
        try:
            command: Command = ATLANTIS.bot.choose(
                replace(view, viewer=seat, players=tuple(players)), luck
            )
        except MoveError:
            continue
        if isinstance(command, Move) and command.pay_cards:
            yield one_of(command.pay_cards, view.turn), choice
