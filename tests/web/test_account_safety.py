"""Changing what protects an account: fresh proof, reports, "This was not me", and deletion."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone
from pytest_django import Settings

from games import selectors, services
from games.mail import signed_links
from games.models import (
    AddressRecord,
    CredentialChange,
    Game,
    InboundMail,
    Invitation,
    Message,
    OutboxMail,
    Seat,
    TableSettings,
    User,
)
from games.web.proof import PROTECTED
from games.web.sign_in import MAX_AGE
from tests.factories import fresh, log_of, play_one, table_of
from tests.support.accounts import (
    CODE_PAGE,
    FACTOR,
    app_code,
    is_signed_in,
    reported_changes,
    request_code,
    sent_code,
    session_key_of,
    sign_in,
)
from tests.support.emails import written
from tests.support.moderators import give_factor
from tests.support.pages import signed_in, text
from tests.support.turn_links import only_watches, turn_link_browser
from tests.support.url_walk import every_url

pytestmark = pytest.mark.django_db

EMAILS, PROOF, DEVICES = "/accounts/email/", "/accounts/reauthenticate/", "/accounts/sessions/"
OTHER = "alice@example.net"
EVIL = "mallory@example.com"


@pytest.fixture
def alice(alice: User) -> User:
    """Alice, whose address was verified a month ago."""
    settle(alice)
    return alice


def settle(user: User, *addresses: str, days: int = 30) -> None:
    """Give the user these verified addresses besides the primary one, all of this age in days."""
    for address in (user.email, *addresses):
        primary = address == user.email
        EmailAddress.objects.create(user=user, email=address, primary=primary, verified=True)
    verified_at = timezone.now() - timedelta(days=days)
    user.address_records.update(verified_at=verified_at)
    OutboxMail.objects.all().delete()
    CredentialChange.objects.all().delete()


def add(client: Client, address: str = EVIL) -> Any:
    return client.post(EMAILS, {"action_add": "", "email": address})


def confirm(client: Client, address: str = EVIL) -> Any:
    return client.post("/accounts/confirm-email/", {"code": sent_code(address)}, follow=True)


def prove(client: Client, user: User) -> Any:
    client.post(PROOF, {"action": "send"})
    return client.post(PROOF, {"code": sent_code(user.email)})


def addresses(user: User) -> set[str]:
    return set(EmailAddress.objects.filter(user=user).values_list("email", flat=True))


# -- fresh proof -----------------------------------------------------------------------------


def test_a_change_needs_a_code_to_the_primary_address_and_is_made_after_it(alice: User) -> None:
    client = signed_in(alice)
    answer = add(client, OTHER)
    assert answer.headers["Location"].startswith(PROOF)
    page = text(client.get(answer.headers["Location"]))
    assert "a…@example.org" in page and not OutboxMail.objects.exists(), "a GET sends nothing"
    client.post(PROOF, {"action": "send"})
    assert [row.to_address for row in OutboxMail.objects.all()] == [alice.email]
    client.post(f"{PROOF}?next={EMAILS}", {"code": sent_code(alice.email), "next": EMAILS})
    confirm(client, OTHER)
    assert addresses(alice) == {alice.email, OTHER}


def test_a_single_address_has_no_buttons_that_could_only_refuse(alice: User) -> None:
    client = signed_in(alice)
    page = text(client.get(EMAILS))
    assert alice.email in page
    assert "Make primary" not in page
    assert "Remove" not in page
    EmailAddress.objects.create(user=alice, email=OTHER, verified=True)
    assert "Make primary" in text(client.get(EMAILS))


def test_signing_in_is_a_proof_for_ten_minutes(alice: User) -> None:
    client = Client()
    sign_in(client, alice.email)
    assert add(client, OTHER).headers["Location"] == "/accounts/confirm-email/"
    with time_machine.travel(timezone.now() + timedelta(minutes=10, seconds=5)):
        assert add(client, EVIL).headers["Location"].startswith(PROOF)


def test_a_code_to_another_address_than_the_primary_one_is_no_proof(alice: User) -> None:
    EmailAddress.objects.create(user=alice, email=OTHER, verified=True)
    client = Client()
    sign_in(client, OTHER)
    assert add(client).headers["Location"].startswith(PROOF)


def test_the_code_of_a_former_primary_address_is_no_proof_any_more(alice: User) -> None:
    EmailAddress.objects.create(user=alice, email=OTHER, verified=True)
    client = Client()
    sign_in(client, alice.email)
    client.post(EMAILS, {"action_primary": "", "email": OTHER})
    alice.refresh_from_db()
    assert alice.email == OTHER
    assert add(client).headers["Location"].startswith(PROOF)


@pytest.mark.usefixtures("still_clock")
def test_with_a_second_factor_only_its_code_is_a_proof(alice: User) -> None:
    client = Client()
    sign_in(client, alice.email)
    factor = give_factor(alice)
    answer = add(client, OTHER)
    assert answer.headers["Location"].startswith(f"{FACTOR}reauthenticate/")
    assert client.post(PROOF, {"action": "send"}).headers["Location"] == f"{FACTOR}reauthenticate/"
    client.post(f"{FACTOR}reauthenticate/", {"code": app_code(factor.data["secret"])})
    assert add(client, OTHER).headers["Location"] == "/accounts/confirm-email/"


def test_the_proof_changes_the_session_key(alice: User) -> None:
    client = signed_in(alice)
    before = session_key_of(client)
    prove(client, alice)
    assert is_signed_in(client) and session_key_of(client) != before


def test_a_proof_code_works_only_in_the_session_that_requested_it(alice: User) -> None:
    client, thief = signed_in(alice), signed_in(alice)
    client.post(PROOF, {"action": "send"})
    code = sent_code(alice.email)
    thief.post(PROOF, {"code": code})
    assert add(thief).headers["Location"].startswith(PROOF)
    thief.post(PROOF, {"action": "send"})
    for _try in range(3):
        thief.post(PROOF, {"code": "WRONG1"})
    thief.post(PROOF, {"code": sent_code(alice.email)})
    assert add(thief).headers["Location"].startswith(PROOF), "three tries, then a new code"


def test_a_proof_code_works_for_so_long_and_no_longer(alice: User) -> None:
    client = signed_in(alice)
    client.post(PROOF, {"action": "send"})
    code = sent_code(alice.email)
    with time_machine.travel(timezone.now() + timedelta(seconds=MAX_AGE + 1), tick=False):
        client.post(PROOF, {"code": code})
        assert add(client).headers["Location"].startswith(PROOF)


@pytest.mark.parametrize("name", sorted(PROTECTED))
def test_each_change_needs_the_proof(alice: User, name: str) -> None:
    give_factor(alice)
    client = signed_in(alice)
    for method in PROTECTED[name]:
        answer = getattr(client, method.lower())(reverse(name))
        assert answer.headers["Location"].startswith(f"{FACTOR}reauthenticate/")


# Below /accounts/ and /settings/: what changes no credentials, and what needs a code of its own.
HARMLESS = {
    "/settings/absences/",
    "/accounts/login/",
    "/accounts/logout/",
    "/accounts/inactive/",
    "/accounts/signup/",
    "/accounts/confirm-email/",
    "/accounts/login/code/",
    "/accounts/login/code/confirm/",
    "/accounts/reauthenticate/",
    "/accounts/2fa/",
    "/accounts/2fa/authenticate/",
    "/accounts/2fa/reauthenticate/",
    "/settings/",
    "/settings/name/",
    "/settings/mails/",
    "/settings/mails/stopped/",
    "/settings/mails/1/",
    "/settings/mails/1/html",
    "/settings/delete/cancel/",
    "/settings/push/",
    "/settings/blocked/",
}


def test_no_page_of_the_account_was_forgotten() -> None:
    """A new page below these paths must be named here or in PROTECTED."""
    pages = {p for p in every_url({}) if p.startswith(("/accounts/", "/settings/"))}
    pages = {page for page in pages if "/password/" not in page and page != "/accounts/signup/"}
    unknown = {page for page in pages if resolve(page).url_name not in PROTECTED} - HARMLESS
    assert unknown == set()


def test_other_devices_can_be_signed_out_after_a_change(alice: User) -> None:
    client, other = Client(), Client()
    for browser in (client, other):
        sign_in(browser, alice.email)
        browser.get("/")
    add(client, OTHER)
    confirm(client, OTHER)
    assert text(client.get(DEVICES)).count("127.0.0.1") == 2
    client.post(DEVICES)
    assert (client.get("/settings/").status_code, other.get("/settings/").status_code) == (200, 302)


def test_after_a_lost_factor_was_removed_only_a_code_to_the_address_signs_in(
    alice: User, ada: User
) -> None:
    factor = give_factor(alice)
    services.moderate_factor(factor=factor, ruling=services.Ruling(ada, "x"))
    assert reported_changes()["factor_removed"] == {alice.email}
    client = Client()
    client.post("/accounts/login/", {"login": alice.email})
    client.post(CODE_PAGE, {"code": "WRONG1"})
    assert not is_signed_in(client)
    client.post(CODE_PAGE, {"code": sent_code(alice.email)})
    assert is_signed_in(client)


# -- reports -----------------------------------------------------------------------------------


def test_every_change_is_reported_to_all_addresses_and_to_removed_ones(alice: User) -> None:
    client = Client()
    sign_in(client, alice.email)
    OutboxMail.objects.all().delete()
    add(client, OTHER)
    confirm(client, OTHER)
    client.post(EMAILS, {"action_primary": "", "email": OTHER})
    alice.refresh_from_db()
    prove(client, alice)
    client.post(EMAILS, {"action_remove": "", "email": "alice@example.org"})
    Client().get("/")
    sign_in(Client(), OTHER)
    client.post(DEVICES)
    both = {"alice@example.org", OTHER}
    assert reported_changes() == {
        "address_added": both,
        "primary": both,
        "address_removed": both,
        "signed_out": both,
    }


@pytest.mark.usefixtures("still_clock")
def test_changes_of_the_second_factor_are_reported(
    alice: User, django_capture_on_commit_callbacks: Any
) -> None:
    factor = give_factor(alice)
    assert set(reported_changes()) == {"factor_added"}
    client = signed_in(alice)
    client.post(f"{FACTOR}reauthenticate/", {"code": app_code(factor.data["secret"])})
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"{FACTOR}recovery-codes/generate/")
    assert set(reported_changes()) == {"factor_added", "recovery_codes"}
    client.post(f"{FACTOR}totp/deactivate/")
    assert set(reported_changes()) == {"factor_added", "recovery_codes", "factor_removed"}


def test_signing_up_is_no_change(db: None) -> None:
    sign_in(Client(), "nora@example.org")
    assert User.objects.get().address_records.get().is_primary
    assert reported_changes() == {}


def test_an_address_that_was_removed_long_ago_hears_nothing_more(alice: User) -> None:
    now = timezone.now()
    AddressRecord.objects.create(
        user=alice, address="old@example.org", removed_at=now - timedelta(days=31)
    )
    services.change_report(user=alice, kind=CredentialChange.Kind.SIGNED_OUT)
    assert reported_changes() == {"signed_out": {alice.email}}


def test_old_records_are_forgotten_unless_the_account_is_frozen(alice: User) -> None:
    long_ago = timezone.now() - timedelta(days=91)
    AddressRecord.objects.create(user=alice, address="old@example.org", removed_at=long_ago)
    CredentialChange.objects.create(user=alice, kind=CredentialChange.Kind.KEPT, at=long_ago)
    User.objects.update(frozen_at=timezone.now())
    services.records_purge()
    assert (AddressRecord.objects.count(), CredentialChange.objects.count()) == (2, 1)
    User.objects.update(frozen_at=None)
    services.records_purge()
    assert (AddressRecord.objects.count(), CredentialChange.objects.count()) == (1, 0)


def test_a_report_ignores_preferences_and_abridges_the_address(alice: User) -> None:
    alice.delivery_modes = {"security": "off"}
    alice.quiet_from, alice.quiet_until = 0, 23
    alice.save()
    EmailAddress.objects.create(user=alice, email=EVIL, verified=True)
    row = OutboxMail.objects.filter(kind="security", to_address=alice.email).get()
    assert row.next_try_at < timezone.now() - timedelta(hours=1), "it overtakes bulk email"
    mail = written(row)
    assert "The address m…@example.com was added to your account." in " ".join(mail.text.split())
    assert EVIL not in mail.text + mail.html
    assert "/account/not-me/" in mail.text and "/account/not-me/" in mail.html


# -- "This was not me" -------------------------------------------------------------------------


def stolen(alice: User) -> tuple[Client, str]:
    """Somebody with a fresh session takes the account over: (their browser, the link that the
    removed address got)."""
    thief = Client()
    sign_in(thief, alice.email)
    add(thief)
    confirm(thief)
    thief.post(EMAILS, {"action_primary": "", "email": EVIL})
    user = User.objects.get(pk=alice.pk)
    prove(thief, user)
    thief.post(EMAILS, {"action_remove": "", "email": alice.email})
    assert addresses(alice) == {EVIL}
    return thief, link_in_last_report(alice.email)


def link_in_last_report(address: str) -> str:
    row = OutboxMail.objects.filter(kind="security", to_address=address).latest("pk")
    found = re.search(r"http://127.0.0.1:8000(/account/not-me/\S+)", written(row).text)
    assert found is not None
    return found[1]


def test_looking_at_the_link_changes_nothing(alice: User) -> None:
    thief, link = stolen(alice)
    answer = Client().get(link)
    assert "Was this you?" in text(answer)
    assert answer.headers["Cache-Control"] == "no-store"
    assert User.objects.get(pk=alice.pk).frozen_at is None
    assert thief.get("/settings/").status_code == 200


def test_the_button_ends_all_sessions_and_freezes_the_credentials(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    thief, link = stolen(alice)
    seat = turn_link_browser(game, User.objects.get(pk=alice.pk))
    client = Client()
    assert "Restore your account" in text(client.post(link, {"action": "freeze"}))
    assert thief.get("/settings/").status_code == 302
    assert only_watches(seat, game)
    request_code(thief, EVIL)
    page = thief.post(CODE_PAGE, {"code": sent_code(EVIL)}, follow=True)
    assert "Your account is frozen" in text(page) and "/account/not-me/" in page.content.decode()
    assert not is_signed_in(thief)
    frozen = User.objects.get(pk=alice.pk).frozen_at
    assert "Restore your account" in text(client.post(link, {"action": "freeze"}))
    assert User.objects.get(pk=alice.pk).frozen_at == frozen, "once"
    assert reported_changes()["frozen"] == {alice.email, EVIL}


def test_the_owner_of_the_old_address_gets_the_account_back(alice: User) -> None:
    thief, link = stolen(alice)
    give_factor(alice)  # the thief's
    client = Client()
    page = text(client.post(link, {"action": "freeze"}))
    assert "a…@example.org" in page and "m…@example.com" not in page
    record = AddressRecord.objects.get(address=alice.email)
    client.post(link, {"action": "send", "address": record.pk})
    answer = client.post(link, {"action": "verify", "code": sent_code(alice.email)})
    assert "Your account is yours again" in text(answer)
    user = User.objects.get(pk=alice.pk)
    assert (user.email, user.frozen_at, addresses(user)) == (alice.email, None, {alice.email})
    assert not Authenticator.objects.filter(user=user).exists()
    sign_in(client, alice.email)
    assert client.session["_auth_user_id"] == str(alice.pk)
    sign_in(thief, EVIL)
    assert thief.session.get("_auth_user_id") != str(alice.pk)
    assert client.get(link).status_code == 410, "the link is used up"
    Client().post(link, {"action": "freeze"})
    assert User.objects.get(pk=alice.pk).frozen_at is None


def test_a_young_address_cannot_restore(alice: User) -> None:
    _thief, link = stolen(alice)
    client = Client()
    client.post(link, {"action": "freeze"})
    young = AddressRecord.objects.get(address=EVIL)
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        client.post(link, {"action": "send", "address": young.pk})
        assert not OutboxMail.objects.filter(context__purpose="restore").exists()
        with pytest.raises(services.ServiceError):
            services.account_restore(user=User.objects.get(pk=alice.pk), address=EVIL)


def test_an_account_younger_than_a_week_waits_for_its_first_address(bob: User) -> None:
    settle(bob, OTHER, days=2)
    AddressRecord.objects.filter(address=OTHER).update(verified_at=timezone.now())
    services.change_report(user=bob, kind=CredentialChange.Kind.SIGNED_OUT)
    services.change_dispute(change=CredentialChange.objects.get())
    bob.refresh_from_db()
    assert selectors.trusted_addresses(bob) == []
    with time_machine.travel(timezone.now() + timedelta(days=6)):
        assert [record.address for record in selectors.trusted_addresses(bob)] == [bob.email]


def test_a_restoring_code_works_only_in_its_browser(alice: User) -> None:
    _thief, link = stolen(alice)
    client, other = Client(), Client()
    client.post(link, {"action": "freeze"})
    record = AddressRecord.objects.get(address=alice.email)
    client.post(link, {"action": "send", "address": record.pk})
    code = sent_code(alice.email)
    other.post(link, {"action": "verify", "code": code})
    assert User.objects.get(pk=alice.pk).frozen_at is not None
    for _try in range(3):
        client.post(link, {"action": "verify", "code": "WRONG1"})
    client.post(link, {"action": "verify", "code": code})
    assert User.objects.get(pk=alice.pk).frozen_at is not None


def test_a_burst_of_sign_ups_does_not_withhold_the_code_that_restores(
    alice: User, settings: Settings
) -> None:
    _thief, link = stolen(alice)
    settings.QUOTAS = {"sign_ups_service_hour": 0}
    client = Client()
    client.post(link, {"action": "freeze"})
    record = AddressRecord.objects.get(address=alice.email)
    client.post(link, {"action": "send", "address": record.pk})
    row = OutboxMail.objects.get(context__purpose="restore")
    assert row.context["withheld"] is False


def test_an_address_that_others_use_by_now_cannot_restore(alice: User, bob: User) -> None:
    stolen(alice)
    services.change_dispute(change=CredentialChange.objects.latest("pk"))
    EmailAddress.objects.create(user=bob, email=alice.email, verified=True)
    with pytest.raises(services.ServiceError, match="another account"):
        services.account_restore(user=User.objects.get(pk=alice.pk), address=alice.email)


def test_the_link_works_for_seven_days_and_cannot_be_forged(alice: User) -> None:
    _thief, link = stolen(alice)
    client = Client()
    assert client.post(link.replace(":", ":x"), {"action": "freeze"}).status_code == 404
    assert client.post("/account/not-me/1/", {"action": "freeze"}).status_code == 404
    with time_machine.travel(timezone.now() + timedelta(days=7, minutes=1)):
        assert client.post(link, {"action": "freeze"}).status_code == 410
    assert User.objects.get(pk=alice.pk).frozen_at is None


def test_the_button_needs_a_token_against_forged_requests(alice: User) -> None:
    _thief, link = stolen(alice)
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(link, {"action": "freeze"}).status_code == 403


def test_a_frozen_account_opens_no_seat_by_a_link(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    User.objects.filter(pk=alice.pk).update(frozen_at=timezone.now())
    link = signed_links.turn_path(game.public_id, 0, game.version, alice)
    client = Client()
    assert client.post(link).headers["Location"].startswith("/accounts/login/")
    assert only_watches(client, game)


def test_a_seat_that_a_link_opened_closes_when_the_account_is_frozen(
    alice: User, bob: User
) -> None:
    game = table_of(alice, bob)
    client = turn_link_browser(game, alice)
    assert not only_watches(client, game)
    User.objects.filter(pk=alice.pk).update(frozen_at=timezone.now())
    assert only_watches(client, game)


def test_a_seat_that_a_link_opened_closes_when_all_sessions_end(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    client = turn_link_browser(game, alice)
    services.sessions_close(user=alice)
    assert only_watches(client, game)


# -- deletion ----------------------------------------------------------------------------------


def close(user: User) -> Client:
    """The user asks for the deletion of the account, with a fresh proof."""
    client = Client()
    sign_in(client, user.email)
    client.post("/settings/delete/")
    return client


def week_later() -> None:
    """A week passes for everybody who has asked for a deletion, also by PostgreSQL's clock."""
    for user in User.objects.filter(closes_at__isnull=False):
        assert user.closes_at is not None
        user.closes_at -= timedelta(days=7, seconds=1)
        user.save()
    services.accounts_delete_due()


