"""Home, sign-in, settings, new games, the lobby and error pages."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.models import Game, Invitation, OutboxMail, Seat, User
from tests.factories import fresh, person, play_to_the_end, table_of
from tests.support.accounts import sent_code
from tests.support.moderators import moderating, prove_code
from tests.support.pages import new_table, signed_in, text

pytestmark = pytest.mark.django_db


# -- coming in -----------------------------------------------------------------------


def test_a_visitor_sees_what_the_site_is_and_the_open_games(alice: User) -> None:
    table_of(alice, seats=3, name="Anybody for a swim?")
    page = text(Client().get("/"))
    assert "Sign in or sign up" in page
    assert "Anybody for a swim?" in page


def test_a_private_game_is_not_listed(alice: User) -> None:
    table_of(alice, seats=3, name="Just us", is_open=False)
    assert "Just us" not in text(Client().get("/"))


def test_signing_in_and_signing_up_use_the_same_form(alice: User) -> None:
    new, known = Client(), Client()
    answers = [
        new.post("/accounts/login/", {"login": "Nora@Example.org"}, follow=True),
        known.post("/accounts/login/", {"login": alice.email}, follow=True),
    ]
    assert [answer.redirect_chain for answer in answers] == [
        [("/accounts/login/code/confirm/", 302)]
    ] * 2
    assert User.objects.get(email="nora@example.org").display_name == ""


def test_the_code_signs_in(db: None) -> None:
    client = Client()
    client.post("/accounts/login/?next=/settings/", {"login": "nora@example.org"})
    code = sent_code("nora@example.org")
    page = client.post("/accounts/login/code/confirm/?next=/settings/", {"code": code})
    assert (page.status_code, page["Location"]) == (302, "/settings/")
    assert client.get("/settings/").status_code == 200


def test_a_wrong_code_does_not_sign_in(db: None) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": "nora@example.org"})
    page = client.post("/accounts/login/code/confirm/", {"code": "000000"})
    assert page.status_code == 200
    assert client.get("/settings/").status_code == 302


def test_a_new_user_is_asked_for_a_name_and_gets_the_time_zone_of_the_browser(db: None) -> None:
    nora = User.objects.create_user("nora@example.org")
    client = signed_in(nora)
    assert "What should other players call you?" in text(client.get("/"))
    client.post("/settings/name/", {"display_name": " Nora  B ", "time_zone": "Asia/Tokyo"})
    nora.refresh_from_db()
    assert (nora.display_name, nora.time_zone) == ("Nora B", "Asia/Tokyo")
    assert "What should other players call you?" not in text(client.get("/"))


@pytest.mark.parametrize("zone", ["Etc/GMT-3", "US/Eastern", "EST5EDT"])
def test_settings_keep_a_time_zone_that_they_do_not_offer_to_others(alice: User, zone: str) -> None:
    """Browsers report such zones, and the page of a new player takes them."""
    client = signed_in(alice)
    client.post("/settings/name/", {"display_name": "Alice", "time_zone": zone})
    assert f'<option value="{zone}" selected>' in text(client.get("/settings/"))
    client.post("/settings/", {"display_name": "Ali", "time_zone": zone, "language": "en"})
    alice.refresh_from_db()
    assert (alice.display_name, alice.time_zone) == ("Ali", zone)


def test_the_name_form_leads_back_to_the_same_page_but_never_to_another_site(db: None) -> None:
    client = signed_in(User.objects.create_user("nora@example.org"))
    here = client.post("/settings/name/", {"display_name": "Nora", "next": "/about/"})
    away = client.post("/settings/name/", {"display_name": "Nora", "next": "//evil.example/"})
    assert (here["Location"], away["Location"]) == ("/about/", "/")


def test_the_old_sign_up_url_redirects_to_the_sign_in_page(db: None) -> None:
    answer = Client().get("/accounts/signup/?next=/new/")
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=/new/")


# -- home ----------------------------------------------------------------------------


def test_home_suggests_what_to_do_without_a_game(alice: User) -> None:
    page = text(signed_in(alice).get("/"))
    assert "You are not in a game." in page
    assert 'href="/new/"' in page


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "1 of 2 seats taken"),
        ("de", "1 von 2 Plätzen besetzt"),
        ("fr", "Places prises\u202f: 1 sur 2"),
    ],
)
def test_one_of_two_seats_is_taken_in_every_language(
    alice: User, language: str, words: str
) -> None:
    game = table_of(alice, seats=2)
    alice.language = language
    alice.save()
    assert words in text(signed_in(alice).get(f"/g/{game.public_id}/"))


def test_new_tables_of_one_host_have_different_names(alice: User, bob: User) -> None:
    def proposed(host: User) -> str:
        found = re.search(r'name="name"[^>]* value="([^"]*)"', text(signed_in(host).get("/new/")))
        assert found
        return found[1]

    assert proposed(alice) == "Alice’s table"
    new_table(signed_in(alice), name="Alice’s table")
    assert proposed(alice) == "Alice’s table 2"
    new_table(signed_in(alice), name="Alice’s table 2")
    assert proposed(alice) == "Alice’s table 3"
    assert proposed(bob) == "Bob’s table"


def test_home_says_why_nothing_waits(alice: User, bob: User) -> None:
    table_of(alice, seats=3)
    assert "We will email you when your game continues." in text(signed_in(alice).get("/"))
    table_of(bob, alice)
    assert "the other players are thinking" in text(signed_in(alice).get("/"))


def test_waiting_games_come_first_the_most_urgent_on_top(alice: User, bob: User) -> None:
    later = table_of(alice, bob, name="Plenty of time")
    soon = table_of(alice, bob, name="Hurry up")
    other = table_of(bob, alice, name="Bob thinks")
    Seat.objects.filter(game=soon, user=alice).update(due_at=timezone.now())
    page = text(signed_in(alice).get("/"))
    places = [page.index(f'<h3><a href="/g/{game.public_id}/#orders">') for game in (soon, later)]
    assert places == sorted(places)
    assert places[-1] < page.index(f'<h3><a href="/g/{other.public_id}/">')
    assert "2 games are waiting for you" in page


def test_the_first_page_leads_to_the_games_that_it_leaves_out(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.selectors.game_lists.HOME_SHOWN", 1)
    for name in ("First", "Second"):
        table_of(alice, bob, name=name)
    client = signed_in(alice)
    page, all_games = text(client.get("/")), text(client.get("/", {"all": 1}))
    assert '<a class="button quiet" href="/?all=1">Show 1 more game</a>' in page
    assert ("First" in page) != ("Second" in page)
    assert "First" in all_games
    assert "Second" in all_games
    assert "more game" not in all_games


def test_home_takes_as_many_queries_for_one_game_as_for_many(
    alice: User, bob: User, carol: User
) -> None:
    table_of(alice, bob)
    client = signed_in(alice)

    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            client.get("/")
        return len(seen)

    few = queries()
    for _table in range(4):
        table_of(alice, bob, carol)
    assert queries() == few


def test_a_finished_game_is_listed_with_its_scores(alice: User, bob: User) -> None:
    game = play_to_the_end(table_of(alice, bob, name="Done with"))
    assert game.scores is not None
    page = text(signed_in(alice).get("/"))
    assert "Done with" in page
    assert all(f"<strong>{score}</strong>" in page for score in game.scores)


# -- settings ------------------------------------------------------------------------


def test_settings_save_name_time_zone_and_language(alice: User) -> None:
    client = signed_in(alice)
    kept = {"display_name": "Alice L", "time_zone": "Asia/Kolkata", "language": "fr"}
    client.post("/settings/", kept)
    alice.refresh_from_db()
    assert {name: getattr(alice, name) for name in kept} == kept


def test_a_page_is_in_the_language_of_its_reader(carol: User) -> None:
    assert '<html lang="de"' in text(signed_in(carol).get("/"))


def test_an_email_address_is_refused_as_a_name(alice: User) -> None:
    answer = signed_in(alice).post(
        "/settings/", {"display_name": "a@b.example", "time_zone": "UTC", "language": "en"}
    )
    assert "do not use an email address" in text(answer)


def test_times_are_shown_in_the_readers_time_zone(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    due = Seat.objects.get(game=game, user=alice).due_at
    assert due is not None
    for user in (alice, bob):
        page = text(signed_in(user).get(f"/g/{game.public_id}/"))
        assert due.astimezone(user.zone).strftime("%H:%M") in page


# -- setting up a table --------------------------------------------------------------


def test_the_form_creates_the_game_that_it_describes(alice: User) -> None:
    game = new_table(signed_in(alice), bots=1)
    assert (game.name, game.seat_count, game.pace_days) == ("Sunday evening", 3, 5)
    assert (game.is_open, game.resign_policy, game.options) == (False, "end", {"order": "seated"})
    assert game.timeout_policy == "seat1"
    assert [seat.is_bot for seat in game.seats.all()] == [False, True]


def test_a_game_without_free_seats_starts_at_once(alice: User) -> None:
    assert new_table(signed_in(alice), seat_count=2, bots=1).status == Game.Status.RUNNING


def test_one_seat_is_reserved_for_the_host(alice: User) -> None:
    answer = signed_in(alice).post("/new/", {"name": "x", "seat_count": 2, "bots": [0, 1]})
    assert "You need a seat yourself" in text(answer)


def test_a_bot_on_a_missing_seat_is_refused(alice: User) -> None:
    answer = signed_in(alice).post("/new/", {"name": "x", "seat_count": 2, "bots": [3]})
    assert "does not have that many seats" in text(answer)


def test_the_lobby_offers_the_host_a_link_an_invitation_form_and_a_start_button(
    alice: User,
) -> None:
    game = new_table(signed_in(alice), bots=1)
    page = text(signed_in(alice).get(f"/g/{game.public_id}/"))
    assert f"/i/{game.invite_token}/" in page
    assert "Send invitation" in page
    assert "Start with 2 players" in page


def test_a_game_that_cannot_start_yet_has_no_button_to_start_it(alice: User) -> None:
    game = table_of(alice, seats=3)
    page = text(signed_in(alice).get(f"/g/{game.public_id}/"))
    assert "The game can start once a second player or a bot has joined." in page
    assert f"/g/{game.public_id}/start" not in page


def test_only_players_see_the_invitation_link(alice: User, dave: User) -> None:
    game = table_of(alice, seats=3)
    for client in (Client(), signed_in(dave)):
        assert game.invite_token not in text(client.get(f"/g/{game.public_id}/"))


def test_a_player_joins_and_leaves(alice: User, bob: User) -> None:
    game = table_of(alice, seats=3)
    client = signed_in(bob)
    client.post(f"/g/{game.public_id}/join")
    assert game.seats.filter(user=bob).exists()
    assert "You have left" in text(client.post(f"/g/{game.public_id}/leave", follow=True))
    assert not game.seats.filter(user=bob).exists()


def test_the_host_adds_and_removes_bots(alice: User) -> None:
    game = table_of(alice, seats=4)
    client = signed_in(alice)
    client.post(f"/g/{game.public_id}/bot")
    assert game.seats.filter(is_bot=True).count() == 1
    client.post(f"/g/{game.public_id}/bot/away", {"seat": 1})
    assert game.seats.filter(is_bot=True).count() == 0


def test_the_host_removes_a_player_who_should_not_be_there(alice: User, bob: User) -> None:
    game = table_of(alice, bob, seats=3)
    client, page = signed_in(alice), f"/g/{game.public_id}/"
    found = re.findall(r'name="player" value="([^"]+)"', text(client.get(page)))
    assert len(found) == 1
    answer = client.post(f"{page}player/away", {"player": found[0]}, follow=True)
    assert "Bob has been removed from the table" in text(answer)
    assert not game.seats.filter(user=bob).exists()
    assert 'name="player"' not in text(signed_in(bob).get(page))
    assert client.post(f"{page}player/away", {"player": "forged"}).status_code == 302


def test_the_page_says_that_somebody_who_left_is_invited_again(alice: User, bob: User) -> None:
    game = table_of(alice, seats=3, is_open=False)
    client, page = signed_in(alice), f"/g/{game.public_id}/"
    client.post(f"{page}invite", {"address": bob.email})
    token = Invitation.objects.get(game=game).token
    services.game_join(game_id=game.pk, user=bob, token=token)
    services.game_leave(game_id=game.pk, user=bob)
    answer = text(client.post(f"{page}invite", {"address": bob.email}, follow=True))
    assert "Already invited" not in answer
    assert "on its way" in answer


def test_the_host_replaces_the_invitation_link(alice: User, bob: User) -> None:
    game = table_of(alice, seats=3, is_open=False)
    old = game.invite_token
    answer = signed_in(alice).post(f"/g/{game.public_id}/link", follow=True)
    assert "The old link no longer works" in text(answer)
    new = fresh(game).invite_token
    assert f"/i/{new}/" in text(answer)
    refused = signed_in(bob).get(f"/i/{old}/")
    assert refused.status_code == 404
    assert "Ask the host for a new invitation" in text(refused)
    assert signed_in(bob).get(f"/i/{new}/").status_code == 200


def test_only_the_host_can_start_the_game(alice: User, bob: User) -> None:
    game = table_of(alice, bob, seats=3)
    refusal = signed_in(bob).post(f"/g/{game.public_id}/start", follow=True)
    assert "Only the host" in text(refusal)
    signed_in(alice).post(f"/g/{game.public_id}/start")
    assert fresh(game).status == Game.Status.RUNNING


def test_an_invitation_goes_to_an_address(alice: User) -> None:
    game = table_of(alice, seats=3)
    client = signed_in(alice)
    client.post(f"/g/{game.public_id}/invite", {"address": "zoe@example.org"})
    assert OutboxMail.objects.filter(to_address="zoe@example.org", kind="invitation").exists()
    assert "zoe@example.org" in text(client.get(f"/g/{game.public_id}/"))


@pytest.mark.parametrize(
    "typed",
    [
        "zoe@example.org, Yves@example.org; zoe@example.org",
        "zoe@example.org\r\n yves@example.org\r\n",
        '"Zoe (club)" <zoe@example.org>, Yves Martin <yves@example.org>',
    ],
)
def test_several_people_are_invited_at_once(alice: User, typed: str) -> None:
    game = table_of(alice, seats=3)
    answer = signed_in(alice).post(f"/g/{game.public_id}/invite", {"address": typed}, follow=True)
    assert "Invitations are on their way to zoe@example.org and yves@example.org." in text(answer)
    assert OutboxMail.objects.filter(kind="invitation").count() == 2


def test_one_wrong_address_stops_all_invitations_of_the_form(alice: User) -> None:
    game = table_of(alice, seats=3)
    form = {"address": "zoe@example.org, yves@example"}
    answer = signed_in(alice).post(f"/g/{game.public_id}/invite", form, follow=True)
    assert "“yves@example” is not an email address. Nobody has been invited." in text(answer)
    assert "zoe@example.org, yves@example</textarea>" in text(answer)
    assert not game.invitations.exists()


def test_the_host_reads_which_invitations_a_limit_kept_back(
    alice: User, settings: Settings
) -> None:
    settings.QUOTAS = {"invitations_person_day": 1}
    game = table_of(alice, seats=3)
    form = {"address": "zoe@example.org, yves@example.org"}
    answer = text(signed_in(alice).post(f"/g/{game.public_id}/invite", form, follow=True))
    assert "An invitation is on its way to zoe@example.org." in answer
    assert "You have reached the limit for invitations" in answer


def test_a_second_invitation_to_an_address_is_not_said_to_be_sent(alice: User) -> None:
    game = table_of(alice, seats=3)
    client, page = signed_in(alice), f"/g/{game.public_id}/invite"
    client.post(page, {"address": "zoe@example.org"}, follow=True)
    answer = text(client.post(page, {"address": "zoe@example.org"}, follow=True))
    assert "Already invited: zoe@example.org." in answer
    assert "on its way" not in answer


def test_nobody_invites_themselves(alice: User) -> None:
    game = table_of(alice, seats=3)
    form = {"address": alice.email.upper()}
    answer = signed_in(alice).post(f"/g/{game.public_id}/invite", form, follow=True)
    assert f"“{alice.email}” is your own address." in text(answer)
    assert not OutboxMail.objects.filter(kind="invitation").exists()


# -- pages that go wrong, and headers ------------------------------------------------


@pytest.mark.parametrize("path", ["/nowhere", "/g/aaaaaaaaaaaa/", "/rules/chess/", "/g/x/"])
def test_the_404_page_links_back_to_the_games(alice: User, path: str) -> None:
    answer = signed_in(alice).get(path)
    assert answer.status_code == 404
    assert "Page not found" in text(answer)
    assert "Go to your games" in text(answer)


def test_a_stale_form_is_explained(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.post("/settings/", {})
    assert answer.status_code == 403
    assert "Please try again" in text(answer)


def test_the_500_page_says_that_the_fault_is_ours(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(user: User) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr("games.selectors.home", broken)
    client = Client(raise_request_exception=False)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.get("/")
    assert answer.status_code == 500
    assert "Something went wrong on our side" in text(answer)


@pytest.mark.parametrize("path", ["/", "/about/", "/rules/atlantis/", "/accounts/login/"])
def test_public_pages_load(db: None, path: str) -> None:
    assert Client().get(path).status_code == 200


def test_a_form_changes_the_fields_that_it_shows_and_no_others(alice: User) -> None:
    forged = {"is_staff": "on", "is_superuser": "on", "email": "evil@example.com", "frozen_at": ""}
    fields = {"display_name": "Alice", "language": "de", "time_zone": "Europe/Berlin"}
    signed_in(alice).post("/settings/", fields | forged)
    alice.refresh_from_db()
    assert alice.language == "de"
    assert (alice.is_staff, alice.is_superuser, alice.email) == (False, False, "alice@example.org")


def test_no_cache_keeps_pages_of_signed_in_users(alice: User, bob: User, mona: User) -> None:
    mona.user_permissions.set(Permission.objects.filter(codename="view_user"))
    client, game = signed_in(alice), table_of(alice, bob)
    prove_code(client, alice)
    pages = ["/", "/settings/", "/settings/feeds/", "/settings/delete/", "/accounts/email/"]
    pages += ["/accounts/2fa/", "/accounts/sessions/", f"/g/{game.public_id}/"]
    found = {page: client.get(page) for page in pages}
    found |= {page: moderating(mona).get(page) for page in ("/admin/", "/admin/games/user/")}
    assert {page: answer.status_code for page, answer in found.items()} == dict.fromkeys(found, 200)
    assert [p for p, answer in found.items() if "no-store" not in answer["Cache-Control"]] == []


def test_no_page_has_inline_code_and_the_policy_forbids_it(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    for path in ("/", "/new/", "/settings/", f"/g/{game.public_id}/", "/rules/atlantis/"):
        answer = signed_in(alice).get(path)
        page = text(answer)
        assert " style=" not in page
        assert "<style" not in page
        assert "onclick" not in page
        assert "unsafe-inline" not in answer["Content-Security-Policy"]


@pytest.mark.parametrize(
    "deed",
    [
        "join",
        "leave",
        "start",
        "bot",
        "bot/away",
        "player/away",
        "invite",
        "link",
        "play",
        "mails",
        "resign",
        "rematch",
        "step-in",
    ],
)
def test_a_get_never_acts_and_redirects_to_the_page_of_the_form(alice: User, deed: str) -> None:
    game = table_of(alice, seats=3)
    answer = signed_in(alice).get(f"/g/{game.public_id}/{deed}?figure=A")
    assert (answer.status_code, answer["Location"]) == (302, f"/g/{game.public_id}/?figure=A")
    assert signed_in(alice).put(f"/g/{game.public_id}/{deed}").status_code == 405
    assert fresh(game).version == game.version


def test_names_are_escaped(alice: User) -> None:
    eve = person("Eve")
    eve.display_name = "<script>alert(1)</script>"
    eve.save()
    game = table_of(alice, eve)
    page = text(signed_in(alice).get(f"/g/{game.public_id}/"))
    assert "<script>alert" not in page


def test_staff_see_private_tables_only_with_a_second_factor(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob, is_open=False)
    assert signed_in(mona).get(f"/g/{game.public_id}/").status_code == 404
    assert moderating(mona).get(f"/g/{game.public_id}/").status_code == 200
