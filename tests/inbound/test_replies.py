"""A reply on its way from a stored email to a move and an answer."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from games import services
from games.inbound import handlers, intake, processor
from games.inbound.reply_context import ReplyContext
from games.models import Game, InboundMail, Message, OutboxMail, Seat, User
from tests.factories import (
    fresh,
    log_of,
    play_one,
    play_to_the_end,
    play_turns,
    table_of,
)
from tests.support.emails import Kind, written
from tests.support.replies import (
    Channel,
    Outcome,
    Post,
    address_of,
    arrive,
    line_of,
    one_line,
    reply_email,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "shared_table")]


@pytest.fixture
def post(game: Game, alice: User) -> Post:
    return Post(game, alice)


def version(game: Game) -> int:
    return fresh(game).version


# -- a move --------------------------------------------------------------------------------


def test_a_reply_with_a_move_plays_it(game: Game, post: Post) -> None:
    before = version(game)
    line = line_of(game)
    row = post.write(line)
    assert (row.state, row.outcome, row.line) == ("done", Outcome.PLAYED, line)
    assert version(game) > before
    assert fresh(game).to_act == [1]
    assert log_of(game).entries[-1].by == post.user.pk


def test_the_answer_says_what_happened_and_whose_turn_it_is(game: Game, post: Post) -> None:
    post.move()
    answer = post.answer()
    assert "Your move has been made." in answer.text
    assert "| Alice" in answer.text
    assert "Waiting for Bob." in answer.text


def test_the_answer_to_a_move_that_ends_the_turn_has_no_board(game: Game, post: Post) -> None:
    post.move()
    answer = post.answer()
    assert answer.pictures == {}
    assert "The board" not in answer.text


def test_the_answer_stands_in_the_thread_and_is_no_robots_to_answer(game: Game, post: Post) -> None:
    row = post.move()
    answer = post.answer()
    root = f"<game-{game.public_id}@127.0.0.1>"
    assert row.message_id
    assert answer["In-Reply-To"] == row.message_id
    assert answer["References"] == f"{root} {row.message_id}"
    assert answer["Auto-Submitted"] == "auto-replied"
    assert answer["Subject"] == "Atlantis: “Round the mainland”"
    assert answer["To"] == "alice@example.org"


def test_a_note_below_the_move_goes_to_the_table(game: Game, post: Post) -> None:
    row = post.write(f"{line_of(game)}\n\nnote: Good luck to all!\nAnd fair winds.")
    assert row.outcome == Outcome.PLAYED
    assert Message.objects.get(game=game).text == "Good luck to all!\nAnd fair winds."


def test_other_words_below_the_move_go_nowhere(game: Game, post: Post) -> None:
    assert post.write(f"{line_of(game)}\n\nSee you on Sunday.").outcome == Outcome.PLAYED
    assert not Message.objects.exists()


def test_buying_is_answered_with_the_next_question_at_once(
    alice: User, bob: User, replies: Settings
) -> None:
    game = play_turns(table_of(alice, bob), 12)
    post = Post(game, alice)
    log = log_of(game)
    tile = max(tile.value for tile in log.engine.rules.view(log.state, 0).players[0].tiles)
    assert tile > 1
    row = post.write(f"buy {tile}")
    assert row.outcome == Outcome.PLAYED
    assert fresh(game).to_act == [0]
    answer = post.answer()
    assert answer.text.startswith("Move one of your figures\n")
    assert "Reply to this email, and write on the first line:" in answer.text
    assert any(name.startswith("board@") for name in answer.pictures)
    # The question is in the same thread, and its own reply address takes the next step.
    assert answer["References"].endswith(row.message_id)
    to = answer["Reply-To"].partition("<")[2].strip(">")
    assert to != address_of(game, alice, seq=row.seq)
    done = arrive(reply_email(line_of(game), to, "alice@example.org"), to)
    assert done.outcome == Outcome.PLAYED
    assert fresh(game).to_act == [1]


def test_the_line_may_be_in_german_and_french(game: Game, post: Post) -> None:
    line = line_of(game)
    for english, german in (
        ("flag", "Flagge"),
        ("helmet", "Helm"),
        ("statue", "Statue"),
        ("crown", "Krone"),
        ("olive", "Olive"),
        ("ring", "Ring"),
        ("amphora", "Amphore"),
    ):
        line = line.replace(english, german)
    assert post.write(line).outcome == Outcome.PLAYED


def test_a_whole_log_made_of_replies_verifies(game: Game, alice: User, bob: User) -> None:
    for _turn in range(12):
        mover = (alice, bob)[fresh(game).to_act[0]]
        assert Post(game, mover).move().outcome == Outcome.PLAYED
    assert services.game_resign(game_id=game.pk, user=alice)


# -- once ----------------------------------------------------------------------------------


def test_the_same_email_twice_is_one_email(game: Game, alice: User) -> None:
    to = address_of(game, alice)
    raw = reply_email(line_of(game), to, alice.email)
    first, second = arrive(raw, to), arrive(raw, to)
    assert first.pk == second.pk
    assert second.copies == 2
    assert OutboxMail.objects.filter(kind=Kind.ANSWER).count() == 1


def test_a_message_id_that_was_there_is_the_same_email_by_whatever_channel(
    game: Game, alice: User
) -> None:
    to = address_of(game, alice)
    line = line_of(game)
    arrive(reply_email(line, to, alice.email, message_id="<one@mail.example.org>"), to)
    again = reply_email(f"{line} ", to, alice.email, message_id="<one@mail.example.org>")
    assert arrive(again, to, channel=Channel.WEBHOOK).copies == 2
    assert InboundMail.objects.count() == 1


def test_an_email_that_is_sent_again_under_another_message_id_is_the_same_email(
    game: Game, alice: User
) -> None:
    """DKIM signs the last of several fields, so a new one above it breaks no signature."""
    to = address_of(game, alice)
    raw = reply_email("note: Hello", to, alice.email)
    arrive(raw, to)
    assert arrive(b"Message-ID: <new@mail.example.net>\r\n" + raw, to).copies == 2


def test_the_same_move_in_a_second_email_is_made_once(game: Game, post: Post) -> None:
    line, seq = line_of(game), log_of(game).moved_at
    post.write(line, seq=seq)
    after = version(game)
    row = post.write(line, seq=seq)
    assert row.outcome == Outcome.REPEATED
    assert version(game) == after
    assert "had already been made" in post.answer().text


def test_an_email_is_processed_once_however_often_workers_are_woken(game: Game, post: Post) -> None:
    row = post.move()
    assert not processor.read_one(row.pk)
    assert processor.read_waiting() == 0
    assert len(post.answers()) == 1


def test_a_worker_that_dies_in_the_middle_leaves_nothing_half_done(
    game: Game, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the move and before the row is marked: both are undone and done again."""
    handle = handlers.handle

    def die(context: ReplyContext) -> str:
        handle(context)
        raise SystemExit

    before = version(game)
    monkeypatch.setattr(handlers, "handle", die)
    with pytest.raises(SystemExit):
        post.move()
    assert version(game) == before
    assert not OutboxMail.objects.filter(kind=Kind.ANSWER).exists()
    monkeypatch.undo()
    assert processor.read_waiting() == 0  # the lease of the dead worker is not over yet
    InboundMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    assert processor.read_waiting() == 1
    assert version(game) > before
    assert len(post.answers()) == 1


