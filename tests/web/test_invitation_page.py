"""The page of an invitation says what has become of the table, and whom the invitation is for."""

import re
from html import unescape

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from games import services
from games.models import Game, Invitation, User
from tests.factories import fresh, given_up, person, table_of
from tests.support.pages import signed_in, text, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]


@pytest.fixture
def invited(alice: User) -> Invitation:
    """A seat at Alice's table for three, offered to Dave's address."""
    game = table_of(alice, seats=3, is_open=False)
    return services.game_invite(game_id=game.pk, by=alice, address="dave@example.org")


def page(invitation: Invitation, client: Client | None = None) -> str:
    return text((client or Client()).get(f"/i/{invitation.token}/"))


# -- what has become of the table --------------------------------------------------------------


def test_a_table_that_is_full_has_started(invited: Invitation, bob: User, carol: User) -> None:
    for user in (bob, carol):
        services.game_join(game_id=invited.table.pk, user=user, token=invited.table.invite_token)
    assert "This game has already started" in page(invited)


def test_a_cancelled_table_says_so(invited: Invitation, alice: User) -> None:
    services.game_leave(game_id=invited.table.pk, user=alice)
    shown = page(invited)
    assert "This game was cancelled" in shown
    assert "started" not in shown
    assert "invites you" not in re.sub("(?s)<head>.*</head>", "", shown)


def test_a_game_that_is_over_says_so(alice: User, bob: User) -> None:
    over = given_up(alice, bob)
    assert "This game is over" in text(Client().get(f"/i/{over.invite_token}/"))


# -- whom it is for ------------------------------------------------------------------------------


def test_an_invitation_to_another_address_says_so_but_not_to_which(
    invited: Invitation, bob: User
) -> None:
    shown = page(invited, signed_in(bob))
    assert "This invitation went to an address other than yours." in shown
    assert "dave@example.org" not in shown
    assert 'name="decline"' not in shown


def test_nobody_declines_for_somebody_else(invited: Invitation, bob: User) -> None:
    signed_in(bob).post(f"/i/{invited.token}/", {"decline": "1"})
    invited.refresh_from_db()
    assert invited.answer == Invitation.Answer.NONE


def test_a_second_address_of_the_reader_is_their_own(invited: Invitation, bob: User) -> None:
    EmailAddress.objects.create(user=bob, email="dave@example.org", verified=True)
    client = signed_in(bob)
    assert "went to an address other than yours" not in page(invited, client)
    client.post(f"/i/{invited.token}/", {"decline": "1"})
    invited.refresh_from_db()
    assert invited.answer == Invitation.Answer.DECLINED


def test_an_address_that_is_not_verified_is_nobodys(invited: Invitation, bob: User) -> None:
    EmailAddress.objects.create(user=bob, email="dave@example.org", verified=False)
    assert "went to an address other than yours" in page(invited, signed_in(bob))


def test_a_rematch_is_for_its_player_whatever_their_address_is_now(alice: User, bob: User) -> None:
    again = services.game_rematch(game_id=given_up(alice, bob).pk, by=alice)
    bob.email = "new@example.org"
    bob.save()
    shown = page(again.invitations.get(), signed_in(bob))
    assert "went to an address other than yours" not in shown
    assert "Alice wants to play again" in shown


# -- the preview of the link in a chat -----------------------------------------------------------

META = re.compile(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)"')


def preview(table: Game, language: str | None) -> dict[str, str]:
    """The tags that a program without a session reads. language: which it asks for."""
    headers = {"Accept-Language": language} if language else {}
    shown = text(Client(headers=headers).get(f"/i/{table.invite_token}/"))
    return {name: unescape(content) for name, content in META.findall(shown)}


@pytest.mark.parametrize(
    ("language", "title", "word"),
    [
        ("en", "Alice invites you to play Atlantis", "A move takes a few minutes"),
        ("de", "Alice lädt dich zu einer Partie Atlantis ein", "Ein Zug dauert wenige Minuten"),
        ("fr", "Alice vous invite à jouer à Atlantis", "Un coup prend quelques minutes"),
    ],
)
def test_the_link_of_a_private_table_has_a_preview(
    alice: User, language: str, title: str, word: str
) -> None:
    found = preview(table_of(alice, seats=3, is_open=False), language)
    assert found["og:title"] == found["twitter:title"] == title
    assert word in found["og:description"]
    assert found["twitter:card"] == "summary_large_image"
    assert found["og:image"] == found["twitter:image"]


def test_a_program_that_asks_for_no_language_gets_that_of_the_host(carol: User) -> None:
    found = preview(table_of(carol, seats=3, is_open=False), None)
    assert found["og:title"] == "Carol lädt dich zu einer Partie Atlantis ein"


def test_the_preview_says_nothing_private(alice: User, bob: User) -> None:
    table = table_of(alice, bob, seats=3, is_open=False, name="Surgery ward")
    shown = " ".join(preview(table, "en").values())
    for secret in ("Surgery", "Bob", "alice@", table.public_id, table.invite_token):
        assert secret not in shown


def test_a_name_that_is_a_link_is_not_in_the_preview() -> None:
    spammer = person("Spammer")
    User.objects.filter(pk=spammer.pk).update(display_name="win.example.com")
    shown = preview(table_of(spammer, seats=3, is_open=False), "en")
    assert shown["og:title"] == "A player invites you to play Atlantis"


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_the_picture_of_the_preview_is_a_small_png_for_everybody(alice: User, kind: str) -> None:
    table = table_of(alice, seats=3, is_open=False, kind=kind, options={})
    picture = preview(table, "en")["og:image"]
    answer = Client().get(picture.removeprefix("http://127.0.0.1:8000"))
    assert answer["Content-Type"] == "image/png"
    assert "public" in answer["Cache-Control"]
    assert answer.content.startswith(b"\x89PNG")
    assert len(answer.content) < 300_000


def test_a_game_that_is_not_here_has_no_picture() -> None:
    assert Client().get("/rules/chess/board.png").status_code == 404


def test_those_who_played_are_offered_no_seat_to_take_over(alice: User, bob: User) -> None:
    table = table_of(alice, bob, person("Eve"), timeout_policy="open")
    services.game_resign(game_id=table.pk, user=bob)
    table.seats.filter(number=1).update(open_since=fresh(table).started_at)
    shown = text(signed_in(bob).get(f"/i/{table.invite_token}/"))
    assert "You can’t take over this seat" in shown
    assert url(table) in shown
