"""A table shows no button that it then refuses, whatever has become of the game and the reader."""

from collections.abc import Callable

import pytest
from django.contrib.messages import get_messages
from django.db import transaction
from django.test import Client

from games import services
from games.models import Game, User
from tests.factories import miss_deadline, person, table_of
from tests.support.forms import Button, buttons_of
from tests.support.lengths import combined
from tests.support.moderators import prove_code
from tests.support.pages import page_of, signed_in, text, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

Made = Callable[[User, User, User], Game]


def waiting(alice: User, bob: User, _carol: User) -> Game:
    return table_of(alice, bob, seats=4, bots=1)


def waiting_for_one(alice: User, bob: User, _carol: User) -> Game:
    return table_of(alice, bob, seats=3)


def waiting_after_a_removal(alice: User, bob: User, carol: User) -> Game:
    table = table_of(alice, bob, carol, seats=4)
    services.game_remove_player(game_id=table.pk, by=alice, player=bob)
    return table


def cancelled_before_the_start(alice: User, bob: User, _carol: User) -> Game:
    table = table_of(alice, bob, seats=4)
    services.moderate_abort(
        game_id=table.pk, ruling=services.Ruling(person("Mia", is_staff=True), "gone")
    )
    return table


def running(alice: User, bob: User, carol: User) -> Game:
    return table_of(alice, bob, carol)


def late(alice: User, bob: User, carol: User) -> Game:
    table = running(alice, bob, carol)
    miss_deadline(table)
    return table


def lost(alice: User, bob: User, carol: User) -> Game:
    table = table_of(alice, bob, carol, timeout_policy="seat1")
    miss_deadline(table)
    return table


def open_seat(alice: User, bob: User, carol: User) -> Game:
    table = table_of(alice, bob, carol, timeout_policy="open")
    while not table.seats.filter(open_since__isnull=False).exists():
        miss_deadline(table)
        services.game_play_bots(game_id=table.pk)
    return table


def resigned(alice: User, bob: User, carol: User) -> Game:
    table = running(alice, bob, carol)
    services.game_resign(game_id=table.pk, user=bob)
    return table


def paused(make: Made) -> Made:
    def made(alice: User, bob: User, carol: User) -> Game:
        table = make(alice, bob, carol)
        services.moderate_pause(
            game_id=table.pk, ruling=services.Ruling(person("Mia", is_staff=True), "break")
        )
        return table

    made.__name__ = f"paused_{make.__name__}"
    return made


def cancelled(alice: User, bob: User, carol: User) -> Game:
    table = resigned(alice, bob, carol)
    services.moderate_abort(
        game_id=table.pk, ruling=services.Ruling(person("Mia", is_staff=True), "gone")
    )
    return table


def over(alice: User, bob: User, carol: User) -> Game:
    table = resigned(alice, bob, carol)
    for user in (carol, alice):
        services.game_resign(game_id=table.pk, user=user)
    return table


def played_again(alice: User, bob: User, carol: User) -> Game:
    table = over(alice, bob, carol)
    services.game_rematch(game_id=table.pk, by=alice)
    return table


def played_again_without_carol(alice: User, bob: User, carol: User) -> Game:
    table = over(alice, bob, carol)
    again = services.game_rematch(game_id=table.pk, by=alice)
    services.game_rematch(game_id=table.pk, by=bob)
    services.game_start(game_id=again.pk, by=alice)
    return table


TABLES: tuple[Made, ...] = (
    waiting,
    waiting_for_one,
    waiting_after_a_removal,
    cancelled_before_the_start,
    running,
    late,
    lost,
    open_seat,
    resigned,
    *(paused(make) for make in (running, late, lost, open_seat, resigned)),
    cancelled,
    over,
    played_again,
    played_again_without_carol,
)


def readers(*people: User) -> dict[str, Client]:
    """Browsers of these people and of others: one who only watches, a moderator, a visitor."""
    mona = person("Mona", is_staff=True)
    found = {user.display_name: signed_in(user) for user in (*people, person("Dave"), mona)}
    prove_code(found["Mona"], mona)
    return {**found, "visitor": Client()}


def named(value: object) -> str:
    return getattr(value, "__name__", "public" if value else "private")


