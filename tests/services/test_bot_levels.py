"""Easy, normal and strong bots at a table: chosen per seat, shown with the name, kept in the
log."""

import logging

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from games import selectors, services
from games.log import stored_rows
from games.models import Game, Seat, User
from games.rules import GAMES
from games.rules.bots import Budget, Level
from games.rules.chance import bot_chance
from games.rules.replay import check
from tests.factories import fresh, log_of, play_to_the_end, seats_of, table_of
from tests.support.pages import signed_in

pytestmark = pytest.mark.django_db


def names(game: Game) -> list[str]:
    return [seat.own_name for seat in game.seats.order_by("number")]


def table(host: User) -> Game:
    bots = {1: Level.EASY, 2: Level.STRONG, 3: Level.NORMAL}
    return table_of(host, seats=4, bots=bots)


def test_each_bot_has_its_own_level_and_says_so(alice: User) -> None:
    game = table(alice)
    assert names(game)[1:] == ["Galatea (easy bot)", "Nereus (strong bot)", "Amphitrite (bot)"]
    levels = (Level.NORMAL, Level.EASY, Level.STRONG, Level.NORMAL)
    assert log_of(game).table.levels == levels
    assert [seat.bot_level for seat in game.seats.order_by("number")] == list(levels)
    page = signed_in(alice).get(reverse("game", args=[game.public_id])).content.decode()
    assert "Nereus (strong bot)" in page


def test_a_bot_keeps_its_name_when_somebody_sits_down_or_gets_up_before_it(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, seats=4)
    services.game_add_bot(game_id=game.pk, by=alice, place=3)
    assert names(game) == ["Alice", "Amphitrite (bot)"]
    services.game_join(game_id=game.pk, user=bob)
    assert names(game) == ["Alice", "Bob", "Amphitrite (bot)"]
    services.game_leave(game_id=game.pk, user=bob)
    services.game_join(game_id=game.pk, user=carol)
    services.game_start(game_id=game.pk, by=alice)
    assert names(game) == ["Alice", "Carol", "Amphitrite (bot)"]


def test_the_log_calls_a_bot_by_the_name_that_it_had_at_the_table(
    alice: User, bob: User, carol: User, mona: User
) -> None:
    game = table_of(alice, seats=4)
    services.game_add_bot(game_id=game.pk, by=alice, place=3)
    services.game_join(game_id=game.pk, user=bob)
    services.game_start(game_id=game.pk, by=alice)
    bot = log_of(game).version
    services.moderate_hand_seat(
        game_id=game.pk, seat=2, to=carol, ruling=services.Ruling(mona, "A guest.")
    )
    called = selectors.SeatNames(log_of(game), seats_of(game))
    assert called.at(bot) == ("Alice", "Bob", "Amphitrite (bot)")
    assert called.now == ("Alice", "Bob", "Carol")


def test_normal_bots_leave_the_log_as_it_always_was(alice: User) -> None:
    game = table_of(alice, bots=1)
    rows = [row for row in stored_rows.read(game) if row.kind == "table.joined"]
    assert b"level" not in b"".join(bytes(row.payload) for row in rows)
    assert {row.schema for row in rows} == {1}


def test_the_form_of_a_new_table_sets_the_levels(alice: User) -> None:
    data = {
        "name": "Together",
        "seat_count": 3,
        "bots": [1],
        "level_1": "strong",
        "level_2": "easy",
        "pace_days": 3,
        "is_open": "open",
        "timeout_policy": "seat2",
        "resign_policy": "bot",
        "option_order": "random",
    }
    signed_in(alice).post(reverse("new_game") + "?game=atlantis", data)
    game = Game.objects.get()
    assert [(seat.is_bot, seat.bot_level) for seat in game.seats.order_by("number")] == [
        (False, "normal"),
        (True, "strong"),
    ]


def test_a_host_adds_a_bot_of_a_level(alice: User) -> None:
    game = table_of(alice, seats=3)
    client: Client = signed_in(alice)
    url = reverse("add_bot", args=[game.public_id])
    client.post(url, {"place": 1, "level": "easy"})
    client.post(url, {"place": 2, "level": "clairvoyant"})
    game.refresh_from_db()
    assert names(game)[1:] == ["Galatea (easy bot)"]


def test_a_seat_that_goes_to_a_bot_later_goes_to_a_normal_one(alice: User, bob: User) -> None:
    game = table_of(alice, bob, seats=3, bots={1: Level.STRONG})
    services.game_resign(game_id=game.pk, user=bob)
    seats = list(game.seats.order_by("number"))
    assert [seat.bot_level for seat in seats] == ["normal", "strong", "normal"]


def test_a_strong_bot_whose_seat_is_given_to_a_person_is_forgotten(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bots={1: Level.STRONG})
    services.moderate_hand_seat(
        game_id=game.pk, seat=1, to=bob, ruling=services.Ruling(mona, "please")
    )
    assert Seat.objects.get(game=game, number=1).bot_level == "normal"
    assert log_of(game).table.levels == (Level.NORMAL, Level.NORMAL)


def test_a_rematch_has_the_same_bots(alice: User, settings: Settings) -> None:
    settings.BOT_PLAYOUTS = {"atlantis": 1}
    over = play_to_the_end(table_of(alice, bots={1: Level.EASY}))
    again = services.game_rematch(game_id=over.pk, by=alice)
    assert again.seats.get(is_bot=True).bot_level == "easy"
    record = "\n".join(selectors.record_lines(over))
    assert '"level":"easy"' in record.replace(" ", "")
    (checked,) = check(record.splitlines())
    assert checked.fair


def test_what_a_strong_bot_does_follows_from_the_seed(alice: User, settings: Settings) -> None:
    settings.BOT_PLAYOUTS = {"atlantis": 12}
    game = table_of(alice, bots={0: Level.STRONG}, options={"order": "seated"})
    services.game_play_bots(game_id=game.pk)
    log = log_of(game)
    move = log.moves[1]
    before = log.until(move[0].seq - 1)
    luck = bot_chance(bytes(fresh(game).seed), 0, move[0].seq)
    again = GAMES["atlantis"].bot_command(
        Level.STRONG, log.engine.rules.view(before.state, 0), luck, Budget(12)
    )
    assert log.engine.rules.command_of(move[0].event) == (0, again)


def test_a_search_that_takes_too_long_is_given_up_and_the_bot_moves_all_the_same(
    alice: User, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.BOT_SECONDS = 0.0
    game = table_of(alice, bots={0: Level.STRONG}, options={"order": "seated"})
    with caplog.at_level(logging.WARNING):
        assert services.game_play_bots(game_id=game.pk) == 1
    assert "search was given up" in caplog.text
    assert fresh(game).to_act == [1]


@pytest.mark.django_db(transaction=True)
def test_a_bot_searches_outside_any_transaction(
    alice: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.BOT_PLAYOUTS = {"atlantis": 1}
    game = table_of(alice, bots={0: Level.STRONG}, options={"order": "seated"})
    engine, seen = GAMES["atlantis"], []
    search = engine.bot.choose_strong

    def watched(*args: object) -> object:
        seen.append(connection.in_atomic_block)
        return search(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(engine.bot, "choose_strong", watched)
    services.game_play_bots(game_id=game.pk)
    assert seen == [False]
