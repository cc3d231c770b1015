"""Sign-in codes and sessions: what they are bound to, and what a stranger can learn from them."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from math import log2
from threading import Barrier
from typing import Any

import pytest
import time_machine
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core import signing
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from games import services, tasks
from games.mail import outbox
from games.models import FOR_GOOD, OutboxMail, QuotaUse, User
from games.web.sign_in import BEGAN, BROWSER_COOKIE, BROWSER_SALT, DAY, IDLE_DAYS, SEEN
from tests.factories import person, quota_windows_end, table_of
from tests.support.accounts import (
    CODE_PAGE,
    FACTOR,
    app_code,
    is_signed_in,
    request_code,
    sent_code,
    session_key_of,
    sign_in,
)
from tests.support.moderators import give_factor
from tests.support.pages import signed_in, text

pytestmark = pytest.mark.django_db


# -- the session key -----------------------------------------------------------------------


def test_signing_in_changes_the_session_key_and_ends_the_old_one(alice: User) -> None:
    client = Client()
    request_code(client, alice.email)
    before = session_key_of(client)
    client.post(CODE_PAGE, {"code": sent_code(alice.email)})
    assert is_signed_in(client)
    assert session_key_of(client) != before
    assert not Session.objects.filter(session_key=before).exists()


@pytest.mark.usefixtures("still_clock")
def test_the_second_factor_changes_the_session_key_again(mona: User) -> None:
    factor = give_factor(mona)
    client = Client()
    request_code(client, mona.email)
    client.post(CODE_PAGE, {"code": sent_code(mona.email)})
    before = session_key_of(client)
    assert not is_signed_in(client)
    client.post(f"{FACTOR}authenticate/", {"code": app_code(factor.data["secret"])})
    assert is_signed_in(client)
    assert session_key_of(client) != before
    assert not Session.objects.filter(session_key=before).exists()


def age_session(client: Client, key: str, days: float) -> None:
    session = client.session
    session[key] -= int(days * DAY)
    session.save()


@pytest.mark.parametrize(("key", "days"), [(BEGAN, 181), (SEEN, IDLE_DAYS + 1)])
def test_a_session_ends_after_half_a_year_and_when_nobody_uses_it(
    alice: User, key: str, days: int
) -> None:
    client = signed_in(alice)
    age_session(client, key, days)
    response = client.get("/settings/")
    assert response.status_code == 302
    assert not is_signed_in(client)
    assert response["Clear-Site-Data"] == '"cache", "storage"'


def test_a_session_in_use_goes_on_and_keeps_the_time_of_its_beginning(alice: User) -> None:
    client = signed_in(alice)
    age_session(client, BEGAN, 170)
    age_session(client, SEEN, 40)
    began = client.session[BEGAN]
    assert client.get("/settings/").status_code == 200
    assert client.session[BEGAN] == began
    assert client.session[SEEN] > began + 160 * DAY


@pytest.mark.usefixtures("still_clock")
def test_sign_ins_and_wrong_codes_are_logged_by_the_number_of_the_user(
    mona: User, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="games.web")
    client, factor = Client(), give_factor(mona)
    request_code(client, mona.email)
    client.post(CODE_PAGE, {"code": "WRONG1"})
    client.post(CODE_PAGE, {"code": sent_code(mona.email)})
    client.post(f"{FACTOR}authenticate/", {"code": "000000"})
    client.post(f"{FACTOR}authenticate/", {"code": app_code(factor.data["secret"])})
    assert caplog.messages == [
        f"A wrong code by email for user {mona.pk}.",
        f"User {mona.pk} proved their identity (code).",
        f"A wrong code of a second factor for user {mona.pk}.",
        f"User {mona.pk} proved their identity (mfa).",
        f"User {mona.pk} signed in.",
    ]


@pytest.mark.usefixtures("still_clock")
def test_a_factor_proved_in_a_session_changes_its_key_and_the_list_of_devices(mona: User) -> None:
    client = Client()
    sign_in(client, mona.email)
    before, factor = session_key_of(client), give_factor(mona)
    assert UserSession.objects.filter(session_key=before).exists()
    client.post(f"{FACTOR}reauthenticate/", {"code": app_code(factor.data["secret"])})
    assert is_signed_in(client)
    assert session_key_of(client) != before
    assert not Session.objects.filter(session_key=before).exists()
    assert list(UserSession.objects.values_list("session_key", flat=True)) == [
        session_key_of(client)
    ]


@pytest.mark.parametrize("right", ["is_staff", "is_superuser"])
def test_a_user_who_gains_or_loses_a_right_signs_in_again(alice: User, right: str) -> None:
    for value in (True, False):
        client = signed_in(alice)
        assert client.get("/settings/").status_code == 200
        setattr(alice, right, value)
        alice.save()
        assert client.get("/settings/").status_code == 302


# -- the code ------------------------------------------------------------------------------


def test_a_code_works_only_in_the_browser_that_requested_it(alice: User) -> None:
    client, thief = Client(), Client()
    request_code(client, alice.email)
    code = sent_code(alice.email)
    assert thief.post(CODE_PAGE, {"code": code}).status_code == 302
    request_code(thief, alice.email)  # the thief's own code is another one
    assert sent_code(alice.email) != code
    thief.post(CODE_PAGE, {"code": code})
    assert not is_signed_in(thief)
    client.post(CODE_PAGE, {"code": code})
    assert is_signed_in(client)


def test_a_code_works_once(alice: User) -> None:
    client = Client()
    sign_in(client, alice.email)
    code = sent_code(alice.email)
    client.post("/accounts/logout/")
    client.post(CODE_PAGE, {"code": code})
    assert not is_signed_in(client)


def test_a_code_ends_after_ten_minutes(alice: User) -> None:
    client = Client()
    request_code(client, alice.email)
    code = sent_code(alice.email)
    with time_machine.travel(timezone.now() + timedelta(minutes=10, seconds=1)):
        client.post(CODE_PAGE, {"code": code})
    assert not is_signed_in(client)


def test_codes_and_session_keys_cannot_be_guessed(alice: User) -> None:
    codes = {get_adapter().generate_login_code().replace("-", "") for _code in range(300)}
    assert len(codes) > 290
    letters = set("".join(codes))
    assert min(map(len, codes)) * log2(len(letters)) > 20  # bits
    key = session_key_of(signed_in(alice))
    assert key is not None and len(key) * log2(36) > 128


def test_the_sessions_of_a_closed_account_end(alice: User) -> None:
    client = signed_in(alice)
    User.objects.filter(pk=alice.pk).update(suspended_until=FOR_GOOD)
    assert client.get("/settings/").status_code == 302
    User.objects.filter(pk=alice.pk).update(suspended_until=None)


def test_three_wrong_codes_end_the_attempt(alice: User) -> None:
    client = Client()
    request_code(client, alice.email)
    code = sent_code(alice.email)
    for _try in range(3):
        client.post(CODE_PAGE, {"code": "WRONG1"})
    client.post(CODE_PAGE, {"code": code})
    assert not is_signed_in(client)


def test_after_three_wrong_codes_the_way_on_is_kept(alice: User) -> None:
    client = Client()
    request_code(client, alice.email)
    for _try in range(3):
        answer = client.post(f"{CODE_PAGE}?next=/settings/", {"code": "WRONG1"}, follow=True)
    assert answer.redirect_chain == [("/accounts/login/?next=%2Fsettings%2F", 302)]
    assert "You have entered three wrong codes" in text(answer)
    assert "Ask for a new one." in text(answer)
    assert "continue to the page that you wanted to open" in text(answer)


def test_a_code_that_comes_too_late_is_explained_and_the_way_on_is_kept(alice: User) -> None:
    client = Client()
    request_code(client, alice.email)
    late = {"code": sent_code(alice.email)}
    with time_machine.travel(timezone.now() + timedelta(minutes=10, seconds=1)):
        answer = client.post(f"{CODE_PAGE}?next=/settings/", late, follow=True)
    assert answer.redirect_chain == [("/accounts/login/?next=%2Fsettings%2F", 302)]
    assert "Your code is no longer valid. Ask for a new one." in text(answer)


# -- what a stranger can learn ---------------------------------------------------------------


def shape(statement: str) -> str:
    """A statement without its values."""
    return re.sub(
        r"'(?:[^']|'')*'(?:::\w+)?|\b\d+(?:\.\d+)?\b|\bNULL\b|\bs\d+_x\d+\b", "?", statement
    ).replace("ROLLBACK TO SAVEPOINT", "RELEASE SAVEPOINT")


def seen_and_done(address: str) -> tuple[list[Any], list[str], int]:
    """Enter this address in a stranger's browser. Return the responses, the statements, and the
    number of emails."""
    client = Client()
    before = OutboxMail.objects.count()
    with CaptureQueriesContext(connection) as queries:
        answers = [request_code(client, address)]
    statements = [shape(query["sql"]) for query in queries]
    assert len(statements) > 10
    answers += [client.get(CODE_PAGE), client.post(CODE_PAGE, {"code": "WRONG1"})]
    pages = [
        (a.status_code, a.headers.get("Location"), sorted(a.cookies), hidden(text(a), address))
        for a in answers
    ]
    return pages, statements, OutboxMail.objects.count() - before


def hidden(page: str, address: str) -> str:
    return re.sub(r'csrfmiddlewaretoken" value="\w+"', "", page).replace(address, "ADDRESS")


def test_an_address_with_an_account_looks_and_costs_like_one_without(
    alice: User, bob: User
) -> None:
    """The same pages, statements and emails, so that the time does not depend on it either."""
    for address in (alice.email, "other@example.org"):
        primary = address == alice.email
        EmailAddress.objects.create(user=alice, email=address, primary=primary, verified=True)
    closed = person("Closed", suspended_until=FOR_GOOD)
    seen_and_done("first@example.net")  # makes the cache entry of this network
    unknown = seen_and_done("nobody@example.net")
    assert unknown[2] == 1
    for address in (alice.email, bob.email, "other@example.org", closed.email):
        pages, statements, emails = seen_and_done(address)
        assert pages == unknown[0]
        assert statements == unknown[1]
        assert emails == 1


def test_a_second_address_signs_in_to_its_account_and_makes_no_other(alice: User) -> None:
    sign_in(Client(), alice.email)
    EmailAddress.objects.create(user=alice, email="other@example.org", verified=True)
    client = Client()
    sign_in(client, "other@example.org")
    assert client.session["_auth_user_id"] == str(alice.pk)
    assert not User.objects.filter(email="other@example.org").exists()


def test_the_code_of_a_closed_account_opens_nothing(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(suspended_until=FOR_GOOD)
    client = Client()
    sign_in(client, alice.email)
    assert not is_signed_in(client)


@pytest.fixture
def no_request_limit(settings: Settings) -> None:
    """Without allauth's limit of requests a minute of one network, for tests of other limits."""
    settings.ACCOUNT_RATE_LIMITS = False


