"""Moderators get one email a day about what needs them, and one when a report comes, if they want
them."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from games import services, tasks
from games.mail import outbox
from games.models import DeliveryMode, Heartbeat, OutboxMail, Seat, User, database_clock
from games.services import Role
from tests.factories import person, table_of
from tests.support.emails import Kind, State, written
from tests.support.languages import LANGUAGES
from tests.support.moderators import moderating
from tests.support.pages import signed_in, text
from tests.support.smtp_sink import SmtpSink

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

DAY = timedelta(days=1)
Traveller = time_machine.Traveller


@pytest.fixture
def mona(db: None) -> User:
    """A moderator, for whom it is noon."""
    return person("Mona", is_staff=True)


@pytest.fixture
def waits(alice: User, bob: User) -> None:
    """A table has waited for a missed deadline for long."""
    table_of(alice, bob, name="Secret plans")
    late = database_clock.now() - 9 * DAY
    Seat.objects.filter(asked_seq__isnull=False).update(overdue=True, due_at=late)
    OutboxMail.objects.all().delete()


def mails() -> list[OutboxMail]:
    """The emails about what needs a moderator, the newest last."""
    return list(OutboxMail.objects.filter(kind=Kind.ATTENTION).order_by("pk"))


@pytest.mark.usefixtures("waits")
def test_a_moderator_gets_one_a_day(mona: User, clock: Traveller) -> None:
    for hour in range(60):
        tasks.inform_moderators()
        clock.shift(timedelta(hours=1))
        assert len(mails()) <= hour // 24 + 2
    assert [mail.user for mail in mails()] == [mona] * len(mails())
    assert len(mails()) == 3  # on Monday at noon, on Tuesday and Wednesday at eight
    assert [mail.created_at.hour for mail in mails()] == [12, 8, 8]


@pytest.mark.usefixtures("waits")
def test_it_comes_at_the_hour_of_the_daily_digest_in_the_time_zone_of_its_reader(
    mona: User, clock: Traveller
) -> None:
    User.objects.filter(pk=mona.pk).update(time_zone="America/New_York", digest_hour=8)
    clock.move_to(datetime(2027, 1, 4, 12, 59, tzinfo=UTC))
    tasks.inform_moderators()
    assert mails() == []
    clock.move_to(datetime(2027, 1, 4, 13, 1, tzinfo=UTC))
    tasks.inform_moderators()
    assert len(mails()) == 1


@pytest.mark.django_db(transaction=True)
def test_several_workers_send_it_once(mona: User) -> None:
    """Each has found something before one of them queues the email."""
    both, now = Barrier(2, timeout=60), database_clock.now()

    def found(_user: User) -> list[tuple[str, str, str]]:
        both.wait()
        return [("Emails that failed", "1", "/admin/")]

    def work(_worker: int) -> None:
        try:
            services.daily_figures_send(now=now, open_now=found)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    assert len(mails()) == 1


def test_where_nothing_is_open_none_is_sent(mona: User, settings: Settings) -> None:
    settings.LOCAL_MODE = True  # so that no backup is missed
    now = database_clock.now()
    for name in ("sweep", "beat@one", "worker@one", "bots@one"):
        Heartbeat.objects.create(name=name, at=now, started_at=now)
    tasks.inform_moderators()
    assert mails() == []


@pytest.mark.usefixtures("waits")
def test_it_counts_and_names_nobody(mona: User) -> None:
    tasks.inform_moderators()
    mail = written(mails()[0])
    assert mail["Subject"] == "What needs a moderator at Atlantis by Mail"
    assert "Tables that have waited for three days: 1\nhttp" in mail.text
    assert "Tables that have waited for three days: 1" in mail.words
    for body in (mail.text, mail.html):
        assert "/admin/games/game/?late=yes" in body
        assert "Secret plans" not in body and "Alice" not in body


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("language", ("en", *LANGUAGES))
def test_it_is_in_the_language_of_its_reader(mona: User, language: str) -> None:
    User.objects.filter(pk=mona.pk).update(language=language)
    tasks.inform_moderators()
    mail = written(mails()[0])
    is_english = language == "en"
    for words in ("Tables that have waited", "All of it on one page"):
        assert (words in mail.text) == is_english
    assert ("These need a moderator" in mail.words) == is_english


@pytest.mark.usefixtures("waits")
def test_those_who_do_not_want_it_get_none(mona: User) -> None:
    services.mail_kind_switch(kind=Kind.ATTENTION, user=mona, off=True)
    tasks.inform_moderators()
    assert mails() == []


@pytest.mark.usefixtures("waits")
def test_its_link_switches_it_off(mona: User, client: Client) -> None:
    tasks.inform_moderators()
    mail = written(mails()[0])
    link = mail["List-Unsubscribe"].strip("<>")
    assert link in mail.text and link in mail.html
    client.post(link, {"List-Unsubscribe": "One-Click"})
    assert User.objects.get(pk=mona.pk).delivery_mode(Kind.ATTENTION) == DeliveryMode.OFF


@pytest.mark.usefixtures("waits")
def test_players_and_former_moderators_get_none(
    mona: User, alice: User, outgoing: SmtpSink, root: User
) -> None:
    tasks.inform_moderators()
    assert {mail.user for mail in mails()} == {mona, root}
    services.moderate_role(user=mona, role=Role.PLAYER, ruling=services.Ruling(root, "Left"))
    OutboxMail.objects.exclude(kind=Kind.ATTENTION).delete()
    outbox.drain()
    assert OutboxMail.objects.get(user=mona).state == State.DROPPED
    assert OutboxMail.objects.get(user=root).state == State.SENT


@pytest.fixture
def root(db: None) -> User:
    """An administrator."""
    return person("Root", is_staff=True, is_superuser=True)


def test_only_moderators_are_asked_whether_they_want_it(mona: User, alice: User) -> None:
    page = reverse("mail_preferences")
    assert "mode_attention" in text(signed_in(mona).get(page))
    assert "mode_attention" not in text(signed_in(alice).get(page))


def test_the_page_of_a_moderator_says_whether_they_want_it(
    mona: User, alice: User, root: User
) -> None:
    client, said = moderating(root), "What needs a moderator’s attention"
    assert said in text(client.get(reverse("admin:games_user_change", args=[mona.pk])))
    assert said not in text(client.get(reverse("admin:games_user_change", args=[alice.pk])))


# -- a report ------------------------------------------------------------------------------


def report(about: User, by: User) -> None:
    services.name_report(user=by, person=about, text="Insults me with his name")


def open_reports() -> list[str]:
    """What each email about reports alone says about their number."""
    about = [mail.context["open"] for mail in mails() if mail.dedupe_key.startswith("reports:")]
    return [count for ((_label, count, _url),) in about]


def test_a_report_is_emailed_at_once(mona: User, alice: User, bob: User) -> None:
    report(bob, alice)
    assert [mail.user for mail in mails()] == [mona]
    mail = written(mails()[0])
    assert "Reports by players: 1\nhttp" in mail.text
    assert "Bob" not in mail.text and "Insults" not in mail.text


def test_reports_of_the_same_hour_are_one_email_and_those_after_it_another(
    mona: User, alice: User, bob: User, carol: User, clock: Traveller
) -> None:
    report(bob, alice)
    clock.shift(timedelta(minutes=10))
    report(bob, carol)
    tasks.inform_moderators()
    assert open_reports() == ["1"]
    for hours in (0.9, 2):
        clock.shift(timedelta(hours=hours))
        tasks.inform_moderators()
        assert open_reports() == ["1", "1"], "people, as on the first page"


def test_a_report_about_a_moderator_is_not_emailed_to_them(mona: User, alice: User) -> None:
    report(mona, alice)
    assert mails() == []
