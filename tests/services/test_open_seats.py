"""A seat that its player left may be taken over, by people who know nothing of the others'
hands."""

import re
from collections.abc import Iterator
from datetime import timedelta
from email.utils import parseaddr
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from games import selectors, services
from games.log import table_events
from games.mail import kinds
from games.mail.relevance import check_before_send
from games.models import DeliveryMode, Game, InboundMail, OutboxMail, Seat, User, database_clock
from games.rules import replay
from games.services import NotAllowed, ServiceError
from tests.factories import fresh, log_of, miss_deadline, play_one, play_to_the_end, table_of
from tests.fixtures.clock import MONDAY, still
from tests.fixtures.people import a_host, a_player
from tests.support.emails import written
from tests.support.every_mail import every_mail
from tests.support.indistinguishable_games import atlantis, escape, with_other_own_secrets, world
from tests.support.pages import repeatable, signed_in, text
from tests.support.replies import arrive, reply_email
from tests.support.reply_costs import assert_cheap, measured_reply
from tests.support.shared_rows import shared_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table", "clock")]

Policy = Game.TimeoutPolicy
DAY = timedelta(days=1)


def with_open_seat(alice: User, bob: User, **more: Any) -> Game:
    """Alice has missed two deadlines in a row, so her seat is open, and a bot plays on it."""
    game = table_of(alice, bob, timeout_policy=Policy.OPEN, **more)
    miss_deadline(game)
    with still(fresh(game).last_event_at):
        play_one(game)
    miss_deadline(game)
    return fresh(game)


@pytest.fixture(scope="module")
def shared_table(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Game]:
    def make() -> Game:
        with still(MONDAY):
            return with_open_seat(a_host(), a_player())

    with shared_rows(django_db_blocker, make) as game:
        yield game


LINKS = re.compile(r"/(t|i|reply)/[^/\s\"]+/")  # signed, with the number of a row


def seat(game: Game, number: int = 0) -> Seat:
    return Seat.objects.get(game=game, number=number)


def take(game: Game, user: User, **more: str) -> Seat:
    return services.seat_take_over(game_id=game.pk, user=user, seat=0, **more)


def test_the_bot_plays_on_until_somebody_takes_the_seat(game: Game, bob: User, dave: User) -> None:
    services.game_play_bots(game_id=game.pk)
    assert fresh(game).to_act == [1]
    take(game, dave)
    play_one(game)
    assert fresh(game).to_act == [0]
    row = seat(game)
    assert (row.user, row.is_bot, row.open_since) == (dave, False, None)
    assert row.due_at == fresh(game).last_event_at + 3 * DAY


def test_the_log_keeps_who_played_when(game: Game, alice: User, dave: User) -> None:
    before = game.version
    with still(game.last_event_at):
        take(game, dave)
    seating = log_of(game).seating
    assert seating.now[0].user == dave.pk
    assert seating.after(before)[0].is_bot
    assert seating.players >= {alice.pk, dave.pk}
    page = text(signed_in(dave).get(f"/g/{game.public_id}/"))
    assert "Dave took over seat 1, which was open." in page
    call_command("verify", game.public_id)
    with still(fresh(game).last_event_at):
        play_to_the_end(game)
    (checked,) = replay.check(selectors.record_lines(fresh(game)))
    assert checked.fair


