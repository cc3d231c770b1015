"""An address is shown to nobody but its owner and the person who typed it.

The role of the host passes on in many ways. What belongs to the former host stays theirs.
"""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from games import services
from games.models import FOR_GOOD, Game, Invitation, User
from tests.factories import fresh, given_up, miss_deadline, person, table_of
from tests.support.moderators import prove_code
from tests.support.pages import page_of, signed_in, text, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

TYPED = ("hanna@friends.example", "irma@friends.example")  # Hanna has an account, Irma has none
LINK = re.compile(r'href="(/(?:g|p|i|new|settings|tables)[^"#]*)')


def everything_for(user: User) -> str:
    """All pages that this user comes to by two links from the first page, and the export."""
    client = signed_in(user)
    found, todo = dict[str, str](), {"/"}
    for _step in range(3):
        for path in sorted(todo - found.keys()):
            found[path] = text(client.get(path, follow=True))
        todo = {link for page in found.values() for link in LINK.findall(page)}
    prove_code(client, user)
    return "\n".join([*found.values(), text(client.post("/settings/data/"))])


def table_with_invitations(alice: User, bob: User, **more: object) -> Game:
    """A table of Alice, who has invited two people, of whom one sits at it. Bob used its link."""
    hanna = User.objects.create_user(TYPED[0], display_name="Hanna")
    EmailAddress.objects.create(user=hanna, email=hanna.email, verified=True, primary=True)
    table = table_of(alice, bob, seats=4, is_open=False, **more)  # type: ignore[arg-type]
    for address in TYPED:
        services.game_invite(game_id=table.pk, by=alice, address=address)
    token = Invitation.objects.get(address=TYPED[0]).token
    services.game_join(game_id=table.pk, user=hanna, token=token)
    return table


def leave(table: Game, host: User) -> None:
    services.game_leave(game_id=table.pk, user=host)


def resign(table: Game, host: User) -> None:
    services.game_start(game_id=table.pk, by=host)
    services.game_resign(game_id=table.pk, user=host)


def delete_account(_table: Game, host: User) -> None:
    services.account_close(user=host)
    User.objects.filter(pk=host.pk).update(closes_at=timezone.now() - timedelta(days=1))
    services.accounts_delete_due()


def delete_account_in_game(table: Game, host: User) -> None:
    services.game_start(game_id=table.pk, by=host)
    delete_account(table, host)


def lose_seat(table: Game, host: User) -> None:
    services.game_start(game_id=table.pk, by=host)
    miss_deadline(fresh(table))


def lose_seat_by_moderator(table: Game, host: User) -> None:
    services.game_start(game_id=table.pk, by=host)
    mona = person("Mona", is_staff=True)
    services.moderate_hand_seat(game_id=table.pk, seat=0, ruling=services.Ruling(mona, "gone"))


def be_replaced_by_moderator(table: Game, host: User) -> None:
    services.game_start(game_id=table.pk, by=host)
    mona, dora = person("Mona", is_staff=True), person("Dora")
    services.moderate_hand_seat(
        game_id=table.pk, seat=0, to=dora, ruling=services.Ruling(mona, "gone")
    )


def be_suspended(table: Game, host: User) -> None:
    services.game_start(game_id=table.pk, by=host)
    User.objects.filter(pk=host.pk).update(suspended_until=FOR_GOOD)
    miss_deadline(fresh(table))


WAYS = (
    leave,
    resign,
    delete_account,
    delete_account_in_game,
    lose_seat,
    lose_seat_by_moderator,
    be_replaced_by_moderator,
    be_suspended,
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_new_host_reads_no_address_of_others(
    alice: User, bob: User, way: Callable[[Game, User], None]
) -> None:
    table = table_with_invitations(alice, bob, timeout_policy="seat1")
    way(table, alice)
    assert fresh(table).host == bob
    shown = everything_for(bob)
    assert table.name in shown
    assert [one for one in (*TYPED, alice.email) if one in shown] == []


def test_a_new_host_reads_how_many_others_were_invited_and_whom_they_invite(
    alice: User, bob: User
) -> None:
    table = table_with_invitations(alice, bob)
    leave(table, alice)
    client = signed_in(bob)
    client.post(url(table, "invite"), {"address": "jule@friends.example"})
    page = text(client.get(url(table)))
    assert "jule@friends.example" in page
    assert "2 invitations by other players" in page


def test_a_rematch_names_those_whom_it_invites_and_shows_no_address(alice: User, bob: User) -> None:
    again = services.game_rematch(game_id=given_up(alice, bob).pk, by=alice)
    assert Invitation.objects.get(game=again).address == bob.email
    page = page_of(again, alice)
    assert re.search(r"<li>Bob\s+<small>", page)
    shown = everything_for(alice)
    assert again.name in shown
    assert bob.email not in shown


def test_nobody_but_the_host_reads_whom_the_host_invited(alice: User, bob: User) -> None:
    table = table_with_invitations(alice, bob)
    for reader in (bob, User.objects.get(email=TYPED[0])):
        shown = everything_for(reader)
        assert [one for one in (*TYPED, alice.email) if one in shown and one != reader.email] == []
    assert not any(one in text(Client().get(f"/i/{table.invite_token}/")) for one in TYPED)
