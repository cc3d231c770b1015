"""The pages behind links in emails, the local mailbox, and sign-in email."""

import re
from collections.abc import Callable
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path

import pytest
from django.conf import settings as site
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.mail import kinds, outbox, relevance, signed_links
from games.mail.backends import FolderBackend, file_name
from games.models import Game, Invitation, Message, OutboxMail, Seat, User, address_digest
from tests.factories import fresh, play_one, play_to_the_end, table_of
from tests.support.emails import Kind, State, row_for, written
from tests.support.turn_links import turn_link

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


def off_link(game: Game, user: User) -> str:
    return signed_links.off_path(game.public_id, user)


def is_kept_to_itself(answer: object) -> bool:
    """Return whether no cache keeps the page and no other site learns its address."""
    headers = answer.headers  # type: ignore[attr-defined]
    return bool(
        headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "strict-origin"
    )


# -- the link of a turn --------------------------------------------------------------------


def test_opening_a_turn_link_does_nothing_and_shows_no_hand(
    client: Client, alice: User, bob: User
) -> None:
    game = table_of(alice, bob, is_open=False)
    answer = client.get(turn_link(game, alice))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert is_kept_to_itself(answer)
    assert "Alice, it’s your turn" in page
    assert 'id="space-1"' in page  # the board is there
    assert "Your hand" not in page
    assert "_auth_user_id" not in client.session
    assert game.version == fresh(game).version


def test_the_button_needs_a_token_against_forged_requests(game: Game, alice: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(turn_link(game, alice)).status_code == 403


def test_a_signed_in_player_is_redirected_to_the_game(
    game: Game, client: Client, alice: User
) -> None:
    client.force_login(alice)
    answer = client.get(turn_link(game, alice))
    assert answer.headers["Location"] == f"/g/{game.public_id}/#orders"


def test_the_link_of_another_player_signs_nobody_in_unasked(
    game: Game, client: Client, alice: User, bob: User
) -> None:
    client.force_login(bob)
    assert client.get(turn_link(game, alice)).status_code == 200
    assert client.session["_auth_user_id"] == str(bob.pk)


def test_the_link_expires_with_the_turn(game: Game, client: Client, alice: User) -> None:
    link = turn_link(game, alice)
    play_one(game)
    for answer in (client.get(link), client.post(link)):
        assert answer.status_code == 410
        assert "This turn is over" in answer.content.decode()
        assert is_kept_to_itself(answer)
    assert "_auth_user_id" not in client.session


def test_the_link_expires_with_the_seat(
    game: Game, client: Client, alice: User, mona: User
) -> None:
    link = turn_link(game, alice)
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=mona, ruling=services.Ruling(mona, "Away.")
    )
    assert client.post(link).status_code == 410
    assert "_auth_user_id" not in client.session


def test_a_link_that_is_not_ours_is_not_found(client: Client, alice: User, bob: User) -> None:
    link = turn_link(table_of(alice, bob), alice)
    assert client.post(link.replace(":", ":x")).status_code == 404
    assert client.post("/t/nonsense/").status_code == 404
    page = client.get("/t/nonsense/").content.decode()
    assert "This link doesn’t work" in page and "This turn is over" not in page
    assert client.post("/t/abc-0-1-99999999999999999999:x/").status_code == 404


# -- emails off -----------------------------------------------------------------------------


def mails_off(game: Game, user: User) -> bool:
    return Seat.objects.get(game=game, user=user).mails_off


def test_a_scanner_that_opens_the_link_turns_nothing_off(
    game: Game, client: Client, alice: User
) -> None:
    answer = client.get(off_link(game, alice))
    assert "Turn off emails for this game?" in answer.content.decode()
    assert is_kept_to_itself(answer)
    assert not mails_off(game, alice)


