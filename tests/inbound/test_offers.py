"""Replies that come close to a move are asked about, and steps of one's own can be taken back."""

import re
from email.message import EmailMessage

import pytest
from django.utils import translation

from games.inbound import answers, commands, confirmation
from games.mail.reply_addresses import person_address
from games.models import DeliveryMode, Game, InboundMail, Message, OutboxMail, Seat, User
from tests.factories import fresh, log_of, play_one, play_to_the_end, play_turns, table_of
from tests.support.emails import Kind, Read, written
from tests.support.escape_games import escape_table, play_line
from tests.support.replies import PASS, Outcome, Post, arrive, line_of, reply_email

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "shared_table")]


@pytest.fixture
def post(game: Game, alice: User) -> Post:
    return Post(game, alice)


def version(game: Game) -> int:
    return fresh(game).version


def words(mail: Read) -> str:
    return " ".join(mail.text.replace("\n| ", " ").split())


def close_to(game: Game) -> str:
    """A line that comes close to the bot's move: a wish."""
    return f"I would like to play {line_of(game)}"


# -- did you mean ----------------------------------------------------------------------------


def test_a_line_that_comes_close_is_offered_and_not_played(game: Game, post: Post) -> None:
    line, before = line_of(game), version(game)
    row = post.write(close_to(game))
    assert (row.outcome, row.offer) == (Outcome.UNCLEAR, line)
    assert f"Did you mean “{line}”? Reply “yes” to do exactly that" in words(post.answer())
    assert version(game) == before


@pytest.mark.parametrize(
    "yes",
    [
        "yes",
        "Ja!",
        "oui",
        "OK",
        "👍",
        "👍🏽",
        "Yes please",
        "Yes, that's the one",
        "Yes, I confirm",
        "ok, danke",
        "Ja, genau das meinte ich",
        "Ja, das passt so",
        "Oui, c'est ça, merci !",
        "Oui, je confirme",
    ],
)
def test_yes_plays_what_was_offered(game: Game, post: Post, yes: str) -> None:
    post.write(close_to(game))
    row = post.answer_last(yes)
    assert (row.outcome, row.line) == (Outcome.PLAYED, yes)
    assert fresh(game).to_act == [1]


def test_the_note_of_the_offered_line_is_kept(game: Game, post: Post) -> None:
    post.write(f"{close_to(game)}, note: have fun")
    assert post.answer_last("yes").outcome == Outcome.PLAYED
    assert Message.objects.get(game=game).text == "have fun"


def test_yes_does_nothing_once_the_position_has_changed(game: Game, alice: User, bob: User) -> None:
    post = Post(game, alice)
    post.write(close_to(game))
    play_turns(game, 2)
    before = version(game)
    assert post.answer_last("yes").outcome == Outcome.STALE
    assert version(game) == before


def test_yes_without_an_offer_is_not_understood(game: Game, post: Post) -> None:
    assert post.write("yes").outcome == Outcome.UNCLEAR
    post.write(close_to(game))
    post.write("show")
    assert post.write("yes").outcome == Outcome.UNCLEAR


NO = ["no", "Nein, danke", "non merci", "👎", "no, that's not what I meant"]


@pytest.mark.parametrize("no", NO)
def test_a_declined_offer_is_over(game: Game, post: Post, no: str) -> None:
    before = version(game)
    post.write(close_to(game))
    head = f"In-Reply-To: {post.answers()[-1].message_id}"
    assert post.write(no, head=head).outcome == Outcome.SHOWN
    assert "All right, nothing has been changed." in words(post.answer())
    assert post.write("yes", head=head).outcome == Outcome.REFUSED
    assert "You answered “no” to this question." in words(post.answer())
    assert version(game) == before


def test_a_thumbs_down_ends_an_offer_silently(game: Game, post: Post) -> None:
    post.write(close_to(game))
    head = f"In-Reply-To: {post.answers()[-1].message_id}"
    reaction("👎", post)
    assert post.write("yes", head=head).outcome == Outcome.REFUSED


