"""Letters that ask for several things, from the email to the answer."""

from email.utils import parseaddr

import pytest

from games import services
from games.mail import signed_links
from games.mail.reply_addresses import reply_address
from games.models import Game, InboundMail, Message, Report, Seat, User
from tests.factories import fresh, log_of, play_one, play_turns, table_of
from tests.support.emails import written
from tests.support.replies import Outcome, Post, arrive, line_of, one_line, reply_email

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "shared_table")]


@pytest.fixture
def post(game: Game, alice: User) -> Post:
    return Post(game, alice)


def texts() -> list[str]:
    return list(Message.objects.order_by("pk").values_list("text", flat=True))


def words(post: Post) -> str:
    return one_line(post.answer().text.replace("\n| ", " "))


# -- several acts ----------------------------------------------------------------------------------


def test_a_move_a_message_and_a_note_in_one_letter_are_all_done_and_quoted(
    game: Game, post: Post
) -> None:
    row = post.write(
        f"{line_of(game)}\nnote: that hurt\n\nsay: Hi Bob,\nhow are you?\n\nBest wishes\nAlice"
    )
    assert row.outcome == Outcome.PLAYED
    assert sorted(texts()) == ["Hi Bob,\nhow are you?", "that hurt"]
    said = words(post)
    assert "Note added: that hurt" in said and "Message sent: Hi Bob" in said
    assert "Your move has been made." in said
    assert "Hi Bob, | how are you?" in said or "Hi Bob, how are you?" in said
    assert "that hurt" in said
    assert signed_links.message_path(Message.objects.get(text__startswith="Hi")) in said


@pytest.mark.parametrize(
    "closing", ["Bis bald, Bob", "See you soon!", "À bientôt !", "Bonne soirée,\nBob", "Tschüss"]
)
def test_a_farewell_below_a_note_is_not_sent(game: Game, post: Post, closing: str) -> None:
    assert post.write(f"{line_of(game)}\nnote: that hurt\n{closing}").outcome == Outcome.PLAYED
    assert texts() == ["that hurt"]


def test_what_is_not_read_is_named(game: Game, post: Post) -> None:
    row = post.write(f"{line_of(game)}\n\nSorry for being so slow.")
    assert row.outcome == Outcome.PLAYED
    assert "Not read: Sorry for being so slow." in words(post)
    assert "put “say:” before your words" in words(post)
    assert texts() == []


def test_a_refused_move_sends_no_message_and_the_answer_quotes_all_lines(
    game: Game, post: Post
) -> None:
    row = post.write("C crown crown crown\nsay: Hello!\nI am back")
    assert row.outcome in (Outcome.REFUSED, Outcome.UNCLEAR)
    assert texts() == []
    for line in ("C crown crown crown", "say: Hello!", "I am back"):
        assert line in words(post)


def test_a_move_is_made_where_messages_are_closed_and_the_note_is_named(
    game: Game, post: Post
) -> None:
    Game.objects.filter(pk=game.pk).update(talk_open=False)
    row = post.write(f"{line_of(game)}\nnote: Ahoi")
    assert row.outcome == Outcome.PLAYED
    assert "Your note was not added. Messages are turned off at this table." in words(post)
    assert texts() == []


def test_a_message_that_may_not_be_sent_is_refused_and_not_called_unread(
    game: Game, post: Post
) -> None:
    Game.objects.filter(pk=game.pk).update(talk_open=False)
    row = post.write(f"{line_of(game)}\nsay: Ahoi")
    assert row.outcome == Outcome.PLAYED
    assert "“Ahoi” – Messages are turned off at this table." in words(post)
    assert "Not read" not in words(post)
    assert "put “say:”" not in words(post)
    assert texts() == []


def test_an_answer_that_quotes_what_was_sent_and_what_was_not_read_says_the_move_too(
    game: Game, post: Post
) -> None:
    post.write(f"{line_of(game)}\nI am back\nsay: Ahoi")
    said = words(post)
    for part in ("Alice played", "Message sent: Ahoi", "Not read: I am back"):
        assert part in said


def test_a_line_that_casts_doubt_is_quoted_once(game: Game, post: Post) -> None:
    post.write(f"Hello Bob,\n\n{line_of(game)}\n\nOh no, wait until tomorrow.\nI am back")
    said = words(post)
    assert "what you want: “Oh no, wait until tomorrow.”" in said
    assert said.count("Oh no, wait until tomorrow.") == 1
    assert "Not read" in said and "I am back" in said


