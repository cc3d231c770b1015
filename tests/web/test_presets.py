"""A preset fills in the form for a new table; the details stay folded until they are needed."""

import re
from dataclasses import replace

import pytest
from django.test import Client

from games.models import Game, User
from games.rules import GAMES
from games.web.presets import presets_for
from tests.support.accounts import sign_in_at
from tests.support.pages import signed_in, text
from tests.tiny_game import TWENTY

pytestmark = pytest.mark.django_db

FOLDED = re.compile(r"<details(?P<open>[^>]* open)?[^>]*>.*</details>", re.DOTALL)


def filled_in(page: str) -> dict[str, list[str]]:
    """Return the values that a browser would send; lists, because a name can occur again."""
    values: dict[str, list[str]] = {}
    for tag in re.findall(r"<input[^>]*>", page.partition("<form class=")[2]):
        name, value = (re.search(rf'\b{key}="([^"]*)"', tag) for key in ("name", "value"))
        if name and value and ("checked" in tag or not re.search('type="(radio|checkbox)"', tag)):
            values.setdefault(name[1], []).append(value[1])
    for name, options in re.findall(r'<select name="(\w+)"[^>]*>(.*?)</select>', page, re.DOTALL):
        values[name] = re.findall(r'value="(\w+)" selected', options)
    return values


def details_open(page: str) -> bool:
    match = FOLDED.search(page)
    assert match
    return match["open"] is not None


def chosen_presets(page: str) -> list[str]:
    return re.findall(r'preset=(\w+)"\s+aria-current', page.partition('class="presets"')[2])


def game_of_preset(user: User, kind: str, preset: str) -> Game:
    """The table of somebody who chose a preset and pressed the button."""
    client = signed_in(user)
    url = f"/new/?game={kind}&preset={preset}"
    answer = client.post(url, filled_in(text(client.get(url))))
    assert answer.status_code == 302, text(answer)
    return Game.objects.get(public_id=answer["Location"].split("/")[2])


@pytest.mark.parametrize("kind", GAMES)
def test_a_table_with_friends_has_three_seats_and_a_link(alice: User, kind: str) -> None:
    game = game_of_preset(alice, kind, "friends")
    assert (game.seat_count, game.pace_days, game.is_open) == (3, 3, False)
    assert (game.seats.count(), game.status) == (1, Game.Status.GATHERING)


@pytest.mark.parametrize("kind", GAMES)
def test_friends_come_first_among_the_presets(kind: str) -> None:
    assert presets_for(GAMES[kind])[0].key == "friends"


@pytest.mark.parametrize("kind", GAMES)
def test_a_quick_duel_is_for_two_with_a_day_per_move(alice: User, kind: str) -> None:
    game = game_of_preset(alice, kind, "duel")
    assert (game.seat_count, game.pace_days, game.is_open) == (2, 1, True)
    assert game.seats.count() == 1


@pytest.mark.parametrize("kind", GAMES)
def test_a_week_per_move_gives_seven_days(alice: User, kind: str) -> None:
    game = game_of_preset(alice, kind, "week")
    assert (game.seat_count, game.pace_days, game.is_open) == (3, 7, True)
    assert game.timeout_policy == "move"


@pytest.mark.parametrize("kind", GAMES)
def test_a_family_table_has_two_bots_and_a_link(alice: User, kind: str) -> None:
    game = game_of_preset(alice, kind, "family")
    assert (game.seat_count, game.is_open, game.timeout_policy) == (4, False, "move")
    assert sorted(seat.place for seat in game.seats.filter(is_bot=True)) == [2, 3]
    assert game.status == Game.Status.GATHERING


def test_challenge_3_lets_values_not_count(alice: User) -> None:
    game = game_of_preset(alice, "escape", "challenge3")
    assert game.options["equal"] == "yes"
    assert game.options["overpopulated"] == "no"


