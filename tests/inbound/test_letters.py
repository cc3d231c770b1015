"""Letters: what is done, asked, sent and named as not read. Pure: without a database."""

import itertools
from typing import Any

import pytest

from games.inbound import decision, letter, mime, reply_parser
from games.inbound.commands import (
    Answer,
    AnswerVote,
    AskVote,
    Away,
    Move,
    Note,
    Report,
    Resign,
    Say,
    Undo,
)
from games.inbound.decision import Allowed, Decision, Question
from games.inbound.letter import Letter
from games.models import MAX_TALK
from games.rules import GAMES
from tests.rules.atlantis.tables import table
from tests.rules.escape.scenes import Scene
from tests.support import letters, samples
from tests.support.letters import LANGUAGES, MOVES, NOTE, OTHER_MOVES, SAY, TALK, VOTES
from tests.support.quoting import LetterTable

ATLANTIS = GAMES["atlantis"]
VIEW = ATLANTIS.rules.view(table("f2 o2 h2 r2 c2 a2 s2 | *0/0/0 ffohrcas - b | 0/0/0 f - b"), 0)
TABLE = LetterTable(ATLANTIS, VIEW, "Ben", "Cléo", "Karl Meier")
OFFER = Question("move", (Move("B ring", 7),))
VOTE = Question("vote", about="cancel", seq=9)
TALKING = Question("talk")
THREE = Allowed(readers=2, others=frozenset(["ben", "cleo"]))


def read(text: str, author: str = "Karl Meier <karl@example.org>", at: Any = TABLE) -> Letter:
    """The letter with this text."""
    raw = f"From: {author}\nContent-Type: text/plain; charset=utf-8\n\n{text}\n".encode()
    return letter.read(reply_parser.read(mime.read(raw)), at)


def decide(text: str, question: Question = decision.QUESTION, allowed: Allowed = THREE) -> Decision:
    """What becomes of it."""
    return decision.decide(read(text), question, allowed)


def moved(found: Decision) -> list[str]:
    """The moves that are made, in notation."""
    return [TABLE.legal(act.line) for act in found.acts if isinstance(act, Move)]


def sent(found: Decision) -> list[str]:
    """What others will read."""
    return [act.text for act in found.acts if isinstance(act, Say | Note)]


# -- every own line is accounted for ---------------------------------------------------------------


def unaccounted(reply: reply_parser.Reply) -> list[str]:
    """The own lines of which nothing is done, sent or said."""
    said = letter.read(reply, TABLE)
    missing = []
    for question in (decision.QUESTION, VOTE, TALKING, OFFER, Question("resign")):
        found = decision.decide(said, question, THREE)
        known = [part.text for part in said.parts if part.kind in ("courtesy", "closing")]
        if found.acts:
            known += [part.text for part in said.parts if part.act in found.acts]
            known += [
                part.text for part in said.parts if isinstance(part.act, Move) and moved(found)
            ]
            known += [*found.unread, *sent(found)]
            if any(isinstance(act, AnswerVote) for act in found.acts):
                known.append(
                    letter.joined(
                        [
                            p
                            for p in said.parts
                            if p.kind in ("text", "doubt") or isinstance(p.act, Answer)
                        ]
                    )
                )
        else:
            known += said.lines  # which the answer quotes
        everything = " ".join(" ".join(known).split())
        for block in reply.blocks:
            for line in block.lines:
                words = " ".join(line.split())
                if words and words not in everything and any(c.isalnum() for c in words):
                    missing.append(f"{question.asks}: {line}")
    return missing