def test_only_the_last_offer_holds(game: Game, post: Post) -> None:
    before = version(game)
    post.write(close_to(game))
    head = f"In-Reply-To: {post.answers()[-1].message_id}"
    post.write(close_to(game))
    assert post.write("yes", head=head).outcome == Outcome.REFUSED
    assert "This answers an earlier question." in words(post.answer())
    assert version(game) == before


@pytest.mark.parametrize("line", ["C sword", "not that one, wait"])
def test_an_offer_is_over_when_something_else_was_written(
    game: Game, post: Post, line: str
) -> None:
    before = version(game)
    post.write(close_to(game))
    head = f"In-Reply-To: {post.answers()[-1].message_id}"
    post.write(line)
    assert post.write("yes", head=head).outcome == Outcome.REFUSED
    assert "You’ve written something else since this question." in words(post.answer())
    assert version(game) == before


def test_an_order_in_advance_ends_an_offer_though_the_position_is_the_same(
    island: Game, alice: User, bob: User
) -> None:
    post = Post(island, bob)
    row = post.write("I would like to plan inland")
    assert row.offer == "plan inland"
    head = f"In-Reply-To: {post.answers()[-1].message_id}"
    assert post.write("plan coast").outcome == Outcome.PLAYED
    assert post.write("yes", head=head).outcome == Outcome.REFUSED
    assert "You’ve written something else" in words(post.answer())


@pytest.mark.parametrize("line", ["plan coast", "plan verteilt", "plan dispersé", "plan disperse"])
def test_the_answer_to_an_order_in_advance_does_not_say_that_a_move_was_made(
    island: Game, bob: User, line: str
) -> None:
    post = Post(island, bob)
    assert post.write(line).outcome == Outcome.PLAYED
    said = words(post.answer())
    assert "Saved. Only you can see it." in said
    assert "move has been made" not in said and "move has been made" not in post.answer().html


def test_a_second_yes_plays_nothing_and_says_why(game: Game, post: Post) -> None:
    post.write(close_to(game))
    head = f"In-Reply-To: {post.answers()[-1].message_id}"
    assert post.write("yes", head=head).outcome == Outcome.PLAYED
    before = version(game)
    assert post.write("yes", head=head).outcome == Outcome.REFUSED
    assert "You’ve written something else since this question." in words(post.answer())
    assert version(game) == before


def test_no_to_the_question_whether_to_resign_ends_it(game: Game, post: Post) -> None:
    post.write("resign")
    asked = f"In-Reply-To: {post.answers()[-1].message_id}"
    assert post.write("no", head=asked).outcome == Outcome.SHOWN
    assert post.write("resign", head=asked).outcome == Outcome.ASKED
    assert Seat.objects.get(game=game, number=0).user is not None


def test_yes_to_the_very_answer_counts_even_later(game: Game, post: Post) -> None:
    post.write(close_to(game))
    offered = post.answers()[-1]
    post.write("show")
    row = post.write("yes", head=f"In-Reply-To: {offered.message_id}")
    assert row.outcome == Outcome.PLAYED


@pytest.mark.parametrize(
    "line", ["maybe {}", "should I play {}?", "not {}", "I would play {}", "Bob said {}"]
)
def test_a_doubtful_line_is_never_offered(game: Game, post: Post, line: str) -> None:
    row = post.write(line.format(line_of(game)))
    assert (row.outcome, row.offer) == (Outcome.UNCLEAR, "")
    assert "Did you mean" not in words(post.answer())
    assert post.write("yes").outcome == Outcome.UNCLEAR


def test_a_line_in_the_wrong_charset_is_answered(game: Game, post: Post) -> None:
    """ "achète 6": the sign behind the letter is an accent alone, and no word."""
    assert post.write("achÃ¨te 6").outcome == Outcome.UNCLEAR
    assert post.write("¨ 6").outcome == Outcome.UNCLEAR


def test_a_yes_from_an_unverified_sender_waits_for_confirmation(game: Game, post: Post) -> None:
    before = version(game)
    post.write(close_to(game))
    assert post.answer_last("yes", results=None).outcome == Outcome.CONFIRM
    assert version(game) == before