def test_text_to_a_position_that_is_gone_is_quoted(game: Game, post: Post) -> None:
    play_turns(game, 1)
    assert post.write("Haha, I get you for that one", seq=1).outcome == Outcome.STALE
    assert "Not read: Haha, I get you for that one" in words(post)


def test_an_absence_and_a_move_go_together(game: Game, post: Post) -> None:
    assert post.write(f"{line_of(game)}\naway until tomorrow").outcome == Outcome.PLAYED
    assert "You’re away until" in words(post)
    assert User.objects.get(pk=post.user.pk).absence_list != []


def test_second_thoughts_stop_a_move_and_are_quoted(game: Game, post: Post) -> None:
    before = fresh(game).version
    assert post.write(f"{line_of(game)}\nhold on, I mean C").outcome == Outcome.REFUSED
    assert "“hold on, I mean C”" in words(post)
    assert fresh(game).version == before


def test_the_line_of_a_reply_stays_what_was_written(game: Game, post: Post) -> None:
    for text in ("say: Hello", "resign", "what now", f"I would like to play {line_of(game)}"):
        post.write(text)
    offered = f"In-Reply-To: {post.answers()[-1].message_id}"
    post.write("Yes, please", head=offered)
    lines = InboundMail.objects.order_by("pk").values_list("line", flat=True)
    assert list(lines)[:3] == ["say: Hello", "resign", "what now"]
    assert list(lines)[-1] == "Yes, please"


def test_an_unverified_letter_waits_with_all_its_acts(game: Game, post: Post) -> None:
    row = post.write(f"{line_of(game)}\nsay: Ahoi", results=None)
    assert row.outcome == Outcome.CONFIRM
    from games.inbound import confirmation

    done = confirmation.confirm(row.pk)
    assert done is not None and done.problem == ""
    assert texts() == ["Ahoi"]
    assert fresh(game).to_act == [1]


# -- questions -------------------------------------------------------------------------------------


def offered(game: Game, post: Post) -> str:
    row = post.write(f"I would like to play {line_of(game)}")
    assert row.offer
    return f"In-Reply-To: {post.answers()[-1].message_id}"


def test_a_question_is_answered_in_reply_to_its_own_email_only(game: Game, post: Post) -> None:
    offered(game, post)
    before = fresh(game).version
    assert post.write("yes").outcome == Outcome.UNCLEAR
    assert post.write("yes", head="In-Reply-To: <another@example.org>").outcome == Outcome.UNCLEAR
    assert fresh(game).version == before


def test_a_program_that_names_the_answer_in_references_alone_is_understood(
    game: Game, post: Post
) -> None:
    head = offered(game, post).replace("In-Reply-To: ", "References: <first@example.org> ")
    assert post.write("yes", head=head).outcome == Outcome.PLAYED


def test_an_act_on_a_page_ends_a_question(game: Game, post: Post) -> None:
    head = offered(game, post)
    services.message_write(game_id=game.pk, user=post.user, text="Hello")
    assert post.write("yes", head=head).outcome == Outcome.REFUSED
    post.write("resign")
    head = f"In-Reply-To: {post.answers()[-1].message_id}"
    play_one(game)
    assert post.write("resign", head=head).outcome == Outcome.ASKED
    assert Seat.objects.get(game=game, number=0).user == post.user


# -- votes -----------------------------------------------------------------------------------------


def vote_of(game: Game) -> int:
    vote = log_of(game).vote
    assert vote is not None
    return vote.seq


@pytest.mark.parametrize("is_on_turn", [True, False])
@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Ja, klar, kein Problem!", "You’ve agreed."),
        ("Einverstanden", "You’ve agreed."),
        ("bien sûr", "You’ve agreed."),
        ("Non, désolée, je préfère continuer", "You’ve said no."),
        ("No thanks.\n\nBest wishes\nAlice", "You’ve said no."),
    ],
)
def test_a_vote_is_answered_in_ones_own_words_on_turn_or_not(
    game: Game, alice: User, bob: User, text: str, topic: str, is_on_turn: bool
) -> None:
    if not is_on_turn:
        play_one(game)
    Post(game, bob).write("vote pause until tomorrow")
    post = Post(game, alice)
    assert post.write(text, seq=vote_of(game)).outcome == Outcome.ORDERED
    assert topic in words(post)
    assert log_of(game).vote is None


