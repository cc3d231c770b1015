"""A log names the person who held the seat at that time: on the page, in the past, in emails, in
the admin.

Everything asks `Log.seating`, so the first tests are about that and the others about who asks.
"""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation

from games import selectors, services
from games.log.game_log import Log
from games.log.seating import Seating
from games.models import Game, OutboxMail, Seat, User
from tests.factories import fresh, log_of, play_one, play_turns, seats_of, table_of
from tests.support.emails import Kind, written
from tests.support.escape_games import escape_table
from tests.support.moderators import moderating
from tests.support.pages import signed_in, text
from tests.support.verification import verify

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(alice: User, bob: User, mona: User, carol: User, dave: User) -> Game:
    """Alice moves and is replaced by Dave, who never moves, then by Carol, who does."""
    game = play_turns(table_of(alice, bob), 2)
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=dave, ruling=services.Ruling(mona, "Ill.")
    )
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=carol, ruling=services.Ruling(mona, "Away.")
    )
    return play_turns(game, 2)


def holders(log: Log) -> list[list[int | None]]:
    """Return the holders of the seats after each event, bots as 0."""
    return [
        [0 if holder.is_bot else holder.user for holder in log.seating.after(entry.seq)]
        for entry in log.entries
    ]


def moves_of(log: Log) -> list[int]:
    """The numbers of the first events of all moves."""
    return [item.first.seq for item in log.items if item.is_move]


# -- who held which seat when ------------------------------------------------------------


def test_every_holder_is_known_even_one_who_never_moved(
    game: Game, alice: User, bob: User, carol: User, dave: User
) -> None:
    seen = holders(log_of(game))
    first = [seats[0] for seats in seen if len(seats) == 2]
    assert list(dict.fromkeys(first)) == [alice.pk, dave.pk, carol.pk]
    assert {seats[1] for seats in seen if len(seats) == 2} == {bob.pk}


def test_seats_are_followed_while_people_come_and_go(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol, seats=4)
    services.game_leave(game_id=game.pk, user=bob)
    services.game_add_bot(game_id=game.pk, by=alice, place=3)
    services.game_start(game_id=game.pk, by=alice)
    seen = list(dict.fromkeys(map(tuple, holders(log_of(game)))))
    assert seen == [
        (),
        (alice.pk,),
        (alice.pk, bob.pk),
        (alice.pk, bob.pk, carol.pk),
        (alice.pk, carol.pk),
        (alice.pk, carol.pk, 0),
    ]


def test_a_player_who_resigns_is_followed_by_a_bot_and_a_bot_by_a_player(
    alice: User, bob: User, carol: User, dave: User, mona: User
) -> None:
    game = table_of(alice, bob, carol)
    services.game_resign(game_id=game.pk, user=bob)
    services.moderate_hand_seat(
        game_id=game.pk, seat=1, to=dave, ruling=services.Ruling(mona, "A guest.")
    )
    services.moderate_hand_seat(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "Gone."))
    last = list(dict.fromkeys(map(tuple, holders(log_of(game)))))[-4:]
    assert last == [
        (alice.pk, bob.pk, carol.pk),
        (alice.pk, 0, carol.pk),
        (alice.pk, dave.pk, carol.pk),
        (0, dave.pk, carol.pk),
    ]


def test_a_deleted_account_is_a_former_player(game: Game, alice: User) -> None:
    alice.delete()
    names = selectors.SeatNames(log_of(game), seats_of(game))
    assert names.at(moves_of(log_of(game))[0])[0] == "Former player"


def test_seating_needs_no_later_event_to_be_computed(game: Game) -> None:
    log = log_of(game)
    for seq in range(1, log.version + 1):
        then = Seating(log.until(seq).entries).now
        known = [(h.since, h.is_bot) for h in log.seating.after(seq)]
        assert [(h.since, h.is_bot) for h in then] == known


# -- who asks --------------------------------------------------------------------------------


NAMES = ("Alice", "Bob", "Carol", "Dave")


def names_in(sentences: str) -> str:
    """The first name in a text."""
    found = re.search("|".join(NAMES), sentences)
    return found[0] if found else ""


@pytest.fixture
def twin(alice: User, bob: User) -> Game:
    """The same moves in the same seats, without any change of players: what is expected."""
    return play_turns(table_of(alice, bob), 4)


MOVERS = ["Alice", "Bob", "Carol", "Bob"]


def test_the_log_on_the_page_names_who_moved(game: Game, bob: User, twin: Game) -> None:
    def movers(game: Game) -> list[str]:
        page = selectors.table_page(selectors.game_for(bob, game.public_id), bob)
        return [names_in(line.text) for line in page.lines if not line.is_table][1:]

    assert movers(game) == MOVERS
    assert movers(twin) == ["Alice", "Bob", "Alice", "Bob"]


def test_a_past_position_shows_the_players_of_that_time(game: Game, bob: User, carol: User) -> None:
    first = log_of(game).positions[1]
    page = text(signed_in(bob).get(reverse("position", args=[game.public_id, first])))
    assert "Alice" in page
    assert "Carol" not in page
    now = text(signed_in(bob).get(reverse("game", args=[game.public_id])))
    assert "Carol" in now