def fail(context: ReplyContext) -> str:
    raise ZeroDivisionError("something nobody thought of")


def test_an_email_that_cannot_be_processed_is_given_up_in_the_end(
    game: Game, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "handle", fail)
    post.move()
    for _try in range(4):
        InboundMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
        processor.read_waiting()
    row = InboundMail.objects.get()
    assert (row.state, row.attempts) == ("failed", 5)
    assert "nobody thought of" in row.error


def test_an_email_that_is_given_up_is_answered_all_the_same(
    game: Game, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = version(game)
    monkeypatch.setattr(handlers, "handle", fail)
    post.move()
    for _try in range(4):
        assert post.answers() == []
        InboundMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
        processor.read_waiting()
    assert "an error on our side" in post.answer().text
    assert InboundMail.objects.get().answer == post.answers()[-1]
    assert version(game) == before


def test_an_email_that_is_processed_again_after_its_apology_is_played_and_answered(
    game: Game, post: Post, mona: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = version(game)
    monkeypatch.setattr(handlers, "handle", fail)
    post.move()
    InboundMail.objects.update(attempts=4, next_try_at=timezone.now() - timedelta(seconds=1))
    processor.read_waiting()
    assert "an error on our side" in post.answer().text
    monkeypatch.undo()
    row = InboundMail.objects.get()
    assert services.inbound_retry(ids=[row.pk], by=mona) == 1
    assert processor.read_waiting() == 1
    assert version(game) > before
    assert len(post.answers()) == 2
    assert services.inbound_retry(ids=[row.pk], by=mona) == 0


def test_an_email_that_kills_its_workers_is_answered_all_the_same(game: Game, post: Post) -> None:
    to = address_of(game, post.user)
    raw = reply_email(line_of(game), to, post.user.email)
    (row,) = intake.store(raw, channel=Channel.RELAY, sender=None, recipients=[to])
    InboundMail.objects.update(attempts=5)
    assert not processor.read_one(row.pk)
    assert InboundMail.objects.get().state == "failed"
    assert "an error on our side" in post.answer().text


def test_a_stranger_whose_email_is_given_up_hears_nothing(game: Game, post: Post) -> None:
    to = address_of(game, post.user)
    raw = reply_email(line_of(game), to, "mallory@example.net")
    (row,) = intake.store(raw, channel=Channel.RELAY, sender=None, recipients=[to])
    InboundMail.objects.update(attempts=5)
    assert not processor.read_one(row.pk)
    assert InboundMail.objects.get().state == "failed"
    assert not OutboxMail.objects.filter(kind=Kind.ANSWER).exists()


@pytest.mark.parametrize(
    "text",
    [
        "move",
        "👍",
        "0xflag",
        "٣ flag",
        "“”",
        "no idea!",
        "A" * 900,
        "3x",
        "bridge",
        "²x flag",
        "?!",
    ],
)
def test_any_text_is_answered(post: Post, text: str) -> None:
    row = post.write(text)
    assert row.state == "done"
    assert row.answer is not None


# -- old turns -----------------------------------------------------------------------------


def test_a_reply_to_an_old_turn_does_nothing_and_the_answer_says_so(
    game: Game, alice: User, bob: User
) -> None:
    seq, line = log_of(game).moved_at, line_of(game)
    play_turns(game, 4)
    before = version(game)
    row = Post(game, alice).write(line if line != line_of(game) else "A flag", seq=seq)
    assert row.outcome in (Outcome.STALE, Outcome.REPEATED)
    assert version(game) == before


def test_the_answer_to_an_old_turn_shows_the_present_one_and_takes_a_move(
    game: Game, alice: User
) -> None:
    post = Post(game, alice)
    seq = log_of(game).moved_at
    other = "C crown" if "crown" not in line_of(game) else "A flag"
    play_turns(game, 4)
    row = post.write(other, seq=seq)
    assert row.outcome == Outcome.STALE
    answer = post.answer()
    assert "The game has moved on" in answer.text
    assert "Make your move on this page:" in answer.text
    to = answer["Reply-To"].partition("<")[2].strip(">")
    assert arrive(reply_email(line_of(game), to, alice.email), to).outcome == Outcome.PLAYED


def test_a_pause_does_not_make_a_turn_old(game: Game, post: Post, mona: User) -> None:
    seq, line = log_of(game).moved_at, line_of(game)
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "Storm."))
    row = post.write(line, seq=seq)
    assert row.outcome == Outcome.REFUSED
    assert "A moderator paused the game." in post.answer().words
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "Calm."))
    assert post.write(line, seq=seq).outcome == Outcome.PLAYED


