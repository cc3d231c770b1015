"""Invitations by email: in the language of their reader, with what a stranger needs to know."""

import re

import pytest
from allauth.account.models import EmailAddress

from games import services
from games.mail.relevance import check_before_send
from games.models import Game, Invitation, OutboxMail, User
from games.services import QuotaExceeded, ServiceError
from tests.factories import fresh, given_up, person, quota_windows_end, table_of
from tests.support.emails import SITE, Kind, Read, both_bodies, row_for, written
from tests.support.languages import english_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

ZOE = "zoe@example.net"


def invited(host: User, address: str = ZOE, **words: str) -> Read:
    """The invitation of this host to a table for three."""
    game = table_of(host, seats=3, is_open=False)
    services.game_invite(game_id=game.pk, by=host, address=address, **words)
    return written(row_for(game, Kind.INVITATION))


# -- language ------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["de", "fr"])
def test_a_friend_without_an_account_reads_the_language_of_the_host(
    alice: User, language: str
) -> None:
    alice.language = language
    alice.save()
    mail = invited(alice)
    assert f'<html lang="{language}">' in mail.html
    lines = [mail["Subject"], *mail.text.splitlines(), *mail.blocks]
    assert english_in("\n".join(lines), language) == []


def test_the_host_chooses_the_language_of_an_invitation(alice: User) -> None:
    assert '<html lang="de">' in invited(alice, language="de").html


def test_a_friend_with_an_account_reads_their_own_language(alice: User, carol: User) -> None:
    assert '<html lang="de">' in invited(alice, carol.email, language="fr").html


def test_a_language_that_does_not_exist_is_that_of_the_host(alice: User) -> None:
    assert '<html lang="en">' in invited(alice, language="tlh").html


# -- what a stranger needs to know ----------------------------------------------------------------


def test_an_invitation_says_what_the_game_is_and_how_long_it_takes(alice: User) -> None:
    mail = invited(alice)
    for words in both_bodies(mail):
        assert "sinking Atlantis" in words
        assert "you have 3 days for it, and a game takes several weeks" in words
    for part in (mail.text, mail.html):
        assert f"{SITE}/rules/atlantis/" in part
    assert list(mail.pictures) == ["board@127.0.0.1"]


def test_a_line_of_the_host_goes_along(alice: User) -> None:
    for words in both_bodies(invited(alice, message="  Remember\nthe summer? ")):
        assert "Remember the summer?" in words


@pytest.mark.parametrize(
    "message", ["see www.example.com", "http://1.2.3.4", "buy at pills.example", "me@example.org"]
)
def test_a_line_with_a_link_or_an_address_is_refused(alice: User, message: str) -> None:
    game = table_of(alice, seats=3)
    with pytest.raises(ServiceError, match="cannot contain links or addresses"):
        services.game_invite(game_id=game.pk, by=alice, address=ZOE, message=message)
    assert not game.invitations.exists()


def test_a_line_may_have_times_and_colons(alice: User) -> None:
    for words in both_bodies(invited(alice, message="Ben: at 20.30, as always?")):
        assert "Ben: at 20.30, as always?" in words


def test_a_rematch_says_that_it_is_one_and_names_the_last_game(alice: User, bob: User) -> None:
    over = given_up(alice, bob, name="Sunday evening")
    again = services.game_rematch(game_id=over.pk, by=alice)
    mail = written(row_for(again, Kind.INVITATION))
    assert mail["Subject"] == "Alice wants to play Atlantis with you again"
    for words in both_bodies(mail):
        assert "You played “Sunday evening” together." in words
    (block,) = (each for each in mail.text.split("\n\n") if "“Sunday evening”" in each)
    assert block.splitlines()[-1] == f"{SITE}/g/{over.public_id}/", "the link of what it names"


# -- asking again ---------------------------------------------------------------------------------


def decline(game: Game, address: str = ZOE) -> None:
    services.invitation_decline(token=game.invitations.get(address=address).token)


def test_an_address_that_declined_is_asked_once_more_and_no_more(alice: User) -> None:
    game = table_of(alice, seats=3)
    for _time in range(3):
        services.game_invite(game_id=game.pk, by=alice, address=ZOE)
        decline(game)
    assert OutboxMail.objects.filter(kind=Kind.INVITATION, to_address=ZOE).count() == 2


def test_friends_are_invited_to_a_fourth_table_of_an_evening(alice: User, bob: User) -> None:
    table_of(alice, bob)
    for _table in range(4):
        game = table_of(alice, seats=3)
        services.game_invite(game_id=game.pk, by=alice, address=bob.email)
    assert OutboxMail.objects.filter(kind=Kind.INVITATION, user=bob).count() == 4