@pytest.mark.parametrize("text", ["Hello Bob", "A flag", "Thanks, good game!", "yes if Bob agrees"])
def test_anything_else_in_reply_to_a_vote_asks_for_the_vote_and_later_says_how_it_ended(
    game: Game, alice: User, bob: User, text: str
) -> None:
    play_one(game)  # Alice is not on turn
    Post(game, bob).write("vote cancel")
    seq, post = vote_of(game), Post(game, alice)
    row = post.write(text, seq=seq)
    assert (row.outcome, row.offer) == (Outcome.REFUSED, "")
    assert "This email asks for your vote." in words(post)
    post.write("no", seq=seq)
    post.write(text, seq=seq)
    assert "did not pass: someone said no" in words(post)


@pytest.mark.parametrize("is_on_turn", [True, False])
def test_the_answer_that_asks_for_the_vote_again_takes_the_vote(
    game: Game, alice: User, bob: User, is_on_turn: bool
) -> None:
    if not is_on_turn:
        play_one(game)
    Post(game, bob).write("vote pause until tomorrow")
    post = Post(game, alice)
    assert post.write("yes if Bob agrees", seq=vote_of(game)).outcome == Outcome.REFUSED
    asked = post.answer()
    assert "first line" not in asked.text  # how a move is written
    to = parseaddr(asked["Reply-To"])[1]
    head = f"In-Reply-To: {asked['Message-ID']}"
    row = arrive(reply_email("No, I’d rather play on.", to, alice.email, head=head), to)
    assert row.outcome == Outcome.ORDERED
    assert "You’ve said no." in words(post)
    assert log_of(game).vote is None


def test_the_answer_of_a_vote_says_what_it_is_about(game: Game, alice: User, bob: User) -> None:
    first = Post(game, alice)
    first.move()
    first.write("vote take back")
    said = words(first)
    assert "The others are asked now." in said
    assert "the position before these moves, which are undone" in said
    assert "Alice played" in said  # the move that would go, and whose it is
    assert "Make your move" not in said


# -- who no longer sits ----------------------------------------------------------------------------


@pytest.fixture
def left(alice: User, bob: User, carol: User, dave: User, mona: User) -> Game:
    """Alice has resigned, and Bob was replaced by Dave."""
    game = table_of(alice, bob, carol)
    Post(game, alice).write("resign")
    services.game_resign(game_id=game.pk, user=alice)
    services.moderate_hand_seat(
        game_id=game.pk, ruling=services.Ruling(mona, "Away."), seat=1, to=dave
    )
    return fresh(game)


def write_to(game: Game, seat: int, user: User, text: str, **more: str | None) -> InboundMail:
    to = reply_address(game.public_id, seat, log_of(game).moved_at)
    assert to is not None
    return arrive(reply_email(text, to, user.email, **more), to)  # type: ignore[arg-type]


@pytest.mark.parametrize(("seat", "name"), [(0, "Alice"), (1, "Bob")])
def test_former_holders_are_answered_once(left: Game, seat: int, name: str) -> None:
    user = User.objects.get(display_name=name)
    before = fresh(left).version
    for text, outcome in (
        ("away until tomorrow", Outcome.ORDERED),
        ("report Carol she is rude", Outcome.ORDERED),
        ("status", Outcome.SHOWN),
        ("help", Outcome.SHOWN),
        ("A flag", Outcome.REFUSED),
        ("say: hello", Outcome.REFUSED),
        ("vote cancel", Outcome.REFUSED),
        ("stop", Outcome.ORDERED),
    ):
        row = write_to(left, seat, user, text)
        assert (row.outcome, row.user) == (outcome, user), text
        assert row.answer is not None and row.answer.to_address == user.email
        if outcome == Outcome.REFUSED:
            assert "You no longer have a seat at this table" in one_line(written(row.answer).text)
    assert fresh(left).version == before
    assert Report.objects.get().reporter == user
    assert texts() == []


def test_a_forger_of_a_former_holder_does_nothing(left: Game, alice: User) -> None:
    row = write_to(left, 0, alice, "away until tomorrow", results=None)
    assert row.outcome == Outcome.REFUSED
    assert User.objects.get(pk=alice.pk).absence_list == []


def test_a_stranger_learns_nothing_from_the_address_of_a_former_holder(left: Game) -> None:
    for text in ("A flag", "status", "hello"):
        to = reply_address(left.public_id, 0, log_of(left).moved_at)
        assert to is not None
        assert arrive(reply_email(text, to, "eve@example.net"), to).answer is None
