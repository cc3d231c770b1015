"""The page of a player: figures that follow from logs, and what is behind each of them."""

from dataclasses import make_dataclass
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games import selectors, services
from games.models import Game, User, database_clock
from games.selectors.log_statistics import Miss, TimedTurn, format_of
from games.services import NotAllowed
from games.web.players import player_of, player_url
from tests.factories import fresh, miss_deadline, play_one, play_to_the_end, play_turns, table_of
from tests.support.pages import new_table, signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def figures(user: User) -> selectors.Reliability:
    return selectors.reliability(user, database_clock.now())


def test_turns_in_time_and_their_median(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    game = table_of(alice, bob)
    for hours in (1, 2, 5, 2, 3):
        clock.shift(hours * HOUR)
        play_one(game)
    found = figures(alice)
    assert (found.turns, found.share, found.typical) == (3, 100, 3 * HOUR)
    assert found.is_newcomer


def test_missed_and_late_turns_are_not_in_time(
    alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    game = table_of(alice, bob)
    miss_deadline(game)  # the table waits
    play_one(game)  # too late
    play_turns(game, 2)
    found = figures(alice)
    assert (found.turns, found.missed, found.share) == (1, 1, 50)
    clock.shift(95 * DAY)
    assert figures(alice).recent_misses == []


def test_excused_misses_are_listed_apart(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    miss_deadline(game)
    services.moderate_excuse(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "A storm"))
    found = figures(alice)
    assert (found.missed, len(found.excused), found.recent_misses) == (0, 1, [])


def test_a_seat_that_was_lost_counts_for_its_misses_only(alice: User, bob: User) -> None:
    game = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.SEAT1)
    miss_deadline(game)
    play_to_the_end(game)
    found = figures(alice)
    assert (found.missed, found.finished) == (1, [])
    assert figures(bob).finished == [fresh(game)]


def test_the_page_shows_each_figure_with_what_is_behind_it(alice: User, bob: User) -> None:
    game = table_of(alice, bob, name="Behind the figures")
    miss_deadline(game)
    play_one(game)
    page = text(signed_in(bob).get(player_url(alice)))
    assert "Deadlines missed in the last 90 days" in page
    assert page.count("Behind the figures") == 2


def test_each_game_has_a_line_with_the_others_the_result_and_the_day(
    alice: User, bob: User, dave: User
) -> None:
    game = play_to_the_end(table_of(alice, bob, dave, name="On the line"))
    scores = game.scores
    assert scores is not None
    [line] = signed_in(bob).get(player_url(alice)).context["games"]
    assert (line["game"], line["others"], line["score"]) == (game, ["Bob", "Dave"], scores[0])
    assert line["won"] == (0 in (game.winners or ()))
    assert line["at"] == game.ended_at


def test_a_game_ended_by_a_resignation_counts_for_those_who_stayed(alice: User, bob: User) -> None:
    game = table_of(alice, bob, resign_policy=Game.ResignPolicy.END)
    services.game_resign(game_id=game.pk, user=alice)
    assert fresh(game).status == Game.Status.FINISHED
    assert (figures(alice).finished, figures(bob).finished) == ([], [fresh(game)])


def test_nobody_learns_of_a_table_that_they_may_not_see(alice: User, bob: User, dave: User) -> None:
    miss_deadline(table_of(alice, bob, name="Behind closed doors", is_open=False))
    page = text(signed_in(dave).get(player_url(alice)))
    assert "a table that you cannot see" in page
    assert "Behind closed doors" not in page


def test_a_table_is_looked_up_once_however_long_its_list_is(
    alice: User, bob: User, dave: User
) -> None:
    game = play_turns(table_of(alice, bob, is_open=False), 2)
    stranger = signed_in(dave)
    counts = []
    for _visit in range(2):
        selectors.reliability(alice, database_clock.now())  # what the log says is in the cache now
        with CaptureQueriesContext(connection) as sent:
            stranger.get(player_url(alice))
        counts.append(len(sent))
        play_turns(game, 6)
    assert counts[0] == counts[1]


def test_public_display_is_a_choice_but_people_at_the_table_always_see_it(
    alice: User, bob: User, dave: User
) -> None:
    table_of(alice, bob)
    signed_in(alice).post(player_url(alice), {"public": "0"})
    assert "Turns on time" in text(signed_in(bob).get(player_url(alice)))
    for client in (signed_in(dave), Client()):
        assert "Turns on time" not in text(client.get(player_url(alice)))
    assert signed_in(dave).post(player_url(alice), {"public": "1"}).status_code == 404


def test_the_address_of_a_page_cannot_be_guessed(alice: User) -> None:
    key = player_url(alice).split("/")[2]
    assert player_of(key) == alice
    other = key[:-2] + ("AA" if not key.endswith("AA") else "BA")
    for forged in (str(alice.pk), other, "x", "=" * 9):
        assert player_of(forged) is None


def test_a_host_asks_for_a_share_of_turns_in_time(alice: User, bob: User, carol: User) -> None:
    slow = table_of(bob, carol)
    for _turn in range(5):
        miss_deadline(slow)
        play_turns(slow, 4)
    table = table_of(alice, seats=2, min_in_time=80)
    assert figures(bob).share is not None
    assert (figures(bob).share or 0) < 80
    with pytest.raises(NotAllowed, match="at least 80"):
        services.game_join(game_id=table.pk, user=bob)
    services.game_join(game_id=table.pk, user=carol)


def test_newcomers_are_marked_and_may_join_unless_the_host_says_otherwise(
    alice: User, bob: User
) -> None:
    client = signed_in(alice)
    strict = new_table(client, min_in_time=90, no_newcomers="on")
    with pytest.raises(NotAllowed, match="played some turns here"):
        services.game_join(game_id=strict.pk, user=bob, token=strict.invite_token)
    mild = table_of(alice, seats=3, min_in_time=90)
    services.game_join(game_id=mild.pk, user=bob)
    page = text(client.get(f"/g/{mild.public_id}/"))
    assert "new here" in page
    assert "Players must have made at least 90%" in page


def test_former_players_keep_their_misses_after_others_took_the_seat(
    alice: User, bob: User, dave: User
) -> None:
    game = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.OPEN)
    miss_deadline(game)
    play_one(game)
    miss_deadline(game)
    services.seat_take_over(game_id=game.pk, user=dave, seat=0)
    assert (figures(alice).missed, figures(dave).missed) == (2, 0)