def test_the_answer_says_that_the_player_is_not_asked(game: Game, bob: User) -> None:
    post = Post(game, bob)
    assert post.write("B flag").outcome == Outcome.REFUSED
    assert "It’s not your turn." in post.answer().text


def test_a_finished_game_takes_no_move(game: Game, alice: User) -> None:
    seq = log_of(game).moved_at
    play_to_the_end(game)
    assert Post(game, alice).write("C crown", seq=seq).outcome == Outcome.STALE
    assert Post(game, alice).write("C crown").outcome == Outcome.REFUSED
    assert "This game is over." in Post(game, alice).answer().text


# -- commands ------------------------------------------------------------------------------


def test_show_brings_board_and_hand_again(game: Game, post: Post) -> None:
    before = version(game)
    assert post.write("Show!").outcome == Outcome.SHOWN
    answer = post.answer()
    assert "Your hand" in answer.text
    assert any(name.startswith("board@") for name in answer.pictures)
    assert version(game) == before


def test_legal_lists_places_and_prices(game: Game, post: Post) -> None:
    assert post.write("legal").outcome == Outcome.SHOWN
    text = post.answer().text
    assert "These are your legal moves." in text
    assert "| Figure A:\n|   A " in text
    assert " – space " in text


def test_a_preview_shows_the_result_and_does_nothing(game: Game, post: Post) -> None:
    before, line = version(game), line_of(game)
    assert post.write(f"preview {line}").outcome == Outcome.SHOWN
    text = post.answer().text
    assert "Nothing has been changed yet" in text
    assert "| Drew 1 card." in text
    assert version(game) == before
    assert post.write(f"Vorschau {line}").outcome == Outcome.SHOWN


