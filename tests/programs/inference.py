"""Measures how much the moves of bots reveal to a spectator who runs the public bots with guesses.

`python -m tests.programs.inference` lets bots of each level play, guesses what the bot on the first
seat hides, and prints how often a guess is right:

- chance: of somebody who did not see the bot move.
- own program: with the guess under which the bot's program would have moved most like the bot.
- informed: with the likeliest secret, where each guess that was tried counts the more, the more the
  program moved like the bot, and the blur of the values is known.
- at most: of somebody who knows the values with which the bot plans.

What is guessed: the value of each explorer when the game is over; each kept tile at each turn; the
item of any card of the hand that is left after each move.
"""

import argparse
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, pairwise, zip_longest
from typing import NamedTuple

from msgspec.structs import replace

from games.rules import GAMES, selfplay
from games.rules.__main__ import game_seed
from games.rules.atlantis import model as atlantis
from games.rules.atlantis.box import CARDS, ITEMS
from games.rules.bots import Budget, Level
from games.rules.chance import IdentityChance, SeededBotChance, bot_chance
from games.rules.contract import Chance, Command, State
from games.rules.escape import model as escape
from games.rules.escape.bot import blurred

BUDGET = Budget(300)  # of strong bots
TRIES = 200  # of other values, in the course of a search for the likeliest
HANDS = 100  # that are thought possible at a time
TRUST = 2.0  # by which the logarithm of a likelihood grows with each part that is alike
UNLIKE = 0.05  # how likely a bot is to move in another way than its program
DRAWS = 3000  # of a blur


class Asked(NamedTuple):
    """A choice of the bot on the first seat, and everything there was to know."""

    state: State
    command: Command


class Score(NamedTuple):
    """Right guesses, of how many; of a hand, a guess may be right in part."""

    right: float
    asked: int


class Unblurred(SeededBotChance):
    """Chance of a bot that plans with its own values."""

    def for_game(self) -> Chance:
        return IdentityChance()


def _program(level: Level) -> Level:
    """Return the level that an attacker runs: a strong bot takes too long for thousands of
    guesses."""
    return Level.EASY if level is Level.EASY else Level.NORMAL


@cache
def choices(key: str, level: Level, number: int, *, blur: bool = True) -> list[Asked]:
    """All that the bot on the first seat did in a game."""
    engine, seed, made = GAMES[key], game_seed("inference", number), list[Asked]()

    def choose(state: State, seat: int, seq: int) -> Command:
        luck = (bot_chance if blur else Unblurred)(seed, seat, seq)
        command = engine.bot_command(level, engine.rules.view(state, seat), luck, BUDGET)
        if seat == 0:
            made.append(Asked(state, command))
        return command

    for _state, _events in selfplay.play(engine, {}, 2 + number % 3, seed, choose):
        pass
    return made


# -- Escape from Atlantis!: the values -----------------------------------------------------------


def _parts(command: Command) -> list[Hashable]:
    if not isinstance(command, escape.Turn):
        return [command]
    steps = dict(zip_longest(range(escape.STEPS), command.steps))
    return [command.play, *steps.values(), command.sink]


class Imitation:
    """The bot's program in the place of the bot, with guessed values."""

    def __init__(self, made: list[Asked]) -> None:
        self._asked = [self._question(*one) for one in made]

    def _question(self, state: State, command: Command) -> Callable[[tuple[int, ...]], int]:
        """Return a function that counts the parts of the command that the program would give, too,
        with these values of the explorers that are still out."""
        engine = GAMES["escape"]
        seen = engine.rules.view(state, None)
        play = command.play if isinstance(command, escape.Turn) else None
        kept = ((play.tile,) if play else (), *seen.kept[1:])
        out = [who for who in range(escape.EACH) if 0 <= seen.board.where[who] < escape.SAVED]

        @cache
        def alike(values: tuple[int, ...]) -> int:
            guess = list(seen.values)
            for who, value in zip(out, values, strict=True):
                guess[who] = value
            view = replace(seen, viewer=0, values=tuple(guess), kept=kept)
            other = engine.bot.choose(view, IdentityChance())
            return sum(a == b for a, b in zip(_parts(command), _parts(other), strict=True))

        return lambda values: alike(tuple(values[who] for who in out))

    def alike(self, values: Sequence[int]) -> int:
        """Count the parts of the bot's moves that its program would have made, too."""
        return sum(question(tuple(values)) for question in self._asked)