def test_nobody_who_plays_or_played_there_takes_it(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    game = table_of(alice, bob, carol, timeout_policy=Policy.OPEN)
    services.game_resign(game_id=game.pk, user=carol)
    miss_deadline(game)
    while fresh(game).to_act != [0]:
        services.game_play_bots(game_id=game.pk)
        if fresh(game).to_act == [1]:
            play_one(game)
    miss_deadline(game)
    for user in (alice, bob, carol):
        with pytest.raises(NotAllowed):
            take(game, user)
    take(game, dave)


def test_a_moderator_who_has_seen_the_hands_does_not_take_it(game: Game, mona: User) -> None:
    services.moderate_reveal(game_id=game.pk, ruling=services.Ruling(mona, "A complaint"))
    with pytest.raises(ServiceError, match="hidden information"):
        take(game, mona)


def test_it_is_taken_once(game: Game, carol: User, dave: User) -> None:
    take(game, dave)
    take(game, dave)
    with pytest.raises(ServiceError, match="Someone else"):
        take(game, carol)
    with pytest.raises(ServiceError):
        services.seat_take_back(game_id=game.pk, user=carol)


def test_its_player_takes_it_back_while_nobody_else_has_it(
    game: Game, alice: User, dave: User
) -> None:
    services.seat_take_back(game_id=game.pk, user=alice)
    assert seat(game).open_since is None
    with pytest.raises(ServiceError):
        take(game, dave)


# -- offered by the players ---------------------------------------------------------------------


@pytest.fixture
def left(alice: User, bob: User, carol: User) -> Game:
    """Alice has resigned from a private game of three in which bots play on for who leaves."""
    game = table_of(
        alice, bob, carol, is_open=False, resign_policy="bot", timeout_policy=Policy.SEAT1
    )
    services.game_resign(game_id=game.pk, user=alice)
    return fresh(game)


def offer(game: Game, by: User, number: int = 0) -> None:
    services.seat_open(game_id=game.pk, by=by, seat=number)


def test_a_player_offers_the_seat_of_who_has_left_to_a_friend_by_link(
    left: Game, bob: User, carol: User, dave: User
) -> None:
    with pytest.raises(ServiceError, match="Someone else"):
        take(left, dave, token=left.invite_token)
    players, link = signed_in(bob), f"/i/{left.invite_token}/"
    page = text(players.get(f"/g/{left.public_id}/"))
    assert "The player in seat 1 has left" in page
    assert link not in page
    players.post(f"/g/{left.public_id}/open-seat", {"seat": 0})
    for player in (players, signed_in(carol)):
        page = text(player.get(f"/g/{left.public_id}/"))
        assert link in page
        assert "Offer the seat" not in page
    friend = signed_in(dave)
    assert "Take over the seat" in text(friend.get(link))
    friend.post(link)
    assert seat(left).user == dave
    assert "A seat is free" not in text(players.get(f"/g/{left.public_id}/"))
    call_command("verify", left.public_id)


def test_a_seat_that_its_player_lost_can_be_offered_at_a_table_where_a_bot_would_keep_it(
    alice: User, bob: User, dave: User
) -> None:
    game = table_of(alice, bob, timeout_policy=Policy.SEAT1)
    miss_deadline(game)
    offer(game, bob)
    page = text(signed_in(alice).get(f"/g/{game.public_id}/"))
    assert "You can take it back until someone else takes it over." in page
    call_command("verify", game.public_id)
    take(game, dave)
    with pytest.raises(NotAllowed, match="no seat that you can take back"):
        services.seat_take_back(game_id=game.pk, user=alice)


def test_who_has_left_or_is_suspended_or_blocked_does_not_get_the_offered_seat(
    left: Game, alice: User, bob: User, carol: User, dave: User
) -> None:
    offer(left, bob)
    with pytest.raises(NotAllowed, match="You play or have played at this table"):
        take(left, alice, token=left.invite_token)
    dave.suspended_until = database_clock.now() + DAY
    with pytest.raises(NotAllowed, match="suspended"):
        take(left, dave, token=left.invite_token)
    dave.suspended_until = None
    User.objects.filter(pk=carol.pk).update(blocked=[dave.pk])
    with pytest.raises(NotAllowed, match="You cannot join this table: it is full"):
        take(left, dave, token=left.invite_token)


def test_only_players_offer_and_only_seats_that_somebody_has_left(
    left: Game, alice: User, bob: User, dave: User
) -> None:
    for stranger in (alice, dave):
        with pytest.raises(NotAllowed):
            offer(left, stranger)
    with pytest.raises(ServiceError, match="Nobody has left this seat"):
        offer(left, bob, 2)
    with_bot = table_of(bob, bots=1)
    with pytest.raises(ServiceError, match="Nobody has left this seat"):
        offer(with_bot, bob, 1)
    assert "has left" not in text(signed_in(bob).get(f"/g/{with_bot.public_id}/"))
    assert "has left" not in text(signed_in(dave).get(f"/g/{left.public_id}/"))


def test_a_seat_is_offered_once_and_offers_are_limited(left: Game, alice: User, bob: User) -> None:
    offer(left, bob)
    since = seat(left).open_since
    offer(left, bob)
    assert seat(left).open_since == since
    for _more in range(5):
        game = table_of(alice, bob)
        services.game_resign(game_id=game.pk, user=alice)
    with pytest.raises(services.QuotaExceeded):
        for game in Game.objects.exclude(pk=left.pk).filter(seats__user=bob):
            offer(game, bob)


def test_a_private_table_takes_those_with_its_link_only(alice: User, bob: User, dave: User) -> None:
    game = with_open_seat(alice, bob, is_open=False)
    with pytest.raises(NotAllowed):
        take(game, dave)
    client, link = signed_in(dave), f"/i/{game.invite_token}/"
    page = text(client.get(link))
    assert "Take over the seat" in page
    assert client.get(f"/g/{game.public_id}/").status_code == 404
    client.post(link)
    assert seat(game).user == dave
    assert "Take over the seat" not in text(Client().get(link))


def test_nobody_is_invited_to_a_game_that_is_over(game: Game, bob: User, mona: User) -> None:
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "A test"))
    assert seat(game).open_since is not None
    with pytest.raises(ServiceError, match="over"):
        services.game_invite(game_id=game.pk, by=bob, address="erin@example.org")