def test_an_account_is_deleted_after_seven_days(alice: User) -> None:
    client = close(alice)
    alice.refresh_from_db()
    assert alice.closes_at is not None
    assert timedelta(days=6, hours=23) < alice.closes_at - timezone.now() <= timedelta(days=7)
    assert reported_changes() == {"closing": {alice.email}}
    assert "Your account will be deleted soon." in text(client.get("/settings/"))
    services.accounts_delete_due()
    assert User.objects.filter(pk=alice.pk).exists()
    week_later()
    assert not User.objects.filter(pk=alice.pk).exists()
    assert not AddressRecord.objects.exists() and not CredentialChange.objects.exists()
    assert client.get("/settings/").status_code == 302


def test_no_address_of_a_deleted_account_is_kept(alice: User, bob: User) -> None:
    settings = TableSettings(seat_count=2)
    game = services.game_create(host=bob, kind="atlantis", name="Table", settings=settings)
    services.game_invite(game_id=game.pk, by=bob, address=alice.email.upper())
    services.game_invite(game_id=game.pk, by=bob, address="carol@example.org")
    OutboxMail.objects.filter(to_address__iexact=alice.email).update(user=None)  # as for a stranger
    reply = InboundMail.objects.create(
        channel=InboundMail.Channel.RELAY,
        recipient="move@example.org",
        sender=alice.email,
        key="1",
        raw=b"From: alice",
        line="B flag",
        letter={"parts": [{"kind": "text", "text": "Ask me at alice@example.org"}]},
        user=alice,
        state=InboundMail.State.DONE,
        read_at=timezone.now(),
    )
    close(alice)
    week_later()
    assert [one.address for one in Invitation.objects.all()] == ["carol@example.org"]
    reply.refresh_from_db()
    assert (reply.sender, bytes(reply.raw)) == (None, b"")
    assert (reply.line, reply.letter) == ("", None)
    assert not OutboxMail.objects.filter(to_address__iexact=alice.email).exists()


