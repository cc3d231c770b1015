"""Each row of what needs attention, on the admin's first page, comes and goes with its cause."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import services
from games.models import (
    FOR_GOOD,
    MANY_REFUSALS,
    Action,
    Appeal,
    Decision,
    Game,
    Heartbeat,
    InboundMail,
    MailAddress,
    MailTransport,
    OutboxMail,
    QuotaUse,
    Report,
    Seat,
    User,
    address_digest,
    database_clock,
)
from games.moderation import attention
from games.services import quotas
from tests.factories import log_of, person, play_one, table_of
from tests.support.moderators import moderating
from tests.support.pages import text
from tests.support.rolled_back import rolled_back
from tests.support.verification import verify

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
EMPTY = "Nothing needs a moderator now."
State = OutboxMail.State


@pytest.fixture
def admin(db: None) -> User:
    """An administrator, who may see people."""
    return person("Root", is_staff=True, is_superuser=True)


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    return table_of(alice, bob, name="Round the mainland")


def first_page(user: User) -> str:
    """The part of the admin's first page that says what needs attention, without its tags."""
    page = text(moderating(user).get("/admin/"))
    part = re.search(r'<section id="attention".*?</section>', page, re.DOTALL)
    assert part is not None
    return " ".join(re.sub(r"<[^>]+>", " ", part[0]).split())


def links(user: User) -> list[str]:
    """Where the rows lead."""
    page = text(moderating(user).get("/admin/"))
    part = re.search(r'<section id="attention".*?</section>', page, re.DOTALL)
    assert part is not None
    return re.findall(r'<td[^>]*><a href="([^"]*)"', part[0])


def late(game: Game, days: float) -> None:
    """The table has waited for a missed deadline for so long."""
    seats = Seat.objects.filter(game=game, asked_seq__isnull=False)
    seats.update(overdue=True, due_at=database_clock.now() - days * DAY)


def email(state: str, **fields: object) -> OutboxMail:
    """An email in this state."""
    number = OutboxMail.objects.count()
    values: dict[str, object] = {"to_address": "zoe@example.org", **fields}
    return OutboxMail.objects.create(
        kind="turn", state=state, dedupe_key=f"{number}", message_id=f"<{number}@x>", **values
    )


# -- each kind -----------------------------------------------------------------------------


def test_where_all_is_well_the_list_says_so(game: Game, mona: User) -> None:
    assert EMPTY in first_page(mona)


def test_reports_about_one_person_are_one_row_until_they_are_closed(
    game: Game, mona: User, alice: User, bob: User, carol: User
) -> None:
    about = {"about": "conduct", "text": "Insults us", "game": game}
    first, second = (Report.objects.create(person=alice, reporter=r, **about) for r in (bob, carol))
    assert "Reports by players (1) 2 people, conduct at the table: Insults us Alice" in first_page(
        mona
    )
    assert links(mona) == [f"/admin/games/report/{first.pk}/change/"]
    services.reports_close(outcomes={first.pk: "allowed"}, ruling=services.Ruling(mona, "Fair"))
    assert links(mona) == [f"/admin/games/report/{second.pk}/change/"]
    services.reports_close(outcomes={second.pk: "allowed"}, ruling=services.Ruling(mona, "Fair"))
    assert EMPTY in first_page(mona)


def test_nobody_sees_a_report_about_themselves(game: Game, mona: User, alice: User) -> None:
    Report.objects.create(person=mona, reporter=alice, about="conduct", text="Bossy", game=game)
    assert EMPTY in first_page(mona)
    assert "1 person, conduct at the table: Bossy" in first_page(person("Root", is_staff=True))


def test_a_table_that_waits_for_three_days_is_listed_until_somebody_moves(
    game: Game, mona: User
) -> None:
    late(game, 2.9)
    assert EMPTY in first_page(mona)
    late(game, 3.1)
    assert "The table waits for Alice. Round the mainland 3 days ago" in first_page(mona)
    assert links(mona) == [f"/admin/games/game/{game.pk}/change/?act=play_bot"]
    services.moderate_play_bot(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "Asleep"))
    assert EMPTY in first_page(mona)


def test_the_form_that_settles_it_is_open_where_the_row_leads(game: Game, mona: User) -> None:
    late(game, 4)
    page = text(moderating(mona).get(links(mona)[0]))
    assert page.count('<details class="action" open>') == 1


def test_a_table_without_a_host_is_listed_as_soon_as_it_waits(game: Game, mona: User) -> None:
    Game.objects.update(host=None)
    assert EMPTY in first_page(mona)
    late(game, 0.1)
    assert "wait and have no host (1) The table waits for Alice." in first_page(mona)
    Game.objects.update(host=person("Hedda"))
    assert EMPTY in first_page(mona)
    User.objects.filter(display_name="Hedda").update(suspended_until=FOR_GOOD)
    assert "The table waits for Alice." in first_page(mona)