def test_somebody_else_cannot_agree(game: Game, post: Post, bob: User) -> None:
    before = version(game)
    post.write(close_to(game))
    assert Post(game, bob).write("yes").outcome != Outcome.PLAYED
    assert post.write("yes", sender=bob.email).outcome == Outcome.STRANGER
    assert version(game) == before


def test_a_move_below_a_greeting_is_played(game: Game, post: Post) -> None:
    row = post.write(f"Hello Bob,\n\n{line_of(game)}\n\nBest wishes\nAlice")
    assert row.outcome == Outcome.PLAYED


def test_a_move_below_text_is_offered(game: Game, post: Post) -> None:
    line = line_of(game)
    row = post.write(f"The cat sat on the board\n\n{line}")
    assert (row.outcome, row.offer) == (Outcome.REFUSED, line)
    assert post.answer_last("yes").outcome == Outcome.PLAYED


@pytest.mark.parametrize("word", ["yes", "ok", "thanks", "Yes, I am sure", "👍", "resign?"])
def test_no_other_word_resigns_after_the_question(game: Game, post: Post, word: str) -> None:
    post.write("resign")
    assert "Reply “resign”" in words(post.answer())
    post.answer_last(word)
    assert Seat.objects.get(game=game, number=0).user == post.user


@pytest.mark.parametrize("word", ["resign", "Resign!", "yes, resign", "I resign"])
def test_the_same_word_again_resigns(game: Game, post: Post, word: str) -> None:
    post.write("resign")
    assert post.answer_last(word).outcome == Outcome.ORDERED
    assert Seat.objects.get(game=game, number=0).user is None


@pytest.mark.parametrize("line", ["resign", "yes, resign"])
def test_the_same_word_in_reply_to_another_email_asks_again(
    game: Game, post: Post, line: str
) -> None:
    for _time in range(2):
        assert post.write(line).outcome == Outcome.ASKED
    assert Seat.objects.get(game=game, number=0).user == post.user


# -- reactions -------------------------------------------------------------------------------


def reaction(emoji: str, post: Post) -> InboundMail:
    to = str(written(post.answers()[-1])["Reply-To"]).partition("<")[2].strip(">")
    message = EmailMessage()
    message["Authentication-Results"] = PASS.partition(": ")[2]
    message["From"], message["To"] = post.user.email, to
    message["In-Reply-To"] = post.answers()[-1].message_id
    message.set_content(f"{emoji} reacted via Gmail")
    message.add_alternative(
        f'{{"version": 1, "emoji": "{emoji}"}}'.encode(),
        "text",
        "vnd.google.email-reaction+json",
    )
    return arrive(message.as_bytes(), to)


def test_a_thumbs_up_to_an_offer_plays_it(game: Game, post: Post) -> None:
    post.write(close_to(game))
    assert reaction("👍", post).outcome == Outcome.PLAYED


@pytest.mark.parametrize("emoji", ["❤️", "👎"])
def test_any_other_reaction_is_left_alone(game: Game, post: Post, emoji: str) -> None:
    before = version(game)
    post.write(close_to(game))
    row = reaction(emoji, post)
    assert (row.outcome, row.answer) == (Outcome.REACTION, None)
    assert version(game) == before


@pytest.mark.parametrize(
    "line",
    [
        "Bob reacted to your message: 👍",
        "👍 Bob Baker reacted via Gmail",
        "Liked “It’s your turn”",
        'Laughed at "It’s your turn"',
        "Bob hat auf deine Nachricht reagiert: ❤️",
        "Gefällt „Du bist am Zug“",
        "Bob a réagi à votre message : 👍",
        "A aimé « C'est votre tour »",
    ],
)
def test_a_reaction_that_arrives_as_text_gets_no_answer(game: Game, post: Post, line: str) -> None:
    before = version(game)
    row = post.write(line)
    assert (row.outcome, row.answer) == (Outcome.REACTION, None)
    to = person_address(post.user.pk)
    assert to is not None
    row = arrive(reply_email(line, to, post.user.email), to)
    assert (row.outcome, row.answer) == (Outcome.REACTION, None)
    assert version(game) == before


