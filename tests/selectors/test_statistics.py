"""The end of a game: points over time, the moves that changed most, figures per player."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from games import selectors, services
from games.models import Game, User
from games.web.results import HEIGHT, WIDTH, score_chart
from tests.factories import (
    fresh,
    log_of,
    miss_deadline,
    play_one,
    play_to_the_end,
    play_turns,
    table_of,
)
from tests.support.pages import signed_in, text

pytestmark = pytest.mark.django_db


def finished(kind: str, alice: User, bob: User) -> Game:
    return play_to_the_end(table_of(alice, bob, kind=kind, options={}))


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_the_chart_begins_with_the_setup_and_ends_with_the_scores(
    kind: str, alice: User, bob: User
) -> None:
    game = finished(kind, alice, bob)
    found = selectors.statistics(game)
    assert found is not None
    assert found.standings[0].seat is None
    assert list(found.standings[-1].points) == game.scores
    assert tuple(one.seq for one in found.standings) == log_of(game).positions
    assert sum(one.moves for one in found.seats) == len(found.standings) - 1


def test_the_biggest_moves_are_those_by_which_a_player_gained_or_lost_most(
    alice: User, bob: User
) -> None:
    found = selectors.statistics(finished("atlantis", alice, bob))
    assert found is not None
    changes = [abs(move.change) for move in found.biggest]
    assert len(changes) == 3
    assert changes == sorted(changes, reverse=True)
    assert min(changes) > 0


def test_moves_that_were_rolled_back_do_not_count(alice: User, bob: User, mona: User) -> None:
    game = play_turns(table_of(alice, bob), 4)
    services.moderate_rollback(
        game_id=game.pk, to_seq=game.version - 2, ruling=services.Ruling(mona, "a test")
    )
    found = selectors.statistics(play_to_the_end(fresh(game)))
    assert found is not None
    assert len(found.standings) == len(log_of(game).moves)


def test_a_running_game_shows_no_points(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 4)
    assert selectors.statistics(game) is None
    assert 'class="chart"' not in signed_in(alice).get(f"/g/{game.public_id}/").content.decode()


def test_the_page_of_a_finished_game_shows_chart_and_figures(alice: User, bob: User) -> None:
    game = finished("atlantis", alice, bob)
    page = Client().get(f"/g/{game.public_id}/")
    body = page.content.decode()
    assert body.count("<polyline") == 4  # a line and its edge for each of two players
    assert "Turning points" in text(page)
    assert "less than a minute" in text(page)
    link = re.search(r'href="(/g/\w+/at/\d+/)">\s*Move', body)
    assert link is not None
    assert Client().get(link[1]).status_code == 200


@pytest.mark.parametrize("language", ["de", "fr"])
def test_the_chart_has_no_decimal_commas(alice: User, bob: User, language: str) -> None:
    """SVG would read two numbers."""
    User.objects.update(language=language)
    game = finished("atlantis", alice, bob)
    body = signed_in(User.objects.get(pk=alice.pk)).get(f"/g/{game.public_id}/").content.decode()
    chart = re.search(r'<svg class="chart".*?</svg>', body, re.DOTALL)
    assert chart is not None
    numbers = re.findall(r' (?:x|y|x1|x2|y1|y2|cx|cy)="([^"]*)"', chart[0])
    assert numbers and all(re.fullmatch(r"[\d.]+", number) for number in numbers)


@pytest.mark.parametrize(
    ("is_open", "said"), [(True, "Everyone with"), (False, "Only the players")]
)
def test_a_finished_game_has_a_link_to_share(
    alice: User, bob: User, is_open: bool, said: str
) -> None:
    game = play_to_the_end(table_of(alice, bob, is_open=is_open))
    body = signed_in(alice).get(f"/g/{game.public_id}/").content.decode()
    assert f'id="share-link" value="http://testserver/g/{game.public_id}/"' in body
    assert said in body


def test_the_seed_is_folded_away_once_the_game_is_over(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 4)
    seed = bytes(game.seed).hex()
    client, path = signed_in(alice), f"/g/{game.public_id}/?details=all"
    assert seed not in client.get(path).content.decode()
    play_to_the_end(game)
    folded = re.search(
        r"<details class=.seed.>.*?</details>", client.get(path).content.decode(), re.DOTALL
    )
    assert folded is not None
    assert seed in folded[0] and game.commitment in folded[0]


def test_the_chart_stays_within_its_frame(alice: User, bob: User) -> None:
    found = selectors.statistics(finished("atlantis", alice, bob))
    assert found is not None
    chart = score_chart(found)
    for line in chart.lines:
        for point in line.points.split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= WIDTH
            assert 0 <= y <= HEIGHT
    assert 2 <= len(chart.values) <= 6
    assert found.seats[0].typical is not None
    assert found.seats[0].typical >= timedelta()


def test_moves_count_for_those_who_had_the_seat_then(alice: User, bob: User, dave: User) -> None:
    """Alice makes a move, and a bot one for her, before she loses the seat to a bot and then to
    Dave."""
    game = play_turns(table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.OPEN), 2)
    for _round in range(2):
        miss_deadline(game)
        if fresh(game).to_act == [1]:
            play_one(game)
    services.game_play_bots(game_id=game.pk)
    play_one(game)
    services.game_play_bots(game_id=game.pk)
    services.seat_take_over(game_id=game.pk, user=dave, seat=0)
    found = selectors.statistics(play_to_the_end(fresh(game)))
    assert found is not None
    rows = [(one.seat, one.name, one.typical is not None) for one in found.seats]
    assert rows == [
        (0, "Alice", True),
        (0, "Triton (bot)", True),
        (0, "Dave", True),
        (1, "Bob", True),
    ]
    assert [one.moves for one in found.seats][:2] == [2, 2]
    assert sum(one.moves for one in found.seats) == len(found.standings) - 1
    called = {alice.pk: "Alice", bob.pk: "Bob", dave.pk: "Dave", None: "Triton (bot)"}
    holders = log_of(game).seating
    for move in found.biggest:
        assert move.name == called[holders.after(move.seq)[move.seat].user]


def test_a_move_that_a_bot_made_for_a_player_says_nothing_about_their_time(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.MOVE)
    while not fresh(game).is_over:
        miss_deadline(game) if fresh(game).to_act == [0] else play_one(game)
    found = selectors.statistics(fresh(game))
    assert found is not None
    alices, bobs = found.seats
    assert (alices.moves > 0, alices.typical) == (True, None)
    assert bobs.typical is not None