def test_the_host_invites_somebody_to_an_open_seat(game: Game, bob: User) -> None:
    services.game_invite(game_id=game.pk, by=bob, address="eve@example.org")
    mail = OutboxMail.objects.get(kind="invitation")
    assert "/i/" in written(mail).text


def test_the_page_and_the_list_of_tables_offer_it(game: Game, alice: User, dave: User) -> None:
    client, url = signed_in(dave), f"/g/{game.public_id}/"
    assert "Take over seat 1" in text(client.get(url))
    assert "Take over seat 1" not in text(signed_in(alice).get(url))
    assert "Sign in to take over the seat" in text(Client().get(url))
    assert game.name in text(client.get("/tables/?show=seats"))
    client.post(f"{url}take-over", {"seat": 0})
    assert seat(game).user == dave
    assert game.name not in text(client.get("/tables/?show=seats"))


def test_before_taking_it_one_sees_who_will_be_away(game: Game, bob: User, dave: User) -> None:
    first = database_clock.now().date() + timedelta(days=2)
    last = first + timedelta(days=3)
    services.absence_enter(user=bob, first=first, last=last, now=database_clock.now())
    assert "Bob will be away from" in text(signed_in(dave).get(f"/g/{game.public_id}/"))


def test_before_taking_it_one_sees_the_public_board_and_after_it_the_hand(
    game: Game, dave: User
) -> None:
    client, url = signed_in(dave), f"/g/{game.public_id}/"
    log = log_of(game)
    spectator = selectors.table_page(game, dave).view
    assert spectator == log.engine.rules.view(log.state, None)
    take(game, dave)
    log = log_of(game)
    with_seats = selectors.game_for(dave, game.public_id)
    assert selectors.table_page(with_seats, dave).view == log.engine.rules.view(log.state, 0)
    assert "Take over seat" not in text(client.get(url))


@pytest.mark.usefixtures("replies", "one_check_code")
@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_pages_and_emails_reveal_nothing_but_what_the_seat_may_see(
    alice: User, bob: User, dave: User, kind: str
) -> None:
    one, twin = (atlantis if kind == "atlantis" else escape)()
    other = with_other_own_secrets(one)

    def pages(events: Any) -> tuple[list[str], list[str]]:
        """Return the pages and emails that Dave reads before and after he takes the seat over."""
        lost = [table_events.TimedOut(seat=0), table_events.TakenOver(seat=0)]
        with world(kind, [*events, *lost], [alice, bob]) as game:
            rows = Seat.objects.filter(game=game, number=0)
            rows.update(user=None, is_bot=True, open_since=MONDAY, due_at=None)
            Game.objects.filter(pk=game.pk).update(started_at=MONDAY, invite_token="t" * 24)
            User.objects.filter(pk=dave.pk).update(closes_at=None)  # as every_mail leaves it
            client, url = signed_in(User.objects.get(pk=dave.pk)), f"/g/{game.public_id}/"
            before = (url, f"{url}?do=standing", f"{url}at/{len(events)}/", f"/i/{'t' * 24}/")
            unseen = [repeatable(client.get(path)) for path in before]
            take(game, User.objects.get(pk=dave.pk))
            seen = [repeatable(client.get(path)) for path in before[:3]]
            emails = [mail.decode("latin-1") for _name, mail in every_mail(game, dave)]
            return unseen, [*seen, *(LINKS.sub("", mail.replace("=\r\n", "")) for mail in emails)]

    expected_public, expected = pages(one)
    assert pages(twin) == (expected_public, expected)
    public, own = pages(other)
    assert public == expected_public, "the hand of the seat is a secret too"
    assert own[0] != expected[0], "the test can see a difference on the page"
    assert own[3] != expected[3], "and in the turn email"