@pytest.mark.parametrize("line", ["I liked your last move", "Gefällt mir, das Spiel"])
def test_what_only_sounds_like_a_reaction_is_answered(post: Post, line: str) -> None:
    assert post.write(line).outcome == Outcome.UNCLEAR


# -- undo ------------------------------------------------------------------------------------


@pytest.fixture
def island(alice: User, bob: User) -> Game:
    """Escape from Atlantis, at its very beginning: Alice places an explorer."""
    return escape_table(alice, bob)


def test_undo_takes_back_a_placement(island: Game, alice: User) -> None:
    post = Post(island, alice)
    before = log_of(island).state
    assert post.write(line_of(island)).outcome == Outcome.PLAYED
    assert post.write("undo").outcome == Outcome.ORDERED
    assert "You’ve taken back your last step." in words(post.answer())
    assert log_of(island).state == before
    assert fresh(island).to_act == [0]
    assert post.write(line_of(island)).outcome == Outcome.PLAYED


def test_the_answer_says_that_undo_took_an_order_too(island: Game, alice: User) -> None:
    post = Post(island, alice)
    for line in (line_of(island), "standing shark always", "undo"):
        post.write(line)
    assert "entered in advance since then was undone as well" in words(post.answer())


def test_a_reply_to_an_email_from_before_the_undo_moves_nothing(island: Game, alice: User) -> None:
    post, line = Post(island, alice), line_of(island)
    asked = log_of(island).moved_at
    post.write(line)
    placed = log_of(island).moved_at
    post.write("undo")
    before = version(island)
    for seq in (asked, placed):
        for text in (line, "yes"):
            assert post.write(text, seq=seq).outcome in (Outcome.STALE, Outcome.UNCLEAR), text
    assert version(island) == before
    assert "The game has moved on" in words(post.answer())


def test_undo_leaves_the_log_as_it_was_and_adds_to_it(island: Game, alice: User) -> None:
    post = Post(island, alice)
    post.write(line_of(island))
    kept = log_of(island).entries
    post.write("Zurücknehmen, bitte")
    now = log_of(island).entries
    assert now[: len(kept)] == kept
    assert [entry.kind for entry in now[len(kept) :]] == ["table.rolled_back"]
    assert now[-1].seat == 0 and now[-1].by == alice.pk


def test_undo_does_nothing_once_others_have_acted(island: Game, alice: User, bob: User) -> None:
    post = Post(island, alice)
    post.write(line_of(island))
    play_line(island, bob, line_of(island))
    before = version(island)
    assert post.write("undo").outcome == Outcome.REFUSED
    assert "others have acted since" in words(post.answer())
    assert version(island) == before


def test_a_step_is_taken_back_once(island: Game, alice: User) -> None:
    """Otherwise somebody could win time for ever."""
    post = Post(island, alice)
    for outcome in (Outcome.ORDERED, Outcome.REFUSED):
        post.write(line_of(island))
        assert post.write("undo").outcome == outcome
    assert "already taken back" in words(post.answer())


def test_undo_says_that_a_move_of_atlantis_always_draws(game: Game, post: Post) -> None:
    post.move()
    before = version(game)
    assert post.write("undo").outcome == Outcome.REFUSED
    assert "something was drawn, rolled or revealed" in words(post.answer())
    assert version(game) == before


def test_undo_before_the_first_move_is_refused(game: Game, post: Post) -> None:
    assert post.write("undo").outcome == Outcome.REFUSED
    assert "You have no step" in words(post.answer())


# -- commands --------------------------------------------------------------------------------