def refusal(client: Client, button: Button) -> str:
    """Why this button is refused, "" where it is not. What it does is undone."""
    with transaction.atomic():
        written = {"message": "Hello"} if "message" in button.fields else {}  # it is required
        response = client.post(button.action, {**button.fields, **written})
        errors = [m.message for m in get_messages(response.wsgi_request) if m.level_tag == "error"]
        if response.status_code == 302:
            status = client.get(response["Location"]).status_code
        else:
            status = response.status_code
        transaction.set_rollback(True)
    return " ".join(errors) or ("" if status < 400 else f"status {status}")


@pytest.mark.long
@pytest.mark.parametrize(("make", "is_open"), combined(TABLES, [True, False]), ids=named)
def test_every_button_that_a_table_shows_does_something(
    alice: User, bob: User, carol: User, make: Made, is_open: bool
) -> None:
    table = make(alice, bob, carol)
    Game.objects.filter(pk=table.pk).update(is_open=is_open)
    refused, seen = [], set[str]()
    for name, client in readers(alice, bob, carol).items():
        for path in (url(table), f"/i/{table.invite_token}/"):
            page = client.get(path)
            if page.status_code != 200:
                continue
            seen.add(path)
            refused += [
                f"{name}: {button.label} ({button.action}): {why}"
                for button in buttons_of(text(page), path)
                if (why := refusal(client, button))
            ]
    assert len(seen) == 2
    assert refused == []


def test_the_buttons_of_a_page_are_found(alice: User, bob: User, carol: User) -> None:
    table = waiting(alice, bob, carol)
    labels = [button.label for button in buttons_of(page_of(table, alice), url(table))]
    for label in (
        "Remove Bob",
        "Add a bot and start (4)",
        "Start with 3 players",
        "Send invitation",
    ):
        assert label in labels


def test_those_who_resigned_find_the_button_for_a_rematch(
    alice: User, bob: User, carol: User
) -> None:
    table = over(alice, bob, carol)
    for user in (alice, bob, carol):
        assert url(table, "rematch") in page_of(table, user)
    assert url(table, "rematch") not in page_of(table, person("Dave"))


def test_a_rematch_that_began_without_a_player_says_so(alice: User, bob: User, carol: User) -> None:
    carol.language = "en"
    carol.save()
    page = page_of(played_again_without_carol(alice, bob, carol), carol)
    assert "The others have started a rematch without you." in page


def test_a_table_that_was_cancelled_before_the_start_says_why(
    alice: User, bob: User, carol: User
) -> None:
    page = page_of(cancelled_before_the_start(alice, bob, carol), bob)
    assert "The game was cancelled" in page
    assert "has already started" not in page


# -- buttons that were true when their page was made ---------------------------------------------


def pressed(user: User, table: Game, button: str, **form: object) -> str:
    """What the reader of an old page reads after this button."""
    return text(signed_in(user).post(url(table, button), form, follow=True))


def test_who_has_a_seat_reads_that_they_have_one(alice: User, bob: User, carol: User) -> None:
    for made in (waiting, running, cancelled_before_the_start):
        table = made(alice, bob, carol)
        for button in ("join", "take-over"):
            page = pressed(bob, table, button, seat=1)
            assert "You already have a seat at this table." in page
            assert "You have joined" not in page


def test_who_has_no_seat_has_left_none(alice: User, bob: User, carol: User) -> None:
    User.objects.filter(pk=carol.pk).update(language="en")
    page = pressed(carol, waiting(alice, bob, carol), "leave")
    assert "You have no seat at" in page
    assert "You have left" not in page


def test_a_rematch_that_has_begun_without_its_reader_is_not_found_missing(
    alice: User, bob: User, carol: User
) -> None:
    User.objects.filter(pk=carol.pk).update(language="en")
    page = pressed(carol, played_again_without_carol(alice, bob, carol), "rematch")
    assert "The others have started a rematch without you." in page


def test_the_host_reads_what_was_done_for_a_late_player(
    alice: User, bob: User, carol: User
) -> None:
    for do, said in (("bot", "A bot has played this turn."), ("hand", "A bot has the seat now.")):
        table = table_of(bob, alice, carol, timeout_policy="wait")
        miss_deadline(table)
        Game.objects.filter(pk=table.pk).update(host=alice)
        assert said in pressed(alice, table, "step-in", seat=0, do=do, reason="gone")