def test_the_page_reads_people_who_are_gone_in_one_query(game: Game, twin: Game, bob: User) -> None:
    counts = []
    for each in (twin, game):
        with CaptureQueriesContext(connection) as queries:
            assert selectors.table_page(selectors.game_for(bob, each.public_id), bob).lines
        counts.append(len(queries))
    assert counts[1] == counts[0] + 1


def test_the_email_about_the_turn_names_who_moved(
    alice: User, bob: User, carol: User, mona: User
) -> None:
    """Alice moves, is replaced, and Bob is asked: his email speaks of Alice's move."""
    game = play_turns(table_of(alice, bob), 1)
    services.moderate_hand_seat(
        game_id=game.pk, seat=0, to=carol, ruling=services.Ruling(mona, "Ill.")
    )
    mail = written(OutboxMail.objects.get(game=game, user=bob, kind=Kind.TURN))
    moved = next(line for line in mail.text.splitlines() if "moved" in line)
    assert "Alice" in moved
    assert "Carol" not in moved


def test_the_email_about_a_change_names_who_took_the_seat_at_that_time(
    game: Game, bob: User
) -> None:
    """It is written only after the seat has changed again."""
    rows = OutboxMail.objects.filter(game=game, user=bob, kind=Kind.MODERATED).order_by("seq")
    said = [written(row).text for row in rows]
    assert "Dave took over seat 1. Reason: Ill." in said[0]
    assert "Carol took over seat 1. Reason: Away." in said[1]


def test_the_admin_and_the_export_name_who_moved(game: Game, mona: User) -> None:
    url = reverse("admin:games_game_change", args=[game.pk])
    page = " ".join(text(moderating(mona).get(url)).split())
    listed = re.findall(r"Move \d+</strong>.*?<span>(.*?)</span>", page)
    assert [names_in(line) for line in listed[::-1]] == MOVERS
    exported = [line for line in verify(game.public_id)[1].splitlines() if " moved " in line]
    assert [names_in(line) for line in exported] == MOVERS


def test_a_player_who_resigned_is_named_and_the_bot_moves_under_its_own_name(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol)
    services.game_resign(game_id=game.pk, user=alice)
    services.game_play_bots(game_id=game.pk)
    page = selectors.table_page(selectors.game_for(bob, game.public_id), bob)
    sentences = [line.text for line in page.lines]
    assert "Alice resigned. A bot takes over." in sentences
    bot = Seat.objects.get(game=game, number=0).own_name
    assert any(line.startswith(bot) for line in sentences)


def test_names_are_in_the_language_of_each_reader(game: Game, mona: User) -> None:
    services.moderate_hand_seat(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "Gone."))
    names = selectors.SeatNames(log_of(game), seats_of(game))
    last = log_of(game).version
    with translation.override("en"):
        assert names.at(last)[0] == "Triton (bot)"
    with translation.override("fr"):
        assert names.at(last)[0] != "Triton (bot)"


# -- numbers and words -----------------------------------------------------------------------


def test_a_rollback_is_named_by_the_number_of_the_move(alice: User, bob: User, mona: User) -> None:
    game = play_turns(table_of(alice, bob), 3)
    moves = log_of(game).moves
    services.moderate_rollback(
        game_id=game.pk, to_seq=moves[1][-1].seq, ruling=services.Ruling(mona, "Misread.")
    )
    services.moderate_rollback(
        game_id=game.pk, to_seq=moves[0][-1].seq, ruling=services.Ruling(mona, "Anew.")
    )
    page = selectors.table_page(selectors.game_for(bob, game.public_id), bob)
    sentences = [line.text for line in page.lines if line.kind == "table.rolled_back"]
    assert sentences == [
        "The game was rolled back to the position after move 1. Reason: Misread.",
        "The game was rolled back to its start. Reason: Anew.",
    ]


def test_moves_have_the_same_numbers_in_the_admin_and_on_the_page(
    game: Game, mona: User, bob: User
) -> None:
    page = " ".join(
        text(moderating(mona).get(reverse("admin:games_game_change", args=[game.pk]))).split()
    )
    numbers = [int(number) for number in re.findall(r"Move (\d+)</strong>", page)]
    assert numbers == [4, 3, 2, 1]
    assert "4: " not in page.partition("Position after move")[2].partition("</select>")[0]
    shown = " ".join(text(signed_in(bob).get(reverse("game", args=[game.public_id]))).split())
    assert "move 4 of 4" in shown


def test_the_admin_describes_escape_in_sentences_with_a_zone(
    alice: User, bob: User, mona: User
) -> None:
    mona.time_zone = "Europe/Berlin"
    mona.save()
    game = escape_table(alice, bob)
    for _move in range(16):
        if fresh(game).status == Game.Status.RUNNING:
            play_one(game)
    url = reverse("admin:games_game_change", args=[game.pk])
    page = " ".join(text(moderating(mona).get(url)).split())
    dated = re.findall(r"<time[^>]*>([^<]*)</time> <span>(.*?)</span>", page)
    assert len(dated) > 16
    kinds = {entry.kind for entry in log_of(game).entries}
    assert not kinds & {words for _when, words in dated}
    assert all(re.search(r"\d CES?T$", when) for when, _words in dated)