def test_stop_ends_all_email_at_once_and_start_brings_it_back(
    game: Game, post: Post, alice: User
) -> None:
    alice.delivery_modes = {"over": DeliveryMode.DIGEST}
    alice.save()
    assert post.write("STOP").outcome == Outcome.ORDERED
    alice.refresh_from_db()
    assert set(alice.delivery_modes.values()) == {DeliveryMode.OFF}
    assert "turn" in alice.delivery_modes
    answer = words(post.answer())
    assert "Sign-in codes that you ask for" in answer and "reply “start”" in answer
    assert post.write("start").outcome == Outcome.ORDERED
    alice.refresh_from_db()
    assert alice.delivery_modes == {"over": DeliveryMode.DIGEST}


def test_stop_from_an_unverified_sender_asks_first(game: Game, post: Post, alice: User) -> None:
    assert post.write("stop", results=None).outcome == Outcome.CONFIRM
    alice.refresh_from_db()
    assert alice.delivery_modes == {}


def test_status_lists_all_games_with_the_time_left(
    game: Game, post: Post, alice: User, bob: User
) -> None:
    other = table_of(bob, alice, name="Second table")
    assert post.write("status").outcome == Outcome.SHOWN
    text = words(post.answer())
    assert "Round the mainland (Atlantis): your turn," in text
    assert "left, until" in text
    assert f"{other.name} (Atlantis): waiting for Bob" in text


def test_status_gives_the_same_time_as_the_top_of_the_email(game: Game, post: Post) -> None:
    post.write("status")
    text = words(post.answer())
    found = re.match("Move one of your figures (.+? left, until) ", text)
    assert found
    assert f"your turn, {found[1]}" in text


def test_show_words_has_no_picture(game: Game, post: Post) -> None:
    assert post.write("show words").outcome == Outcome.SHOWN
    assert post.answer().pictures == {}
    assert "Your hand" in words(post.answer()) or "Your cards" in words(post.answer())


def test_rules_are_linked(game: Game, post: Post) -> None:
    assert post.write("rules").outcome == Outcome.SHOWN
    assert "/rules/atlantis/" in post.answer().text


def test_a_note_on_the_line_of_the_move_goes_to_the_table(game: Game, post: Post) -> None:
    assert post.write(f"{line_of(game)}, note: well played").outcome == Outcome.PLAYED
    assert Message.objects.get(game=game).text == "well played"


def test_a_note_before_the_first_move_stands_at_the_beginning(game: Game, post: Post) -> None:
    assert post.write("note: Good luck!").outcome == Outcome.ORDERED
    assert "at the beginning of the log" in words(post.answer())
    assert Message.objects.get(game=game).text == "Good luck!"
    play_one(game)
    assert post.write("note: And thanks.").outcome == Outcome.ORDERED
    assert Message.objects.filter(game=game).count() == 2


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("hlep", "help"),
        ("legel", "legal"),
        ("stpo", "stop"),
        ("hifle", "hilfe"),
        ("regelnn", "regeln"),
        ("adie", "aide"),
        ("annluer", "annuler"),
    ],
)
def test_an_unknown_word_is_answered_with_the_nearest(post: Post, typed: str, meant: str) -> None:
    assert post.write(typed).outcome == Outcome.UNCLEAR
    assert f"Did you mean “{meant}”?" in words(post.answer())


def test_being_away_is_answered_politely(post: Post) -> None:
    assert post.write("I am on holiday, sorry").outcome == Outcome.UNCLEAR
    assert "write “away until” and a day" in words(post.answer())


def test_a_pronoun_is_never_called_no_item(post: Post) -> None:
    for line in ("I", "I play", "i dunno", "Ich", "je"):
        post.write(line)
        assert "is not an item" not in words(post.answer()).partition("How to write")[0] or (
            "dunno" in line
        )


def test_an_encrypted_email_is_answered_so(post: Post) -> None:
    text = "-----BEGIN PGP MESSAGE-----\n\nhQEMA5\n-----END PGP MESSAGE-----"
    assert post.write(text).outcome == Outcome.REFUSED
    assert "encrypted" in words(post.answer())


TO_PLAYERS = "The other players don’t see your email."


