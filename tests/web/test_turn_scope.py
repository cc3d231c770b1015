"""The link of a turn email opens one seat at one table until the turn ends, and nothing else."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.mail import signed_links
from games.models import FOR_GOOD, Game, Message, Seat, User
from games.rules.escape.model import TurnStage
from games.web import turn_scope
from tests.factories import fresh, given_up, log_of, play_one, some_move, table_of
from tests.support.escape_games import (
    attacked,
    escape_table,
    game_with,
    play_line,
    play_on,
    table_with_luck,
)
from tests.support.indistinguishable_games import atlantis, escape, with_other_own_secrets, world
from tests.support.lengths import by_length
from tests.support.pages import repeatable, signed_in, text, url
from tests.support.turn_links import only_watches, turn_link, turn_link_browser
from tests.support.url_walk import every_url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


def line_of(game: Game) -> tuple[str, int]:
    """(move in notation, version) of what a bot would do for the seat that is asked."""
    seat, command = some_move(game)
    log = log_of(game)
    return log.engine.notation.describe(
        command, log.engine.rules.view(log.state, seat)
    ), log.version


def move(client: Client, game: Game, **more: Any) -> Any:
    line, version = line_of(game)
    return client.post(url(game, "play"), {"line": line, "version": version, **more}, follow=True)


def one_line(response: object) -> str:
    return " ".join(text(response).split())


# -- what it opens -------------------------------------------------------------------------


def test_the_button_opens_the_seat_and_signs_nobody_in(alice: User, bob: User) -> None:
    game = table_of(alice, bob, is_open=False)
    client = Client()
    answer = client.post(turn_link(game, alice))
    assert answer.headers["Location"] == url(game, "#orders")
    assert set(client.cookies) == {turn_scope.COOKIE}, "no session"
    page = one_line(client.get(url(game)))
    assert "Playing as Alice by email link" in page
    assert "Your move" in page and "Your hand" in page


def test_the_cookie_is_for_this_table_only_and_short_lived(
    game: Game, settings: Settings, alice: User
) -> None:
    settings.SESSION_COOKIE_SECURE = True
    cookie = turn_link_browser(game, alice).cookies[turn_scope.COOKIE]
    assert cookie["path"] == url(game)
    assert cookie["httponly"] and cookie["secure"] and cookie["samesite"] == "Lax"
    assert cookie["max-age"] == 2 * 3600


def test_a_move_is_made_and_then_only_the_public_board_is_left(game: Game, alice: User) -> None:
    client = turn_link_browser(game, alice)
    while 0 in fresh(game).to_act:  # a purchase, then a move
        assert "Your move" in text(client.get(url(game)))
        page = one_line(move(client, game))
        assert "Your move has been made." in page
    assert "that turn is over" in page
    assert "Sign in to see the game as a player." in page
    assert f"/accounts/login/?next=%2Fg%2F{game.public_id}%2F" in page
    assert only_watches(client, game)
    assert log_of(game).entries[-1].by in (alice.pk, None)


def test_the_board_of_a_private_table_is_shown_after_the_turn_and_nothing_else(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob, is_open=False)
    client = turn_link_browser(game, alice)
    while 0 in fresh(game).to_act:
        page = one_line(move(client, game, note=""))
    assert "This turn is over" in page and 'id="space-1"' in page
    assert re.search(r"\bBob\b", page) is None  # a random token may hold these letters
    assert client.get(url(game, f"at/{fresh(game).version}/")).status_code == 404


def test_the_preview_and_past_positions_are_those_of_the_seat(alice: User, bob: User) -> None:
    game = table_of(alice, bob, is_open=False)
    client = turn_link_browser(game, alice)
    line, version = line_of(game)
    assert 'id="preview"' in text(client.get(url(game), {"typed": line}))
    past = client.get(url(game, f"at/{version}/"))
    assert past.status_code == 200 and past.headers["Cache-Control"] == "no-store"


def test_no_cache_keeps_a_page_of_the_scope(game: Game, alice: User) -> None:
    answer = turn_link_browser(game, alice).get(url(game))
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Cookie" in answer.headers["Vary"]


def test_the_pages_speak_the_language_of_the_player(carol: User, bob: User) -> None:
    game = table_of(carol, bob)
    answer = turn_link_browser(game, carol).get(url(game))
    assert '<html lang="de"' in text(answer)
    assert answer.headers["Content-Language"] == "de"


def test_the_forms_are_protected_against_forged_requests(game: Game, alice: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    link = turn_link(game, alice)
    assert strict.post(link).status_code == 403

    def token(page: Any) -> str:
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text(page))
        assert found is not None
        return found[1]

    strict.post(link, {"csrfmiddlewaretoken": token(strict.get(link))})
    line, version = line_of(game)
    page = strict.get(url(game), {"typed": line})
    form = {"line": line, "version": version}
    assert strict.post(url(game, "play"), form).status_code == 403
    assert fresh(game).version == version
    strict.post(url(game, "play"), {**form, "csrfmiddlewaretoken": token(page)})
    assert fresh(game).version > version


def test_all_decisions_of_an_escape_turn_need_the_link_once(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = table_with_luck(monkeypatch, (alice, bob), 1)
    for user in (bob, alice):
        play_line(game, user, "plan coast")
    play_on(
        game, lambda state: isinstance(state.board.stage, TurnStage) and state.board.active == 0
    )
    client, decisions = turn_link_browser(fresh(game), alice), 0
    while 0 in fresh(game).to_act and log_of(game).state.board.active == 0:
        move(client, game)
        decisions += 1
    assert decisions > 1
    assert only_watches(client, game)


def test_the_link_works_on_where_the_seat_is_asked_anew_in_the_same_turn(
    game: Game, alice: User
) -> None:
    """As where other players have answered a part of what the seat was asked before."""
    client = turn_link_browser(game, alice)
    Seat.objects.filter(game=game, number=0).update(asked_seq=game.version + 1)
    assert "Your move" in text(client.get(url(game)))
    assert Client().get(turn_link(game, alice)).status_code == 200


def test_while_others_answer_an_attack_the_link_opens_nothing(game: Game, alice: User) -> None:
    client = turn_link_browser(game, alice)
    seat = Seat.objects.get(game=game, number=0)
    seat.asked_seq = seat.asked_at = None
    seat.clear_clock()
    seat.save()
    assert only_watches(client, game)


def test_the_link_of_a_defence_question_answers_it(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked())
    seat = game.to_act[0]
    client = turn_link_browser(game, (alice, bob)[seat])
    assert "Send response" in text(client.get(url(game)))
    version = fresh(game).version
    client.post(url(game, "play"), {"line": "no", "version": version})
    assert fresh(game).version > version


def test_orders_in_advance_can_be_left_while_the_turn_lasts(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    client = turn_link_browser(game, alice)
    form = {"line": "standing shark always", "version": game.version}
    client.post(url(game, "play"), form)
    assert "Against sharks: always defend" in one_line(client.get(url(game)))


# -- when it ends --------------------------------------------------------------------------


def test_the_scope_ends_after_two_hours_and_the_link_opens_it_again(
    game: Game, alice: User
) -> None:
    client = turn_link_browser(game, alice)
    with time_machine.travel(timezone.now() + timedelta(hours=2, seconds=5)):
        assert only_watches(client, game)
        assert "Your move" in text(turn_link_browser(game, alice).get(url(game)))


def test_the_scope_ends_with_the_seat(game: Game, alice: User, mona: User) -> None:
    client = turn_link_browser(game, alice)
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=mona, ruling=services.Ruling(mona, "Away.")
    )
    assert only_watches(client, game)
    version = fresh(game).version
    move(client, game)
    assert fresh(game).version == version


def test_at_a_private_table_the_scope_of_a_lost_seat_shows_nothing(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob, is_open=False)
    client = turn_link_browser(game, alice)
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=mona, ruling=services.Ruling(mona, "Away.")
    )
    answer = client.get(url(game))
    assert (answer.status_code, answer["Location"].startswith("/accounts/login/")) == (302, True)


def test_a_rollback_ends_the_scope(game: Game, bob: User, mona: User) -> None:
    while 0 in fresh(game).to_act:
        before = fresh(game).version
        play_one(game)
    client = turn_link_browser(fresh(game), bob)
    services.moderate_rollback(
        game_id=game.pk, to_seq=before, ruling=services.Ruling(mona, "A mistake.")
    )
    assert only_watches(client, game)


def test_a_turn_that_comes_back_by_a_rollback_needs_the_new_link(
    game: Game, alice: User, mona: User
) -> None:
    client = turn_link_browser(game, alice)
    before = fresh(game).version
    while 0 in fresh(game).to_act:
        play_one(game)
    services.moderate_rollback(
        game_id=game.pk, to_seq=before, ruling=services.Ruling(mona, "A mistake.")
    )
    assert fresh(game).to_act == [0]
    assert only_watches(client, game)
    assert "Your move" in text(turn_link_browser(game, alice).get(url(game)))


@pytest.mark.parametrize("change", [{"suspended_until": FOR_GOOD}, {"email": "new@example.org"}])
def test_the_scope_ends_with_the_account_or_its_address(
    game: Game, alice: User, change: dict[str, Any]
) -> None:
    client = turn_link_browser(game, alice)
    User.objects.filter(pk=alice.pk).update(**change)
    assert only_watches(client, game)


def test_a_forged_or_foreign_cookie_opens_nothing(alice: User, bob: User) -> None:
    game, other = table_of(alice, bob), table_of(alice, bob)
    real = turn_link_browser(game, alice).cookies[turn_scope.COOKIE].value
    for value in (real + "x", real.replace("-0-", "-1-", 1), "", "a:b", real.replace(":", "-")):
        client = Client()
        client.cookies[turn_scope.COOKIE] = value
        assert only_watches(client, game)
    client = Client()
    client.cookies[turn_scope.COOKIE] = real
    assert only_watches(client, other)
    link = signed_links.turn_path(game.public_id, 0, game.version, alice)
    client.cookies[turn_scope.COOKIE] = link.split("/")[2]
    assert only_watches(client, game), "a link is not a cookie"


def test_the_player_can_stop_on_a_device_of_somebody_else(game: Game, alice: User) -> None:
    client = turn_link_browser(game, alice)
    client.post(url(game, "close-link"))
    assert client.cookies[turn_scope.COOKIE].value == ""
    assert only_watches(client, game)


def test_a_move_after_the_end_of_the_turn_is_not_made(alice: User, bob: User) -> None:
    """A plan would be possible out of turn, but not by the link."""
    game = escape_table(alice, bob)
    client = turn_link_browser(game, alice)
    play_one(game)
    version = fresh(game).version
    form = {"line": "standing shark always", "version": version}
    assert client.post(url(game, "play"), form).headers["Location"] == url(game)
    assert fresh(game).version == version


# -- what it does not open -----------------------------------------------------------------


def test_two_identities_are_never_mixed(game: Game, alice: User, bob: User) -> None:
    """Somebody who is signed in acts under their own name, whatever link they have used."""
    client = turn_link_browser(game, alice)
    client.force_login(bob)
    answer = client.get(url(game))
    assert only_watches(client, game) is False or "Your move" not in text(answer)
    assert answer.cookies[turn_scope.COOKIE].value == "", "and it is gone after a sign-out"
    assert "Alice is to move." in one_line(answer)


def test_a_player_who_is_signed_in_cannot_use_the_link_of_another(
    game: Game, alice: User, bob: User
) -> None:
    client = signed_in(bob)
    answer = client.post(turn_link(game, alice))
    assert answer.status_code == 409
    assert "This link is for Alice, and you are signed in as Bob." in one_line(answer)
    assert turn_scope.COOKIE not in client.cookies


def test_notes_are_read_but_not_written(game: Game, bob: User) -> None:
    while 0 in fresh(game).to_act:
        play_one(game, note="Have a nice day.")
    client = turn_link_browser(fresh(game), bob)
    line, version = line_of(game)
    page = one_line(client.get(url(game), {"typed": line}))
    assert "Have a nice day." in page
    assert 'name="note"' not in page and "Sign in to add a note to your move." in page
    notes = Message.objects.count()
    form = {"line": line, "version": version, "note": "Bob says bad words."}
    assert client.post(url(game, "play"), form).status_code == 422
    assert (Message.objects.count(), fresh(game).version) == (notes, version)


def test_resigning_needs_a_sign_in(game: Game, alice: User) -> None:
    client = turn_link_browser(game, alice)
    page = one_line(client.get(url(game, "?details=all")))
    assert 'name="sure"' not in page and "Sign in to resign" in page
    answer = client.post(url(game, "resign"), {"sure": "1"})
    assert answer.headers["Location"].startswith("/accounts/login/")
    assert Seat.objects.get(game=game, number=0).user == alice


def test_the_link_of_a_superuser_opens_a_seat_and_no_admin(
    alice: User, bob: User, settings: Settings
) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    alice.refresh_from_db()
    game, private = table_of(alice, bob), table_of(bob, seats=2, is_open=False)
    client = turn_link_browser(game, alice)
    page = text(client.get(url(game)))
    assert "Your move" in page
    assert "/admin/" not in page and "/settings/" not in page
    assert client.get("/admin/").status_code == 302
    assert client.get(url(private)).status_code == 302


def test_no_other_game_is_named(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    for number in range(3):
        table_of(alice, bob, name=f"Secret club {number}", is_open=False)
    client = turn_link_browser(game, alice)
    assert "Secret club" not in text(client.get(url(game)))
    move(client, game)
    assert "Secret club" not in text(client.get(url(game)))
    assert "Secret club" not in text(client.get("/"))


OPENED = (
    "",
    "play",
    "version",
    "choices",
    "at/{version}/",
    "close-link",
)  # below the page of the table


@pytest.mark.long
def test_every_other_url_takes_the_holder_of_a_link_for_a_stranger(alice: User, bob: User) -> None:
    """The test client sends the cookie everywhere, which a browser would not."""
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    alice.refresh_from_db()
    game, other = table_of(alice, bob, is_open=False), table_of(alice, bob, is_open=False)
    over = given_up(alice, bob, is_open=False)
    scoped, stranger = turn_link_browser(game, alice), Client()
    for client in (scoped, stranger):
        client.raise_request_exception = False
    opened = {url(game, rest.format(version=game.version)) for rest in OPENED}
    cookie, seen = scoped.cookies[turn_scope.COOKIE].value, 0
    for table in (game, other, over):
        samples = {
            "public_id": table.public_id,
            "seq": str(table.version),
            "kind": "atlantis",
            "object_id": str(alice.pk),
            "app_label": "games",
            "token": table.invite_token,
        }
        paths = set(every_url(samples)) - opened
        if table != game:  # what belongs to no table is looked at once
            paths = {path for path in paths if table.public_id in path}
        for number, path in enumerate(sorted(paths)):
            # In the short form, pages of other tables are asked for in one of two ways.
            either = by_length(table != game, False)
            for method in (("get", "post")[number % 2],) if either else ("get", "post"):
                scoped.cookies[turn_scope.COOKIE] = cookie  # the last page may have removed it
                with transaction.atomic():
                    answers = [getattr(client, method)(path) for client in (scoped, stranger)]
                    transaction.set_rollback(True)
                for answer in answers:
                    assert answer.wsgi_request.user.is_anonymous
                one, two = (
                    (a.status_code, a.headers.get("Location"), repeatable(a)) for a in answers
                )
                assert one == two, f"{method} {path}"
                seen += 1
    assert seen > 300


def test_a_second_factor_is_neither_asked_for_nor_used_up(alice: User, bob: User) -> None:
    """The link of a turn is no way to the account that the factor protects."""
    TOTP.activate(alice, generate_totp_secret())
    game = table_of(alice, bob)
    client = turn_link_browser(game, alice)
    assert "Your move" in text(client.get(url(game)))
    assert client.get("/accounts/2fa/authenticate/").status_code == 302
    assert client.get("/settings/").status_code == 302
    assert "_auth_user_id" not in client.session


@pytest.mark.usefixtures("still_clock")
@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_the_holder_sees_what_the_seat_sees_and_no_secret_of_others(
    alice: User, bob: User, kind: str
) -> None:
    one, twin = (atlantis if kind == "atlantis" else escape)()
    changed = with_other_own_secrets(one)

    def pages(events: Any) -> list[str]:
        with world(kind, events, [alice, bob]) as game:
            client = turn_link_browser(game, alice)
            paths = (url(game), url(game, "?do=standing"), url(game, f"at/{game.version}/"))
            return [repeatable(client.get(path)) for path in paths]

    assert pages(one) == pages(twin)
    assert pages(one) != pages(changed), "the test can see a difference"
