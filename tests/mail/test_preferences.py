"""Mails as their readers wish: at once, gathered, once a day or not at all, and never at night."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parseaddr, parsedate_to_datetime

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.log import pipeline
from games.mail import claims, compose, kinds, outbox, queue, reply_addresses, signed_links
from games.mail.transport_state import Lane
from games.models import Game, OutboxMail, Seat, User
from tests.factories import fresh, play_one, play_to_the_end, play_turns, seats_of, table_of
from tests.support.emails import (
    Kind,
    State,
    keep_only_mail_to,
    make_all_due,
    prefer,
    read,
    row_for,
    rows_for,
    written,
)
from tests.support.escape_games import attacked, game_with
from tests.support.smtp_sink import SmtpSink

pytestmark = pytest.mark.django_db

NOON = datetime(2027, 1, 13, 12, 0, tzinfo=UTC)


# -- hours ---------------------------------------------------------------------------------


def test_a_player_who_has_chosen_nothing_gets_emails_at_once(alice: User) -> None:
    assert all(alice.send_at(kind, NOON) == NOON for kind in kinds.selectable())
    assert alice.hold_until(NOON, NOON, digest=False) is None


@pytest.mark.parametrize("minutes", [0, 15, 60])
def test_gathered_emails_wait_for_as_long_as_was_chosen(alice: User, minutes: int) -> None:
    prefer(alice, "gather", gather_minutes=minutes)
    assert alice.send_at(Kind.TURN, NOON) == NOON + timedelta(minutes=minutes)


def test_the_digest_has_its_own_hour_where_its_reader_lives(alice: User, bob: User) -> None:
    for user, hour in ((alice, 7), (bob, 13)):  # Berlin is an hour ahead, New York five behind
        prefer(user, "digest", digest_hour=8)
        assert user.send_at(Kind.TURN, NOON).astimezone(UTC).hour == hour
    assert alice.send_at(Kind.TURN, NOON).day == 14
    assert bob.send_at(Kind.TURN, NOON).day == 13


@pytest.mark.parametrize(
    ("at", "until"),
    [("20:59", "20:59"), ("21:00", "06:00"), ("23:30", "06:00"), ("05:59", "06:00"), ("06:00", "06:00")],
)  # fmt: skip
def test_nobody_is_written_to_in_quiet_hours(alice: User, at: str, until: str) -> None:
    prefer(alice, quiet_from=22, quiet_until=7)  # in Berlin
    hour, minute = map(int, at.split(":"))
    found = alice.send_at(Kind.TURN, NOON.replace(hour=hour, minute=minute))
    assert found.astimezone(UTC).strftime("%H:%M") == until


def test_quiet_hours_end_by_the_clock_on_the_wall_also_when_it_is_put_forward(alice: User) -> None:
    prefer(alice, quiet_from=22, quiet_until=7)
    before = datetime(2027, 3, 27, 22, 0, tzinfo=UTC)  # the night in which Berlin's clocks jump
    assert alice.send_at(Kind.TURN, before).astimezone(UTC).hour == 5


def test_being_on_the_site_delays_but_not_for_good(alice: User) -> None:
    prefer(alice, hold_while_online=True)
    alice.last_seen_at = NOON
    assert alice.hold_until(NOON, NOON, digest=False) == NOON + timedelta(minutes=5)
    long_ago = NOON - timedelta(minutes=30)
    assert alice.hold_until(long_ago, NOON, digest=False) is None


# -- sent ----------------------------------------------------------------------------------


def test_two_games_that_wait_make_one_email(outgoing: SmtpSink, alice: User, bob: User) -> None:
    prefer(alice, "gather", gather_minutes=15)
    games = [table_of(alice, bob, name=name) for name in ("First table", "Second table")]
    keep_only_mail_to(alice)
    assert outbox.drain().sent == 0  # it is too early
    make_all_due()
    assert outbox.drain().sent == 1
    (message,) = outgoing.messages
    received = read(message)
    assert message["Subject"] == "2 games are waiting for you"
    for game in games:
        assert game.name in received.text
        assert game.name in received.words
        assert f"/t/{game.public_id}-0-" in received.text
    assert set(received.pictures) == {"board-1@127.0.0.1", "board-2@127.0.0.1"}
    assert set(re.findall(r'src="cid:([^"]+)"', received.html)) == set(received.pictures)
    carrier = OutboxMail.objects.get(kind=Kind.GATHERED)
    assert message["Message-ID"] == carrier.message_id
    turns = OutboxMail.objects.filter(kind=Kind.TURN)
    assert [(row.state, row.batched_into) for row in turns] == [(State.SENT, carrier)] * 2


def test_reminders_of_two_games_make_one_email(outgoing: SmtpSink, alice: User, bob: User) -> None:
    """It says for each of them until when, where the reader lives, and what happens then."""
    prefer(alice, "gather", gather_minutes=15)
    seats = [
        Seat.objects.get(game=table_of(alice, bob, name=name), user=alice)
        for name in ("First table", "Second table")
    ]
    OutboxMail.objects.all().delete()
    half = [seat.due_at - timedelta(hours=36) for seat in seats if seat.due_at is not None]
    assert services.reminders_due(now=max(half)) == 2
    make_all_due()
    assert outbox.drain().sent == 1
    received = read(outgoing.messages[0])
    for words in (" ".join(received.text.split()), received.words):
        assert words.count("half of your time is gone") == 2
        assert words.count("After the deadline, the game waits") == 2
        for seat in seats:
            assert seat.due_at is not None
            assert f"{seat.due_at.astimezone(alice.zone):%H:%M}" in words


def test_one_that_is_not_due_yet_goes_along(outgoing: SmtpSink, alice: User, bob: User) -> None:
    prefer(alice, "gather", gather_minutes=60)
    first = table_of(alice, bob)
    OutboxMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    table_of(alice, bob)
    keep_only_mail_to(alice)
    assert outbox.drain().sent == 1
    assert outgoing.messages[0]["Subject"] == "2 games are waiting for you"
    assert row_for(first, Kind.TURN).state == State.SENT


def test_a_game_alone_comes_as_it_always_does(outgoing: SmtpSink, alice: User, bob: User) -> None:
    prefer(alice, "gather")
    game = table_of(alice, bob)
    gone = table_of(alice, bob)
    play_one(gone)  # no longer alice's turn
    keep_only_mail_to(alice)
    make_all_due()
    done = outbox.drain()
    assert (done.sent, done.dropped) == (1, 1)
    assert outgoing.messages[0]["Message-ID"] == row_for(game, Kind.TURN).message_id


def test_each_game_in_a_gathered_email_has_its_own_reply_address(
    outgoing: SmtpSink, alice: User, bob: User, settings: Settings
) -> None:
    settings.MAIL_REPLY_DOMAIN = "play.example.org"
    prefer(alice, "gather", gather_minutes=0)
    games = [table_of(alice, bob) for _game in range(2)]
    keep_only_mail_to(alice)
    outbox.drain()
    received = read(outgoing.messages[0])
    assert (
        reply_addresses.read_reply_address(parseaddr(received["Reply-To"])[1]) is None
    )  # no game's own
    for game in games:
        address = reply_addresses.reply_address(game.public_id, 0, row_for(game, Kind.TURN).seq)
        assert address is not None
        assert address in received.text
        assert f'href="mailto:{address}"' in received.html


def test_a_gathered_email_that_is_sent_twice_has_one_name(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    prefer(alice, "gather", gather_minutes=0)
    for _game in range(2):
        table_of(alice, bob)
    keep_only_mail_to(alice)
    outgoing.answer = "451 later"
    assert outbox.drain().failed == 1
    assert set(OutboxMail.objects.filter(kind=Kind.TURN).values_list("state", flat=True)) == {
        State.MERGED
    }
    OutboxMail.objects.filter(state=State.QUEUED).update(  # its sender died without a word
        state=State.SENDING,
        lease_until=timezone.now() - timedelta(seconds=1),
        next_try_at=timezone.now() - timedelta(seconds=1),
    )
    outgoing.answer = "250 kept"
    outbox.drain()
    (first,), (second,) = outgoing.refused, outgoing.messages
    assert first["Message-ID"] == second["Message-ID"]
    assert not OutboxMail.objects.exclude(state=State.SENT).exists()


def test_a_gathered_email_of_which_nothing_is_left_is_not_sent(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    prefer(alice, "gather", gather_minutes=0)
    games = [table_of(alice, bob) for _game in range(2)]
    keep_only_mail_to(alice)
    outgoing.answer = "451 later"
    outbox.drain()
    for game in games:
        play_one(game)
    keep_only_mail_to(alice)
    make_all_due()
    outgoing.answer = "250 kept"
    assert outbox.drain().dropped == 1
    assert set(OutboxMail.objects.values_list("state", flat=True)) == {State.DROPPED}


def test_a_gathered_email_that_is_given_up_takes_its_rows_with_it_and_brings_them_back(
    outgoing: SmtpSink, alice: User, bob: User, mona: User
) -> None:
    prefer(alice, "gather", gather_minutes=0)
    for _game in range(2):
        table_of(alice, bob)
    keep_only_mail_to(alice)
    outgoing.answer = "554 no"
    for _try in range(outbox.MAX_REFUSALS):
        OutboxMail.objects.filter(state=State.QUEUED).update(
            next_try_at=timezone.now() - timedelta(seconds=1)
        )
        outbox.drain()
    assert set(OutboxMail.objects.values_list("state", flat=True)) == {State.PARKED}
    outgoing.answer = "250 kept"
    everything = list(OutboxMail.objects.values_list("pk", flat=True))
    assert services.mails_retry(ids=everything, by=mona) == 1
    assert outbox.drain().sent == 1
    assert set(OutboxMail.objects.values_list("state", flat=True)) == {State.SENT}


def test_the_digest_lists_all_that_waits_the_least_time_left_first(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    prefer(alice, "digest")
    names = ("Plenty of time", "Nearly over", "Some time")
    for name, hours in zip(names, (70, 2, 30), strict=True):
        game = table_of(alice, bob, name=name)
        Seat.objects.filter(game=game, number=0).update(
            due_at=timezone.now() + timedelta(hours=hours)
        )
    row = row_for(Game.objects.get(name="Some time"), Kind.TURN)
    OutboxMail.objects.filter(pk=row.pk).update(state=State.SENT, sent_at=timezone.now())
    keep_only_mail_to(alice)
    make_all_due()
    assert outbox.drain().sent == 1
    received = read(outgoing.messages[0])
    assert received["Subject"] == "3 games are waiting for you"
    places = [received.words.index(name) for name in ("Nearly over", "Some time", "Plenty of time")]
    assert places == sorted(places)


def test_the_digest_of_a_player_without_turn_emails_lists_no_turns(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    table_of(alice, bob, name="It waits")
    play_to_the_end(table_of(alice, bob, name="It is over"))
    prefer(alice, modes={Kind.TURN: "none", Kind.OVER: "digest"})
    keep_only_mail_to(alice)
    make_all_due()
    outbox.drain()
    received = read(outgoing.messages[-1])
    assert received["Subject"] == "Updates on your games"
    assert "It waits" not in received.words + received.text


def test_a_digest_lists_the_last_events_of_each_game(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    prefer(alice, "gather", gather_minutes=0)
    for name in ("First table", "Second table"):
        play_turns(table_of(alice, bob, name=name), 2)
    keep_only_mail_to(alice)
    outbox.drain()
    received = read(outgoing.messages[-1])
    for words in (" ".join(received.text.split()), received.words):
        for part in words.split("First table")[1].split("Second table"):
            assert "Bob played" in part
            assert "Alice played" not in part  # since her last move


def test_what_waited_for_the_morning_is_of_the_morning(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    """An email that says it is half a day old is taken for spam by some."""
    now = timezone.now().astimezone(alice.zone)
    game = table_of(alice, bob)
    prefer(alice, quiet_from=(now.hour - 9) % 24, quiet_until=(now.hour - 1) % 24)
    evening = alice.next_hour((now.hour - 9) % 24, now - timedelta(days=1))
    OutboxMail.objects.update(created_at=evening, next_try_at=now)
    keep_only_mail_to(alice)
    outgoing.answer = "451 later"
    outbox.drain()
    outgoing.answer = "250 kept"
    make_all_due()
    outbox.drain()
    first, second = outgoing.refused[0], outgoing.messages[0]
    assert first["Date"] == second["Date"]
    assert parsedate_to_datetime(str(second["Date"])) == alice.next_hour(
        (now.hour - 1) % 24, evening
    )
    assert row_for(game, Kind.TURN).state == State.SENT


def test_a_digest_is_one_also_with_a_single_game(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    prefer(alice, "digest")
    play_to_the_end(table_of(alice, bob))
    keep_only_mail_to(alice)
    make_all_due()
    outbox.drain()
    received = read(outgoing.messages[-1])
    assert received["Subject"] == "Updates on your games"
    assert "The game is over. Won by" in received.words
    assert OutboxMail.objects.get(state=State.SENT, kind=Kind.OVER).batched_into is not None


def test_what_nobody_wants_is_not_sent(outgoing: SmtpSink, alice: User, bob: User) -> None:
    prefer(alice, "none")
    game = table_of(alice, bob)
    keep_only_mail_to(alice)
    outbox.drain()
    assert row_for(game, Kind.TURN).error == "the recipient turned this kind of email off"
    assert outgoing.messages == []


def test_a_player_who_is_on_the_site_gets_the_email_afterwards(
    outgoing: SmtpSink, alice: User, bob: User, client: Client
) -> None:
    prefer(alice, hold_while_online=True)
    client.force_login(alice)
    client.get("/")
    game = table_of(alice, bob)
    keep_only_mail_to(alice)
    assert outbox.drain().put_back == 1
    row = row_for(game, Kind.TURN)
    assert (row.state, row.attempts) == (State.QUEUED, 0)
    assert row.next_try_at > timezone.now() + timedelta(minutes=4)
    User.objects.filter(pk=alice.pk).update(last_seen_at=timezone.now() - timedelta(minutes=6))
    make_all_due()
    assert outbox.drain().sent == 1


def test_codes_and_answers_come_at_any_hour(outgoing: SmtpSink, alice: User) -> None:
    hour = timezone.now().astimezone(alice.zone).hour
    prefer(alice, "none", quiet_from=hour, quiet_until=(hour + 2) % 24)
    context = {"language": "en", "subject": "A code", "body": "Words."}
    queue.account(alice.email, dedupe="x", context=context, user=alice)
    assert outbox.drain().sent == 1


def test_new_preferences_move_what_is_waiting(alice: User, bob: User) -> None:
    prefer(alice, "digest")
    game = table_of(alice, bob)
    assert row_for(game, Kind.TURN).next_try_at > timezone.now()
    prefer(alice)
    assert row_for(game, Kind.TURN).next_try_at <= timezone.now()


# -- what cannot wait ------------------------------------------------------------------------


def at_night(user: User, way: str | None = None) -> User:
    """It is this person's quiet hour, and the next digest is most of a day away."""
    hour = timezone.now().astimezone(user.zone).hour
    return prefer(
        user, way, quiet_from=hour, quiet_until=(hour + 10) % 24, digest_hour=(hour - 1) % 24
    )