# -- results -------------------------------------------------------------------------------------

Policy = Game.TimeoutPolicy


def play_on(game: Game, _alice: User, _other: User) -> None:
    """The table goes on as it is."""


def take_back(game: Game, alice: User, _other: User) -> None:
    services.seat_take_back(game_id=game.pk, user=alice)


def take_over(game: Game, _alice: User, other: User) -> None:
    services.seat_take_over(game_id=game.pk, user=other, seat=0)


def resign(game: Game, alice: User, _other: User) -> None:
    services.game_resign(game_id=game.pk, user=alice)


def hand_over(game: Game, _alice: User, other: User) -> None:
    mona = User.objects.get(is_staff=True)
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=other, ruling=services.Ruling(mona, "x")
    )


@pytest.mark.parametrize(
    ("policy", "misses", "then", "counts_for"),
    [
        # Alice keeps her seat, whatever a bot played for her.
        (Policy.WAIT, 1, play_on, {"Alice"}),
        (Policy.MOVE, 3, play_on, {"Alice"}),
        (Policy.SEAT2, 1, play_on, {"Alice"}),
        (Policy.OPEN, 1, play_on, {"Alice"}),
        # A bot has it to the end: nobody's result.
        (Policy.SEAT1, 1, play_on, set()),
        (Policy.SEAT3, 3, play_on, set()),
        (Policy.OPEN, 2, play_on, set()),
        (Policy.WAIT, 0, resign, set()),
        # The player who has it in the end, as the policy allows.
        (Policy.SEAT1, 1, take_back, {"Alice"}),
        (Policy.OPEN, 2, take_back, {"Alice"}),
        (Policy.OPEN, 2, take_over, {"Dave"}),
        (Policy.SEAT1, 1, hand_over, {"Dave"}),
    ],
)
def test_a_seat_counts_for_the_player_who_has_it_in_the_end(
    alice: User,
    bob: User,
    carol: User,
    dave: User,
    mona: User,
    policy: str,
    misses: int,
    then: Any,
    counts_for: set[str],
) -> None:
    game = table_of(alice, bob, carol, timeout_policy=policy)
    for missed in range(misses):
        while fresh(game).to_act != [0]:
            play_one(game)
        assert miss_deadline(game) == 0, missed
    then(game, alice, dave)
    play_to_the_end(fresh(game))
    assert fresh(game).status == Game.Status.FINISHED
    finished = {user.name for user in (alice, dave) if figures(user).finished}
    assert finished == counts_for
    assert figures(bob).finished == [fresh(game)]
    assert figures(alice).missed == misses
    assert figures(dave).missed == 0
    page = text(Client().get(player_url(alice)))
    assert f"Games finished: <strong>{int('Alice' in counts_for)}</strong>" in page


def test_what_the_cache_holds_in_another_format_is_not_read() -> None:
    renamed = make_dataclass("Miss", ["seq", "at", "forgiven"])
    renamed.__module__ = Miss.__module__
    assert format_of(renamed, TimedTurn) != format_of(Miss, TimedTurn)


def test_what_the_cache_holds_from_a_module_that_is_gone_is_not_read() -> None:
    moved = make_dataclass("Miss", ["seq", "at", "excused"])
    moved.__module__ = "games.selectors.gone"
    assert format_of(moved, TimedTurn) != format_of(Miss, TimedTurn)
