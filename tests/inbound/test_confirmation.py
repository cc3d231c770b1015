"""The link that confirms a reply: a look does nothing, the button does it once."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games import selectors, services
from games.models import (
    FOR_GOOD,
    Game,
    InboundMail,
    Message,
    OutboxMail,
    Seat,
    User,
    database_clock,
)
from tests.factories import fresh, log_of, play_one, table_of
from tests.support.bots import bot_choice
from tests.support.emails import Kind
from tests.support.replies import Outcome, Post, confirm_path, line_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "shared_table")]


@pytest.fixture
def post(game: Game, alice: User) -> Post:
    return Post(game, alice)


def unsure(post: Post, text: str) -> str:
    """The path of the link that this reply led to."""
    row = post.write(text, results=None)
    assert row.outcome == Outcome.CONFIRM
    path = confirm_path(row)
    assert path in post.answer().text
    return path


def test_looking_shows_the_move_in_words_and_does_nothing(
    client: Client, game: Game, post: Post
) -> None:
    line, before = line_of(game), fresh(game).version
    path = unsure(post, f"{line}\n\nnote: With love")
    answer = client.get(path)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert line in page
    assert "With love" in page
    assert "Nothing has happened yet." in page
    assert "figure A moved from Atlantis" in page
    assert "Alice, did you write this?" in page
    assert "Your hand" not in page
    assert fresh(game).version == before
    assert answer["Cache-Control"] == "no-store"
    assert answer["Referrer-Policy"] == "strict-origin"


def test_the_button_plays_the_move_and_the_answer_comes_by_email(
    client: Client, game: Game, post: Post
) -> None:
    path = unsure(post, f"{line_of(game)}\n\nnote: With love")
    answer = client.post(path)
    assert "Done" in answer.content.decode()
    assert fresh(game).to_act == [1]
    assert Message.objects.get(game=game).text == "With love"
    assert "Your move has been made." in post.answer().text
    assert InboundMail.objects.get().outcome == Outcome.PLAYED


def test_pressed_twice_it_is_done_once(client: Client, game: Game, post: Post) -> None:
    path = unsure(post, line_of(game))
    client.post(path)
    after = fresh(game).version
    page = client.post(path).content.decode()
    assert "Done" in page
    assert "This was already confirmed" in client.get(path).content.decode()
    assert fresh(game).version == after
    assert OutboxMail.objects.filter(kind=Kind.ANSWER).count() == 2


def test_a_message_that_is_confirmed_twice_is_written_once(
    client: Client, game: Game, post: Post
) -> None:
    path = unsure(post, "say: Good luck to everybody!")
    for _time in range(2):
        assert "Done" in client.post(path).content.decode()
    assert Message.objects.filter(game=game).count() == 1


def test_the_button_needs_a_token_against_forged_requests(game: Game, post: Post) -> None:
    path = unsure(post, line_of(game))
    assert Client(enforce_csrf_checks=True).post(path).status_code == 403


def test_once_the_turn_is_over_the_link_does_nothing(
    client: Client, game: Game, post: Post
) -> None:
    log = log_of(game)
    view = log.engine.rules.view(log.state, 0)
    likely = bot_choice(log, 0)
    other = next(c for c in log.engine.rules.legal_commands(log.state, 0) if c != likely)
    path = unsure(post, log.engine.notation.describe(other, view))
    play_one(game)
    play_one(game)
    before = fresh(game).version
    for answer in (client.get(path), client.post(path)):
        assert answer.status_code == 409
        assert "The game has moved on" in answer.content.decode()
    assert fresh(game).version == before


def test_a_link_dies_after_a_week_and_with_the_game(client: Client, game: Game, post: Post) -> None:
    path = unsure(post, line_of(game))
    InboundMail.objects.update(received_at=timezone.now() - timedelta(days=8))
    assert client.post(path).status_code == 404
    assert fresh(game).to_act == [0]


def test_no_other_email_can_be_confirmed_and_no_link_be_guessed(
    client: Client, game: Game, post: Post
) -> None:
    shown = post.write("show")
    assert client.post(confirm_path(shown)).status_code == 404
    path = unsure(post, line_of(game))
    key, _colon, signature = path.strip("/").rpartition("/")[2].partition(":")
    number, _dash, user = key.partition("-")
    for other in (f"{int(number) + 1}-{user}:{signature}", key, f"{key}:", "x:y"):
        assert client.post(f"/reply/{other}/").status_code == 404
    assert fresh(game).to_act == [0]


def test_what_a_stranger_wrote_is_the_players_to_confirm(
    client: Client, game: Game, post: Post, bob: User
) -> None:
    row = post.write(line_of(game), sender=bob.email)
    assert "Done" in client.post(confirm_path(row)).content.decode()
    assert fresh(game).to_act == [1]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("pause mails", "Turn off emails for this game."),
        ("note: Hello there", "Hello there"),
        ("resign", "This can’t be undone."),
    ],
)
def test_commands_are_described_before_they_are_carried_out(
    client: Client, game: Game, post: Post, line: str, words: str
) -> None:
    play_one(game)
    path = unsure(post, line)
    assert words in client.get(path).content.decode()
    assert "Done" in client.post(path).content.decode()
    seat = Seat.objects.get(game=game, number=0)
    done = {
        "pause mails": seat.mails_off,
        "note: Hello there": Message.objects.filter(text="Hello there").exists(),
        "resign": seat.user is None,
    }
    assert done.pop(line)
    assert not any(done.values())


def test_an_absence_is_described_before_it_is_entered(
    client: Client, post: Post, alice: User
) -> None:
    day = database_clock.now().astimezone(alice.zone).date() + timedelta(days=5)
    path = unsure(post, f"away until {day:%Y-%m-%d}")
    assert f"Enter an absence until {selectors.day(day)}." in client.get(path).content.decode()
    assert fresh_user(alice).absence_list == []
    assert "Done" in client.post(path).content.decode()
    assert [absence.last for absence in fresh_user(alice).absence_list] == [day]


def test_a_day_without_a_year_does_not_change_by_waiting_with_the_confirmation(
    client: Client, post: Post, alice: User
) -> None:
    day = database_clock.now().astimezone(alice.zone).date() - timedelta(days=1)
    path = unsure(post, f"away until {day:%d %b}")
    InboundMail.objects.update(received_at=timezone.now() - timedelta(days=3))
    page = client.post(path).content.decode()
    assert "Choose a last day that is neither before the first day nor in the past." in page
    assert fresh_user(alice).absence_list == []


def test_a_seat_that_is_not_lost_needs_no_confirmation_to_come_back(post: Post) -> None:
    assert post.write("take my seat back", results=None).outcome == Outcome.REFUSED
    assert "You already have this seat." in post.answer().text


def fresh_user(user: User) -> User:
    return User.objects.get(pk=user.pk)


def test_a_player_who_lost_the_seat_cannot_confirm(
    client: Client, game: Game, post: Post, mona: User
) -> None:
    path = unsure(post, line_of(game))
    services.moderate_hand_seat(game_id=game.pk, seat=0, ruling=services.Ruling(mona, "Away."))
    assert client.post(path).status_code == 409
    assert fresh(game).scores is None


def test_a_closed_account_cannot_confirm(
    client: Client, game: Game, post: Post, alice: User
) -> None:
    path, before = unsure(post, line_of(game)), fresh(game).version
    User.objects.filter(pk=alice.pk).update(suspended_until=FOR_GOOD)
    for answer in (client.get(path), client.post(path)):
        assert answer.status_code == 409
        assert "This account is suspended" in answer.content.decode()
    assert fresh(game).version == before


def test_a_link_that_confirms_does_not_outlive_the_address_it_was_sent_to(
    client: Client, game: Game, post: Post, alice: User
) -> None:
    path, before = unsure(post, line_of(game)), fresh(game).version
    User.objects.filter(pk=alice.pk).update(email="alice@example.net")
    assert client.get(path).status_code == client.post(path).status_code == 404
    assert fresh(game).version == before


def test_the_page_speaks_the_players_language(client: Client, carol: User, bob: User) -> None:
    game = table_of(carol, bob)
    path = unsure(Post(game, carol), line_of(game))
    assert '<html lang="de"' in client.get(path).content.decode()


def over(game: Game, bob: User) -> None:
    services.game_resign(game_id=game.pk, user=bob)
    game.refresh_from_db()
    assert game.is_over


def closed(game: Game, bob: User) -> None:
    Game.objects.filter(pk=game.pk).update(talk_open=False)


@pytest.mark.parametrize(
    ("line", "before"),
    [
        ("vote resume", None),
        ("vote cancel", over),
        ("resign: yes", over),
        ("undo", None),
        ("report Alice she is late", None),
        ("say Hello", closed),
        ("note Hello", closed),
    ],
)
def test_what_would_be_refused_is_refused_without_a_question(
    game: Game,
    post: Post,
    bob: User,
    line: str,
    before: Callable[[Game, User], None] | None,
) -> None:
    Game.objects.filter(pk=game.pk).update(resign_policy="end")
    if before is not None:
        before(game, bob)
    version = fresh(game).version
    assert post.write(line, results=None).outcome == Outcome.REFUSED
    assert confirm_path(InboundMail.objects.latest("pk")) not in post.answer().text
    assert fresh(game).version == version


def test_nobody_is_asked_to_resign_from_a_game_that_is_over(
    game: Game, post: Post, bob: User
) -> None:
    Game.objects.filter(pk=game.pk).update(resign_policy="end")
    over(game, bob)
    assert post.write("resign: yes").outcome == Outcome.REFUSED


def test_a_vote_that_can_be_asked_for_is_confirmed(client: Client, game: Game, post: Post) -> None:
    path, version = unsure(post, "vote cancel"), fresh(game).version
    assert not OutboxMail.objects.filter(game=game, kind=Kind.VOTE).exists()
    client.post(path)
    assert log_of(game).vote is not None
    assert fresh(game).version == version + 1