def clock(game: Game, user: User, hours: float) -> None:
    """This person was asked just now and has this number of hours; the email is queued anew by
    that."""
    now = timezone.now()
    Seat.objects.filter(game=game, user=user).update(
        asked_at=now, due_at=now + timedelta(hours=hours)
    )
    OutboxMail.objects.filter(game=game, user=user, kind=Kind.TURN).delete()
    seat = Seat.objects.get(game=game, user=user)
    assert seat.asked_seq is not None
    pipeline.execute(queue.turns_changed(fresh(game), seats_of(game)))


def test_an_attack_is_sent_at_once_also_at_night_and_to_readers_of_a_daily_digest(
    outgoing: SmtpSink, monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked(), answer="6")
    for user in (alice, bob):
        at_night(user, "digest")
    OutboxMail.objects.all().delete()
    asked = Seat.objects.get(game=game, asked_seq__isnull=False)
    assert asked.due_at is not None and asked.asked_seq is not None
    assert asked.due_at < timezone.now() + timedelta(hours=6)
    assert asked.user is not None
    clock(game, asked.user, 5)
    table_of(alice, bob, name="Three days a move")
    assert outbox.drain().sent == 1
    (message,) = outgoing.messages
    row = OutboxMail.objects.get(kind=Kind.TURN, game=game, seq=asked.asked_seq)
    assert message["Message-ID"] == row.message_id  # alone: all else waits for the digest
    assert not OutboxMail.objects.filter(kind=Kind.DIGEST).exists()


