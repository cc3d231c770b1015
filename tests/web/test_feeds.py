"""Calendar and news feeds: what they say, who may read them, and when they stop."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from icalendar import Calendar
from lxml import etree
from pytest_django import Settings

from games import services
from games.models import FOR_GOOD, FeedKey, Game, Seat, User
from tests.factories import fresh, play_one, table_of
from tests.support.emails import Kind, rows_for, written
from tests.support.indistinguishable_games import atlantis, escape, world
from tests.support.moderators import prove_code

pytestmark = pytest.mark.django_db

ROUTES = {"calendar": "feed_calendar", "news": "feed_news"}
ATOM = "{http://www.w3.org/2005/Atom}"
AT = datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC)


def url_of(user: User, kind: str) -> str:
    return reverse(ROUTES[kind], args=[services.feed_key_create(user=user, kind=kind)])


def fetch(url: str, **headers: str) -> Any:
    """Return the response to a program that has nothing but the URL."""
    return Client(headers=headers).get(url)


def turn_of(game: Game) -> Seat:
    return Seat.objects.select_related("user").get(game=game, asked_seq__isnull=False)


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    """A table that waits for Alice."""
    game = table_of(alice, bob)
    Game.objects.filter(pk=game.pk).update(name="Übers <Meer> & zurück")
    return fresh(game)


def test_the_calendar_has_the_deadline_of_each_turn_that_waits(game: Game, alice: User) -> None:
    Seat.objects.filter(game=game, user=alice).update(due_at=AT)
    answer = fetch(url_of(alice, "calendar"))
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    (event,) = Calendar.from_ical(answer.content).walk("VEVENT")
    assert event["SUMMARY"] == f"Your turn: {game.name}"
    assert event.decoded("DTEND") == AT
    assert event["URL"] == f"http://127.0.0.1:8000/g/{game.public_id}/"
    assert set(event) == {"DTSTAMP", "UID", "DTSTART", "DTEND", "SUMMARY", "URL"}


def test_the_news_feed_has_the_turns_that_wait(game: Game, alice: User) -> None:
    Seat.objects.filter(game=game, user=alice).update(due_at=AT)
    answer = fetch(url_of(alice, "news"))
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    (entry,) = etree.fromstring(answer.content).iter(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == f"Your turn: {game.name}"
    assert "Saturday, 2 January, 04:04, Berlin time" in str(entry.findtext(f"{ATOM}summary"))
    assert entry.find(f"{ATOM}link").get("href") == f"http://127.0.0.1:8000/g/{game.public_id}/"


@pytest.mark.parametrize("kind", ROUTES)
def test_a_turn_that_is_over_and_the_turns_of_others_are_not_there(
    game: Game, alice: User, bob: User, kind: str
) -> None:
    urls = {user: url_of(user, kind) for user in (alice, bob)}
    assert game.public_id.encode() in fetch(urls[alice]).content
    assert game.public_id.encode() not in fetch(urls[bob]).content
    play_one(game)
    asked = turn_of(fresh(game)).user
    assert [game.public_id.encode() in fetch(urls[user]).content for user in (alice, bob)] == [
        asked == alice,
        asked == bob,
    ]


def test_a_paused_game_waits_for_nobody(game: Game, alice: User, mona: User) -> None:
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "A holiday"))
    assert game.public_id.encode() not in fetch(url_of(alice, "news")).content


@pytest.mark.parametrize("kind", ROUTES)
def test_a_copy_that_is_still_right_is_not_sent_again(game: Game, alice: User, kind: str) -> None:
    url = url_of(alice, kind)
    first, second = fetch(url), fetch(url)
    assert first.content == second.content
    assert first["Cache-Control"] == "private, max-age=300"
    again = fetch(url, if_none_match=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    Seat.objects.filter(game=game, user=alice).update(due_at=AT)
    assert fetch(url, if_none_match=first["ETag"]).status_code == 200


@pytest.mark.parametrize("kind", ROUTES)
def test_a_feed_without_turns_is_a_feed_that_stays_the_same(alice: User, kind: str) -> None:
    url = url_of(alice, kind)
    assert fetch(url).status_code == 200
    assert fetch(url)["ETag"] == fetch(url)["ETag"]


def test_a_feed_speaks_the_language_of_its_user(game: Game, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(language="de")
    assert b"Du bist am Zug" in fetch(url_of(alice, "calendar"), accept_language="fr").content


@pytest.mark.parametrize("kind", ROUTES)
def test_a_key_opens_its_own_feed_only_until_it_is_replaced_or_revoked(
    alice: User, kind: str
) -> None:
    url = url_of(alice, kind)
    token = url.split("/")[2]
    other = next(route for name, route in ROUTES.items() if name != kind)
    assert fetch(reverse(other, args=[token])).status_code == 404
    assert fetch(url.replace(token, token[::-1])).status_code == 404
    new = url_of(alice, kind)
    assert [fetch(each).status_code for each in (url, new)] == [404, 200]
    services.feed_key_revoke(user=alice, kind=kind)
    assert fetch(new).status_code == 404


def test_the_key_is_not_stored_and_its_answer_is_kept_from_search_engines(alice: User) -> None:
    url = url_of(alice, "calendar")
    assert FeedKey.objects.get().digest not in url
    answer = fetch(url)
    assert answer["X-Robots-Tag"] == "noindex"
    assert url.split("/")[2].encode() not in answer.content
    assert not answer.cookies


def test_feeds_of_an_account_end_when_it_is_frozen(alice: User) -> None:
    url = url_of(alice, "news")
    services.change_dispute(change=alice.credential_changes.get())
    assert fetch(url).status_code == 404
    assert not FeedKey.objects.exists()


@pytest.mark.parametrize("state", [{"suspended_until": FOR_GOOD}, {"frozen_at": timezone.now()}])
def test_the_key_of_an_account_that_is_closed_or_frozen_opens_nothing(
    state: dict[str, Any], alice: User
) -> None:
    """Also a key that outlived the freezing."""
    url = url_of(alice, "news")
    assert fetch(url).status_code == 200
    User.objects.filter(pk=alice.pk).update(**state)
    assert fetch(url).status_code == 404


def test_a_program_that_asks_too_often_waits(alice: User, settings: Settings) -> None:
    settings.QUOTAS = {"feeds_person_hour": 2, "feed_keys_person_day": 1}
    url = url_of(alice, "calendar")
    answers = [fetch(url) for _time in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2]["Retry-After"]) > 0
    with pytest.raises(services.QuotaExceeded):
        url_of(alice, "calendar")


def test_the_page_creates_a_key_after_a_proof_shows_it_once_and_revokes_it(alice: User) -> None:
    client = Client()
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    page = reverse("feeds")
    assert "reauthenticate" in client.post(page, {"kind": "calendar", "create": ""})["Location"]
    prove_code(client, alice)
    answer = client.post(page, {"kind": "calendar", "create": ""})
    assert answer["Cache-Control"] == "no-store"
    (url,) = re.findall(r'value="http://127.0.0.1:8000(/feed/[^"]+)"', answer.content.decode())
    assert fetch(url).status_code == 200
    assert "/feed/" not in client.get(page).content.decode()
    client.post(page, {"kind": "calendar", "revoke": ""})
    assert fetch(url).status_code == 404
    assert client.post(page, {"kind": "nonsense", "create": ""}).status_code == 200


@pytest.mark.parametrize("kind", ROUTES)
@pytest.mark.parametrize("worlds", [atlantis, escape])
def test_worlds_that_differ_in_the_secrets_of_others_have_the_same_feeds(
    alice: User, bob: User, worlds: Any, kind: str
) -> None:
    url = url_of(alice, kind)
    seen = []
    for events in worlds():
        with world(worlds.__name__, events, [alice, bob]) as game:
            Seat.objects.filter(game=game, user=alice).update(
                asked_seq=len(events), asked_at=AT, due_at=AT + timedelta(days=3)
            )
            seen.append(fetch(url).content)
    assert seen[0] == seen[1]
    assert b"Twins" in seen[0]


def test_new_and_deleted_addresses_are_reported_by_email(alice: User) -> None:
    services.feed_key_create(user=alice, kind="calendar")
    services.feed_key_revoke(user=alice, kind="calendar")
    services.feed_key_revoke(user=alice, kind="calendar")  # there is none any more
    said = [written(row).text for row in rows_for(None, Kind.SECURITY)]
    assert ["was created" in text for text in said] == [True, False]
    assert "was deleted" in said[1]
    assert all("/account/not-me/" in text or "This was not me" in text for text in said)