def test_one_click_unsubscribe_turns_off_email_about_one_game(alice: User, bob: User) -> None:
    """RFC 8058: a POST from anywhere, without cookies, with this very body."""
    game, other = table_of(alice, bob), table_of(alice, bob)
    program = Client(enforce_csrf_checks=True)
    path = off_link(game, alice)
    assert path in written(row_for(game, Kind.TURN, alice)).text
    answer = program.post(path, {"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert mails_off(game, alice)
    assert not mails_off(game, bob)
    assert not mails_off(other, alice)


def test_one_click_in_an_email_about_a_game_turns_off_that_game_and_is_confirmed_once(
    alice: User, bob: User
) -> None:
    """The header of the email is about what its List-Id names."""
    game, other = table_of(alice, bob), table_of(alice, bob)
    link = written(row_for(game, Kind.TURN, alice))["List-Unsubscribe"].strip("<>")
    program = Client(enforce_csrf_checks=True)
    for _press in range(2):
        program.post(link.removeprefix(site.SITE_URL), {"List-Unsubscribe": "One-Click"})
    assert (mails_off(game, alice), mails_off(other, alice)) == (True, False)
    (row,) = OutboxMail.objects.filter(kind=Kind.UNSUBSCRIBED)
    mail = written(row)
    assert mail["Subject"] == written(row_for(other, Kind.TURN, alice))["Subject"]
    assert mail["List-Unsubscribe"] == ""
    for words in (mail.words, " ".join(mail.text.split())):
        assert f"You will get no more emails about “{game.name}”." in words
        assert "your deadlines still apply" in words
        assert "at this table: “the game waits, and the host can step in”." in words
    assert off_link(game, alice) in mail.text
    assert relevance.check_before_send(row) == kinds.SEND


def test_one_click_for_a_kind_turns_it_off_in_all_games_and_is_confirmed(
    alice: User, bob: User
) -> None:
    table_of(alice, bob)
    link = signed_links.kind_off_path("turn", alice)
    program = Client(enforce_csrf_checks=True)
    program.post(link, {"List-Unsubscribe": "One-Click"})
    (row,) = OutboxMail.objects.filter(kind=Kind.UNSUBSCRIBED)
    mail = written(row)
    assert "no more emails of the kind “your turn”, in any of your games." in mail.words
    assert link in mail.text
    program.post(link, {"on": "1"})
    assert relevance.check_before_send(row).drop == "these emails are on again"


def test_switching_off_and_on_over_and_over_sends_few_confirmations(
    game: Game, client: Client, alice: User, settings: Settings
) -> None:
    settings.QUOTAS = {"unsubscribing_person_day": 2}
    for _press in range(4):
        client.post(off_link(game, alice), {"on": "1"})
        client.post(off_link(game, alice))
        assert mails_off(game, alice)
    assert OutboxMail.objects.filter(kind=Kind.UNSUBSCRIBED).count() == 2


def test_the_page_after_it_undoes_it(game: Game, client: Client, alice: User) -> None:
    link = off_link(game, alice)
    page = client.post(link).content.decode()
    assert "You’ll no longer get emails for this game" in page
    assert 'name="on"' in page
    page = client.post(link, {"on": "1"}).content.decode()
    assert "on again" in page
    assert not mails_off(game, alice)


def test_nobody_turns_off_the_email_of_another_player(
    game: Game, client: Client, alice: User, bob: User
) -> None:
    forged = off_link(game, alice).replace(f"-{alice.pk}:", f"-{bob.pk}:")
    assert client.post(forged).status_code == 404
    assert not mails_off(game, bob)


def test_pressing_a_button_twice_is_the_same_as_once(
    game: Game, client: Client, alice: User
) -> None:
    """Mail programs and impatient people post again."""
    links: dict[str, Callable[[], bool]] = {
        off_link(game, alice): lambda: mails_off(game, alice),
        signed_links.kind_off_path("turn", alice): lambda: services.mail_kind_is_off(
            User.objects.get(pk=alice.pk), "turn"
        ),
        signed_links.never_path(STRANGER): lambda: services.address_has_refused(
            address_digest(STRANGER)
        ),
    }
    for link, is_off in links.items():
        assert not is_off()
        pages = [client.post(link) for _press in range(2)]
        assert [page.status_code for page in pages] == [200, 200]
        assert is_off()
        for _press in range(2):
            client.post(link, {"on": "1"})
        assert not is_off()


def test_the_link_ends_with_the_game(game: Game, client: Client, alice: User) -> None:
    link = off_link(game, alice)
    play_to_the_end(game)
    answer = client.post(link)
    assert "This game is over" in answer.content.decode()
    assert not mails_off(game, alice)


def test_the_token_of_a_link_opens_no_page_of_another_purpose(
    game: Game, client: Client, alice: User
) -> None:
    paths = {
        "turn_link": turn_link(game, alice),
        "unsubscribe_game": off_link(game, alice),
        "unsubscribe_kind": signed_links.kind_off_path("turn", alice),
        "unsubscribe_invitations": signed_links.never_path(alice.email),
        "message_delete": signed_links.message_path(said(game, alice)),
    }
    for purpose, path in paths.items():
        token = path.rstrip("/").rpartition("/")[2]
        for name in paths:
            status = client.get(reverse(name, args=[token])).status_code
            assert status == (200 if name == purpose else 404), (purpose, name)


def said(game: Game, user: User) -> Message:
    return services.message_write(game_id=game.pk, user=user, text="Hello, Bob")


def test_the_link_of_a_message_deletes_it_and_nothing_else(
    game: Game, client: Client, alice: User
) -> None:
    message, other = said(game, alice), said(game, alice)
    link = signed_links.message_path(message)
    page = client.get(link).content.decode()
    assert "Hello, Bob" in page
    assert Message.objects.count() == 2
    assert "Message deleted" in client.post(link).content.decode()
    assert list(Message.objects.all()) == [other]
    assert not client.session.keys()
    assert [client.get(link).status_code, client.post(link).status_code] == [404, 404]


def test_a_message_that_was_emailed_is_deleted_by_its_link_as_on_the_page(
    game: Game, client: Client, alice: User
) -> None:
    message = said(game, alice)
    Message.objects.update(at=message.at - timedelta(hours=1))
    client.post(signed_links.message_path(message))
    message.refresh_from_db()
    assert (message.state, message.text) == (Message.State.DELETED, "")


def test_who_may_not_act_deletes_no_message_by_its_link(
    game: Game, client: Client, alice: User
) -> None:
    message = said(game, alice)
    User.objects.filter(pk=alice.pk).update(suspended_until=timezone.now() + timedelta(days=1))
    answer = client.post(signed_links.message_path(message))
    assert answer.status_code == 302
    Message.objects.filter(pk=message.pk).update(state=Message.State.REMOVED)
    assert client.get(signed_links.message_path(message)).status_code == 404
    assert Message.objects.filter(pk=message.pk).exists()


def test_a_link_ends_with_the_address_that_got_it(game: Game, client: Client, alice: User) -> None:
    links = (off_link(game, alice), signed_links.kind_off_path("turn", alice))
    alice.email = "new@example.org"
    alice.save()
    assert [client.post(link).status_code for link in links] == [404, 404]
    assert not mails_off(game, alice)


# -- invitations ---------------------------------------------------------------------------


@pytest.fixture
def invited(alice: User) -> Invitation:
    """A seat at Alice's closed table, offered to Dave's address."""
    game = table_of(alice, seats=3, is_open=False)
    return services.game_invite(game_id=game.pk, by=alice, address="dave@example.org")


def test_opening_an_invitation_accepts_nothing(
    client: Client, invited: Invitation, dave: User
) -> None:
    client.force_login(dave)
    answer = client.get(f"/i/{invited.token}/")
    assert "Alice invites you to play" in answer.content.decode()
    assert is_kept_to_itself(answer)
    assert invited.table.seats.count() == 1


def test_accepting_an_invitation_needs_a_post_and_a_sign_in(
    client: Client, invited: Invitation, dave: User
) -> None:
    link = f"/i/{invited.token}/"
    assert (
        client.post(link).headers["Location"]
        == f"{reverse('account_login')}?next=%2Fi%2F{invited.token}%2F"
    )
    assert invited.table.seats.count() == 1
    client.force_login(dave)
    assert client.post(link).headers["Location"] == f"/g/{invited.table.public_id}/"
    invited.refresh_from_db()
    assert invited.answer == Invitation.Answer.ACCEPTED
    assert invited.table.seats.filter(user=dave).exists()


def test_declining_needs_no_account_and_can_be_undone(
    client: Client, invited: Invitation, dave: User
) -> None:
    link = f"/i/{invited.token}/"
    client.post(link, {"decline": "1"})
    invited.refresh_from_db()
    assert invited.answer == Invitation.Answer.DECLINED
    assert "You have declined" in client.get(link).content.decode()
    client.force_login(dave)
    client.post(link, {"accept": "1"})
    assert invited.table.seats.filter(user=dave).exists()


def test_an_invitation_to_a_full_game_says_so(
    client: Client, invited: Invitation, bob: User, carol: User, dave: User
) -> None:
    for user in (bob, carol):
        services.game_join(game_id=invited.table.pk, user=user, token=invited.table.invite_token)
    client.force_login(dave)
    page = client.get(f"/i/{invited.token}/").content.decode()
    assert "This game has already started" in page
    client.post(f"/i/{invited.token}/")
    assert not invited.table.seats.filter(user=dave).exists()


def test_a_player_who_opens_the_accepted_invitation_again_is_led_to_the_table(
    client: Client, invited: Invitation, alice: User, dave: User
) -> None:
    services.game_join(game_id=invited.table.pk, user=dave, token=invited.token)
    services.game_start(game_id=invited.table.pk, by=alice)
    page = client.get(f"/i/{invited.token}/").content.decode()
    assert "This invitation has already been accepted" in page
    assert f"?next=%2Fg%2F{invited.table.public_id}%2F" in page


def test_an_accepted_invitation_offers_nobody_else_to_join(
    client: Client, invited: Invitation, bob: User, dave: User
) -> None:
    services.game_join(game_id=invited.table.pk, user=dave, token=invited.token)
    client.force_login(bob)
    page = client.get(f"/i/{invited.token}/").content.decode()
    assert "It was for one person." in page
    assert 'name="accept"' not in page


def test_the_link_of_the_game_works_the_same(
    client: Client, invited: Invitation, dave: User
) -> None:
    client.force_login(dave)
    link = f"/i/{invited.table.invite_token}/"
    assert "Join a game hosted by Alice" in client.get(link).content.decode()
    client.post(link)
    assert invited.table.seats.filter(user=dave).exists()
    assert client.get(link).headers["Location"] == f"/g/{invited.table.public_id}/"


def test_an_unknown_invitation_is_not_found(client: Client) -> None:
    assert client.get("/i/nothing/").status_code == 404


# -- emails as files, and the mailbox page ----------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """Mails become files here."""
    settings.EMAIL_BACKEND = "games.mail.backends.FolderBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    return tmp_path / "mail"


def test_each_email_is_a_file_and_twice_the_same_email_is_one(folder: Path, game: Game) -> None:
    outbox.drain()
    assert len(list(folder.glob("*.eml"))) == 2
    row = OutboxMail.objects.filter(state=State.SENT).first()
    assert row is not None
    OutboxMail.objects.filter(pk=row.pk).update(
        state=State.QUEUED, sent_at=None, next_try_at=timezone.now()
    )
    outbox.drain()
    files = list(folder.iterdir())
    assert len(files) == 2
    assert {message_from_bytes(file.read_bytes())["Message-ID"] for file in files} == set(
        OutboxMail.objects.values_list("message_id", flat=True)
    )


def test_a_file_name_is_made_of_the_time_and_the_id_and_nothing_that_leads_elsewhere() -> None:
    name = file_name("Sat, 21 Nov 2026 03:05:17 +0000", "<../../a b@example.org>")
    assert name == "20261121-030517--a-b.eml"


def test_a_folder_that_cannot_be_written_costs_no_try(
    tmp_path: Path, settings: Settings, alice: User, bob: User
) -> None:
    (tmp_path / "file").write_text("in the way")
    settings.EMAIL_BACKEND = "games.mail.backends.FolderBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "file" / "mail")
    table_of(alice, bob)
    outbox.drain()
    assert set(OutboxMail.objects.values_list("state", "attempts")) == {(State.QUEUED, 0)}


def test_the_mailbox_lists_the_newest_first_and_by_reader(
    client: Client, folder: Path, game: Game, alice: User, bob: User
) -> None:
    assert "No emails yet" in client.get("/mailbox/").content.decode()
    Game.objects.filter(pk=game.pk).update(name="First")
    OutboxMail.objects.update(created_at=timezone.now() - timedelta(hours=1))
    table_of(alice, bob, name="Second")
    outbox.drain()
    page = client.get("/mailbox/").content.decode()
    assert page.index("Atlantis: “Second”") < page.index("Atlantis: “First”")
    hers = client.get("/mailbox/", {"to": "alice@example.org"}).content.decode()
    assert hers.count('class="mail-row"') == 2
    assert "bob@example.org" not in hers


def an_email(client: Client) -> str:
    found = re.search(r'href="(/mailbox/[^"?]+/)"', client.get("/mailbox/").content.decode())
    assert found is not None
    return found[1]


def test_an_email_is_shown_as_html_in_a_frame_as_text_and_with_its_headers(
    client: Client, folder: Path, alice: User, bob: User
) -> None:
    table_of(alice, bob)
    OutboxMail.objects.exclude(kind=Kind.TURN).delete()
    outbox.drain()
    page = client.get(an_email(client)).content.decode()
    assert f'<iframe class="mail-frame" src="{an_email(client)}html"' in page
    assert 'sandbox="allow-popups allow-top-navigation-by-user-activation"' in page
    assert "days left, until " in page
    assert "List-Unsubscribe-Post" in page
    frame = client.get(f"{an_email(client)}html")
    assert 'src="data:image/png;base64,' in frame.content.decode()
    assert "cid:" not in frame.content.decode()
    assert '<base target="_top">' in frame.content.decode()


def test_the_frame_can_run_nothing_and_fetch_nothing(
    client: Client, folder: Path, alice: User, bob: User
) -> None:
    table_of(alice, bob)
    outbox.drain()
    frame = client.get(f"{an_email(client)}html")
    policy = frame.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "img-src data:" in policy
    assert "sandbox" in policy
    assert "allow-scripts" not in policy
    assert "allow-same-origin" not in policy
    assert frame.headers["X-Frame-Options"] == "SAMEORIGIN"


def test_the_mailbox_reads_no_file_outside_its_folder(client: Client, folder: Path) -> None:
    folder.mkdir()
    (folder.parent / "secret.eml").write_text("Subject: x\n\nhidden")
    for name in ("..%2Fsecret", "../secret", "nothing"):
        assert client.get(f"/mailbox/{name}/").status_code == 404


@pytest.mark.parametrize("page", ["", "x/", "x/html"])
def test_there_is_no_mailbox_in_production(
    client: Client, folder: Path, settings: Settings, page: str
) -> None:
    settings.LOCAL_MODE = False
    assert client.get(f"/mailbox/{page}").status_code == 404


def test_the_folder_backend_writes_any_email(folder: Path) -> None:
    message = EmailMultiAlternatives(
        "Hello", "Words", to=["a@example.org"], headers={"Date": "Sat, 21 Nov 2026 03:05:17 +0000"}
    )
    assert FolderBackend().send_messages([message]) == 1
    assert len(list(folder.glob("20261121-030517-*.eml"))) == 1


STRANGER = "zoe@example.net"


# -- emails of the sign-in -------------------------------------------------------------------


def ask_for_a_code(client: Client, address: str) -> tuple[OutboxMail, str]:
    """Somebody types an address at the sign-in: the email that follows, the page that waits."""
    answer = client.post(reverse("account_login"), {"login": address}, follow=True)
    assert answer.status_code == 200
    return row_for(None, Kind.ACCOUNT), answer.redirect_chain[-1][0]


def test_a_code_goes_through_the_outbox_ahead_of_everything(client: Client) -> None:
    row, _page = ask_for_a_code(client, "new@example.net")
    assert row.to_address == "new@example.net"
    assert row.context["code"] in written(row).text
    assert row.next_try_at < timezone.now() - timedelta(hours=1)


def test_the_code_in_the_email_signs_in(client: Client) -> None:
    row, page = ask_for_a_code(client, "new@example.net")
    (code,) = re.findall(r"^    (\S+)$", written(row).text, re.MULTILINE)
    client.post(page, {"code": code})
    user = User.objects.get(email="new@example.net")
    assert client.session["_auth_user_id"] == str(user.pk)


def test_an_invited_person_gets_more_email_only_after_verifying_the_address(
    client: Client, invited: Invitation, bob: User
) -> None:
    """Double opt-in: an invitation that is accepted, and a code that only its mailbox knows."""
    invited = services.game_invite(game_id=invited.table.pk, by=alice_of(invited), address=STRANGER)
    link = f"/i/{invited.token}/"
    client.post(link, {"accept": "1", "display_name": "Zoe"})
    row, page = ask_for_a_code(client, STRANGER)
    services.game_join(game_id=invited.table.pk, user=bob, token=invited.table.invite_token)
    assert mails_to(STRANGER) == {Kind.INVITATION, Kind.ACCOUNT}
    assert not User.objects.filter(email=STRANGER, seats__isnull=False).exists()
    client.post(page, {"code": row.context["code"]})
    assert User.objects.get(email=STRANGER).seats.get().game == invited.table
    assert mails_to(STRANGER) - {Kind.INVITATION, Kind.ACCOUNT}  # the table is full: it begins


def alice_of(invitation: Invitation) -> User:
    assert invitation.table.host is not None
    return invitation.table.host


def mails_to(address: str) -> set[str]:
    return set(OutboxMail.objects.filter(to_address=address).values_list("kind", flat=True))


def test_a_returning_user_gets_a_code_too(client: Client) -> None:
    row, page = ask_for_a_code(client, "new@example.net")
    client.post(page, {"code": row.context["code"]})
    again = Client()
    second, page = ask_for_a_code(again, "new@example.net")
    assert second.message_id != row.message_id
    again.post(page, {"code": second.context["code"]})
    assert "_auth_user_id" in again.session


def test_a_code_is_sent_in_the_language_of_the_page(client: Client) -> None:
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    row, _page = ask_for_a_code(client, "neu@example.net")
    assert row.context["language"] == "de"
    assert '<html lang="de">' in written(row).html
