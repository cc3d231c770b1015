"""The first page shows the invitations to a person's own addresses, and to nobody else."""

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games import selectors, services
from games.models import Game, Invitation, Seat, User, address_digest
from games.selectors.game_lists import invitations_to
from tests.factories import fresh, table_of
from tests.support.pages import signed_in, text

pytestmark = pytest.mark.django_db

INVITED = "Alice invites you to play"


def verify(user: User, address: str = "", *, verified: bool = True) -> None:
    """This user has entered this address, by default their primary one, and perhaps verified it."""
    address = address or user.email
    EmailAddress.objects.create(user=user, email=address, verified=verified)


def invitation_to(address: str, table: Game) -> Invitation:
    assert table.host is not None
    return services.game_invite(game_id=table.pk, by=table.host, address=address)


def home_of(user: User) -> str:
    return text(signed_in(user).get("/"))


@pytest.fixture
def table(alice: User) -> Game:
    """A table of Alice that nobody finds without an invitation."""
    return table_of(alice, seats=3, name="By the sea", is_open=False)


def test_an_invitation_can_be_accepted_there(table: Game, bob: User) -> None:
    verify(bob)
    invitation = invitation_to(bob.email, table)
    client = signed_in(bob)
    page = text(client.get("/"))
    assert INVITED in page
    assert page.count("<h3>") == 1
    client.post(f"/i/{invitation.token}/", {"accept": "1"})
    assert Seat.objects.filter(game=table, user=bob).exists()
    assert INVITED not in text(client.get("/"))


def test_an_invitation_can_be_declined_there(table: Game, bob: User) -> None:
    verify(bob)
    invitation = invitation_to(bob.email, table)
    client = signed_in(bob)
    client.post(f"/i/{invitation.token}/", {"decline": "1"})
    assert INVITED not in text(client.get("/"))


def test_only_verified_addresses_of_the_reader_count(table: Game, bob: User, dave: User) -> None:
    verify(bob, "bob@example.net", verified=False)
    verify(dave, "dave@example.net")
    token = invitation_to("bob@example.net", table).token
    invitation_to("dave@example.net", table)
    assert INVITED in home_of(dave)
    assert token not in home_of(dave)
    for page in (home_of(bob), text(Client().get("/"))):
        assert INVITED not in page
        assert "By the sea" not in page


def test_an_invitation_is_shown_while_there_is_a_free_seat(table: Game, bob: User) -> None:
    verify(bob)
    invitation_to(bob.email, table)
    assert table.host is not None
    for _number in range(2):
        services.game_add_bot(game_id=table.pk, by=table.host)
    assert fresh(table).status == Game.Status.RUNNING
    assert INVITED not in home_of(bob)
    Seat.objects.filter(game=table, number=1).update(open_since=table.created_at)
    assert INVITED in home_of(bob)


def test_an_address_that_wants_no_invitations_shows_none(table: Game, bob: User) -> None:
    verify(bob)
    invitation_to(bob.email, table)
    services.address_refuse(digest=address_digest(bob.email), refused=True)
    assert INVITED not in home_of(bob)


def test_an_open_table_is_listed_once(alice: User, bob: User) -> None:
    verify(bob)
    invitation_to(bob.email, table_of(alice, seats=3, name="On the beach"))
    assert home_of(bob).count("<h3>") == 1


def test_an_open_page_learns_of_an_invitation(table: Game, bob: User) -> None:
    verify(bob)
    client = signed_in(bob)
    before = client.get("/stamp").json()["stamp"]
    invitation = invitation_to(bob.email, table)
    invited = client.get("/stamp").json()["stamp"]
    services.invitation_decline(token=invitation.token)
    assert invited != before == client.get("/stamp").json()["stamp"]


def test_the_number_of_queries_does_not_grow(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert selectors.home(bob).invitations
        return len(captured)

    verify(bob)
    invitation_to(bob.email, table_of(alice, seats=3))
    few = queries()
    for host in (carol, dave):
        invitation_to(bob.email, table_of(host, seats=3))
    assert queries() == few


def test_without_an_invitation_one_small_query_finds_none(bob: User) -> None:
    verify(bob)
    with CaptureQueriesContext(connection) as captured:
        assert invitations_to(bob) == []
    (query,) = captured.captured_queries
    assert "games_seat" not in query["sql"]