def test_every_own_line_of_every_sample_is_accounted_for() -> None:
    read = [reply_parser.read(mime.read(sample.raw)) for sample in samples.emails()]
    read += [reply_parser.written(wording.text) for wording in samples.lines("wordings")]
    assert [line for reply in read for line in unaccounted(reply)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_own_line_of_a_made_letter_is_accounted_for(language: str) -> None:
    for text, *_rest in letters.random_letters(language, 200, 1):
        assert unaccounted(reply_parser.written(text)) == [], text


# -- two things in one letter ----------------------------------------------------------------------


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_pair_of_acts_is_done_in_both_orders_and_nothing_is_lost(
    language: str, gap: str
) -> None:
    kinds = {
        "move": MOVES[language],
        "vote": VOTES[language],
        "say": f"{SAY[language]}Ahoi!",
        "note": f"{NOTE[language]}Hurra!",
        "text": TALK[language][0],
    }
    for one, two in itertools.permutations(kinds, 2):
        if one == "note" and two == "text" and gap == "\n":
            continue  # it belongs to the note
        if one == "say" and two == "text":
            continue  # and to the message
        found = decide(f"{kinds[one]}{gap}{kinds[two]}")
        pair = {one, two}
        if one == "text" and two in ("move", "vote"):
            assert found.why in ("offer", "below"), (one, two)
            continue
        assert (moved(found) == ["B ring"]) == ("move" in pair), (one, two)
        assert (AskVote("cancel") in found.acts) == ("vote" in pair), (one, two)
        wanted = [text for kind, text in (("say", "Ahoi!"), ("note", "Hurra!")) if kind in pair]
        assert sorted(sent(found)) == wanted, (one, two)
        assert found.unread == ((kinds["text"],) if "text" in pair else ()), (one, two)


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_below_words_for_the_table_belongs_to_them(language: str) -> None:
    found = decide(f"{SAY[language]}Ahoi!\n\n{TALK[language][0]}\n{MOVES[language]}")
    assert sent(found) == [f"Ahoi!\n\n{TALK[language][0]}"]
    assert moved(found) == ["B ring"]


def test_a_word_without_a_colon_is_asked_about_and_the_move_below_it_is_made() -> None:
    found = decide("say Nice!\n\nB ring")
    assert (moved(found), sent(found), found.unread) == (["B ring"], [], ("say Nice!",))


@pytest.mark.parametrize(
    "line",
    [
        "say hello to your sister",
        "Say what you want",
        "sag Bescheid, wenn du da bist",
        "Sag mal, wann spielst du?",
        "dis donc",
        "Dis bonjour à ta sœur",
        "note that I am away on Sunday",
        "Note that I am away on Sunday",
        "Nachricht von Ben kam an",
        "message received",
        "remarque bien ce coup",
        "Note Hello",
    ],
)
def test_a_line_that_may_be_an_ordinary_sentence_is_never_sent(line: str) -> None:
    for text in (line, f"B ring\n{line}", f"{line}\n\nThanks"):
        assert sent(decide(text)) == [], text
    assert sent(decide("Nachrichten kommen bei mir doppelt an")) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("say Hello Bob", "Hello Bob"),
        ("sag Hallo zusammen!", "Hallo zusammen!"),
        ("dis Bonjour Ben", "Bonjour Ben"),
        ("say “Good move”", "“Good move”"),
        ("SAY: I am away", "I am away"),
        ("Dis : à demain", "à demain"),
    ],
)
def test_words_that_cannot_be_a_sentence_are_sent(line: str, said: str) -> None:
    assert sent(decide(line)) == [said]


# -- doubts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", letters.KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_done_where_another_line_casts_doubt_on_it(language: str, kind: str) -> None:
    lines = letters.doubts(language, kind)
    assert len(lines) >= 30
    tried = [
        (text, question)
        for line in lines
        for text, question in (
            (f"{MOVES[language]}\n{line}", decision.QUESTION),
            (f"{line}\n{MOVES[language]}", decision.QUESTION),
            (f"OK\n{line}", OFFER),
            (f"OK\n{line}", VOTE),
            (f"resign\n{line}", Question("resign")),
        )
    ]
    assert [(text, asked.asks) for text, asked in tried if decide(text, asked).acts] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_move_or_a_line_that_is_struck_out_is_a_doubt(language: str) -> None:
    move, other = MOVES[language], OTHER_MOVES[language]
    more = [
        other,
        "A",
        "A!",
        other.removeprefix("C "),
        f"{other}, bitte",
        *(s.format(other) for s in letters.STRUCK),
    ]
    for line in more:
        for text in (f"{move}\n{line}", f"{move}\n\n{line}", f"{line}\n{move}"):
            assert decide(text).acts == (), text
    for struck in letters.STRUCK:
        assert decide(struck.format(move)).acts == ()
    assert decide(f"{move}\nViele Grüße\nKarl\n{other}").acts == ()
    assert decide(f"{move}\nBest\nKarl\n\nPS: hold on, I mean A").acts == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_talk_thanks_and_signatures_cast_no_doubt(language: str) -> None:
    for talk, greeting, closing in itertools.product(
        ("", *TALK[language]), letters.GREETINGS[language], letters.CLOSINGS[language]
    ):
        text = f"{greeting}{MOVES[language]}\n\n{talk}{closing}"
        found = decide(text)
        assert moved(found) == ["B ring"], text
        assert found.unread == ((talk,) if talk else ()), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_letter_made_at_random_does_what_was_not_meant(language: str) -> None:
    for text, talk, said, has_doubt in letters.random_letters(language, 400, 2):
        found = decide(text)
        if has_doubt:
            assert found.acts == (), text
        else:
            assert moved(found) == ["B ring"], text
            assert sent(found) == ([said] if said else []), text
            assert sorted(found.unread) == sorted(talk), text


@pytest.mark.parametrize(
    "text", ["B ring\nundo", "resign\nB ring", "vote cancel\nvote pause until tomorrow"]
)
def test_what_does_not_go_together_is_asked_about(text: str) -> None:
    assert decide(text).why == "several"


