"""Sentences made at random, and how the notation of a game reads them."""

import random
from collections import Counter
from contextlib import suppress
from functools import cache
from itertools import islice, product

import msgspec

from games.rules import GAMES
from games.rules.contract import State, View
from games.rules.errors import MoveError
from tests.support import sentences

from .atlantis import games as atlantis_games
from .escape import games as escape_games

MOST_MOVES = 60  # of a position

Question = tuple[View, list[str]]


@cache
def questions(game: str) -> tuple[Question, ...]:
    """Positions and moves that are legal in them."""
    engine, found = GAMES[game], []
    states: list[tuple[State, int]]
    if game == "atlantis":
        states = [
            (state, engine.rules.to_act(state)[0])
            for seats, seed in ((2, 1), (3, 8))
            for state in islice(atlantis_games.sensible(seats, seed), 1, 40, 6)
        ]
    else:
        states = [
            (moment.state, moment.seat)
            for seed in (2, 5)
            for moment in islice(escape_games.wandering(2, seed), 0, 90, 7)
        ]
    for state, seat in states:
        view = engine.rules.view(state, seat)
        legal = list(islice(engine.rules.legal_commands(state, seat), 2000))
        chosen = random.Random(7).sample(legal, min(len(legal), MOST_MOVES))
        found.append((view, [engine.notation.describe(command, view) for command in chosen]))
    return tuple(found)


def legal(view: View) -> frozenset[str]:
    """All moves of a position of Atlantis that need no payment, in notation."""
    found = set()
    for figure, item in product("ABC", sentences.ITEMS["en"]):
        with suppress(MoveError):
            engine = GAMES["atlantis"]
            move = engine.notation.parse(f"{figure} {item}", view)
            found.add(engine.notation.describe(move, view))
    return frozenset(found)


def understood(game: str, line: str, view: View) -> tuple[str, str]:
    """("played" | "offered" | "asked", the move in notation)."""
    notation = GAMES[game].notation
    try:
        return "played", notation.describe(notation.parse(line, view), view)
    except MoveError:
        found = notation.suggest(line, view)
    return ("asked", "") if found is None else ("offered", notation.describe(found, view))


class Reading(msgspec.Struct, frozen=True):
    """The results of reading sentences. wrong: those read as another move, with both moves. tally:
    of those that mean a move. missed: those of them that lead to a question."""

    wrong: list[tuple[str | None, ...]]
    tally: Counter[str]
    missed: list[str]


def read(game: str, language: str, how_many: int, seed: object = "") -> Reading:
    """Make sentences in this language and read them."""
    dice = random.Random(f"{game} {language}{seed}")
    write = {"atlantis": sentences.atlantis, "escape": sentences.escape}[game]
    found = Reading([], Counter(), [])
    asked = questions(game)
    for number in range(how_many):
        view, moves = asked[number % len(asked)]
        sentence = next(write(moves, language, dice))
        how, move = understood(game, sentence.line, view)
        if sentence.is_unnamed and sentence.move is not None:
            card = sentence.move[1:]
            can = {f"{figure}{card}" for figure in "ABC" if f"{figure}{card}" in legal(view)}
            if how != "asked" and can != {move}:
                found.wrong.append((sentence.line, sentence.move, how, move))
            continue
        if how != "asked" and move != sentence.move:
            found.wrong.append((sentence.line, sentence.move, how, move))
        if sentence.move is not None:
            found.tally[how] += 1
            if how == "asked":
                found.missed.append(sentence.line)
    return found