def tried(made: list[Asked], luck: random.Random) -> Iterator[tuple[int, tuple[int, ...]]]:
    """(parts alike, values) of a walk through the possible values that prefers likely ones."""
    bot, values = Imitation(made), luck.sample(escape.VALUES, escape.EACH)
    parts = bot.alike(values)
    for _ in range(TRIES):
        yield parts, tuple(values)
        one, other = luck.sample(range(escape.EACH), 2)
        values[one], values[other] = values[other], values[one]
        now = bot.alike(values)
        if luck.random() < math.exp(TRUST * min(0, now - parts)):
            parts = now
        else:
            values[one], values[other] = values[other], values[one]


@cache
def unblurring() -> dict[int, Counter[int]]:
    """Count, for each value with which a bot plans, the true values that it stands for."""
    found: defaultdict[int, Counter[int]] = defaultdict(Counter)
    board = GAMES["escape"].rules.initial().board
    view = escape.View(0, board, (), escape.VALUES, (), ())
    for number in range(DRAWS):
        planned = blurred(view, bot_chance(number.to_bytes(32, "big"), 0, 1)).values
        for value, true in zip(planned, escape.VALUES, strict=True):
            found[value or 0][true] += 1
    return found


def values_read(level: Level, number: int, *, blur: bool = True) -> tuple[Score, Score]:
    """Return the scores of the bot's own program and of an informed attacker for a game."""
    made = [
        one
        for one in choices("escape", level, number, blur=blur)
        if isinstance(one.command, escape.Turn | escape.Steer | escape.Crew)
    ]
    true = made[0].state.values[: escape.EACH]
    walk = list(tried(made, random.Random(number)))
    most, best = max(walk)
    stands_for = unblurring() if blur else {value: {value: 1} for value in escape.VALUES}
    informed = []
    for who in range(escape.EACH):
        likely: dict[int, float] = defaultdict(float)
        for parts, values in walk:
            for value, count in stands_for[values[who]].items():
                likely[value] += count * math.exp(TRUST * (parts - most))
        informed.append(max(likely, key=likely.__getitem__))
    return _score(best, true), _score(informed, true)


def _score(guess: Sequence[int], true: Sequence[int]) -> Score:
    return Score(sum(one == value for one, value in zip(guess, true, strict=True)), len(true))


# -- Escape from Atlantis!: the kept tiles -------------------------------------------------------


def tiles_read(level: Level, number: int) -> tuple[Score, Score]:
    """Return the scores of somebody who sees no move and of an informed attacker for a game."""
    engine = GAMES["escape"]
    turns = [
        one for one in choices("escape", level, number) if isinstance(one.command, escape.Turn)
    ]
    held: list[tuple[escape.Back, str, list[escape.View]]] = []  # kind, terrain, turns unused
    blind, informed = Score(0, 0), Score(0, 0)
    for before, after in pairwise(turns):
        if before.command.play is None:
            for _kind, _terrain, unused in held:
                unused.append(replace(engine.rules.view(before.state, None), viewer=0))
        kinds, old = list(after.state.kept[0]), held
        held = []
        for tile in old:
            if tile[0] in kinds:
                kinds.remove(tile[0])
                held.append(tile)
        sunk = before.command.sink
        held += [(kind, before.state.board.map[sunk or 0], []) for kind in kinds]
        for kind, terrain, unused in held:
            prior = _kinds(terrain, after.state.board.spent)
            likely = {
                one: count * math.prod(UNLIKE for view in unused if _plays(level, view, one))
                for one, count in prior.items()
            }
            blind = Score(blind.right + (_likeliest(prior) == kind), blind.asked + 1)
            informed = Score(informed.right + (_likeliest(likely) == kind), informed.asked + 1)
    return blind, informed


def _kinds(terrain: str, spent: Sequence[escape.Back]) -> dict[escape.Back, float]:
    """Count the backs of each kind that may be under a hidden tile of this terrain."""
    column = escape.TERRAINS.index(terrain)
    return {
        kind: min(counts[column], sum(counts) - spent.count(kind))
        for kind, counts in escape.TALLY.items()
        if kind in escape.KEPT
    }


def _likeliest(kinds: dict[escape.Back, float]) -> escape.Back:
    return max(kinds, key=kinds.__getitem__)


@cache
def _plays(level: Level, view: escape.View, tile: escape.Back) -> bool:
    """Return whether the program would play a tile of this kind now."""
    guess = replace(view, kept=((tile,), *view.kept[1:]))
    own = GAMES["escape"].bot_command(_program(level), guess, IdentityChance())
    return own.play is not None


# -- Atlantis: the hand --------------------------------------------------------------------------

Hand = Counter[atlantis.Item]


def hands_read(level: Level, number: int) -> tuple[Score, Score]:
    """Return the scores of somebody who sees only the cards used and of an informed attacker."""
    return _hands_read(level, number, informed=False), _hands_read(level, number, informed=True)


