"""Everybody who sits at a table has a name there, and no two of them have the same one."""

import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from games import selectors, services
from games.models import Game, OutboxMail, Seat, User, seat_names
from tests.factories import play_turns, seats_of, table_of
from tests.support.accounts import CODE_PAGE, LOGIN, sent_code
from tests.support.emails import row_for, written
from tests.support.moderators import moderating
from tests.support.pages import page_of, signed_in, text, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

FIELD = 'name="display_name"'
NORA = "nora@example.org"
NAMELESS = ("Unnamed player", "Jemand ohne Namen", "Joueur sans nom")


@pytest.fixture
def nora(db: None) -> User:
    """Somebody who has signed in and has chosen no name."""
    return User.objects.create_user(NORA)


def sams(count: int = 2, name: str = "Sam") -> list[User]:
    """People who all chose this name."""
    return [
        User.objects.create_user(f"sam{number}@example.org", display_name=name)
        for number in range(count)
    ]


# -- names that look equal ---------------------------------------------------------------


def test_two_sams_are_kept_apart_on_every_page_and_in_every_email() -> None:
    first, second = sams()
    game = play_turns(table_of(first, second), 4)
    assert seat_names(seats_of(game)) == ("Sam (1)", "Sam (2)")
    shown = {
        "table": page_of(game, first, "?log=all"),
        "watcher": text(Client().get(url(game, "?log=all"))),
        "home": text(signed_in(first).get("/")),
        "list": text(Client().get("/tables/?show=running")),
        "mail": written(row_for(game, "turn", first)).text,
        "html": re.sub(r"<title>.*?</title>", "", written(row_for(game, "turn", first)).html),
        "start": written(row_for(game, "started", second)).text,
    }
    for where, page in shown.items():
        words = re.sub(r"Hello Sam,|<[^>]*>", "", page)
        assert {"Sam (1)", "Sam (2)"} & set(re.findall(r"Sam \(\d\)", words)), where
        assert not re.search(r"Sam(?! \(\d\))", words), where


def test_the_log_from_before_the_start_says_which_sam_it_means() -> None:
    first, second = sams()
    game = table_of(first, second)
    page = selectors.table_page(fresh_with_seats(game), first)
    assert not [line.text for line in page.lines if re.search(r"Sam(?! \(\d\))", line.text)]


def test_the_log_of_a_seat_that_changed_hands_says_which_sam_it_means(
    alice: User, mona: User
) -> None:
    first, second = sams()
    game = play_turns(table_of(first, alice), 2)
    services.moderate_hand_seat(
        game_id=game.pk, seat=1, to=second, ruling=services.Ruling(mona, "Ill.")
    )
    page = selectors.table_page(fresh_with_seats(game), first)
    said = " ".join(line.text for line in page.lines)
    assert "Alice" in said
    assert not re.search(r"Sam(?! \(\d\))", said)


def test_the_admin_keeps_them_apart(mona: User) -> None:
    game = table_of(*sams())
    moderator = moderating(mona)
    page = text(moderator.get(f"/admin/games/game/{game.pk}/change/"))
    assert "1: Sam (1)" in page
    assert "2: Sam (2)" in page
    assert "Sam (1)" in text(moderator.get("/admin/games/game/"))


def test_a_sentence_about_an_absence_says_which_sam_it_means() -> None:
    first, second = sams()
    table = table_of(first, second, seats=3)
    now = timezone.now()
    last = now.date() + timedelta(days=3)
    for sam in (first, second):
        services.absence_enter(user=sam, first=now.date(), last=last, now=now)
    for page in (page_of(table, first), text(Client().get(f"/i/{table.invite_token}/"))):
        assert "Sam (1) is away until" in page
        assert "Sam (2) is away until" in page


