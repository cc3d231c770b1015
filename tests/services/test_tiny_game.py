"""A third game is a package and a line in the registry: everything else works with it as it is."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from games import services
from games.models import Game, InboundMail, User
from games.rules import GAMES, contract, errors, registered, selfplay
from games.rules.__main__ import game_seed
from games.rules.chance import IdentityChance
from games.rules.records import record_of
from games.rules.replay import check
from tests.factories import fresh, log_of, play_to_the_end, table_of
from tests.programs import bot_strength
from tests.support.emails import Kind, row_for, written
from tests.support.moderators import moderate, moderating
from tests.support.pages import hidden_field, page_of, signed_in, text, url
from tests.support.replies import Post
from tests.tiny_game import TWENTY, Roll, Stop

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("twenty")]


@pytest.fixture
def twenty() -> Iterator[None]:
    with registered(TWENTY):
        yield


def new_table(*people: User, bots: int = 0) -> Game:
    return table_of(*people, bots=bots, kind="twenty", options={})


def created(client: Client, seats: int, *bots: int) -> Game:
    """A table made with the form of the lobby."""
    data = {"name": "Twenty it is", "seat_count": seats, "bots": bots, "pace_days": 3}
    more = {
        "is_open": "open",
        "resign_policy": "bot",
        "timeout_policy": "wait",
        "option_dice": "one",
    }
    answer = client.post("/new/?game=twenty", {**data, **more}, follow=True)
    assert answer.status_code == 200
    return Game.objects.latest("pk")


def test_it_is_found_in_the_registry_for_a_while() -> None:
    assert GAMES["twenty"] is TWENTY
    with pytest.raises(ValueError, match="already"), registered(TWENTY):
        raise AssertionError
    contract.Game.check_options(TWENTY, {}, 6)
    with pytest.raises(errors.IllegalMove, match="1 to 6 players"):
        TWENTY.check_options({}, 7)


def test_the_lobby_offers_it_for_one_to_six(alice: User, bob: User) -> None:
    page = text(signed_in(alice).get("/new/?game=twenty"))
    assert "Twenty" in page
    assert "6 players" in page
    assert "7 players" not in page
    game = created(signed_in(alice), 2)
    assert (game.kind, game.status) == ("twenty", Game.Status.GATHERING)
    assert "1 of 2 seats" in page_of(game, alice)
    signed_in(bob).post(url(game, "join"))
    assert fresh(game).status == Game.Status.RUNNING


def test_a_host_may_start_alone(alice: User) -> None:
    game = created(signed_in(alice), 3)
    assert "disabled" not in page_of(game, alice)
    signed_in(alice).post(url(game, "start"))
    assert fresh(game).to_act == [0]


def test_one_plays_alone_to_the_end(alice: User) -> None:
    game = created(signed_in(alice), 1)
    assert game.status == Game.Status.RUNNING
    over = play_to_the_end(game)
    assert over.winners == [0]
    assert "won" in page_of(over, alice)


def test_a_move_is_made_on_the_page(alice: User, bob: User) -> None:
    game = new_table(alice, bob)
    page = page_of(game, alice, "?do=roll")
    assert "The die is rolled." in page
    form = {"line": hidden_field(page, "line"), "version": hidden_field(page, "version")}
    signed_in(alice).post(url(game, "play"), form)
    after = page_of(game, bob)
    assert "Alice rolled a" in after
    assert "Your move" in page_of(game, alice)


def test_nobody_reads_the_card_of_another(alice: User, bob: User) -> None:
    game = new_table(alice, bob)
    log = log_of(game)
    cards = log.state.cards
    assert f"0 + {cards[0]}" in page_of(game, alice)
    for reader in (page_of(game, bob), text(Client().get(url(game)))):
        assert f"0 + {cards[0]}" not in reader
        assert "1: 0 + ?" in reader


def test_an_email_asks_and_a_reply_moves(alice: User, bob: User, replies: object) -> None:
    game = new_table(alice, bob)
    asked = written(row_for(game, Kind.TURN, alice))
    assert "1: 0 + " in asked.text
    assert any(name.startswith("board@") for name in asked.pictures)
    post = Post(game, alice)
    assert post.write("roll").outcome == InboundMail.Outcome.PLAYED
    assert "Alice rolled a" in post.answer().text.replace("You rolled", "Alice rolled")
    assert post.write("jump").outcome != InboundMail.Outcome.PLAYED
    assert "“jump”" in post.answer().text
    assert post.write("stop").outcome == InboundMail.Outcome.PLAYED
    assert fresh(game).to_act == [1]
    turn = written(row_for(game, Kind.TURN, bob))
    assert "Alice stopped." in turn.text


def test_six_play_with_bots_and_the_record_can_be_checked(alice: User) -> None:
    over = play_to_the_end(new_table(alice, bots=5))
    assert over.status == Game.Status.FINISHED
    page = page_of(over, alice)
    assert all(f"seat-{number}" in page for number in range(6))
    lines = text(signed_in(alice).get(url(over, "record.jsonl"))).splitlines()
    [checked] = check(lines)
    assert (checked.game, checked.seats, checked.fair) == ("twenty", 6, True)
    call_command("verify")


def test_a_moderator_lets_the_bot_play_a_whole_turn(
    alice: User, bob: User, mona: User, client: Client
) -> None:
    game = new_table(alice, bob)
    moderating(mona, client)
    assert "Twenty" in text(client.get(reverse("admin:games_game_change", args=[game.pk])))
    moderate(client, game, "play_bot", seat=0, reason="Alice is ill")
    assert fresh(game).to_act == [1]
    moves = log_of(game).moves[1:]
    made = [log_of(game).engine.rules.command_of(move[0].event) for move in moves]
    assert made[0] == (0, Roll())
    assert made[-1] == (0, Stop())
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(mona, "enough"))
    assert fresh(game).status == Game.Status.ABORTED


def test_it_has_a_page_of_rules(client: Client) -> None:
    page = text(client.get("/rules/twenty/"))
    assert "Roll the die once more: roll" in page
    assert "How many." in page
    assert "Twenty" in text(client.get("/rules/"))


def test_the_command_line_plays_and_checks_it() -> None:
    seed = game_seed("1", 1)
    played = selfplay.play(TWENTY, {}, 3, seed, selfplay.by_bot(TWENTY, seed))
    events = [event for _state, news in played for event in news]
    [checked] = check(record_of(TWENTY, TWENTY.check_options({}, 3), 3, seed, events))
    assert checked.fair
    assert bot_strength.measure(TWENTY, 2, 4).games == 4


def test_what_a_minimal_game_leaves_out_has_a_default() -> None:
    state = TWENTY.fold(TWENTY.setup({}, 2, IdentityChance()))
    view = TWENTY.rules.view(state, 0)
    parts = TWENTY.presentation
    assert (parts.settlement(view), parts.ending(view)) == ((), None)
    assert parts.details(view) == ()
    assert TWENTY.rules.question(view) is None
    assert TWENTY.board_svg(view).startswith("<svg")
    assert "<svg" in parts.icon_svg("7")
