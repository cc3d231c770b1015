"""The game page: what it shows and hides, and how a move is made on it."""

import json
import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from games import services
from games.models import Game, Message, Seat, User
from tests.factories import (
    fresh,
    given_up,
    log_of,
    play_one,
    play_to_the_end,
    play_turns,
    table_of,
)
from tests.support.bots import bot_choice
from tests.support.pages import (
    complete_move,
    hidden_field,
    page_of,
    signed_in,
    text,
    url,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


# -- who sees what -------------------------------------------------------------------


def test_a_private_game_is_visible_to_its_players_only(alice: User, bob: User, dave: User) -> None:
    game = table_of(alice, bob, is_open=False)
    assert signed_in(dave).get(url(game)).status_code == 404
    assert signed_in(bob).get(url(game)).status_code == 200


def test_a_visitor_is_redirected_to_the_sign_in_page_and_back(alice: User, bob: User) -> None:
    game = table_of(alice, bob, is_open=False)
    answer = Client().get(url(game))
    assert answer.status_code == 302
    assert parse_qs(urlsplit(answer["Location"]).query)["next"] == [url(game)]


def test_a_spectator_sees_no_hands_and_no_form(game: Game, dave: User) -> None:
    page = page_of(game, dave)
    assert "Your hand" not in page
    assert "Your move" not in page


def test_only_the_player_to_move_gets_the_form(game: Game, alice: User, bob: User) -> None:
    heading = re.compile(r'id="orders-title"[^>]*>\s*Your move\s*</h2>')
    assert heading.search(page_of(game, alice)) and not heading.search(page_of(game, bob))
    assert "Alice is to move." in " ".join(page_of(game, bob).split())


def test_other_hands_are_shown_after_the_end_and_not_before(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 4)
    assert 'aria-label="Cards"' not in page_of(game, alice)
    game = play_to_the_end(game)
    assert page_of(game, alice).count('aria-label="Cards"') >= 1


# -- making a move -------------------------------------------------------------------


def test_the_board_leads_from_figure_to_landing_to_the_preview(alice: User, bob: User) -> None:
    page, form = complete_move(table_of(alice, bob), alice)
    assert "Preview" in page
    assert form["line"] in unescape(page)


def test_what_is_chosen_is_marked_on_the_board(alice: User, bob: User) -> None:
    page = page_of(table_of(alice, bob), alice, "?figure=A")
    assert re.search(r'id="figure-0-A" aria-current="true" class="chosen ', page)


def test_a_confirmed_move_is_made_and_everybody_reads_its_note(
    game: Game, alice: User, bob: User
) -> None:
    _page, form = complete_move(game, alice)
    answer = signed_in(alice).post(
        url(game, "play"), {**form, "note": "Mind <b>the</b> gap"}, follow=True
    )
    assert "Your move has been made." in text(answer)
    assert Message.objects.get(game=game).text == "Mind <b>the</b> gap"
    assert "Mind &lt;b&gt;the&lt;/b&gt; gap" in page_of(game, bob)


def test_a_message_waits_for_a_page_that_is_shown_not_for_one_that_a_script_fetches(
    game: Game, alice: User
) -> None:
    client = signed_in(alice)
    client.post(url(game, "play"), complete_move(game, alice)[1])
    fetched = client.get(url(game), headers={"Accept": "text/html"})
    assert "Your move has been made." not in text(fetched)
    shown = client.get(url(game), headers={"Accept": "text/html,*/*"})
    assert "Your move has been made." in text(shown)


def test_the_second_of_two_clicks_shows_the_result_of_the_first(game: Game, alice: User) -> None:
    _page, form = complete_move(game, alice)
    client = signed_in(alice)
    client.post(url(game, "play"), form, follow=True)
    version = fresh(game).version
    again = client.post(url(game, "play"), form, follow=True)
    assert "This move had already been made." in text(again)
    assert fresh(game).version == version


@pytest.mark.parametrize("moves", [1, 2], ids=["the_others_turn", "mine_again"])
def test_a_move_on_an_outdated_board_is_refused_with_the_current_board(
    game: Game, alice: User, moves: int
) -> None:
    log = log_of(game)
    view = log.engine.rules.view(log.state, 0)
    made = log.engine.notation.describe(bot_choice(log, 0), view)
    every = (
        log.engine.notation.describe(c, view) for c in log.engine.rules.legal_commands(log.state, 0)
    )
    other = next(line for line in every if line != made)
    now = play_turns(game, moves)
    answer = signed_in(alice).post(url(game, "play"), {"line": other, "version": game.version})
    assert answer.status_code == 409
    assert "The game has moved on. Here is the current board." in text(answer)
    assert f'data-version="{now.version}"' in text(answer)
    assert fresh(game).version == now.version


@pytest.mark.parametrize("version", ["1", "999999", "-3", "x"])
def test_a_version_at_which_the_player_was_not_asked_changes_nothing(
    game: Game, alice: User, version: str
) -> None:
    answer = signed_in(alice).post(url(game, "play"), {"line": "A flag", "version": version})
    assert answer.status_code in (409, 422)
    assert fresh(game).version == game.version


def test_somebody_elses_seat_cannot_be_played(
    game: Game, alice: User, bob: User, dave: User
) -> None:
    _page, form = complete_move(game, alice)
    for user in (bob, dave):
        assert signed_in(user).post(url(game, "play"), form).status_code in (409, 422)
    assert log_of(game).moves[1:] == ()


@pytest.mark.parametrize("line", ["A", "what?", "A flag flag flag flag flag pay 7 7 7", "pass"])
def test_an_illegal_line_is_explained_and_the_answers_are_kept(
    game: Game, alice: User, line: str
) -> None:
    version = str(game.version)
    answer = signed_in(alice).post(
        url(game, "play?figure=A"), {"line": line, "version": version, "note": "my words"}
    )
    assert answer.status_code == 422
    page = text(answer)
    assert 'class="problem" role="alert"' in page
    assert re.search(r'value="A" id="ask-figure-\d" checked', page)
    assert fresh(game).version == game.version


def test_a_typed_move_is_previewed_and_then_made(game: Game, alice: User) -> None:
    log = log_of(game)
    view = log.engine.rules.view(log.state, 0)
    line = log.engine.notation.describe(
        next(iter(log.engine.rules.legal_commands(log.state, 0))), view
    )
    client = signed_in(alice)
    page = text(client.get(url(game), {"typed": line.upper()}))
    assert "Preview" in page
    client.post(url(game, "play"), {"line": hidden_field(page, "line"), "version": game.version})
    assert fresh(game).version > game.version


def test_a_malformed_line_is_explained_and_stays_in_its_field(alice: User, bob: User) -> None:
    page = text(signed_in(alice).get(url(table_of(alice, bob)), {"typed": 'B "xyz'}))
    assert 'class="problem"' in page
    assert 'value="B &quot;xyz"' in page


def test_after_buying_the_page_shows_the_new_hand(game: Game, alice: User) -> None:
    for _move in range(40):
        log = log_of(game)
        tiles = log.engine.rules.view(log.state, 0).players[0].tiles
        if log.projection.to_act == (0,) and any(tile.value > 1 for tile in tiles):
            break
        play_turns(game, 1)
    value = max(tile.value for tile in tiles)
    page = page_of(game, alice, f"?do=buy&tile={value}")
    form = {"line": hidden_field(page, "line"), "version": hidden_field(page, "version")}
    answer = signed_in(alice).post(url(game, "play"), form)
    assert answer["Location"].endswith("#orders")
    cards = log_of(game).engine.rules.view(log_of(game).state, 0).players[0].cards
    after = page_of(game, alice)
    assert "Your move" in after
    assert f"{cards} cards" in after


def test_after_a_move_the_next_game_that_waits_is_one_click_away(
    game: Game, alice: User, bob: User
) -> None:
    other = table_of(alice, bob, name="The other one")
    _page, form = complete_move(game, alice)
    page = text(signed_in(alice).post(url(game, "play"), form, follow=True))
    assert "Next game waiting for you: The other one" in page
    assert f'href="{url(other)}#orders"' in page


# -- the log and the past ------------------------------------------------------------


def test_what_happened_since_my_last_move_is_marked(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 4)
    page = page_of(game, alice)
    assert page.index("Since your last move") < page.index("Earlier")
    assert page.count(" new") >= 1


def test_every_position_has_a_url_and_links_to_its_neighbours(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 5)
    client = signed_in(alice)
    here, seen = url(game), []
    for _step in range(9):
        page = text(client.get(here))
        back = re.search(r'rel="prev" id="step-back" href="([^"]*)"', page)
        if back is None:
            break
        here = back[1]
        seen.append(here)
    assert len(seen) == len(log_of(game).moves) - 1
    assert "move 0 of 5" in page
    assert 'rel="next"' in page
    assert "Your move" not in page


def test_a_missing_position_is_not_found(game: Game, alice: User) -> None:
    assert signed_in(alice).get(url(game, "at/999/")).status_code == 404


def test_past_positions_of_a_running_game_show_no_secrets(
    alice: User, bob: User, dave: User
) -> None:
    game = play_turns(table_of(alice, bob), 3)
    seq = log_of(game).moves[1][-1].seq
    assert "Your hand" in page_of(game, alice, f"at/{seq}/")
    assert "Your hand" not in page_of(game, dave, f"at/{seq}/")


# -- the end -------------------------------------------------------------------------


def test_the_end_is_explained_line_by_line(alice: User, bob: User) -> None:
    game = play_to_the_end(table_of(alice, bob))
    page = page_of(game, bob)
    assert "Final score" in page
    assert game.scores is not None
    for score in game.scores:
        assert f'<span class="score">{score}</span>' in page
        assert f"Score: {score} point" in page


def test_the_record_can_be_downloaded_after_the_end_and_not_before(game: Game, alice: User) -> None:
    client = signed_in(alice)
    assert client.get(url(game, "record.jsonl")).status_code == 404
    play_to_the_end(game)
    answer = client.get(url(game, "record.jsonl"))
    assert "attachment" in answer["Content-Disposition"]
    lines = [json.loads(line) for line in text(answer).splitlines()]
    assert len(lines) > 20


def test_a_rematch_is_one_click_and_the_same_game_for_all(alice: User, bob: User) -> None:
    game = given_up(alice, bob)
    first = signed_in(alice).post(url(game, "rematch"))["Location"]
    second = signed_in(bob).post(url(game, "rematch"))["Location"]
    assert first == second != url(game)
    assert "Go to the rematch" in page_of(game, bob)


def test_resigning_needs_a_tick(alice: User, bob: User, carol: User) -> None:
    game = table_of(alice, bob, carol)
    client = signed_in(bob)
    client.post(url(game, "resign"))
    assert game.seats.filter(user=bob).exists()
    client.post(url(game, "resign"), {"sure": "1"})
    assert not game.seats.filter(user=bob).exists()


def test_email_about_one_game_can_be_turned_off_and_on_again(game: Game, alice: User) -> None:
    client = signed_in(alice)
    for off, words in (
        ("1", "Emails for this game are off."),
        ("0", "You get emails for this game"),
    ):
        client.post(url(game, "mails"), {"off": off})
        assert words in text(client.get(url(game, "?details=all")))
        assert Seat.objects.get(game=game, user=alice).mails_off == (off == "1")


# -- the host and a passed deadline --------------------------------------------------


def test_the_host_can_step_in_once_the_time_is_over(alice: User, bob: User, carol: User) -> None:
    game = table_of(bob, alice, carol)
    assert "Time is up" not in page_of(game, bob)
    Game.objects.filter(pk=game.pk).update(host=alice)
    Seat.objects.filter(game=game, user=bob).update(overdue=True)
    assert "Let a bot play this turn for Bob" in page_of(game, alice)
    assert "Let a bot" not in page_of(game, carol)
    form = {"seat": 0, "do": "bot", "reason": "Bob is on a ship"}
    signed_in(alice).post(url(game, "step-in"), form)
    assert fresh(game).to_act == [1]
    assert "Bob is on a ship" in page_of(game, carol)


def test_the_host_cannot_step_in_while_time_is_left(game: Game, alice: User) -> None:
    form = {"seat": 0, "do": "hand", "reason": "Hurry"}
    answer = signed_in(alice).post(url(game, "step-in"), form, follow=True)
    assert "That player has moved in the meantime." in text(answer)
    assert fresh(game).version == game.version


def test_the_form_names_the_version_of_the_board_above_it(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 2)
    page, form = complete_move(game, alice)
    assert form["version"] == str(game.version)
    assert f'data-version="{game.version}"' in page


# -- the position in words ------------------------------------------------------------------


def test_every_position_is_on_the_page_in_words(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 5)
    past = log_of(game).moves[2][-1].seq
    for page in (page_of(game, alice), page_of(game, alice, f"at/{past}/")):
        words = page.partition("The position in words")[2].partition("</details>")[0]
        assert words.count("<li>Space ") + words.count("<li>Gap ") > 40
        assert "figure A (Bob)" in words


# -- following an open table ------------------------------------------------------------------


def test_the_version_of_a_table_is_that_of_its_page(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 3)
    for client in (signed_in(alice), Client()):
        found = re.search(r'data-stamp="([^"]+)"', text(client.get(url(game))))
        assert found is not None
        assert client.get(url(game, "version")).json()["stamp"] == found[1]
        stamp = found[1]
    assert stamp == f"{game.version}.0"


def test_only_those_who_may_see_a_table_learn_its_version(
    alice: User, bob: User, dave: User
) -> None:
    game = table_of(alice, bob, is_open=False)
    assert signed_in(dave).get(url(game, "version")).status_code == 404
    assert Client().get(url(game, "version")).status_code == 404
    assert signed_in(bob).get(url(game, "version")).status_code == 200


# -- moves since one's own ----------------------------------------------------------------------


def test_the_turn_line_leads_to_the_position_after_ones_own_last_move(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, carol)
    assert "since yours" not in page_of(game, alice)
    play_one(game)
    own = log_of(game).positions[-1]
    assert "since yours" not in page_of(game, alice)
    play_one(game)
    assert "▶ 1 move since yours" in page_of(game, alice)
    play_one(game)
    page = page_of(game, alice)
    assert re.search(rf"/g/{game.public_id}/at/{own}/#replay\">\s*▶ 2 moves since yours", page)
    assert "since yours" not in page_of(game, alice, f"at/{own}/")
    assert "▶ 1 move since yours" in page_of(game, bob)
    services.vote_open(game_id=game.pk, user=alice, about="cancel")
    assert "▶ 2 moves since yours" in page_of(game, alice)


def test_a_spectator_reads_of_no_moves_since_theirs(alice: User, bob: User, dave: User) -> None:
    assert "since yours" not in page_of(play_turns(table_of(alice, bob), 5), dave)