def _hands_read(level: Level, number: int, *, informed: bool) -> Score:
    """By hands that are thought possible, which go on with what was used and drawn; an informed
    attacker keeps those with which the program would move alike."""
    luck, score = random.Random(number), Score(0, 0)
    possible = [Hand()] * HANDS
    for state, command in choices("atlantis", level, number):
        if isinstance(command, atlantis.Buy):
            continue
        view = GAMES["atlantis"].rules.view(state, None)
        true = Hand(dict(zip(ITEMS, state.hands[0], strict=True)))
        gone = true if isinstance(command, atlantis.Pass) else Hand(_used(command))
        unseen = Hand(CARDS)
        unseen.subtract(view.discards)
        hands, weights = list[Hand](), list[float]()
        for left in possible:
            drawn = _drawn(left, gone, unseen, true.total(), luck)
            if drawn is not None:
                hand, likely = drawn
                if informed and isinstance(command, atlantis.Move):
                    likely *= 1 if _moves_so(level, view, hand, command, luck) else UNLIKE
                hands.append(hand - gone)
                weights.append(likely)
        rest = true - gone
        if not any(weights):  # nobody could have guessed that
            others = list((unseen - gone).elements())
            hands = [Hand(luck.sample(others, rest.total())) for _ in possible]
            weights = [1.0] * HANDS
        possible = luck.choices(hands, weights, k=HANDS)
        if rest:
            guess, _count = Counter(chain.from_iterable(possible)).most_common(1)[0]
            score = Score(score.right + rest[guess] / rest.total(), score.asked + 1)
    return score


def _used(move: atlantis.Move) -> atlantis.Cards:
    return (*move.cards, *move.pay_cards)


def _drawn(
    left: Hand, used: Hand, unseen: Hand, cards: int, luck: random.Random
) -> tuple[Hand, float] | None:
    """(a hand of this many cards, how likely): what was left, and drawn cards with those among them
    that were used; None where that is impossible."""
    needed, pool = used - left, unseen - left
    others = list((pool - needed).elements())
    free = cards - left.total() - needed.total()
    if not 0 <= free <= len(others) or needed - pool:
        return None
    ways = math.prod(math.perm(pool[item], count) for item, count in needed.items())
    return left + needed + Hand(luck.sample(others, free)), float(ways)


def _moves_so(
    level: Level, view: atlantis.View, hand: Hand, move: atlantis.Move, luck: random.Random
) -> bool:
    """Return whether the program would move the same figure with the same cards from this hand."""
    players = list(view.players)
    cards = tuple(item for item in ITEMS for _ in range(hand[item]))
    players[0] = replace(players[0], hand=cards)
    guess = replace(view, viewer=0, players=tuple(players))
    chance = bot_chance(luck.randbytes(32), 0, 1)
    own = GAMES["atlantis"].bot_command(_program(level), guess, chance)
    return isinstance(own, atlantis.Move) and (own.figure, own.cards) == (move.figure, move.cards)


# -- the table -----------------------------------------------------------------------------------


Row = tuple[str, str, tuple[Score | None, ...]]


def rows(games: int) -> Iterator[Row]:
    """The lines of the table: the bot, what it hides, and how well each attacker does."""
    by_chance = Score(games * escape.VALUES.count(1), games * escape.EACH)
    most = Score(sum(max(true.values()) for true in unblurring().values()), DRAWS * escape.EACH)
    for level in Level:
        bot = f"Escape, {level}"
        own, informed = _sums(values_read(level, n, blur=False) for n in range(games))
        yield bot, "values, if not blurred", (by_chance, own, informed, None)
        own, informed = _sums(values_read(level, n) for n in range(games))
        yield bot, "values", (by_chance, own, informed, most)
        blind, informed = _sums(tiles_read(level, n) for n in range(games))
        yield bot, "kept tiles", (blind, None, informed, None)
    for level in Level:
        blind, informed = _sums(hands_read(level, n) for n in range(games))
        yield f"Atlantis, {level}", "hand", (blind, None, informed, None)


def _sums(games: Iterable[tuple[Score, Score]]) -> tuple[Score, Score]:
    """The scores of two attackers in all games."""
    one, other = zip(*games, strict=True)
    return Score(*map(sum, zip(*one, strict=True))), Score(*map(sum, zip(*other, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10)
    print("| bot | what it hides | chance | own program | informed | at most |")
    print("|---|---|---:|---:|---:|---:|")
    for bot, what, scores in rows(parser.parse_args().games):
        shares = [f"{score.right / score.asked:.0%}" if score else "" for score in scores]
        print(f"| {bot} | {what} | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()