def test_friends_do_not_use_up_the_limit_of_strangers(alice: User, bob: User) -> None:
    table_of(alice, bob)
    for _table in range(4):
        services.game_invite(game_id=table_of(alice, seats=3).pk, by=alice, address=bob.email)
    for name in ("Eve", "Finn", "Gus"):
        host = person(name)
        services.game_invite(game_id=table_of(host, seats=3).pk, by=host, address=bob.email)
    stranger = person("Hal")
    with pytest.raises(QuotaExceeded, match=r"This address has reached the limit .* \(3 per day\)"):
        services.game_invite(game_id=table_of(stranger, seats=3).pk, by=stranger, address=bob.email)


def test_a_friend_who_accepted_is_no_stranger_although_no_game_has_started(
    alice: User, bob: User
) -> None:
    for _table in range(5):
        game = table_of(alice, seats=3)
        token = services.game_invite(game_id=game.pk, by=alice, address=bob.email).token
        services.game_join(game_id=game.pk, user=bob, token=token)
    assert OutboxMail.objects.filter(kind=Kind.INVITATION, user=bob).count() == 5


def test_friends_are_limited_as_well(alice: User, bob: User) -> None:
    table_of(alice, bob)
    hosts = (alice, *(person(name) for name in ("Eve", "Finn", "Gus")))
    for host in hosts[1:]:
        table_of(host, bob)
    with pytest.raises(QuotaExceeded, match=r"This address .* \(10 per day\)"):
        for number in range(11):
            host = hosts[number % len(hosts)]
            game = table_of(host, seats=3)
            services.game_invite(game_id=game.pk, by=host, address=bob.email)
    quota_windows_end()
    services.game_invite(game_id=game.pk, by=host, address=bob.email)


# -- a game that starts without an answer -------------------------------------------------------


def sent(game: Game) -> None:
    mails = OutboxMail.objects.filter(game=game, kind=Kind.INVITATION)
    mails.update(state=OutboxMail.State.SENT, sent_at=game.created_at)


def begun(game: Game) -> OutboxMail:
    return row_for(game, Kind.INVITATION)


def test_a_friend_with_an_open_invitation_reads_that_the_game_has_started(alice: User) -> None:
    game = table_of(alice, seats=3)
    services.game_invite(game_id=game.pk, by=alice, address=ZOE, language="de")
    sent(game)
    for _seat in range(2):
        services.game_add_bot(game_id=game.pk, by=alice)
    row = begun(game)
    assert not check_before_send(row).drop
    mail = written(row)
    assert mail["To"] == ZOE
    assert "Die Partie hat ohne dich begonnen" in mail.html
    assert "invites you" not in mail.text
    assert re.search(rf"{SITE}/mail/never/", mail.text)


def test_nobody_reads_that_a_game_began_who_has_not_read_the_invitation(alice: User) -> None:
    game = table_of(alice, seats=3)
    services.game_invite(game_id=game.pk, by=alice, address=ZOE)
    for _seat in range(2):
        services.game_add_bot(game_id=game.pk, by=alice)
    rows = OutboxMail.objects.filter(game=game, kind=Kind.INVITATION)
    assert [bool(check_before_send(row).drop) for row in rows] == [True, True]


def test_those_who_answered_get_no_email_that_the_game_began(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, seats=4)
    for address in (bob.email, carol.email, ZOE):
        services.game_invite(game_id=game.pk, by=alice, address=address)
    sent(game)
    services.invitation_decline(token=game.invitations.get(address=bob.email).token)
    EmailAddress.objects.create(user=carol, email=carol.email, verified=True, primary=True)
    services.game_join(game_id=game.pk, user=carol, token=game.invite_token)
    assert game.invitations.get(address=carol.email).answer == Invitation.Answer.ACCEPTED
    services.game_start(game_id=fresh(game).pk, by=alice)
    queued = OutboxMail.objects.filter(kind=Kind.INVITATION, state=OutboxMail.State.QUEUED)
    assert [row.to_address for row in queued] == [ZOE]


def test_the_line_of_a_host_is_deleted_with_the_account(alice: User, bob: User) -> None:
    game = table_of(alice, bob, seats=4)
    services.game_invite(game_id=game.pk, by=alice, address=ZOE, message="Come and play!")
    services.account_close(user=alice)
    User.objects.filter(pk=alice.pk).update(closes_at=game.created_at)
    services.accounts_delete_due()
    assert game.invitations.get().message == ""