# -- back by a reply -----------------------------------------------------------------------------


def lost_mail(game: Game, user: User) -> Any:
    mail = OutboxMail.objects.filter(game=game, user=user, kind="missed").latest("pk")
    return written(mail)


def mail_address(mail: Any) -> str:
    return parseaddr(mail["Reply-To"])[1]


@pytest.mark.usefixtures("replies")
@pytest.mark.parametrize("line", ["Take my seat back", "Meinen Platz zurücknehmen, bitte"])
def test_a_reply_takes_the_seat_back(game: Game, alice: User, line: str) -> None:
    mail = lost_mail(game, alice)
    assert "take my seat back" in mail.text
    to = mail_address(mail)
    row = arrive(reply_email(line, to, alice.email), to)
    assert row.outcome == InboundMail.Outcome.ORDERED
    assert seat(game).user == alice


@pytest.mark.usefixtures("replies")
def test_a_reply_about_a_lost_seat_costs_no_more_than_others(game: Game, alice: User) -> None:
    to = mail_address(lost_mail(game, alice))
    assert_cheap(measured_reply(to, "A flag", alice), InboundMail.Outcome.REFUSED)
    assert_cheap(measured_reply(to, "take my seat back", alice), InboundMail.Outcome.ORDERED)


@pytest.mark.usefixtures("replies")
def test_any_other_reply_is_answered_with_how_to_have_the_seat_back(
    game: Game, alice: User
) -> None:
    to = mail_address(lost_mail(game, alice))
    for line in ("show", "legal", "A flag", "undo"):
        row = arrive(reply_email(line, to, alice.email), to)
        assert row.outcome == InboundMail.Outcome.REFUSED
        assert row.answer is not None
        answer = written(row.answer)
        assert "reply “take my seat back”" in " ".join(answer.text.split())
        assert "Your hand" not in answer.text
        assert answer.pictures == {}
    assert seat(game).is_bot


@pytest.mark.usefixtures("replies")
def test_a_player_who_lost_the_seat_can_stop_all_email(game: Game, alice: User) -> None:
    to = mail_address(lost_mail(game, alice))
    row = arrive(reply_email("stop", to, alice.email), to)
    assert row.outcome == InboundMail.Outcome.ORDERED
    assert row.answer is not None
    assert "All emails of this service are off" in " ".join(written(row.answer).text.split())
    alice.refresh_from_db()
    assert set(alice.delivery_modes.values()) == {DeliveryMode.OFF}


@pytest.mark.usefixtures("replies")
def test_a_reply_about_a_lost_seat_that_nobody_vouches_for_changes_nothing_and_is_answered(
    game: Game, alice: User
) -> None:
    to = mail_address(lost_mail(game, alice))
    row = arrive(reply_email("stop", to, alice.email, results=None), to)
    assert row.outcome == InboundMail.Outcome.REFUSED
    assert row.answer is not None
    assert "couldn’t verify the sender" in " ".join(written(row.answer).text.split())
    alice.refresh_from_db()
    assert set(alice.delivery_modes.values()) != {DeliveryMode.OFF}


@pytest.mark.usefixtures("replies")
def test_a_reply_does_not_take_the_seat_of_the_next_player(
    game: Game, alice: User, dave: User
) -> None:
    to = mail_address(lost_mail(game, alice))
    take(game, dave)
    arrive(reply_email("take my seat back", to, alice.email), to)
    assert seat(game).user == dave


# -- a table that waits --------------------------------------------------------------------------