# -- limits ----------------------------------------------------------------------------------


HERE, THERE = "198.51.100.1", "203.0.113.1"
ALICE, BOB = "alice@example.org", "bob@example.org"


def from_network(address: str) -> Client:
    return Client(REMOTE_ADDR=address)


def codes(state: str | None = None) -> int:
    """The number of emails with codes; that of those to be sent if `state` is "sent"."""
    rows = OutboxMail.objects.filter(kind="account")
    if state is not None:
        outbox.drain()
        rows = rows.filter(state=state)
    return rows.count()


def test_a_burst_to_strangers_stops_early_and_raises_an_alarm(
    alice: User, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """Many networks, many addresses: the limit for the whole service ends it."""
    sign_in(Client(), alice.email)
    settings.QUOTAS = {"sign_ups_service_hour": 1 + 3}  # her first code was one, too
    for number in range(8):
        answer = request_code(from_network(f"198.51.{number}.1"), f"stranger{number}@example.net")
        assert answer.headers["Location"] == CODE_PAGE, "the page does not say so"
    assert [
        record.getMessage().split(" (")[0]
        for record in caplog.records
        if record.levelname == "ERROR"
    ] == ["Limit exceeded: sign_ups_service_hour"]
    assert QuotaUse.objects.get(quota="sign_ups_service_hour").refused == 5
    assert codes("sent") == 1 + 3
    request_code(Client(), alice.email)
    assert codes("sent") == 1 + 3 + 1, "those who have an account still get their codes"


def test_withheld_codes_look_and_cost_like_sent_ones(alice: User, settings: Settings) -> None:
    EmailAddress.objects.create(user=alice, email=alice.email, primary=True, verified=True)
    settings.QUOTAS = {"sign_ups_service_hour": 1}
    for number in range(3):
        seen_and_done(f"stranger{number}@example.net")
    assert seen_and_done("nobody@example.net") == seen_and_done(alice.email)


def test_a_code_that_is_requested_again_is_withheld_too(settings: Settings) -> None:
    settings.QUOTAS = {"sign_ups_network_hour": 1}
    client = Client()
    request_code(client, "stranger@example.net")
    client.post(CODE_PAGE, {"action": "resend"})
    assert (codes(), codes("sent")) == (2, 1)


@pytest.mark.parametrize(
    ("quota", "networks", "addresses"),
    [
        ("sign_in_codes_source_hour", (HERE, HERE), (ALICE, ALICE)),
        ("code_networks_address_hour", (HERE, THERE), (ALICE, ALICE)),
        ("code_networks_address_day", (HERE, THERE), (ALICE, ALICE)),
        ("sign_in_codes_network_hour", (HERE, HERE), (ALICE, BOB)),
        ("sign_in_codes_network_day", (HERE, HERE), (ALICE, BOB)),
        ("sign_in_codes_service_hour", (HERE, THERE), (ALICE, BOB)),
    ],
)
def test_codes_are_limited_by_address_network_and_service(
    alice: User,
    bob: User,
    settings: Settings,
    quota: str,
    networks: tuple[str, str],
    addresses: tuple[str, str],
) -> None:
    settings.QUOTAS = {quota: 1}
    answers = [
        request_code(from_network(network), address)
        for network, address in zip(networks, addresses, strict=True)
    ]
    assert [answer.status_code for answer in answers] == [302, 429]
    assert "sign-in codes" in text(answers[1])
    assert int(answers[1].headers["Retry-After"]) > 60
    assert codes() == 1


def strangers_ask(address: str) -> None:
    """A hundred requests from five networks."""
    for number in range(100):
        request_code(from_network(f"198.51.{number % 5}.1"), address)


def test_a_network_that_asks_every_hour_of_a_day_is_one_of_six(
    alice: User, no_request_limit: None
) -> None:
    for _hour in range(24):
        request_code(from_network(HERE), alice.email)
        past = timezone.now() - timedelta(seconds=1)
        QuotaUse.objects.filter(quota__endswith="_hour").update(ends_at=past)
    assert QuotaUse.objects.get(quota="code_networks_address_day").used == 1
    assert codes("sent") == 4
    sign_in(from_network(THERE), alice.email)


def test_a_hundred_strangers_do_not_keep_the_owner_from_signing_in(
    alice: User, no_request_limit: None
) -> None:
    owner = Client()
    sign_in(owner, alice.email)
    owner.post("/accounts/logout/")
    quota_windows_end()
    strangers_ask(alice.email)
    sent = codes("sent")
    sign_in(owner, alice.email)
    assert is_signed_in(owner)
    assert codes("sent") == sent + 1


def test_a_mailbox_gets_six_codes_an_hour_whoever_asks(alice: User, no_request_limit: None) -> None:
    owner = Client()
    sign_in(owner, alice.email)
    owner.post("/accounts/logout/")
    quota_windows_end()
    before = codes("sent")
    strangers_ask(alice.email)
    for _request in range(5):
        again = Client()
        again.cookies[BROWSER_COOKIE] = owner.cookies[BROWSER_COOKIE].value
        request_code(again, alice.email)
    assert codes("sent") == before + 6


def test_a_network_that_got_a_code_keeps_its_share_whatever_others_do(
    alice: User, no_request_limit: None
) -> None:
    assert request_code(from_network(THERE), alice.email).status_code == 302
    strangers_ask(alice.email)
    assert request_code(from_network(THERE), alice.email).status_code == 302
    refused = request_code(from_network("203.0.113.200"), alice.email)
    assert refused.status_code == 429
    assert "A browser that has signed in with this address before still gets a code" in text(
        refused
    )


def test_the_whole_service_at_its_limit_does_not_lock_out_a_browser_that_is_known(
    alice: User, settings: Settings
) -> None:
    owner = Client()
    sign_in(owner, alice.email)
    owner.post("/accounts/logout/")
    settings.QUOTAS = {"sign_in_codes_service_hour": 0}
    sign_in(owner, alice.email)
    assert is_signed_in(owner)


def test_strangers_cannot_keep_anybody_from_a_proof(alice: User, no_request_limit: None) -> None:
    owner = Client()
    sign_in(owner, alice.email)
    del owner.cookies[BROWSER_COOKIE]
    quota_windows_end()
    strangers_ask(alice.email)
    sent = codes("sent")
    assert owner.post("/accounts/reauthenticate/", {"action": "send"}).status_code == 302
    assert codes("sent") == sent + 1


def test_the_cookie_of_a_known_browser_is_no_login_and_names_no_address(alice: User) -> None:
    owner = Client()
    sign_in(owner, alice.email)
    cookie = owner.cookies[BROWSER_COOKIE]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert alice.email not in str(signing.loads(cookie.value, salt=BROWSER_SALT))
    stranger = Client()
    stranger.cookies[BROWSER_COOKIE] = cookie.value
    assert stranger.get("/settings/").status_code == 302


def test_a_browser_is_known_for_its_own_addresses_only(
    alice: User, bob: User, settings: Settings
) -> None:
    owner = Client()
    sign_in(owner, alice.email)
    owner.post("/accounts/logout/")
    settings.QUOTAS = {"sign_in_codes_service_hour": 0}
    assert request_code(owner, bob.email).status_code == 429
    forged = Client()
    forged.cookies[BROWSER_COOKIE] = signing.dumps([alice.email], key="x" * 40)
    assert request_code(forged, alice.email).status_code == 429


def test_a_browser_is_known_for_a_year(alice: User, settings: Settings) -> None:
    owner = Client()
    sign_in(owner, alice.email)
    owner.post("/accounts/logout/")
    settings.QUOTAS = {"sign_in_codes_service_hour": 0}
    for days, status in ((364, 302), (366, 429)):
        with time_machine.travel(timezone.now() + timedelta(days=days), tick=False):
            browser = Client()
            browser.cookies[BROWSER_COOKIE] = owner.cookies[BROWSER_COOKIE].value
            assert request_code(browser, alice.email).status_code == status


def test_two_people_share_a_browser_that_is_known_for_both(
    alice: User, bob: User, settings: Settings
) -> None:
    shared = Client()
    for user in (alice, bob):
        sign_in(shared, user.email)
        shared.post("/accounts/logout/")
    settings.QUOTAS = {"sign_in_codes_service_hour": 0}
    for user in (alice, bob):
        assert request_code(shared, user.email).status_code == 302


def test_a_request_over_a_limit_makes_no_account(settings: Settings) -> None:
    settings.QUOTAS = {"sign_in_codes_network_hour": 0}
    assert request_code(Client(), "stranger@example.net").status_code == 429
    assert not User.objects.exists()
    assert QuotaUse.objects.get(quota="sign_in_codes_network_hour").refused == 1


def test_the_session_of_a_visitor_ends_soon_and_that_of_a_player_does_not(alice: User) -> None:
    client = Client()
    request_code(client, alice.email)
    soon, late = (timezone.now() + timedelta(days=days) for days in (0.1, 179))
    assert Session.objects.get(session_key=session_key_of(client)).expire_date < soon
    client.post(CODE_PAGE, {"code": sent_code(alice.email)})
    assert Session.objects.get(session_key=session_key_of(client)).expire_date > late


def test_sessions_that_have_ended_are_deleted_every_hour(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services.sign_in, "MOST", 2)  # of each statement
    ended, going_on = Client(), Client()
    sign_in(ended, alice.email)
    sign_in(going_on, bob.email)
    old = timezone.now() - timedelta(days=1)
    Session.objects.filter(session_key=session_key_of(ended)).update(expire_date=old)
    for number in range(4):
        Session.objects.create(session_key=f"old{number}", expire_date=old)
    tasks.forget_mails()
    assert Session.objects.get().session_key == session_key_of(going_on)
    assert UserSession.objects.get().user == bob


def test_an_account_that_nobody_signed_in_to_is_forgotten_after_a_week(
    alice: User, bob: User, mona: User
) -> None:
    request_code(Client(), "stranger@example.net")
    sign_in(Client(), alice.email)
    table_of(bob, seats=2)
    services.sign_ups_purge()
    assert User.objects.count() == 4, "not before"
    User.objects.update(date_joined=timezone.now() - timedelta(days=7, seconds=1))
    assert services.sign_ups_purge() == 1
    assert set(User.objects.all()) == {alice, bob, mona}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("page", ["sign-in", "proof"])
def test_codes_that_are_tried_at_one_moment_are_compared_three_times(
    alice: User, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    client, path, start = Client(), CODE_PAGE, Barrier(8, timeout=30)
    request_code(client, alice.email)
    if page == "proof":
        client.post(CODE_PAGE, {"code": sent_code(alice.email)})
        path = "/accounts/reauthenticate/"
        client.post(path, {"action": "send"})
    compared = list[str]()

    def compare(*, actual: str, expected: str) -> bool:
        compared.append(actual)
        return False

    monkeypatch.setattr("allauth.account.forms.compare_user_code", compare)

    def guess(number: int) -> None:
        browser = Client()
        browser.cookies = client.cookies
        start.wait()
        browser.post(path, {"code": f"WRONG{number}"})
        connection.close()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(guess, range(8), timeout=60))
    assert len(compared) == 3


def test_the_second_factor_is_tried_only_so_often(mona: User, settings: Settings) -> None:
    settings.QUOTAS = {"factor_guesses_person_hour": 2}
    factor, client = give_factor(mona), Client()
    sign_in(client, mona.email)
    path = f"{FACTOR}authenticate/"
    answers = [text(client.post(path, {"code": "000000"})) for _try in range(3)]
    limit = "the limit for wrong second-factor codes (2 per hour)"
    assert [limit in answer for answer in answers] == [False, False, True]
    client.post(path, {"code": app_code(factor.data["secret"])})
    assert not is_signed_in(client)