def test_preview_of_what_cannot_be_done_says_why(game: Game, post: Post) -> None:
    assert post.write("preview A sword").outcome == Outcome.UNCLEAR
    assert "is not an item" in post.answer().text.replace("\n", " ")


def test_a_note_alone_stands_beside_my_last_move(game: Game, post: Post, bob: User) -> None:
    play_one(game, note="First.")
    assert post.write("note: Hello again, Bob").outcome == Outcome.ORDERED
    texts = Message.objects.filter(game=game).values_list("text", flat=True)
    assert list(texts) == ["First.", "Hello again, Bob"]
    said = " ".join(post.answer().text.split())
    assert "Everyone who may see the table can now read your note, next to your last move." in said


def test_resigning_asks_back_first(game: Game, post: Post) -> None:
    assert post.write("resign").outcome == Outcome.ASKED
    assert "if you really want to resign" in post.answer().text
    assert "with this one word:\n|     resign\n" in post.answer().text.replace("| R", "R")
    assert fresh(game).status == Game.Status.RUNNING
    assert post.answer_last("resign").outcome == Outcome.ORDERED
    assert Seat.objects.get(game=game, number=0).user is None
    assert "You’ve resigned." in written(post_of(post)).text


def post_of(post: Post) -> OutboxMail:
    return post.answers()[-1]


def test_nobody_resigns_without_having_been_asked(game: Game, post: Post) -> None:
    assert post.write("resign yes").outcome == Outcome.ASKED
    InboundMail.objects.update(received_at=timezone.now() - timedelta(days=8))
    assert post.write("Ja, aufgeben").outcome == Outcome.ASKED
    assert fresh(game).seats.get(number=0).user == post.user


def test_a_player_who_has_resigned_sees_no_hand_any_more(
    alice: User, bob: User, carol: User, replies: Settings
) -> None:
    game = table_of(alice, bob, carol)
    post = Post(game, alice)
    row = post.write("show")
    assert "Your hand" in post.answer().text
    services.game_resign(game_id=game.pk, user=alice)
    assert row.answer is not None
    late = written(row.answer)
    assert "Your hand" not in late.text
    assert late.pictures == {}


def test_emails_can_be_paused_and_come_again(game: Game, post: Post) -> None:
    assert post.write("pause mails").outcome == Outcome.ORDERED
    assert Seat.objects.get(game=game, number=0).mails_off
    assert "resume emails" in post.answer().text
    assert post.write("resume mails").outcome == Outcome.ORDERED
    assert not Seat.objects.get(game=game, number=0).mails_off


def test_help_lists_commands_and_how_a_move_is_written(game: Game, post: Post) -> None:
    assert post.write("Hilfe").outcome == Outcome.SHOWN
    text = post.answer().text
    assert "legal: list your legal moves" in text
    assert "To sell a tile first" in text


# -- not understood ------------------------------------------------------------------------


def test_what_is_not_understood_is_answered_with_line_reason_and_how(
    game: Game, post: Post
) -> None:
    before = version(game)
    row = post.write("Hi all, what a lovely day")
    assert row.outcome == Outcome.UNCLEAR
    text = " ".join(post.answer().text.replace("\n| ", " ").split())
    assert "“Hi all, what a lovely day”" in text
    assert "Reply to this email, and write on the first line:" in text
    assert version(game) == before
    assert "/t/" not in text