def test_a_player_whose_emails_bounce_is_listed_until_they_are_sent_again(
    game: Game, admin: User, alice: User
) -> None:
    digest = address_digest(alice.email)
    MailAddress.objects.create(digest=digest, stopped="bounce", stopped_at=timezone.now() - 2 * DAY)
    User.objects.filter(pk=alice.pk).update(mail_trouble=f"bounce:{digest}")
    assert "Emails to this player bounce. alice@example.org 2 days ago" in first_page(admin)
    assert links(admin) == [f"/admin/games/user/{alice.pk}/conduct/?act=emails"]
    alice.refresh_from_db()
    services.moderate_emails(user=alice, ruling=services.Ruling(admin, "Works again"))
    assert EMPTY in first_page(admin)


@pytest.mark.parametrize("trouble", ["complaint:{}", "bounce:another address"])
def test_neither_complaints_nor_former_addresses_are_listed(
    game: Game, admin: User, alice: User, trouble: str
) -> None:
    words = trouble.format(address_digest(alice.email))
    User.objects.filter(pk=alice.pk).update(mail_trouble=words)
    assert EMPTY in first_page(admin)


def test_a_person_who_plays_nowhere_is_not_listed_for_bounces(admin: User) -> None:
    zoe = person("Zoe")
    User.objects.filter(pk=zoe.pk).update(mail_trouble=f"bounce:{address_digest(zoe.email)}")
    assert EMPTY in first_page(admin)


@pytest.mark.parametrize("state", [State.PARKED, State.DEAD])
def test_an_email_that_is_not_sent_is_listed_until_it_is_retried(mona: User, state: str) -> None:
    row = email(state)
    assert "z…@example.org" in first_page(mona)
    assert links(mona) == ["/admin/games/outboxmail/?q=%3C0%40x%3E"]
    services.mails_retry(ids=[row.pk], by=mona)
    assert EMPTY in first_page(mona)


def test_the_list_to_which_an_email_leads_retries_it_without_further_choices(mona: User) -> None:
    row = email(State.PARKED)
    client = moderating(mona)
    page = text(client.get(links(mona)[0]))
    assert re.findall(r'<option value="([^"]*)"', page) == ["try_again"]
    client.post(links(mona)[0], {"action": "try_again", "_selected_action": row.pk})
    assert EMPTY in first_page(mona)


def test_an_email_that_failed_long_ago_or_with_another_one_is_not_listed(mona: User) -> None:
    email(State.DEAD, created_at=timezone.now() - 3 * DAY)
    whole = email(State.SENT, sent_at=timezone.now())
    email(State.PARKED, batched_into=whole)
    assert EMPTY in first_page(mona)


def failed_reply(game: Game | None, **fields: object) -> InboundMail:
    number = InboundMail.objects.count()
    if game is not None:
        seat = game.seats.get(number=0)
        fields = {"game": game, "seat": 0, "seq": seat.asked_seq, "user": seat.user, **fields}
    values: dict[str, object] = {"raw": b"x", "channel": "relay", **fields}
    return InboundMail.objects.create(key=f"{number}", state="failed", **values)


def test_a_faulty_log_is_listed_with_its_event(game: Game, mona: User) -> None:
    now = timezone.now()
    Heartbeat.objects.create(name="verify", at=now, started_at=now, faults={game.public_id: 3})
    assert "Event 3 of the log fails verification. Pause the game" in first_page(mona)
    Heartbeat.objects.update(faults={game.public_id: 0})
    assert "The log fails verification. Pause the game" in first_page(mona)


def test_a_reply_that_failed_is_listed_with_its_error_and_processed_again(
    game: Game, mona: User
) -> None:
    reply = failed_reply(game, error="KeyError('flag by b1')", recipient="move@example.org")
    assert "could not be processed. KeyError" in first_page(mona)
    assert "flag by b1" not in first_page(mona)
    client = moderating(mona)
    page = text(client.get(links(mona)[0]))
    assert "KeyError" in page and "flag by b1" not in page
    fields = {"action": "process_again", "_selected_action": reply.pk}
    assert all(f'name="{name}" value="{value}"' in page for name, value in fields.items())
    answer = client.post("/admin/games/inboundmail/", fields, follow=True)
    said = text(answer)
    assert answer.redirect_chain[-1][0] == f"/admin/games/inboundmail/{reply.pk}/change/"
    assert "1 reply will be processed again." in said
    made = Decision.objects.get()
    assert (made.action, made.message) == (Action.RETRY_REPLY, f"inboundmail {reply.pk}")
    assert (made.game, made.person) == (game, reply.user)
    reply.refresh_from_db()
    assert (reply.state, reply.attempts, reply.error) == ("new", 0, "")
    assert EMPTY in first_page(mona)