@pytest.mark.parametrize(
    "text", ["Thank you, good game!", "gg", "Gut gespielt, Bob", "Bien joué !", "Sorry, I was slow"]
)
def test_a_line_to_the_others_is_answered_with_how_to_reach_them(post: Post, text: str) -> None:
    assert post.write(text).outcome == Outcome.UNCLEAR
    answer = words(post.answer())
    assert TO_PLAYERS in answer
    assert "is not an item" not in answer


def test_a_wrong_move_with_thanks_is_answered_with_what_is_wrong(post: Post) -> None:
    for text, reason in (
        ("B sword, thanks", "is not an item"),
        ("Sorry for the delay: B sword", "is not an item"),
        ("helmt, thanks", "Did you mean"),
    ):
        post.write(text)
        answer = words(post.answer())
        assert reason in answer
        assert TO_PLAYERS not in answer


def test_thanks_after_the_end_are_answered_with_how_to_reach_the_others(
    game: Game, post: Post
) -> None:
    play_to_the_end(game)
    assert post.write("Thanks for the game!").outcome == Outcome.REFUSED
    answer = words(post.answer())
    assert f"This game is over. {TO_PLAYERS}" in answer
    assert post.write("note: Thanks for the game!").outcome == Outcome.ORDERED


@pytest.mark.parametrize("text", ["preview", "Vorschau:", "note", "note:", "Aperçu"])
def test_a_command_that_lacks_its_text_is_answered_with_what_is_missing(
    post: Post, text: str
) -> None:
    assert post.write(text).outcome == Outcome.UNCLEAR
    assert "Something is missing after" in words(post.answer())


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_the_words_that_the_help_names_are_understood(language: str) -> None:
    with translation.override(language):
        named = [line.partition(":")[0].strip() for line in answers.more_commands_help()]
    plan, show_words, undo, seat, votes, helps, report, status, *circle, _away, stop, rules = named
    standings, leave = circle
    day, nudge = helps.split(", ")
    assert commands.parse(day) == commands.GiveDay()
    assert commands.parse(nudge) == commands.Nudge()
    assert commands.parse(plan) == commands.ShowOrders()
    assert commands.parse(standings) == commands.ShowStandings()
    assert isinstance(commands.parse(leave), commands.LeaveCircle)
    assert isinstance(commands.parse(report), commands.Report)
    for vote in votes.split(", "):
        asked = commands.parse(vote)
        assert isinstance(asked, commands.AskVote)
        assert asked.about is not None
    off, on = stop.split(", ")
    assert [commands.parse(word) for word in (show_words, undo, seat, status, off, on, rules)] == [
        commands.ShowWords(),
        commands.Undo(),
        commands.TakeBack(),
        commands.Status(),
        commands.StopAll(off=True),
        commands.StopAll(off=False),
        commands.Rules(),
    ]


def test_stop_is_obeyed_in_answer_to_an_email_about_several_games(alice: User) -> None:
    to = person_address(alice.pk)
    assert to is not None
    arrive(reply_email("stop", to, alice.email), to)
    alice.refresh_from_db()
    assert set(alice.delivery_modes.values()) == {DeliveryMode.OFF}
    answer = written(OutboxMail.objects.get(kind=Kind.ANSWER))
    assert "All emails of this service are off" in words(answer)
    arrive(reply_email("start", to, alice.email), to)
    alice.refresh_from_db()
    assert alice.delivery_modes == {}


def test_stop_from_somebody_else_does_nothing(alice: User, bob: User) -> None:
    to = person_address(alice.pk)
    assert to is not None
    arrive(reply_email("stop", to, bob.email), to)
    arrive(reply_email("stop", to, alice.email, results=None), to)
    alice.refresh_from_db()
    assert alice.delivery_modes == {}


def test_the_link_of_an_unverified_undo_does_it(island: Game, alice: User) -> None:
    post = Post(island, alice)
    before = log_of(island).state
    post.write(line_of(island))
    row = post.write("undo", results=None)
    assert row.outcome == Outcome.CONFIRM
    found = confirmation.find(row.pk)
    assert found is not None and found.sentences == ("Take back your last step.",)
    confirmation.confirm(row.pk)
    assert log_of(island).state == before
