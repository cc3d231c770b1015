"""The block of messages on the page of a table, and what spectators notice of it: nothing."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from games import services
from games.models import FeedKey, Game, Message, Seat, User
from tests.factories import given_up, log_of, play_one, table_of
from tests.support.escape_games import escape_table, play_line
from tests.support.pages import repeatable, signed_in, text, url
from tests.support.replies import line_of
from tests.support.turn_links import turn_link_browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


def see(user: User, game: Game) -> None:
    """Say that this user has had the last message in the window."""
    newest = Message.objects.filter(game=game).latest("pk").pk
    signed_in(user).post(url(game, "talk/seen"), {"newest": newest})


def write(user: User, game: Game, words: str = "Hello") -> Any:
    return signed_in(user).post(url(game, "talk"), {"message": words}, follow=True)


def test_a_message_is_written_and_read_on_the_page(game: Game, alice: User, bob: User) -> None:
    write(alice, game, "Mind <b>the</b> gap:\nhttps://example.org")
    read = text(signed_in(bob).get(url(game)))
    assert "Mind &lt;b&gt;the&lt;/b&gt; gap:<br>https://example.org" in read
    assert read.index('id="unread"') < read.index("Mind &lt;b&gt;")
    see(bob, game)
    assert 'id="unread"' not in text(signed_in(bob).get(url(game)))


def test_a_refused_message_stays_in_its_field(game: Game, alice: User) -> None:
    page = text(write(alice, game, "x" * 1001))
    assert "A message can have at most 1000 characters and 40 lines." in page
    found = re.search(r'<textarea id="message"[^>]*>(x*)</textarea>', page)
    assert found is not None
    assert len(found[1]) == 1001


def test_the_first_page_counts_new_messages(game: Game, alice: User, bob: User) -> None:
    write(alice, game)
    home = " ".join(text(signed_in(bob).get("/")).split())
    assert '<span class="badge"> 1 new message </span>' in home
    see(bob, game)
    assert "1 new message" not in text(signed_in(bob).get("/"))


def test_messages_are_not_read_before_they_were_in_the_window(
    game: Game, alice: User, bob: User
) -> None:
    write(alice, game)
    signed_in(bob).get(url(game))
    assert Seat.objects.get(game=game, user=bob).talk_read == 0


def test_nobody_has_read_a_message_of_another_table(game: Game, alice: User, bob: User) -> None:
    write(alice, game)
    other = table_of(alice, bob)
    newest = Message.objects.get().pk
    signed_in(bob).post(url(other, "talk/seen"), {"newest": newest})
    assert set(Seat.objects.values_list("talk_read", flat=True)) == {0}


def test_the_turn_line_the_title_and_home_count_messages_and_votes(
    game: Game, alice: User, bob: User
) -> None:
    write(alice, game)
    write(alice, game, "Are you there?")
    services.vote_open(game_id=game.pk, user=alice, about="cancel")
    page = " ".join(text(signed_in(bob).get(url(game))).split())
    assert '<a href="#unread">2 new messages </a> · <a href="#vote">1 open vote</a></p>' in page
    assert "<title>(2) Round the mainland" in page
    assert '<span class="badge">1 open vote</span>' in text(signed_in(bob).get("/"))
    see(bob, game)
    page = " ".join(text(signed_in(bob).get(url(game))).split())
    assert "new message" not in page.split("</header>")[1]
    assert "(2)" not in page.split("</title>")[0]


def test_the_author_deletes_and_the_reader_mutes_without_a_script(
    game: Game, alice: User, bob: User
) -> None:
    write(alice, game, "not so wise")
    reader = signed_in(bob)
    reader.post(url(game, "talk/mute"), {"seat": "0", "mute": "yes"})
    page = text(reader.get(url(game)))
    assert page.index("A message from someone you muted") < page.index("not so wise")
    assert page.count("not so wise") == 1, "nothing outside the fold repeats it"
    assert "(Alice)</span>" in page
    reader.post(url(game, "talk/mute"), {"seat": "0", "mute": "no"})
    assert "someone you muted" not in text(reader.get(url(game)))
    key = Message.objects.get().pk
    signed_in(alice).post(url(game, "talk/delete"), {"key": key})
    assert "not so wise" not in text(reader.get(url(game)))


def test_the_host_closes_talk(game: Game, alice: User, bob: User) -> None:
    signed_in(bob).post(url(game, "talk/switch"), {"open": "no"})
    assert 'id="message"' in text(signed_in(bob).get(url(game)))
    signed_in(alice).post(url(game, "talk/switch"), {"open": "no"})
    page = text(signed_in(bob).get(url(game)))
    assert 'id="message"' not in page
    assert "Messages are turned off at this table." in page


def test_a_table_is_created_without_talk(alice: User) -> None:
    form = {"name": "Quiet", "seat_count": 2, "bots": [], "pace_days": 3, "no_talk": "on"}
    form |= {"is_open": "open", "resign_policy": "bot", "timeout_policy": "wait"}
    signed_in(alice).post("/new/?game=atlantis", {**form, "option_order": "seated"})
    assert not Game.objects.get(name="Quiet").talk_open


def test_the_link_of_a_turn_email_neither_shows_nor_writes_messages(
    game: Game, alice: User, bob: User
) -> None:
    write(bob, game, "between us")
    browser = turn_link_browser(game, alice)
    assert "between us" not in text(browser.get(url(game)))
    browser.post(url(game, "talk"), {"message": "forged"})
    assert not Message.objects.filter(text="forged").exists()
    assert Seat.objects.get(game=game, user=alice).talk_read == 0


def test_those_who_wait_for_others_at_a_table_write_to_each_other(
    alice: User, bob: User, dave: User
) -> None:
    game = table_of(alice, seats=3)
    assert 'id="message"' not in text(signed_in(alice).get(url(game))), "nobody would read it"
    services.game_join(game_id=game.pk, user=bob, token=game.invite_token)
    watcher = signed_in(dave)
    before = repeatable(watcher.get(url(game)))
    write(alice, game, "Shall we wait for Carol?")
    read = text(signed_in(bob).get(url(game)))
    assert "Shall we wait for Carol?" in read
    assert "The players get it by email within an hour." in read
    assert repeatable(watcher.get(url(game))) == before
    see(bob, game)
    assert "1 new message" not in text(signed_in(bob).get("/"))
    write(bob, game, "Yes")
    assert "1 new message" in text(signed_in(alice).get("/"))


# -- twins ---------------------------------------------------------------------------------------


def seen_by(game: Game, readers: list[Client], paths: list[str]) -> dict[str, Any]:
    """What these readers are shown of this table, and of lists with it."""
    found = {}
    for number, client in enumerate(readers):
        for path in paths:
            answer = client.get(path)
            headers = {
                k: v for k, v in answer.headers.items() if k not in ("Server-Timing", "Request-Id")
            }
            found[f"{path} to {number}"] = (answer.status_code, headers, repeatable(answer))
    return found


def paths_about(game: Game, *readers: User) -> list[str]:
    """The pages, lists and stamps that may show this table, and the feeds of these people."""
    lists = ("/", "/stamp", "/tables/?show=running", "/tables/stamp?show=running")
    more = ("/tables/?show=finished", *([url(game, "record.jsonl")] if game.is_over else []))
    feeds = [
        reverse(f"feed_{name}", args=[services.feed_key_create(user=user, kind=kind)])
        for user in readers
        for name, kind in (("calendar", FeedKey.Kind.CALENDAR), ("news", FeedKey.Kind.NEWS))
    ]
    return [url(game), url(game, "version"), url(game, "board.svg"), *lists, *more, *feeds]


@pytest.mark.parametrize("is_over", [False, True])
def test_spectators_get_the_same_bytes_whatever_is_written_and_muted(
    alice: User, bob: User, carol: User, dave: User, is_over: bool
) -> None:
    """Carol plays with both at another table, so that her lists show them."""
    game = given_up(alice, bob) if is_over else table_of(alice, bob)
    table_of(carol, alice)
    spectators = [Client(), signed_in(dave), signed_in(carol)]
    paths = paths_about(game, carol, dave)
    before = seen_by(game, spectators, paths)
    write(alice, game, "a secret")
    deleted = services.message_write(game_id=game.pk, user=bob, text="another")
    services.message_delete(game_id=game.pk, user=bob, key=deleted.pk)
    signed_in(bob).post(url(game, "talk/mute"), {"seat": "0", "mute": "yes"})
    signed_in(bob).get(url(game))
    assert seen_by(game, spectators, paths) == before


def test_opponents_get_the_same_bytes_whatever_others_mute_and_order_in_advance(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    game = escape_table(alice, bob, carol)
    services.message_write(game_id=game.pk, user=alice, text="Hello")
    others = [signed_in(alice), signed_in(bob), signed_in(dave), Client()]
    paths = paths_about(game, alice, bob)
    seen_by(game, others, paths)  # so that nothing is new to them
    before = seen_by(game, others, paths)
    signed_in(carol).post(url(game, "talk/mute"), {"seat": "0", "mute": "yes"})
    for line in ("standing shark from 2", "plan coast"):
        play_line(game, carol, line)
    assert len(log_of(game).orders) == 2
    assert seen_by(game, others, paths) == before


# -- cost ----------------------------------------------------------------------------------------


def queries_of_page(client: Client, game: Game) -> int:
    client.get(url(game))
    Seat.objects.update(talk_read=0)
    with CaptureQueriesContext(connection) as found:
        client.get(url(game))
    return len(found)


def test_five_hundred_messages_cost_the_page_at_most_one_query(
    game: Game, alice: User, bob: User
) -> None:
    play_one(game)
    client = signed_in(bob)
    without = queries_of_page(client, game)
    at, readers = timezone.now(), [alice.pk, bob.pk]
    Message.objects.bulk_create(
        Message(game=game, author=alice, seat=0, text="Hello", at=at, readers=readers)
        for _message in range(500)
    )
    assert queries_of_page(client, game) <= without + 1


def test_where_messages_are_closed_a_move_is_made_without_its_note(game: Game, alice: User) -> None:
    Game.objects.filter(pk=game.pk).update(talk_open=False)
    form = {"line": line_of(game), "version": game.version, "note": "With love"}
    page = text(signed_in(alice).post(f"{url(game)}play", form, follow=True))
    assert "Your move has been made." in page
    assert "Your note was not added. Messages are turned off at this table." in page
    assert len(log_of(game).moves) == 2
    assert not Message.objects.exists()