@pytest.mark.parametrize("way", [None, "gather", "digest"])
def test_a_turn_of_three_days_waits_for_the_morning(
    outgoing: SmtpSink, alice: User, bob: User, way: str | None
) -> None:
    at_night(alice, way)
    table_of(alice, bob)
    keep_only_mail_to(alice)
    assert outbox.drain().sent == 0
    make_all_due()  # also where it is tried too early
    assert outbox.drain().sent == (way == "digest")  # its hour was chosen, quiet or not


@pytest.mark.parametrize(("more", "sent"), [(-1, 1), (1, 0)])
def test_a_turn_does_not_wait_for_more_than_half_of_its_time(
    outgoing: SmtpSink, alice: User, bob: User, more: int, sent: int
) -> None:
    at_night(alice)
    game = table_of(alice, bob)
    night = alice.after_quiet(timezone.now()) - timezone.now()
    clock(game, alice, 2 * night / timedelta(hours=1) + more)
    keep_only_mail_to(alice)
    assert outbox.drain().sent == sent


def test_two_attacks_at_night_come_in_one_email_where_emails_are_gathered(
    outgoing: SmtpSink, alice: User, bob: User
) -> None:
    at_night(alice, "gather")
    games = [table_of(alice, bob) for _game in range(2)]
    for game in games:
        clock(game, alice, 1)
    keep_only_mail_to(alice)
    OutboxMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    assert outbox.drain().sent == 1
    assert outgoing.messages[0]["Subject"] == "2 games are waiting for you"