def test_a_late_player_is_reminded_once_a_day(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    due = seat(game).due_at
    assert due is not None
    services.deadline_check(now=due)
    for hours in range(73):
        services.reminders_due(now=due + timedelta(hours=hours))
    mails = OutboxMail.objects.filter(game=game, kind="reminder", user=alice)
    assert [mail.context["which"] for mail in mails] == ["late"] * 3
    assert "the others are waiting for you" in " ".join(written(mails[0]).text.split())
    play_one(game)
    assert services.reminders_due(now=due + 5 * DAY) == 0


def test_a_late_player_is_reminded_after_a_pause_too(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    due = seat(game).due_at
    assert due is not None
    services.deadline_check(now=due)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "x"))
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "y"))
    assert seat(game).remind_at is not None


def test_anybody_at_the_table_calls_the_host_once_a_day(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    User.objects.update(language="en")
    carol.refresh_from_db()
    game = table_of(alice, bob, carol)
    play_one(game)  # Bob is asked
    url = f"/g/{game.public_id}/"
    assert "Ask the host" not in text(signed_in(carol).get(url))
    miss_deadline(game)
    client = signed_in(carol)
    assert "Ask the host to step in" in text(client.get(url))
    assert "Ask the host to step in" not in text(signed_in(bob).get(url))
    for _try in range(2):
        client.post(f"{url}call-host")
    (mail,) = OutboxMail.objects.filter(game=game, kind="deadline", user=alice, context__caller=2)
    assert "Carol asks you, as the host, to step in." in " ".join(written(mail).text.split())
    with pytest.raises(NotAllowed):
        services.host_call(game_id=game.pk, by=dave)


def test_a_host_who_may_not_act_is_not_called(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    play_one(game)
    miss_deadline(game)
    User.objects.filter(pk=alice.pk).update(suspended_until=database_clock.now() + DAY)
    with pytest.raises(ServiceError, match="cannot be reached"):
        services.host_call(game_id=game.pk, by=carol)


@pytest.mark.parametrize("begun", [True, False])
def test_the_next_host_is_somebody_who_may_act(
    alice: User, bob: User, carol: User, *, begun: bool
) -> None:
    game = table_of(alice, bob, carol, seats=3 if begun else 4)
    User.objects.filter(pk=bob.pk).update(suspended_until=database_clock.now() + DAY)
    leave = services.game_resign if begun else services.game_leave
    leave(game_id=game.pk, user=alice)
    assert fresh(game).host == carol


# -- excused -------------------------------------------------------------------------------------


def test_an_excused_miss_does_not_count(alice: User, bob: User) -> None:
    game = table_of(bob, alice, timeout_policy=Policy.SEAT2)  # Bob is the host
    play_one(game)
    miss_deadline(game)
    page = text(signed_in(bob).get(f"/g/{game.public_id}/"))
    assert "Alice missed a deadline" in page
    url = f"/g/{game.public_id}/excuse"
    signed_in(bob).post(url, {"seat": 1, "reason": "The train was late"})
    play_one(game)
    assert miss_deadline(game) == 1
    assert not seat(game, 1).is_bot
    page = text(signed_in(bob).get(f"/g/{game.public_id}/"))
    assert "One of Alice’s missed deadlines was excused. Reason: The train was late" in page
    call_command("verify", game.public_id)


def test_nobody_excuses_their_own_miss(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob, timeout_policy=Policy.MOVE)
    miss_deadline(game)
    for user in (alice, bob):
        with pytest.raises(NotAllowed):
            services.moderate_excuse(game_id=game.pk, seat=0, ruling=services.Ruling(user, "x"))
    services.moderate_excuse(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "A storm"))
    assert isinstance(log_of(game).entries[-1].event, table_events.Excused)
    with pytest.raises(ServiceError, match="no missed deadline"):
        services.moderate_excuse(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "A storm"))


# -- emails --------------------------------------------------------------------------------------