def test_a_letter_that_is_too_long_to_be_known_does_nothing() -> None:
    assert decide("B ring\n\n" + "Once upon a time. " * 200).why == "long"
    assert decide("say: " + "x" * (MAX_TALK - 10)).acts != ()
    assert read("x" * 5000).is_long
    assert len(read("!" * 60_000).whole) <= MAX_TALK + 1


# -- questions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["yes", "OK", "thanks", "Ja, klar", "sure, why not", "👍"])
def test_only_its_own_word_resigns(word: str) -> None:
    assert decide(word, Question("resign")).acts == ()
    assert decide("resign", Question("resign")).acts == (Resign(),)
    assert decide("resign").why == "resign"


def test_yes_answers_what_was_asked_and_nothing_else() -> None:
    assert decide("yes", OFFER).acts == OFFER.acts
    assert decide("yes\nsay: Good luck!", OFFER).acts == (*OFFER.acts, Say("Good luck!"))
    assert decide("no", OFFER).why == "declined"
    assert decide("yes").why == "unclear"
    assert decide("B olive", OFFER).acts == (Move("B olive"),)
    assert decide("yes\nbut only if we go on in January", VOTE).why == "vote"
    assert decide("B ring", VOTE).why == "vote"
    assert decide("yes\nB ring", VOTE) == Decision((AnswerVote(agrees=True),), unread=("B ring",))
    assert decide("why do you ask?", VOTE).why == "vote"


# -- replies to messages ---------------------------------------------------------------------------


@pytest.mark.parametrize("closing", letters.CLOSINGS["en"])
def test_a_message_ends_above_the_closing(closing: str) -> None:
    found = decide(f"Hello!\n\nSee you on Sunday.{closing}", TALKING)
    assert sent(found) == ["Hello!\n\nSee you on Sunday."]


@pytest.mark.parametrize(
    "text",
    [
        "B crown",
        "A crown",
        "Fahne",
        "show",
        "resign",
        "I am out of the office until Monday. In urgent cases, write to my colleague.",
        "Ich bin derzeit nicht im Büro und habe keinen Zugriff auf meine Mails.",
        "Je suis absent du bureau jusqu'à lundi.",
        "Your message has been received. Ticket number 4711.",
        "Ihre Anfrage ist bei uns eingegangen.",
        "Votre demande a bien été enregistrée.",
        "FYI",
        "Zur Info",
        "Begin forwarded message",
        "Only for the moderators: Ben is rude.",
        "Liebe Moderation, Ben beleidigt mich.",
        "Chers modérateurs, Ben m'insulte.",
        "Dear support team, I cannot sign in.",
        "Only for Ben: let us attack Cléo.",
        "Unter uns: lass uns Cléo angreifen.",
        "Entre nous, attaquons Cléo.",
        "Hi Ben,\nshall we attack Cléo?",
        "Ben, please don't tell Cléo.",
        "note hello",
        "say hi to her",
    ],
)
def test_what_is_not_meant_for_the_table_is_not_sent_unasked(text: str) -> None:
    assert decide(text, TALKING).acts == ()


def test_what_reads_as_an_order_of_ours_is_done_there_as_elsewhere() -> None:
    for text, kind in (
        ("away until Sunday", Away),
        ("vote cancel", AskVote),
        ("report Ben he is rude", Report),
    ):
        (act,) = decide(text, TALKING).acts
        assert isinstance(act, kind)


@pytest.mark.parametrize(
    "text", ["Yes", "Indeed!\nAgain?", "Haha, wait and see Ben", "No idea", "B careful!"]
)
def test_anything_else_is_the_message(text: str) -> None:
    assert sent(decide(text, TALKING)) == [text]


# -- who no longer sits ----------------------------------------------------------------------------


def test_a_former_holder_does_only_what_is_about_no_seat() -> None:
    gone = Allowed(sits=False)
    for text in ("away until Sunday", "stop", "status", "help", "report Ben he is rude"):
        assert decide(text, allowed=gone).acts != (), text
    for text in ("B ring", "say: hello", "vote cancel", "undo", "resign", "yes", "hello"):
        assert decide(text, allowed=gone).why == "away", text


# -- Escape ----------------------------------------------------------------------------------------


def test_what_comes_after_the_die_is_named_and_the_turn_is_played() -> None:
    scene = "E5 beach U1 U2 | E6 beach | D5 ship | D6 U3 shark | C1 ship U4 | kept 1 dolphin"
    view = Scene(scene).view(1)
    at = LetterTable(GAMES["escape"], view)
    for below in ("stay", "shark D6 D7", "whale D5 A3"):
        found = decision.decide(read(f"U1 E6, sink E5\n{below}", at=at), decision.QUESTION, THREE)
        assert [at.legal(act.line) for act in found.acts if isinstance(act, Move)] == [
            "U1 E6, sink E5"
        ]
        assert found.unread == (below,)


def test_undo_is_no_move() -> None:
    assert decide("undo").acts == (Undo(),)