def test_a_reply_that_would_fail_again_has_no_button(mona: User) -> None:
    reply = failed_reply(None, error="No form of a provider.", outcome="broken", recipient="a@b")
    page = text(moderating(mona).get(f"/admin/games/inboundmail/{reply.pk}/change/"))
    assert "No form of a provider." in page and "process_again" not in page


def test_a_reply_that_failed_is_listed_until_its_turn_is_over(game: Game, mona: User) -> None:
    reply = failed_reply(game)
    assert "This reply could not be processed. Round the mainland" in first_page(mona)
    assert links(mona) == [f"/admin/games/inboundmail/{reply.pk}/change/"]
    play_one(game)
    assert EMPTY in first_page(mona)


def test_a_reply_about_no_table_is_listed_for_two_days(mona: User) -> None:
    failed_reply(None)
    assert "This reply could not be processed." in first_page(mona)
    InboundMail.objects.update(received_at=timezone.now() - 3 * DAY)
    assert EMPTY in first_page(mona)


def test_a_log_that_does_not_verify_is_listed_until_it_does(game: Game, mona: User) -> None:
    play_one(game)
    with rolled_back():
        Game.objects.filter(pk=game.pk).update(version=99)
        assert verify()[0] == 1
        assert "Pause the game, and ask the operator. Round the mainland" in first_page(mona)
        assert links(mona) == [f"/admin/games/game/{game.pk}/change/?act=pause"]
        Game.objects.filter(pk=game.pk).update(version=log_of(game).version)
        assert verify()[0] == 0
        assert EMPTY in first_page(mona)


def test_the_daily_email_counts_the_faults_of_the_service(mona: User) -> None:
    at = timezone.now() - DAY
    MailTransport.objects.create(name="all", closed_at=at, retry_at=at, words="550 no")
    (label, number, path), *others = attention.figures(mona, database_clock.now())
    assert (label, path) == ("State of the service", "/admin/")
    assert others == [("Mail server", "1", "/admin/games/mailtransport/")]
    before = int(number)
    MailTransport.objects.all().delete()
    assert int(attention.figures(mona, database_clock.now())[0][1]) == before - 1


def refused(quota: str, subject: str | int, times: int) -> None:
    now = timezone.now()
    QuotaUse.objects.create(
        quota=quota, subject=subject, limit=1, refused=times, refused_at=now, ends_at=now + DAY
    )


def test_a_limit_that_one_person_keeps_exceeding_is_listed_for_a_day(
    mona: User, admin: User, alice: User
) -> None:
    refused("tables_person_day", alice.pk, MANY_REFUSALS - 1)
    refused("tables_service_hour", "", 99)
    refused("sign_ups_network_day", "3f" * 32, 99)
    assert EMPTY in first_page(mona)
    refused("mutes_person_day", alice.pk, MANY_REFUSALS)
    assert "The limit mutes_person_day was exceeded 10 times. Alice" in first_page(mona)
    assert links(mona) == ["/admin/games/quotause/?limit=mutes_person_day"]
    assert links(admin) == [f"/admin/games/user/{alice.pk}/change/"]
    QuotaUse.objects.update(refused_at=timezone.now() - 2 * DAY)
    assert EMPTY in first_page(mona)


def test_the_refusals_that_services_count_are_those(mona: User, alice: User) -> None:
    for _try in range(quotas.MUTES.quotas[0].limit + MANY_REFUSALS):
        try:
            with quotas.atomic():
                quotas.spend(quotas.MUTES, person=alice)
        except quotas.QuotaExceeded:
            pass
    assert "mutes_person_day was exceeded" in first_page(mona)


# -- who sees what -------------------------------------------------------------------------


def test_only_who_may_see_people_sees_whose_emails_bounce(
    game: Game, mona: User, alice: User
) -> None:
    User.objects.filter(pk=alice.pk).update(mail_trouble=f"bounce:{address_digest(alice.email)}")
    assert EMPTY in first_page(mona)
    mona.user_permissions.add(Permission.objects.get(codename="view_user"))
    assert "alice@example.org" in first_page(mona)


def test_a_moderator_who_plays_sees_no_emails_replies_and_limits_of_the_others(
    mona: User, bob: User, admin: User
) -> None:
    own = table_of(bob, mona, name="Own")
    email(State.PARKED, game=own, user=bob)
    email(State.DEAD, game=own, user=bob)
    failed_reply(own)
    refused("orders_seat_day", f"{own.pk}:{bob.pk}", 50)
    assert EMPTY in first_page(mona)
    labels = [label for label, *_more in attention.figures(mona, database_clock.now())]
    assert labels == ["State of the service"]
    for words in ("refuses this email", "This email failed", "This reply", "orders_seat_day"):
        assert words in first_page(admin)


