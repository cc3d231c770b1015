"""Questions that players ask moderators are answered on one page each."""

import re
from datetime import UTC, datetime
from html import unescape
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import services
from games.models import Game, OutboxMail, User
from tests.factories import miss_deadline, person, play_one, table_of
from tests.support.emails import Kind, State, prefer, row_for
from tests.support.moderators import admin_page, moderating
from tests.support.pages import text

pytestmark = pytest.mark.django_db

TUESDAY = datetime(2026, 11, 24, 18, 44, tzinfo=UTC)
OUTGOING = reverse("admin:games_outboxmail_changelist")


@pytest.fixture
def ben() -> User:
    return person("Ben", time_zone="UTC")


@pytest.fixture
def moderator(mona: User) -> Client:
    """The browser of a moderator who may see people, and search for their addresses."""
    mona.user_permissions.add(Permission.objects.get(codename="view_user"))
    mona.time_zone = "UTC"
    mona.save()
    return moderating(mona)


@pytest.fixture
def asked(alice: User, ben: User) -> OutboxMail:
    """The email to Ben about his turn, queued on Tuesday."""
    game = table_of(alice, ben)
    play_one(game)
    row = row_for(game, Kind.TURN, ben)
    row.created_at = TUESDAY
    row.save()
    return row


def emails_to_ben(moderator: Client, day: int) -> str:
    """The list of outgoing emails to Ben of one day in November."""
    query = {"q": "ben@", "created_at__year": 2026, "created_at__month": 11, "created_at__day": day}
    answer = moderator.get(f"{OUTGOING}?{urlencode(query)}")
    assert answer.status_code == 200
    return text(answer)


def test_the_filters_beside_a_day_can_be_cleared(mona: User, asked: OutboxMail) -> None:
    moderator = moderating(mona)
    query = {"state__exact": "queued", "created_at__year": 2026, "created_at__month": 11}
    page = text(moderator.get(f"{OUTGOING}?{urlencode(query)}"))
    cleared = re.search(r'href="([^"]*)">[^<]*Clear all filters', page)
    assert cleared
    assert moderator.get(f"{OUTGOING}{unescape(cleared[1])}").status_code == 200


# -- "Ben got no email on Tuesday" -----------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ({"way": "digest", "digest_hour": 8}, "daily digest at 08:00"),
        ({"quiet_from": 21, "quiet_until": 8}, "quiet hours until 08:00"),
        ({"way": "gather", "gather_minutes": 60}, "grouped with others"),
        ({"hold_while_online": True}, "the user is on the site"),
    ],
)
def test_the_list_says_what_an_email_waits_for(
    moderator: Client, asked: OutboxMail, ben: User, chosen: dict[str, object], reason: str
) -> None:
    prefer(ben, **chosen)  # type: ignore[arg-type]  # of different types
    asked.next_try_at = ben.next_hour(8, timezone.now())
    asked.save()
    page = emails_to_ben(moderator, 24)
    assert f'<td class="field-reason">{reason}</td>' in page
    assert re.search(r'class="field-next_attempt nowrap">[^<]* 08:00 UTC<', page)
    assert "field-reason" not in emails_to_ben(moderator, 23)


def test_the_list_says_when_an_email_was_sent_by_the_clock_of_the_site(
    moderator: Client, asked: OutboxMail
) -> None:
    asked.state, asked.sent_at = State.SENT, TUESDAY
    asked.save()
    page = emails_to_ben(moderator, 24)
    assert '<td class="field-sent_at nowrap">2026-11-24 18:44 UTC</td>' in page
    assert '<td class="field-next_attempt">-</td>' in page


def test_the_list_says_why_an_email_was_dropped(moderator: Client, asked: OutboxMail) -> None:
    asked.state, asked.error = State.DROPPED, "the recipient turned this kind of email off"
    asked.save()
    assert "the recipient turned this kind of email off" in emails_to_ben(moderator, 24)


def test_the_page_of_a_user_says_how_each_kind_arrives(mona: User, ben: User) -> None:
    prefer(ben, "digest", digest_hour=8, quiet_from=22, quiet_until=7)
    mona.is_superuser = True
    mona.save()
    page = text(moderating(mona).get(reverse("admin:games_user_change", args=[ben.pk])))
    assert "<li>It’s your turn: in the daily digest</li>" in page
    assert "<li>daily digest at 08:00</li>" in page
    assert "<li>quiet hours from 22:00 to 07:00</li>" in page
    assert f'href="{OUTGOING}?q=ben%40example.org"' in page


# -- "the game has stood still since Sunday" ---------------------------------------------------


def standstill(moderator: Client, game: Game) -> str:
    """What the page of a game says that it waits for."""
    found = re.search(r'<ul class="standstill">(.*?)</ul>', admin_page(moderator, game), re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", "", found[1]).split()) if found else ""


def test_the_page_of_a_game_says_what_happens_at_the_deadline(
    moderator: Client, alice: User, ben: User
) -> None:
    game = table_of(alice, ben, timeout_policy=Game.TimeoutPolicy.MOVE)
    play_one(game)
    assert standstill(moderator, game) == (
        "Ben is to move. Ben reads: “After the deadline, a bot plays this turn for you.”"
    )


def test_the_page_of_a_game_that_waits_for_a_late_player_says_so(
    moderator: Client, alice: User, ben: User
) -> None:
    game = table_of(alice, ben)  # whose host chose that it waits
    miss_deadline(game)
    assert standstill(moderator, game) == (
        "Alice is to move. Alice reads: “After the deadline, the game waits, and the host can let a "
        "bot play.” The table waits. The host can let a bot play this turn or give the seat to a bot."
    )


def test_the_page_of_a_paused_game_says_who_resumes_it(
    moderator: Client, mona: User, alice: User, ben: User
) -> None:
    game = table_of(alice, ben)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "A storm"))
    assert standstill(moderator, game) == (
        "A moderator paused the game. Reason: A storm. "
        "Nobody can move, and all deadlines are paused until a moderator resumes the game."
    )


# -- the page of a game ------------------------------------------------------------------------


def test_the_log_stands_before_the_emails_and_dropped_ones_are_folded(
    moderator: Client, asked: OutboxMail
) -> None:
    asked.state = State.DROPPED
    asked.save()
    assert asked.game is not None
    page = admin_page(moderator, asked.game)
    assert page.index("Event log, newest first") < page.index("Emails for this table")
    folded = re.search(r"<details><summary>1 email was not sent.*?</details>", page, re.DOTALL)
    assert folded
    email = reverse("admin:games_outboxmail_change", args=[asked.pk])
    assert email in folded[0]
    assert page.count(email) == 1


def test_all_actions_share_one_reason_and_the_enter_key_does_none(
    moderator: Client, alice: User, ben: User
) -> None:
    page = admin_page(moderator, table_of(alice, ben))
    form = re.search(r'<form[^>]*class="acts">.*?</form>', page, re.DOTALL)
    assert form
    assert form[0].count('name="reason"') == 1
    buttons = re.findall(r'<input type="submit"[^>]*>', form[0])
    assert len(buttons) > 5
    assert "disabled" in buttons[0]  # a browser presses the first one
    assert all("formaction=" in button for button in buttons[1:])
