"""Recorded whole games, replayed to the exact score.

tests/golden/atlantis holds them as `python -m games.rules selfplay` wrote them, named by the
number of players, who played and the seed; scores.txt has their scores. A record that no longer
replays means that the rules have changed.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.model import Event
from games.rules.replay import check
from tests.support.lengths import by_length

from .coverage import WANTED, seen

FOLDER = Path(__file__).parents[2] / "golden" / "atlantis"
SCORES = {
    name: tuple(map(int, scores))
    for name, *scores in map(str.split, (FOLDER / "scores.txt").read_text().splitlines())
}
# In the short form every fourth, so that each number of players is there, and bots and others.
games = pytest.mark.parametrize("name", sorted(SCORES)[:: by_length(4, 1)])


def lines(name: str) -> list[bytes]:
    return (FOLDER / f"{name}.jsonl").read_bytes().splitlines()


def raw_events(name: str) -> Iterator[dict[str, object]]:
    """The payloads of a record as plain JSON, the reveal left out."""
    for line in lines(name)[1:-1]:
        yield json.loads(line)["event"]


def events(name: str) -> list[Event]:
    return [
        ATLANTIS.codec.decode(json.dumps(event), json.loads(lines(name)[0])["schema"])
        for event in raw_events(name)
    ]


def test_there_are_at_least_thirty_and_scores_for_each() -> None:
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == set(SCORES)
    assert len(SCORES) >= 30


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_there_are_at_least_ten_for_each_number_of_players(seats: int) -> None:
    assert sum(len(scores) == seats for scores in SCORES.values()) >= 10


def test_together_they_show_everything_that_can_happen() -> None:
    shown: set[str] = set()
    for name in SCORES:
        shown |= seen(events(name))
    assert shown == WANTED


@pytest.mark.long
@games
def test_a_recorded_game_replays_to_its_exact_score(name: str) -> None:
    (checked,) = check(lines(name))
    assert checked.fair
    assert checked.outcome is not None
    assert checked.outcome.scores == SCORES[name]


@pytest.mark.long
@games
def test_its_events_alone_fold_to_that_score(name: str) -> None:
    outcome = ATLANTIS.rules.outcome(ATLANTIS.fold(events(name)))
    assert outcome is not None
    assert outcome.scores == SCORES[name]
    best = max(SCORES[name])
    assert outcome.winners == tuple(s for s, score in enumerate(SCORES[name]) if score == best)


@pytest.mark.long
@games
def test_its_score_adds_up_without_the_engine(name: str) -> None:
    seats = len(SCORES[name])
    tiles, cards, debts = [0] * seats, [0] * seats, [0] * seats
    for event in raw_events(name):
        match event:
            case {"kind": "dealt", "counts": list(counts)}:
                cards = counts
            case {"kind": "drew", "seat": int(seat), "count": int(count)}:
                cards[seat] += count
            case {"kind": "bought", "seat": int(seat), "tile": [_, int(value)]}:
                tiles[seat] -= value
            case {
                "kind": "moved" | "settled",
                "seat": int(seat),
                "paid_tiles": list(given),
                "paid_cards": list(paid),
            }:
                tiles[seat] -= sum(value for _, value in given)
                cards[seat] -= len(paid)
                match event:
                    case {"cards": list(played), "taken": taken}:
                        cards[seat] -= len(played)
                        tiles[seat] += taken[1] if isinstance(taken, list) else 0
                    case {"short": int(short)}:
                        debts[seat] = short
    added = [t + c - d for t, c, d in zip(tiles, cards, debts, strict=True)]
    assert tuple(added) == SCORES[name]


@pytest.mark.long
@games
def test_every_sentence_and_view_of_it_can_be_made(name: str) -> None:
    state = ATLANTIS.rules.initial()
    for event in events(name):
        state = ATLANTIS.rules.evolve(state, event)
        for viewer in (None, *range(len(SCORES[name]))):
            assert str(ATLANTIS.presentation.sentence(ATLANTIS.rules.visible(event, viewer)))
    assert "Mainland" in ATLANTIS.presentation.board_text(ATLANTIS.rules.view(state, None))


@pytest.mark.long
@games
def test_a_log_can_be_folded_in_parts_of_any_length(name: str) -> None:
    log = events(name)
    one_by_one = [ATLANTIS.rules.initial()]
    for event in log:
        one_by_one.append(ATLANTIS.rules.evolve(one_by_one[-1], event))
    for end, state in enumerate(one_by_one):
        assert ATLANTIS.fold(log[:end]) == state, f"the first {end} events"
    half = len(log) // 2
    assert ATLANTIS.fold(log[half:], one_by_one[half]) == one_by_one[-1]