@pytest.mark.parametrize(
    "greeting",
    [
        "Hi,",
        "Hello everybody!",
        "Hi you two!",
        "Dear fellow explorers,",
        "Liebe alle,",
        "Hallo ihr zwei,",
        "Moin, ihr Landratten!",
        "Bonjour,",
        "Salut la compagnie,",
        "Coucou vous deux !",
        "Hi Bob",
    ],
)
def test_a_greeting_above_the_move_is_no_part_of_it(game: Game, post: Post, greeting: str) -> None:
    assert post.write(f"{greeting}\n{line_of(game)}").outcome == Outcome.PLAYED


@pytest.mark.parametrize("greeting", ["Hi all,", "Hallo ihr zwei,", "Bonjour à tous,"])
def test_the_answer_quotes_the_line_below_the_greeting(
    game: Game, post: Post, greeting: str
) -> None:
    row = post.write(f"{greeting}\n\nB flagpole 3\n\nsee you tomorrow at noon")
    assert (row.outcome, row.line) == (Outcome.UNCLEAR, "B flagpole 3")
    text = one_line(post.answer().text)
    assert "This is the line we read in your reply: “B flagpole 3”" in text
    assert greeting not in text
    assert "Not read: see you tomorrow at noon" in text


@pytest.mark.parametrize(
    "line", ["Hello, not B!", "Hi, B or C?", "Hallo, lieber C!", "Salut, plutôt demain,"]
)
def test_a_greeting_with_second_thoughts_is_no_greeting(game: Game, post: Post, line: str) -> None:
    assert post.write(f"{line}\n{line_of(game)}").outcome == Outcome.REFUSED


def test_courtesy_behind_a_move_does_no_harm(game: Game, post: Post) -> None:
    line = line_of(game)
    row = post.write(f"{line}, please!")
    assert (row.outcome, row.line) == (Outcome.PLAYED, f"{line}, please!")


def test_the_player_who_is_asked_instead_is_named(alice: User, bob: User) -> None:
    game = table_of(alice, bob, kind="escape", options={"order": "seated"})
    post = Post(game, bob)
    assert post.write("place 6 E5").outcome == Outcome.REFUSED
    text = " ".join(post.answer().text.split())
    assert "Alice" in text and "seat 1" not in text


def test_what_the_rules_forbid_is_answered_with_the_rule(game: Game, post: Post) -> None:
    row = post.write("pass")
    assert row.outcome == Outcome.REFUSED
    assert "cannot pass" in post.answer().text.replace("\n| ", " ")
    assert "How to write a move:" not in post.answer().text


def test_three_in_a_row_get_the_link_to_the_form(game: Game, post: Post) -> None:
    for count in (1, 2, 3):
        post.write(f"what now {count}")
        assert ("/t/" in post.answer().text) == (count == 3)
    post.write("show")
    post.write("what now 4")
    assert "/t/" not in post.answer().text


def test_after_many_in_a_row_there_is_silence(game: Game, post: Post) -> None:
    rows = [post.write(f"blah {n}") for n in range(22)]
    assert [row.outcome for row in rows[-3:]] == [Outcome.UNCLEAR, Outcome.LIMIT, Outcome.QUIET]
    assert "reached the limit for unclear email replies" in one_line(post.answer().text)
    assert post.write("show").outcome == Outcome.SHOWN


def test_the_answer_says_that_a_reply_is_nothing_but_quoted_text(game: Game, post: Post) -> None:
    assert post.write("").outcome == Outcome.UNCLEAR
    assert "no line of your own" in post.answer().text.replace("\n", " ")


def test_a_forwarded_email_is_quoted_text(game: Game, post: Post) -> None:
    line = line_of(game)
    row = post.write(
        f"---------- Forwarded message ---------\nFrom: Bob <bob@example.org>\n"
        f"Date: Fri, 6 Nov 2026\nSubject: Atlantis\n\n{line}"
    )
    assert (row.outcome, row.line) == (Outcome.UNCLEAR, "")


def test_a_move_in_the_quoted_email_is_never_played(game: Game, post: Post) -> None:
    before, line = version(game), line_of(game)
    for text in ("", f"> {line}", f"Thanks!\n\n> {line}", f"-- \n{line}"):
        row = post.write(text, quote=f"> {line}")
        assert row.outcome in (Outcome.UNCLEAR, Outcome.QUIET), text
    assert version(game) == before
