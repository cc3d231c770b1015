"""A game is planned by email alone: a plan is left, shown, taken back and played by replies."""

from random import Random

import pytest
from django.utils import translation

from games.inbound import commands
from games.models import Game, InboundMail, User
from games.rules.atlantis import model
from games.translate import say
from tests.factories import fresh, log_of, person_on, play_one, play_turns
from tests.rules.atlantis.games import ATLANTIS
from tests.rules.atlantis.planning import lines_of
from tests.support.replies import Outcome, Post, line_of, one_line

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "shared_table")]


@pytest.fixture
def post(game: Game) -> Post:
    """Of the player who has just moved; the other one is asked."""
    play_turns(game, 2)
    return Post(game, person_on(game, 1))


def some_line(game: Game, seat: int = 1) -> model.PlanLine:
    log = log_of(game)
    found = lines_of(log.engine.rules.view(log.state, seat), 50, Random(1))
    return next(line for line in found if len(line.cards) == 1)


def move_of(game: Game, seat: int = 1) -> str:
    """ "B olive": something that the seat can plan."""
    line = some_line(game, seat)
    return f"{'ABC'[line.figure]} {line.cards[0]}"


def plan(game: Game, seat: int = 1) -> model.Planned | None:
    found: model.Planned | None = log_of(game).state.plans[seat]
    return found


def test_the_answer_to_a_move_says_that_the_next_turn_can_be_planned(game: Game) -> None:
    play_one(game)
    post = Post(game, person_on(game, 1))
    post.move()
    assert "Plan your next turn now" in one_line(post.answer().text)
    post.answer_last(f"plan {move_of(game)}, at most 9")
    assert "Plan your next turn now" not in one_line(post.answer().text)


def test_a_plan_in_reply_to_the_answer_of_a_move_is_saved_and_said_in_words(
    game: Game, alice: User, bob: User
) -> None:
    play_one(game)
    post = Post(game, person_on(game, 1))
    assert post.move().outcome == Outcome.PLAYED
    version, line = fresh(game).version, move_of(game)
    row = post.answer_last(f"plan {line}, at most 9, even so")
    assert row.outcome == Outcome.PLAYED
    found = plan(game)
    assert found is not None and found.lines is not None
    assert (found.lines[0].most, found.lines[0].even_so) == (9, True)
    said = one_line(post.answer().text)
    assert "Saved. Only you can see it." in said
    assert f"1. Figure {line[0]} plays" in said and "It may cost at most 9 points." in said
    assert fresh(game).version == version


def test_all_of_three_lines_are_said(game: Game, post: Post) -> None:
    line = move_of(game)
    post.write(f"plan {line}, at most 9 / else {line}, anywhere / else {line}, take at least 1")
    said = post.answer().text
    assert all(f"\n| {number}. Figure" in said for number in (1, 2, 3))
    assert "…" not in said


def test_plan_shows_it_and_no_plan_takes_it_back(game: Game, post: Post) -> None:
    assert post.write("plan").outcome == Outcome.SHOWN
    assert "You haven’t entered anything in advance." in one_line(post.answer().text)
    post.write(f"plan {move_of(game)}, at most 9")
    post.write("my plan")
    assert f"plan {move_of(game)}, to " in one_line(post.answer().text)
    assert post.write("no plan").outcome == Outcome.PLAYED
    said = one_line(post.answer().text)
    assert "You no longer have anything entered in advance." in said
    assert "Saved." not in said
    assert plan(game) is None


@pytest.mark.parametrize(
    ("language", "said"),
    [("de", "Plan: {}, höchstens 9, trotzdem"), ("fr", "plan {}, au plus 9, quand même")],
)
def test_it_is_written_and_answered_in_other_languages(
    game: Game, post: Post, language: str, said: str
) -> None:
    User.objects.filter(pk=post.user.pk).update(language=language)
    assert post.write(said.format(move_of(game))).outcome == Outcome.PLAYED
    found = plan(game)
    assert found is not None and found.lines is not None and found.lines[0].most == 9
    post.write("plan")
    with translation.override(language):
        log = log_of(game)
        view = log.engine.rules.view(log.state, 1)
        written = ATLANTIS.notation.describe(model.Plan(found.lines), view)
        local = ATLANTIS.notation.localised(written, say)
    assert local in one_line(post.answer().text)
    again = post.write(local)
    assert again.outcome in (Outcome.PLAYED, Outcome.REPEATED)
    assert plan(game) == found