def test_two_deleted_accounts_are_kept_apart(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    User.objects.filter(pk__in=(alice.pk, bob.pk)).delete()
    assert seat_names(seats_of(game)) == ("Former player (1)", "Former player (2)", "Carol")


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_people_with_a_bad_name_from_before_are_called_by_their_seat(
    alice: User, language: str
) -> None:
    other = User.objects.create_user(NORA, display_name="Nora", language=language)
    game = table_of(alice, other)
    User.objects.filter(pk=other.pk).update(display_name="\u3164")
    called = {"en": "Player 2", "de": "Spieler 2", "fr": "Joueur 2"}[language]
    assert called in page_of_in(game, other, language)
    for row in OutboxMail.objects.filter(game=game, user=other):
        mail = written(row)
        for part in (mail.text, mail.html):
            assert called in part
            assert not any(word in part for word in NAMELESS)
            assert not re.search(rf"(Hello|Hallo|Bonjour) {called}", part)
            assert "\u3164" not in part


# -- a name before the first seat --------------------------------------------------------


def test_a_name_is_asked_for_beside_the_button_that_joins(nora: User, alice: User) -> None:
    table = table_of(alice, seats=3)
    client = signed_in(nora)
    for page in (url(table), f"/i/{table.invite_token}/", "/new/", "/"):
        shown = text(client.get(page))
        assert shown.count(FIELD) == 1, page
        assert 'value=""' in shown[shown.index(FIELD) :][:200], page
    answer = client.post(url(table, "join"), {"display_name": " Nora \n B "}, follow=True)
    assert Seat.objects.get(user=nora).game == table
    assert "Nora B" in text(answer)
    assert FIELD not in text(client.get(url(table)))
    assert FIELD not in text(client.get("/new/"))


def test_nobody_sits_down_without_a_name(nora: User, alice: User) -> None:
    table = table_of(alice, seats=3)
    token = services.game_invite(game_id=table.pk, by=alice, address=NORA).token
    client = signed_in(nora)
    new = {"name": "By the sea", "seat_count": 2, "pace_days": 1, "is_open": "open"}
    new |= {"resign_policy": "bot", "timeout_policy": "wait", "option_order": "seated"}
    for path, form in (
        (url(table, "join"), {}),
        (f"/i/{token}/", {"accept": "1"}),
        (f"/i/{table.invite_token}/", {"accept": "1"}),
        ("/new/?game=atlantis", new),
        ("/new/practice/atlantis/", {}),
    ):
        page = text(client.post(path, {**form, "display_name": "\u3164"}, follow=True))
        assert "Choose a name" in page, path
        assert FIELD in page, path
    assert not Seat.objects.filter(user=nora).exists()


def test_a_refused_name_is_shown_again_with_the_reason(nora: User, alice: User) -> None:
    table = table_of(alice, seats=3)
    client = signed_in(nora)
    for path in (url(table, "join"), f"/i/{table.invite_token}/"):
        page = text(client.post(path, {"accept": "1", "display_name": "The Host"}, follow=True))
        assert 'value="The Host"' in page
        assert "could be taken for a bot" in page


def test_a_table_and_a_practice_game_are_created_with_the_name(nora: User) -> None:
    client = signed_in(nora)
    client.post("/new/practice/atlantis/", {"display_name": "Nora"})
    assert Seat.objects.get(user=nora).game.practice
    assert User.objects.get(pk=nora.pk).display_name == "Nora"


def test_a_name_that_somebody_has_is_not_changed_by_joining(alice: User, bob: User) -> None:
    table = table_of(alice, seats=3)
    signed_in(bob).post(url(table, "join"), {"display_name": "Nora"})
    assert User.objects.get(pk=bob.pk).display_name == "Bob"


def test_a_player_without_a_name_is_asked_at_a_running_table(alice: User, nora: User) -> None:
    User.objects.filter(pk=nora.pk).update(display_name="Nora")
    nora.refresh_from_db()
    game = table_of(alice, nora)
    assert FIELD not in page_of(game, nora)
    User.objects.filter(pk=nora.pk).update(display_name="")
    assert FIELD in page_of(game, nora)
    assert FIELD in text(signed_in(nora).get("/"))
    assert FIELD not in page_of(game, alice)


# -- joining by signing in ---------------------------------------------------------------


def sign_in_by_code(client: Client, page: str, address: str) -> str:
    """Type the address on this sign-in page, then the code that came; where that leads."""
    client.post(page, {"login": address})
    query = page.partition("?")[2]
    return str(client.post(f"{CODE_PAGE}?{query}", {"code": sent_code(address)})["Location"])


@pytest.mark.parametrize("way", ["link", "invitation", "public table"])
def test_joining_goes_on_after_the_sign_in_and_asks_nothing_again(alice: User, way: str) -> None:
    table = table_of(alice, seats=3, is_open=way == "public table")
    invitation = services.game_invite(game_id=table.pk, by=alice, address=NORA)
    page = f"/i/{invitation.token if way == 'invitation' else table.invite_token}/"
    form, target = {"accept": "1"}, page
    if way == "public table":
        page, form, target = url(table), {"join": "1"}, url(table, "join")
    client = Client()
    assert FIELD in text(client.get(page))
    sign_in = client.post(target, {**form, "display_name": "Nora"})["Location"]
    assert sign_in.startswith(LOGIN)
    assert sign_in_by_code(client, sign_in, NORA) == url(table)
    seat = Seat.objects.get(user__email=NORA)
    assert (seat.game, seat.own_name) == (table, "Nora")
    page = text(client.get(url(table)))
    assert "You have joined the table." in page
    assert FIELD not in page


def test_somebody_with_a_name_leaves_the_field_empty(alice: User, bob: User) -> None:
    table = table_of(alice, seats=3)
    client = Client()
    sign_in = client.post(f"/i/{table.invite_token}/", {"accept": "1", "display_name": ""})
    sign_in_by_code(client, sign_in["Location"], bob.email)
    assert Seat.objects.filter(game=table, user=bob).exists()


@pytest.mark.parametrize("name", ["", "Triton (bot)"])
def test_a_bad_name_is_asked_for_after_the_sign_in(alice: User, name: str) -> None:
    table = table_of(alice, seats=3)
    client, page = Client(), f"/i/{table.invite_token}/"
    sign_in = client.post(page, {"accept": "1", "display_name": name})["Location"]
    assert sign_in_by_code(client, sign_in, NORA) == page
    shown = text(client.get(page))
    assert f'value="{name}"' in shown[shown.index(FIELD) :]
    assert "Choose a" in shown
    client.post(page, {"accept": "1", "display_name": "Nora"})
    assert Seat.objects.get(user__email=NORA).own_name == "Nora"


def test_a_sign_in_for_something_else_joins_no_table(alice: User) -> None:
    table = table_of(alice, seats=3)
    client = Client()
    client.get(f"/i/{table.invite_token}/")
    client.post(url(table, "invite"), {"address": "zoe@example.org"})
    sign_in_by_code(client, f"{LOGIN}?next={url(table)}", NORA)
    assert not Seat.objects.filter(user__email=NORA).exists()


def fresh_with_seats(game: Game) -> Game:
    """The game as pages read it."""
    return selectors.game_for(selectors.NOBODY, game.public_id)


def page_of_in(game: Game, user: User, language: str) -> str:
    """The page of a table in this language."""
    client = signed_in(user)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    return text(client.get(url(game), headers={"accept-language": language}))