def test_a_preset_is_offered_only_where_the_game_has_its_options(alice: User) -> None:
    assert "challenge3" not in text(signed_in(alice).get("/new/?game=atlantis"))
    assert "challenge3" in text(signed_in(alice).get("/new/?game=escape"))


def test_a_preset_is_left_out_where_its_seats_do_not_fit() -> None:
    keys = ["friends", "duel", "week", "family", "strong"]
    assert [preset.key for preset in presets_for(TWENTY)] == keys
    assert [preset.key for preset in presets_for(replace(TWENTY, seats=range(1, 3)))] == [
        "duel",
        "strong",
    ]
    assert presets_for(replace(TWENTY, seats=range(1, 2))) == []


def test_a_chosen_preset_is_marked_and_folds_the_details(alice: User) -> None:
    page = text(signed_in(alice).get("/new/?game=escape&preset=family"))
    assert chosen_presets(page) == ["family"]
    assert not details_open(page)
    assert 'name="name"' in page.partition("<details")[0]


@pytest.mark.parametrize("query", ["", "&preset=", "&preset=challenge3", "&preset=%00"])
def test_nothing_is_chosen_until_a_preset_is(alice: User, query: str) -> None:
    page = text(signed_in(alice).get(f"/new/?game=atlantis{query}"))
    assert not details_open(page)
    assert chosen_presets(page) == []
    assert filled_in(page)["pace_days"] == ["3"]


@pytest.mark.parametrize(
    ("query", "summary"),
    [
        ("", "2 players · 3 days per move · Anyone: the table is listed publicly"),
        (
            "&preset=family",
            "4 players · Bot on seat 3 · Bot on seat 4 · 3 days per move · Only people",
        ),
    ],
)
def test_one_line_says_what_the_button_creates(alice: User, query: str, summary: str) -> None:
    assert summary in text(signed_in(alice).get(f"/new/?game=atlantis{query}"))


def test_the_line_says_what_was_typed_where_something_is_wrong(alice: User) -> None:
    url = "/new/?game=atlantis&preset=duel"
    data = filled_in(text(signed_in(alice).get(url)))
    page = text(
        signed_in(alice).post(url, {**data, "seat_count": "4", "pace_days": "0", "name": ""})
    )
    assert "4 players · 12 hours per move" in page


def test_an_error_in_the_details_opens_them(alice: User) -> None:
    url = "/new/?game=atlantis&preset=duel"
    data = filled_in(text(signed_in(alice).get(url)))
    page = text(signed_in(alice).post(url, {**data, "bots": [0, 1]}))
    assert "You need a seat yourself" in page
    assert details_open(page)


def test_options_that_do_not_go_together_open_the_details(alice: User) -> None:
    url = "/new/?game=escape&preset=family"
    data = filled_in(text(signed_in(alice).get(url)))
    page = text(signed_in(alice).post(url, {**data, "option_colours": "two"}))
    assert "only for two players" in page
    assert details_open(page)


def test_an_error_in_the_name_leaves_the_details_folded(alice: User) -> None:
    url = "/new/?game=atlantis&preset=duel"
    data = filled_in(text(signed_in(alice).get(url)))
    page = text(signed_in(alice).post(url, {**data, "name": ""}))
    assert "This field is required" in page
    assert not details_open(page)


def test_a_form_saved_during_the_sign_in_gives_way_to_another_preset(alice: User) -> None:
    url = "/new/?game=atlantis&preset=duel"
    data = filled_in(text(signed_in(alice).get(url))) | {"name": ["Sunday"]}
    somebody = Client()
    response = somebody.post(url, data)
    here = sign_in_at(somebody, response["Location"], alice.email)
    assert here == url
    page = filled_in(text(somebody.get(here)))
    assert (page["name"], page["seat_count"]) == (["Sunday"], ["2"])
    other = filled_in(text(somebody.get("/new/?game=atlantis&preset=family")))
    assert other["seat_count"] == ["4"]