# -- many rows -----------------------------------------------------------------------------


def test_twenty_rows_of_a_kind_are_shown_and_the_others_are_a_link(mona: User) -> None:
    for _row in range(23):
        email(State.PARKED)
    said = first_page(mona)
    assert "Emails that the mail server refuses (23)" in said
    assert said.count("z…@example.org") == 20
    assert "3 more" in said
    assert 'href="/admin/games/outboxmail/?state__exact=parked"' in text(
        moderating(mona).get("/admin/")
    )


def test_more_than_a_thousand_are_not_counted(mona: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "MOST_COUNTED", 30)
    for _row in range(40):
        email(State.PARKED)
    assert "(30+)" in first_page(mona)
    assert "10+ more" in first_page(mona)


def fill(game: Game, alice: User, number: int) -> None:
    """This many rows of some kinds, and one of the others."""
    late(game, 5)
    User.objects.filter(pk=alice.pk).update(mail_trouble=f"bounce:{address_digest(alice.email)}")
    for _row in range(number):
        email(State.PARKED)
        email(State.DEAD)
        failed_reply(game)
        warning = Decision.objects.create(action=Action.WARN, person=alice)
        Appeal.objects.create(decision=warning, text="No", for_administrators=False)
        refused("orders_seat_day", f"{game.pk}:{OutboxMail.objects.count()}", 50)
    Heartbeat.objects.create(name="verify", at=timezone.now(), faults={game.public_id: 3})
    Heartbeat.objects.update(started_at=timezone.now())
    Heartbeat.objects.create(name="sweep", at=timezone.now() - DAY)
    MailTransport.objects.create(name="all", closed_at=timezone.now(), retry_at=timezone.now())


def test_the_list_takes_as_many_queries_whatever_it_finds(
    game: Game, admin: User, alice: User
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            attention.open_now(User.objects.get(pk=admin.pk), database_clock.now())
        return len(seen)

    database_clock.now()
    before = queries()
    fill(game, alice, 30)
    assert (
        len(attention.open_now(admin, database_clock.now())) == len(attention.KINDS) - 2
    )  # reports, hosts
    assert queries() == before


def test_each_kind_reads_an_index_of_its_own(
    game: Game, admin: User, alice: User, django_assert_max_num_queries: Callable[..., object]
) -> None:
    """However large the tables are: PostgreSQL never has to read a whole one."""
    fill(game, alice, 1)
    with connection.cursor() as cursor, CaptureQueriesContext(connection) as seen:
        cursor.execute("SET LOCAL enable_seqscan = off")
        attention.open_now(admin, database_clock.now())
    plans = []
    with connection.cursor() as cursor:
        for query in seen.captured_queries:
            if query["sql"].startswith("SELECT"):
                cursor.execute("EXPLAIN " + query["sql"].replace("%", "%%"))
                plans.append("\n".join(row[0] for row in cursor.fetchall()))
    whole = "\n".join(plans)
    for index in (
        "games_appeal_open",
        "games_seat_overdue",
        "games_user_mail_trouble",
        "games_outbox_parked",
        "games_outbox_dead",
        "games_inbound_failed",
        "games_quotause_often",
        "games_user_suspended",
    ):
        assert index in whole, index


@pytest.mark.parametrize("language", ["de", "fr"])
def test_the_list_is_in_the_language_of_its_reader(game: Game, mona: User, language: str) -> None:
    User.objects.filter(pk=mona.pk).update(language=language)
    late(game, 5)
    client = moderating(mona)
    page = text(client.get("/admin/", headers={"Accept-Language": language}))
    assert "The table waits" not in page and "What needs attention" not in page


def test_only_the_first_page_says_what_needs_attention(mona: User) -> None:
    page = text(moderating(mona).get("/admin/games/"))
    assert EMPTY not in page
    assert "All is well." not in page


def test_the_page_changes_nothing(game: Game, mona: User) -> None:
    late(game, 5)
    client: Client = moderating(mona)
    rows = list(Seat.objects.values())
    client.get("/admin/")
    assert list(Seat.objects.values()) == rows


def test_whom_most_people_have_reported_comes_first(
    game: Game, mona: User, alice: User, bob: User, carol: User
) -> None:
    for reporter, person_ in ((alice, bob), (bob, carol), (alice, carol)):
        Report.objects.create(
            person=person_, reporter=reporter, about="conduct", text="Rude", game=game
        )
    said = first_page(mona)
    assert said.index("2 people, conduct at the table: Rude Carol") < said.index(
        "1 person, conduct at the table: Rude Bob"
    )


def test_a_faulty_log_is_the_most_urgent_kind() -> None:
    assert str(attention.KINDS[0].label) == "Logs that do not verify"
