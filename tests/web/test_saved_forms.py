"""Submitted forms survive a sign-in, a refusal and an invalid field."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import get_random_string

from games.models import Game, Message, User
from games.selectors import open_absences
from games.web import decorators
from games.web.mail_preferences import PreferencesForm
from tests.factories import fresh, log_of, person, play_turns, table_of
from tests.support.accounts import sign_in_at
from tests.support.bots import bot_choice
from tests.support.moderators import moderating
from tests.support.pages import board_links, complete_move, hidden_field, signed_in, text, url
from tests.support.replies import unclear_reply

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]

NOTE = "See you on\nthe mainland & beyond"
WAITS = "Your note was not added."


def chosen(game: Game, user: User) -> str:
    """The address of a page on which a whole move has been chosen."""
    client = signed_in(user)
    here = url(game)
    for pattern in ("figure-", "(?:space|mainland)"):
        page = text(client.get(here))
        if 'id="preview"' in page:
            break
        here = board_links(page, pattern)[0].partition("#")[0]
    return here


def note_on(page: str) -> str:
    """Return the value of the field for the note."""
    found = re.search(r'<textarea id="note"[^>]*>([^<]*)</textarea>', page)
    assert found, "no field for a note"
    return unescape(found[1])


# -- a session that has ended ----------------------------------------------------------


def test_a_move_without_a_sign_in_comes_back_to_the_same_form_with_its_note(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob, is_open=False)
    here = chosen(game, alice)
    _page, form = complete_move(game, alice)
    somebody = Client()
    response = somebody.post(
        here.replace(url(game), url(game, "play")), {**form, "note": NOTE}, follow=False
    )
    assert parse_qs(urlsplit(response["Location"]).query)["next"] == [here]
    assert sign_in_at(somebody, response["Location"], alice.email) == here
    page = text(somebody.get(here))
    assert hidden_field(page, "line") == form["line"]
    assert note_on(page) == NOTE
    assert fresh(game).version == game.version, "coming in makes no move"
    somebody.post(url(game, "play"), {**form, "note": note_on(page)})
    assert Message.objects.get(game=game).text == NOTE
    assert WAITS not in text(somebody.get(url(game)))
    assert somebody.cookies[decorators.COOKIE].value == ""


def test_a_new_game_form_survives_the_sign_in(alice: User) -> None:
    somebody = Client()
    data = {"name": "Sunday & more", "seat_count": 4, "bots": [1, 3], "pace_days": 14}
    data |= {
        "is_open": "link",
        "resign_policy": "end",
        "timeout_policy": "move",
        "option_order": "seated",
    }
    response = somebody.post("/new/?game=atlantis", data)
    here = sign_in_at(somebody, response["Location"], alice.email)
    assert here == "/new/?game=atlantis"
    page = text(somebody.get(here))
    assert 'value="Sunday &amp; more"' in page
    for name, value in (("seat_count", 4), ("bots", 1), ("bots", 3), ("is_open", "link")):
        assert re.search(rf'name="{name}" value="{value}"[^>]* checked', page), name
    assert not Game.objects.filter(name="Sunday & more").exists()
    somebody.post(here, data)
    assert 'value="Sunday' not in text(somebody.get(here)), "a table that stands is not asked again"


def test_an_absence_survives_the_sign_in(alice: User) -> None:
    somebody = Client()
    response = somebody.post("/settings/absences/", {"first": "2199-01-02", "last": "2199-01-09"})
    page = text(somebody.get(sign_in_at(somebody, response["Location"], alice.email)))
    assert 'name="first" value="2199-01-02"' in page
    assert 'name="last" value="2199-01-09"' in page
    assert not open_absences(alice, timezone.now())


def test_email_preferences_survive_the_sign_in(alice: User) -> None:
    somebody = Client()
    response = somebody.post("/settings/mails/", {"digest_hour": "21"})
    page = text(somebody.get(sign_in_at(somebody, response["Location"], alice.email)))
    assert re.search(r'<option value="21" selected>', page)
    assert "Your changes are not saved yet" in page
    alice.refresh_from_db()
    assert alice.digest_hour != 21


def test_a_saved_form_is_shown_on_its_own_page_only(alice: User, bob: User) -> None:
    game, other = table_of(alice, bob), table_of(alice, bob)
    client = signed_in(alice)
    client.post(url(game, "play"), {"line": "A", "version": game.version, "note": NOTE})
    assert WAITS in text(client.get(url(game)))
    assert WAITS not in text(client.get(url(other)))
    assert WAITS not in text(client.get(url(game, f"at/{game.version}/")))


def test_a_saved_form_expires_after_an_hour(game: Game, alice: User) -> None:
    client = signed_in(alice)
    client.post(url(game, "play"), {"line": "A", "version": game.version, "note": NOTE})
    session = client.session
    session[decorators.SESSION_KEY] = {
        **session[decorators.SESSION_KEY],
        "until": session[decorators.SESSION_KEY]["until"] - 3601,
    }
    session.save()
    assert WAITS not in text(client.get(url(game)))


def test_forms_of_visitors_leave_no_row(game: Game) -> None:
    """A hundred posts, short and long, each with a new browser and with the same one."""
    same = Client()
    paths = ["/new/practice/atlantis/", "/new/", url(game, "play"), f"/i/{game.invite_token}/"]
    statements = []
    for number in range(25):
        for path in paths:
            for browser in (same, Client()):
                with CaptureQueriesContext(connection) as sent:
                    form = {"note": get_random_string(3950 if number % 2 else 100)}
                    assert browser.post(path, form).status_code == 302
                statements += [query["sql"] for query in sent]
    assert not Session.objects.exists()
    assert not [found for found in statements if found.startswith(("INSERT", "UPDATE"))]


def test_a_form_that_is_too_long_for_a_cookie_is_not_lost_without_a_word(game: Game) -> None:
    visitor = Client()
    visitor.post(url(game, "play"), {"note": get_random_string(3950)})
    assert decorators.COOKIE not in visitor.cookies
    assert "What you entered is too long to be kept while you sign in" in text(
        visitor.get("/accounts/login/")
    )


def test_a_form_in_a_cookie_expires_after_an_hour_and_cannot_be_forged(
    game: Game, alice: User
) -> None:
    visitor = Client()
    visitor.post(url(game, "play"), {"line": "A", "note": NOTE})
    value = visitor.cookies[decorators.COOKIE].value
    for cookie, later, shown in ((value, 0, True), (value, 3601, False), (value + "x", 0, False)):
        client = signed_in(alice)
        client.cookies[decorators.COOKIE] = cookie
        with time_machine.travel(timezone.now() + timedelta(seconds=later), tick=False):
            assert (WAITS in text(client.get(url(game)))) == shown


# -- moves that are refused ------------------------------------------------------------


def test_the_note_of_a_refused_move_is_sent_with_the_next_one(game: Game, alice: User) -> None:
    client = signed_in(alice)
    refused = client.post(
        url(game, "play"), {"line": "A", "version": game.version, "note": "a <b>word</b>"}
    )
    assert refused.status_code == 422
    assert "a &lt;b&gt;word&lt;/b&gt;" in text(refused)
    assert note_on(text(client.get(chosen(game, alice)))) == "a <b>word</b>"


def test_the_note_of_a_move_that_came_too_late_is_not_lost(game: Game, alice: User) -> None:
    log = log_of(game)
    view = log.engine.rules.view(log.state, 0)
    made = bot_choice(log, 0)
    other = next(move for move in log.engine.rules.legal_commands(log.state, 0) if move != made)
    form = {"line": log.engine.notation.describe(other, view), "version": game.version}
    play_turns(game, 1)
    late = signed_in(alice).post(url(game, "play"), {**form, "note": "too late"})
    assert late.status_code == 409
    assert "too late" in text(late)


def test_line_ends_in_a_note_count_as_one_character(game: Game, alice: User) -> None:
    _page, form = complete_move(game, alice)
    note = "\r\n".join(["x" * 99] * 5)  # as a browser sends them: 499 letters and 4 more
    answer = signed_in(alice).post(url(game, "play"), {**form, "note": note})
    assert answer.status_code == 302
    assert Message.objects.get(game=game).text == note.replace("\r\n", "\n")


def test_a_note_that_is_too_long_is_refused_and_saved(game: Game, alice: User) -> None:
    here = chosen(game, alice).replace(url(game), url(game, "play"))
    _page, form = complete_move(game, alice)
    answer = signed_in(alice).post(here, {**form, "note": "x" * 1001})
    assert answer.status_code == 422
    assert "A message can have at most 1000 characters and 40 lines." in text(answer)
    assert note_on(text(answer)) == "x" * 1001
    assert fresh(game).version == game.version


# -- other forms -----------------------------------------------------------------------


def test_an_invalid_invitation_address_is_shown_in_its_field_again(alice: User) -> None:
    game = table_of(alice, seats=3)
    page = text(signed_in(alice).post(url(game, "invite"), {"address": "zoe@nowhere"}, follow=True))
    assert "“zoe@nowhere” is not an email address." in page
    assert "zoe@nowhere</textarea>" in page


def test_an_invalid_name_is_asked_for_again(db: None) -> None:
    client = signed_in(User.objects.create_user("nora@example.org"))
    answer = client.post("/settings/name/", {"display_name": "me@home", "next": "/new/"})
    assert answer.status_code == 422
    page = text(answer)
    assert "do not use an email address" in page
    assert 'value="me@home"' in page
    assert hidden_field(page, "next") == "/new/"


@pytest.mark.parametrize("path", ["/new/", "/"])
def test_a_new_user_is_asked_for_a_name_in_the_lobby(db: None, path: str) -> None:
    client = signed_in(User.objects.create_user("nora@example.org"))
    assert "What should other players call you?" in text(client.get(path))


def test_a_player_who_joined_by_a_link_is_asked_for_a_name(alice: User) -> None:
    game = table_of(alice, seats=3)
    client = signed_in(User.objects.create_user("nora@example.org"))
    page = text(client.get(f"/i/{game.invite_token}/"))
    assert "What should other players call you?" in page
    client.post(url(game, "join"), {"display_name": "Nora"})
    User.objects.update(display_name="")  # as before people were asked when they join
    page = text(client.get(url(game)))
    assert "What should other players call you?" in page
    assert hidden_field(page, "next") == url(game)


@pytest.mark.parametrize("path", ["/settings/push/", "/new/practice/atlantis/"])
def test_an_address_that_takes_forms_alone_leads_to_the_page_with_the_form(
    path: str, alice: User
) -> None:
    for client in (signed_in(alice), Client()):
        page = client.get(path, follow=True)
        assert page.status_code == 200
        assert page.redirect_chain[-1][0] != path


# -- once it was accepted --------------------------------------------------------------


def a_move(game: Game, alice: User) -> tuple[str, dict[str, object]]:
    _page, form = complete_move(game, alice)
    return url(game, "play"), {**form, "note": NOTE}


def a_call(game: Game, _alice: User) -> tuple[str, dict[str, object]]:
    return url(game, "mails"), {"off": "1"}


def a_new_game(_game: Game, _alice: User) -> tuple[str, dict[str, object]]:
    fields: dict[str, object] = {"name": "Sunday", "seat_count": 4, "bots": [1], "pace_days": 14}
    fields |= {"is_open": "link", "resign_policy": "end", "timeout_policy": "move"}
    return "/new/?game=atlantis", fields | {"option_order": "seated"}


def a_practice_game(_game: Game, _alice: User) -> tuple[str, dict[str, object]]:
    return "/new/practice/atlantis/", {}


def a_name(_game: Game, _alice: User) -> tuple[str, dict[str, object]]:
    return "/settings/", {"display_name": "Ali", "time_zone": "UTC", "language": "en"}


def an_absence(_game: Game, _alice: User) -> tuple[str, dict[str, object]]:
    first = timezone.localdate()
    return "/settings/absences/", {"first": first, "last": first + timedelta(days=3)}


def email_preferences(_game: Game, alice: User) -> tuple[str, dict[str, object]]:
    form = PreferencesForm(alice, None)
    return "/settings/mails/", {
        name: value
        for name in form.fields
        if (value := form.get_initial_for_field(form.fields[name], name)) not in (None, False)
    }


def an_invitation(_game: Game, _alice: User) -> tuple[str, dict[str, object]]:
    other = table_of(person("Zoe"), seats=3)
    return f"/i/{other.invite_token}/", {"accept": "1"}


def for_moderators(game: Game, _alice: User) -> tuple[str, dict[str, object]]:
    fields = {"reason": "Alice is on an island", "extend-days": "9", "extend-seat": ""}
    return reverse("admin:games_game_act", args=[game.pk, "extend"]), {**fields}


def to_see_a_game(game: Game, _alice: User) -> tuple[str, dict[str, object]]:
    return reverse("admin:games_game_reveal", args=[game.pk]), {"reveal-reason": "A complaint"}


def to_see_a_reply(game: Game, alice: User) -> tuple[str, dict[str, object]]:
    mail = unclear_reply(game, alice)
    return reverse("admin:games_inboundmail_reveal", args=[mail.pk]), {"reveal-reason": "She asked"}


@pytest.mark.parametrize(
    "form",
    [
        a_move,
        a_call,
        a_new_game,
        a_practice_game,
        a_name,
        an_absence,
        email_preferences,
        an_invitation,
        for_moderators,
        to_see_a_game,
        to_see_a_reply,
    ],
)
def test_a_form_that_was_accepted_is_not_filled_in_again(
    form: Callable[[Game, User], tuple[str, dict[str, object]]], game: Game, alice: User, mona: User
) -> None:
    path, fields = form(game, alice)
    client = Client()
    client.post(path, fields)
    assert client.cookies[decorators.COOKIE].value, "it is saved until after the sign-in"
    if path.startswith("/admin/"):
        moderating(mona, client)
    else:
        client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert client.cookies[decorators.COOKIE].value
    answer = client.post(path, fields)
    assert answer.status_code in (200, 302)
    assert not client.cookies[decorators.COOKIE].value


def test_a_seat_for_which_somebody_signed_in_is_taken_once(alice: User, bob: User) -> None:
    waiting = table_of(bob, seats=3)
    client = Client()
    sign_in = client.post(f"/i/{waiting.invite_token}/", {"accept": "1"})["Location"]
    assert sign_in_at(client, sign_in, alice.email) == url(waiting)
    assert not client.cookies[decorators.COOKIE].value