WORDS = {  # what the emails about a seat say, in order
    "en": {
        "missed": "If you miss the next deadline too, a bot takes your seat, and others can take it",
        "reminder": "After the deadline, a bot takes your seat, and others can take it over.",
        "lost": "as long as the game is running and nobody else has taken it.",
        "table": "Alice missed too many deadlines in a row. A bot takes over.",
        "taker": "Move one of your figures",
        "taken": "Dave took over seat 1, which was open.",
    },
    "de": {
        "missed": "spielt ein Bot auf deinem Platz, und andere können ihn übernehmen.",
        "reminder": "Nach Ablauf der Frist spielt ein Bot auf deinem Platz, und andere können ihn übernehmen.",
        "lost": "solange sie läuft und niemand sonst ihn übernommen hat.",
        "table": "Alice hat zu viele Fristen nacheinander verpasst. Ein Bot spielt weiter.",
        "taker": "Ziehe mit einer deiner Figuren",
        "taken": "Dave hat den frei gewordenen Platz 1 übernommen.",
    },
    "fr": {
        "missed": "un robot prendra votre place et d’autres pourront la reprendre.",
        "reminder": "Passé ce délai, un robot prend votre place, et d’autres peuvent la reprendre.",
        "lost": "tant que celle-ci est en cours et que personne d’autre ne l’a prise.",
        "table": "Alice a dépassé trop de délais de suite. Un robot prend la relève.",
        "taker": "Déplacez un de vos pions",
        "taken": "Dave a pris la place 1, qui était libre.",
    },
}


def newest(game: Game, user: User, kind: str) -> str:
    """The text of the newest email of this kind, as one line without quotation marks of lines."""
    mail = written(OutboxMail.objects.filter(game=game, user=user, kind=kind).latest("pk"))
    return " ".join(
        mail.text.replace("\n|", "\n").replace("\xa0", " ").replace("\u202f", " ").split()
    )


@pytest.mark.parametrize("language", WORDS)
def test_the_emails_of_the_player_the_table_and_the_next_player(
    alice: User, bob: User, dave: User, clock: time_machine.Traveller, language: str
) -> None:
    User.objects.update(language=language)
    for user in (alice, bob, dave):
        user.refresh_from_db()
    words = WORDS[language]
    game = table_of(alice, bob, timeout_policy=Policy.OPEN)
    miss_deadline(game)
    assert words["missed"] in newest(game, alice, "missed")
    play_one(game)
    due = seat(game).due_at
    assert due is not None
    services.reminders_due(now=due - timedelta(hours=20))
    assert words["reminder"] in newest(game, alice, "reminder")
    miss_deadline(game)
    assert words["lost"] in newest(game, alice, "missed")
    services.game_play_bots(game_id=game.pk)
    assert words["table"] in newest(game, bob, "turn")
    take(game, dave)
    play_one(game)  # Bob was asked when Dave came
    turn = newest(game, dave, "turn")
    assert words["taker"] in turn
    assert words["taken"] in turn
    play_one(game)
    turn = newest(game, bob, "turn")
    assert words["taken"] in turn
    assert words["table"] not in turn, "he has read that before"
    assert not OutboxMail.objects.filter(game=game, user=alice, kind="turn", seq__gt=16).exists()


def test_the_email_about_a_lost_seat_is_not_sent_once_others_have_had_it(
    game: Game, alice: User, dave: User
) -> None:
    """Dave loses it as well: it is open again, but not to Alice."""
    row = OutboxMail.objects.filter(game=game, user=alice, kind="missed").latest("pk")

    def is_of_use() -> bool:
        return check_before_send(row) == kinds.SEND

    assert is_of_use()
    take(game, dave)
    play_one(game)
    assert not is_of_use()
    while not seat(game).is_bot:
        miss_deadline(game) if fresh(game).to_act == [0] else play_one(game)
    assert seat(game).open_since is not None
    assert not is_of_use()


def test_the_page_says_one_thing_to_the_player_who_lost_the_seat(
    game: Game, alice: User, bob: User, dave: User
) -> None:
    url = f"/g/{game.public_id}/"

    def says(user: User) -> tuple[bool, bool]:
        page = text(signed_in(user).get(url))
        return "A bot plays for you" in page, "A seat is free" in page

    assert [says(user) for user in (alice, bob, dave)] == [
        (True, False),
        (False, True),
        (False, True),
    ]
    assert "until someone else takes it over" in text(signed_in(alice).get(url))
    take(game, dave)
    assert [says(user) for user in (alice, bob, dave)] == [(False, False)] * 3