def test_a_reminder_waits_where_it_still_comes_in_time_and_only_there(
    alice: User, bob: User
) -> None:
    at_night(alice, "digest")
    moments = []
    for hours in (30, 6):
        game = table_of(alice, bob)
        clock(game, alice, hours)
        pipeline.execute(queue.reminder(game, Seat.objects.get(game=game, user=alice), "half"))
        row = row_for(game, Kind.REMINDER)
        moments.append(row.next_try_at > row.created_at)
    assert moments == [True, False]


def test_new_preferences_hold_back_nothing_that_cannot_wait(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    clock(game, alice, 6)
    at_night(alice, "digest")
    row = row_for(game, Kind.TURN)
    assert row.next_try_at == row.created_at


def test_the_page_says_what_cannot_wait(client: Client, alice: User) -> None:
    client.force_login(alice)
    assert (
        "Urgent emails are always sent immediately"
        in client.get("/settings/mails/").content.decode()
    )


# -- off with one click --------------------------------------------------------------------


def test_one_click_ends_one_kind_and_another_brings_it_back_as_it_was(
    client: Client, alice: User, bob: User
) -> None:
    prefer(alice, "gather")
    game = table_of(alice, bob)
    path = signed_links.kind_off_path(Kind.TURN, alice)
    assert path in written(row_for(game, Kind.TURN)).text
    assert client.get(path).status_code == 200
    assert alice.delivery_mode(Kind.TURN) == "gather"  # looking does nothing
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post(path, {"List-Unsubscribe": "One-Click"})
    alice.refresh_from_db()
    assert answer.status_code == 200
    assert (alice.delivery_mode(Kind.TURN), alice.delivery_mode(Kind.OVER)) == ("none", "gather")
    assert "Turn them back on" in client.get(path).content.decode()
    strict.post(path, {"on": "1"})
    alice.refresh_from_db()
    assert alice.delivery_mode(Kind.TURN) == "gather"


def test_one_click_in_a_digest_ends_all_that_came_in_it(client: Client, alice: User) -> None:
    prefer(alice, modes={Kind.TURN: "digest", Kind.OVER: "digest", Kind.REMINDER: "none"})
    path = signed_links.kind_off_path("digest", alice)
    for _twice in range(2):
        client.post(path, {"List-Unsubscribe": "One-Click"})
    alice.refresh_from_db()
    assert {alice.delivery_mode(k) for k in (Kind.TURN, Kind.OVER, Kind.REMINDER)} == {"none"}
    client.post(path, {"on": "1"})
    alice.refresh_from_db()
    assert [alice.delivery_mode(k) for k in (Kind.TURN, Kind.OVER, Kind.REMINDER)] == ["digest", "digest", "none"]  # fmt: skip


def test_a_forged_link_ends_nothing(client: Client, alice: User, bob: User) -> None:
    path = signed_links.kind_off_path("turn", alice)
    forged = path.replace(f"turn-{alice.pk}", f"turn-{bob.pk}")
    assert client.post(forged).status_code == 404
    other = path.replace("turn-", "over-")
    assert client.post(other).status_code == 404
    bob.refresh_from_db()
    assert bob.delivery_modes == {}


# -- the page ------------------------------------------------------------------------------


def form_of(**more: str) -> dict[str, str]:
    ways = {f"mode_{kind}": "once" for kind in kinds.selectable()}
    return {**ways, "gather_minutes": "15", "digest_hour": "8", "quiet_from": "22", "quiet_until": "7", **more}  # fmt: skip


def test_the_page_keeps_what_was_chosen(client: Client, alice: User) -> None:
    client.force_login(alice)
    sent = form_of(mode_turn="digest", digest_hour="19", quiet="on", hold_while_online="on")
    assert client.post("/settings/mails/", sent).status_code == 302
    alice.refresh_from_db()
    assert alice.delivery_modes == {"turn": "digest"}
    assert (alice.digest_hour, alice.quiet_from, alice.quiet_until) == (19, 22, 7)
    assert alice.hold_while_online
    page = client.get("/settings/mails/").content.decode()
    assert re.search(r'<option value="digest" selected>', page)


def test_the_page_refuses_hours_that_end_where_they_begin(client: Client, alice: User) -> None:
    client.force_login(alice)
    answer = client.post("/settings/mails/", form_of(quiet="on", quiet_until="22"))
    assert "Quiet hours must start and end at different times." in answer.content.decode()
    alice.refresh_from_db()
    assert alice.quiet_from is None


def test_a_preview_is_the_email_as_it_would_look_and_leaves_nothing_behind(
    client: Client, alice: User, bob: User
) -> None:
    client.force_login(alice)
    for kind in compose.previewable():
        early = client.get(f"/settings/mails/{kind}/").content.decode()
        assert "once one of your games reaches this stage" in early, kind
    play_to_the_end(table_of(alice, bob, name="Over"))
    table_of(alice, bob)
    table_of(alice, bob, name="Another")
    before = OutboxMail.objects.count()
    for kind in compose.previewable():
        page = client.get(f"/settings/mails/{kind}/")
        frame = client.get(f"/settings/mails/{kind}/html")
        assert page.status_code == frame.status_code == 200, kind
        drawn = 'src="data:image/png;base64' in frame.content.decode()
        assert drawn, kind
        assert "default-src 'none'" in frame.headers["Content-Security-Policy"], kind
        assert OutboxMail.objects.count() == before, kind


def test_rows_of_nobody_are_claimed_like_all_others(outgoing: SmtpSink) -> None:
    context = {"language": "en", "subject": "A code", "body": "Words."}
    queue.account("zoe@example.net", dedupe="x", context=context, user=None)
    assert len(claims.claim(5, Lane.URGENT)) == 1
    assert rows_for(None, Kind.ACCOUNT)[0].state == State.SENDING
