"""Recorded whole games, replayed to the exact score.

tests/golden/escape holds them as `recording` wrote them, one after another, and their scores. A
record that no longer replays means that the rules have changed. `zcat games-schema-1.jsonl.gz |
python -m games.rules replay` checks them from outside.
"""

import gzip
import hashlib
import json
from functools import cache
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from games.rules.escape import ESCAPE, model
from games.rules.records import Header, record_of
from games.rules.replay import check
from tests.support.lengths import by_length

from . import recording

FOLDER = Path(__file__).parents[2] / "golden" / "escape"
SCORES = [
    tuple(map(int, line.split())) for line in (FOLDER / "scores.txt").read_text().splitlines()
]
# In the short form every fourth, so that each number of players is there.
games = pytest.mark.parametrize("number", range(0, len(SCORES), by_length(4, 1)))


@cache
def recorded() -> tuple[tuple[bytes, ...], ...]:
    """The lines of each record."""
    found: list[list[bytes]] = []
    with gzip.open(FOLDER / "games-schema-1.jsonl.gz") as lines:
        for line in lines:
            if line.startswith(b'{"game"'):
                found.append([])
            found[-1].append(line)
    return tuple(map(tuple, found))


@cache
def header(number: int) -> Header:
    return msgspec.json.decode(recorded()[number][0], type=Header)


@cache
def events(number: int) -> tuple[model.Event, ...]:
    """The engine's events, the reveal left out."""
    schema = header(number).schema
    return tuple(
        ESCAPE.codec.decode(json.dumps(json.loads(line)["event"]), schema)
        for line in recorded()[number][1:-1]
    )


def everything() -> tuple[model.Event, ...]:
    return tuple(event for number in range(len(SCORES)) for event in events(number))


def test_there_are_at_least_thirty_over_two_to_four_players() -> None:
    assert len(recorded()) == len(SCORES) >= 30
    for seats in (2, 3, 4):
        assert sum(len(scores) == seats for scores in SCORES) >= 10


@pytest.mark.long
@games
def test_a_recorded_game_replays_to_its_exact_score(number: int) -> None:
    (checked,) = check(recorded()[number])
    assert checked.fair
    assert checked.outcome is not None
    assert checked.outcome.scores == SCORES[number]


@pytest.mark.long
@games
def test_its_events_alone_fold_to_that_score(number: int) -> None:
    outcome = ESCAPE.rules.outcome(ESCAPE.fold(events(number)))
    assert outcome is not None
    assert outcome.scores == SCORES[number]
    best = max(outcome.scores)
    assert [outcome.scores[seat] for seat in outcome.winners] == [best] * len(outcome.winners)


@pytest.mark.long
@games
def test_what_is_written_today_is_what_was_written_then(number: int) -> None:
    for line, event in zip(recorded()[number][1:-1], events(number), strict=True):
        then = json.loads(line)["event"]
        assert json.loads(ESCAPE.codec.encode(event)) == then


def test_they_end_in_every_way_there_is() -> None:
    causes = {
        (header(number).options["ending"], ended.cause)
        for number in range(len(SCORES))
        for ended in events(number)
        if isinstance(ended, model.Ended)
    }
    assert causes >= {
        ("volcano", "volcano"),
        ("volcano", "nobody"),
        ("last", "nobody"),
        ("last", "calm"),
        ("submerged", "submerged"),
        ("submerged", "nobody"),
    }


def test_every_choice_of_every_option_is_played() -> None:
    for spec in ESCAPE.options:
        played = {header(number).options[spec.name] for number in range(len(SCORES))}
        assert played == {choice for choice, _label in spec.choices}


def test_everything_that_can_happen_happens() -> None:
    found = everything()
    assert {type(event) for event in found} == set(model.Event.__args__)
    assert {event.tile for event in found if isinstance(event, model.Played)} == model.PLAYABLE
    assert {event.step.verb for event in found if isinstance(event, model.Stepped)} == set(
        model.Verb
    )
    assert {event.back for event in found if isinstance(event, model.Sank)} == set(model.Back)
    assert all(
        (event.back in model.KEPT) == event.kept for event in found if isinstance(event, model.Sank)
    )


def test_the_rare_things_happen_too() -> None:
    found = everything()
    assert any(len(event.seats) > 1 for event in found if isinstance(event, model.Alerted))
    answers = {(event.defend, event.auto) for event in found if isinstance(event, model.Answered)}
    assert answers == {(True, True), (True, False), (False, True), (False, False)}
    assert any(event.crowd for event in found if isinstance(event, model.Appeared))
    assert {(event.creature, event.ship) for event in found if isinstance(event, model.Harmed)} == {
        ("serpent", True),
        ("serpent", False),
        ("shark", False),
        ("whale", True),
    }
    assert any(event.overboard for event in found if isinstance(event, model.Harmed))
    assert any(
        event.plan.preset for event in found if isinstance(event, model.Planned) and event.plan
    )
    assert any(event.auto for event in found if isinstance(event, model.Placed))


def test_games_of_today_pick_the_crew_before_the_die_and_verify() -> None:
    """The recorded gatherings, played by today's rules: a ship comes up among a crowd."""
    crowds = 0
    for game in (one for one in recording.GAMES if one.gathering):
        secret = hashlib.sha256(f"escape golden {game.seed}".encode()).digest()
        events = recording.play(game, secret)
        options = ESCAPE.check_options(game.options, game.seats)
        (checked,) = check(record_of(ESCAPE, options, game.seats, secret, events))
        assert checked.fair
        for before, event in pairwise(events):
            if isinstance(event, model.Boarded):
                assert not isinstance(before, model.Rolled)
                crowds += 1
    assert crowds
