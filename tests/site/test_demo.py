"""`manage.py demo`: something to look at, once, and again after the first was played."""

import json
from io import StringIO
from typing import Any

from allauth.account.models import EmailAddress
from django.core.management import call_command

from games import selectors, services
from games.models import Game, User
from tests.factories import fresh, log_of, play_to_the_end
from tests.support.bots import bot_choice


def demo() -> dict[str, Any]:
    out = StringIO()
    call_command("demo", stdout=out)
    shown: dict[str, Any] = json.loads(out.getvalue())
    return shown


def test_it_is_the_demo_persons_turn_against_two_bots(db: None) -> None:
    shown = demo()
    game = Game.objects.get()
    user = User.objects.get(email=shown["email"])
    assert shown["path"] == f"/g/{game.public_id}/"
    assert shown["your_turn"]
    assert [seat.is_bot for seat in game.seats.order_by("number")] == [False, True, True]
    assert [one.public_id for one in selectors.waiting_games(user)[1]] == [game.public_id]


def test_the_demo_person_can_sign_in(db: None) -> None:
    address = EmailAddress.objects.get(email=demo()["email"])
    assert (address.verified, address.primary) == (True, True)


def test_a_second_demo_is_the_first_one(db: None) -> None:
    assert demo() == demo()
    assert Game.objects.count() == User.objects.count() == 1


def test_after_the_end_there_is_a_new_table(db: None) -> None:
    first = demo()
    play_to_the_end(Game.objects.get())
    assert demo()["path"] != first["path"]


def test_a_demo_whose_bots_were_asked_lets_them_move(db: None) -> None:
    demo()
    game = Game.objects.get()
    log = log_of(game)
    user = User.objects.get()
    services.game_play(
        game_id=game.pk,
        user=user,
        seat=0,
        command=bot_choice(log, 0),
        version=game.version,
    )
    assert demo()["your_turn"]
    assert fresh(game).to_act == [0]