def test_every_condition_is_read_in_the_words_that_we_write(game: Game, post: Post) -> None:
    line = some_line(game)
    held = ATLANTIS.rules.view(log_of(game).state, 1).players[1].hand
    spare = next((item for item in held or () if item != line.cards[0]), None)
    whole = model.PlanLine(line.figure, line.cards, 7, 1, None, spare, ends=True, even_so=True)
    for found in (whole, line):
        command = model.Plan((found, line))
        view = ATLANTIS.rules.view(log_of(game).state, 1)
        for language in ("en", "de", "fr"):
            with translation.override(language):
                words = ATLANTIS.notation.localised(ATLANTIS.notation.describe(command, view), say)
            assert ATLANTIS.notation.parse(words, view) == command, words


def test_what_cannot_be_read_is_said_and_nothing_is_kept(game: Game, post: Post) -> None:
    row = post.write(f"plan {move_of(game)} unless Alice goes there")
    assert row.outcome == Outcome.UNCLEAR
    assert "no plan" in one_line(post.answer().text), "how a plan is written"
    assert plan(game) is None


def test_a_doubt_below_it_asks(game: Game, post: Post) -> None:
    row = post.write(f"plan {move_of(game)}\nNo wait, not that one.")
    assert row.outcome != Outcome.PLAYED
    assert plan(game) is None


def test_a_plan_for_a_turn_that_has_begun_is_offered_as_a_move_and_yes_makes_it(
    game: Game, post: Post
) -> None:
    play_one(game)
    line, version = line_of(game).partition(" pay")[0], fresh(game).version
    row = post.write(f"plan {line}, at most 99")
    assert (row.outcome, fresh(game).version, plan(game)) == (Outcome.REFUSED, version, None)
    said = one_line(post.answer().text)
    assert "Your turn has begun" in said and "Reply “yes” to do exactly that" in said
    assert post.answer_last("yes").outcome == Outcome.PLAYED
    assert fresh(game).to_act == [0]


def test_one_that_crosses_the_beginning_of_the_turn_is_offered_as_well(
    game: Game, post: Post
) -> None:
    """It answers an email from before."""
    line, before = move_of(game), fresh(game).version
    play_one(game)
    row = post.write(f"plan {line}, at most 99", seq=before)
    assert row.outcome == Outcome.REFUSED and plan(game) is None
    assert "Your turn has begun" in one_line(post.answer().text)
    assert fresh(game).to_act == [1]


def test_a_sender_who_is_not_verified_confirms_it(game: Game, post: Post) -> None:
    row = post.write(f"plan {move_of(game)}", results=None)
    assert row.outcome == Outcome.CONFIRM
    assert plan(game) is None


def test_a_note_cannot_go_with_it(game: Game, post: Post) -> None:
    row = post.write(f"plan {move_of(game)}\nnote: see you there")
    assert row.outcome != Outcome.PLAYED and plan(game) is None
    assert InboundMail.objects.filter(pk=row.pk).exists()


def test_it_plays_and_the_game_goes_on_by_email_alone(game: Game, post: Post) -> None:
    """Bob plans every turn in advance; Alice moves."""
    fitting = 0
    for _turn in range(6):
        if fresh(game).to_act == [0]:
            post.write(f"plan {move_of(game)}, at most 99, anywhere, even so")
            played = play_one(game)
            fitting += fresh(game).to_act == [0]
            assert played.version >= played.first
        else:
            post.move()
    assert fitting >= 1


def test_a_word_for_moving_is_not_taken_for_a_plan() -> None:
    assert commands.nearest("play") != "plan"
    assert commands.parse("Mein Plan?") == commands.ShowOrders()


def test_a_move_out_of_turn_is_answered_with_how_to_plan_it_and_not_played(
    game: Game, post: Post
) -> None:
    version, line = fresh(game).version, move_of(game)
    row = post.write(line)
    assert row.outcome == Outcome.REFUSED
    assert f"write: plan {line}" in one_line(post.answer().text)
    assert (fresh(game).version, plan(game)) == (version, None)