def test_the_deletion_can_be_cancelled_without_a_proof(alice: User) -> None:
    close(alice)
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        client = signed_in(alice)
        assert "Keep my account" in text(client.get("/settings/delete/"))
        client.post("/settings/delete/cancel/")
    week_later()
    assert User.objects.filter(pk=alice.pk).exists()
    assert set(reported_changes()) == {"closing", "kept"}


def test_games_go_on_without_the_deleted_player(alice: User, bob: User, carol: User) -> None:
    game, waiting = table_of(alice, bob, carol), table_of(alice, seats=3)
    while 0 in fresh(game).to_act:
        play_one(game, note="So long.")
    before = log_of(game).entries
    close(alice)
    week_later()
    assert Seat.objects.get(game=game, number=0).is_bot
    assert fresh(waiting).status == Game.Status.ABORTED
    assert not Message.objects.exists()
    assert log_of(game).entries[: len(before)] == before


def test_the_others_at_a_running_table_get_an_email_when_the_account_is_deleted(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol)
    close(alice)
    week_later()
    mails = OutboxMail.objects.filter(game=game, kind="moderated")
    assert {mail.user for mail in mails} == {bob, carol}
    assert "Former player resigned. A bot takes over." in written(mails.get(user=bob)).text


def test_a_deletion_stops_where_it_was_not_the_owner(alice: User) -> None:
    close(alice)
    Client().post(link_in_last_report(alice.email), {"action": "freeze"})
    assert User.objects.get(pk=alice.pk).closes_at is None
    User.objects.filter(pk=alice.pk).update(closes_at=timezone.now() - timedelta(days=1))
    services.accounts_delete_due()
    assert User.objects.filter(pk=alice.pk).exists(), "a frozen account is not deleted"
