"""An email that asks for a move says in each kind what the player needs for it, in one order."""

import pytest
from pytest_django import Settings

from games.mail.compose import MailComposer
from games.models import Game, OutboxMail, User
from games.rules import GAMES
from games.rules.contract import State
from games.rules.escape.model import DEFENCES, MOVES, TurnStage
from tests.factories import log_of, miss_deadline, play_turns, table_of
from tests.support.emails import Kind, both_bodies, read, row_for, written
from tests.support.escape_games import attacked, game_with
from tests.support.every_mail import bytes_of, every_row

pytestmark = pytest.mark.django_db

ASKS = (Kind.TURN, Kind.REMINDER, Kind.DEADLINE, Kind.MODERATED, Kind.MISSED, Kind.VOTE)
ALSO_ASK = (Kind.ANSWER, Kind.GATHERED, Kind.DIGEST)
PARTS = ("Since your last move", "Make your move", "You have: tiles", "on the first line")


@pytest.mark.parametrize("kind", ASKS)
def test_each_email_that_asks_has_news_hand_and_board_in_one_order(
    alice: User, bob: User, replies: Settings, kind: Kind
) -> None:
    game = play_turns(table_of(alice, bob), 6)
    row = next(row for _name, row in every_row(game, alice) if row.kind == kind)
    mail = read(bytes_of(row, game))
    for words in both_bodies(mail):
        places = [words.index(part) for part in (*PARTS, "Check code")]
        assert places == sorted(places)
    assert "board@127.0.0.1" in mail.pictures
    assert mail.text.index("on the first line") < mail.text.index("\nThe board\n")
    assert mail.html.index("on the first line") < mail.html.index("cid:board@")


@pytest.mark.parametrize(
    ("language", "sender"),
    [("en", "Your turn"), ("de", "Du bist am Zug"), ("fr", "À vous de jouer")],
)
def test_an_inbox_names_the_sender_of_each_email_that_asks_after_the_turn(
    alice: User, bob: User, replies: Settings, language: str, sender: str
) -> None:
    alice.language = language
    alice.save()
    game = play_turns(table_of(alice, bob), 6)
    named = {}
    for name, row in every_row(game, alice):
        about_other = row.context.get("late") == 1
        asks = row.kind in (*ASKS, *ALSO_ASK) and not about_other
        named[name] = (asks, read(bytes_of(row, game))["From"])
    assert sum(asks for asks, _from in named.values()) == 17
    own, usual = (f"{name}Atlantis by Mail <games@127.0.0.1>" for name in (f"{sender} · ", ""))
    assert named == {name: (asks, own if asks else usual) for name, (asks, _) in named.items()}


def test_no_sender_says_that_it_is_the_turn_of_a_player_who_is_not_asked(
    alice: User, bob: User, replies: Settings
) -> None:
    game = play_turns(table_of(alice, bob), 6)
    kinds = (Kind.MODERATED, Kind.MISSED, Kind.VOTE, Kind.ANSWER)
    rows = [row for _name, row in every_row(game, bob) if row.kind in kinds]
    senders = {read(bytes_of(row, game))["From"] for row in rows}
    assert senders == {"Atlantis by Mail <games@127.0.0.1>"}


def test_a_gathered_email_asks_where_a_bot_has_played_and_the_player_is_asked_again(
    alice: User, bob: User, replies: Settings
) -> None:
    game = play_turns(table_of(alice, bob), 6)
    row = next(row for _name, row in every_row(game, alice) if row.kind == Kind.MISSED)
    gathered = OutboxMail(kind=Kind.GATHERED, user=alice, to_address=alice.email)
    mail = read(MailComposer().compose(gathered, [row]).message().as_bytes())
    assert mail["From"].startswith("Your turn")
    assert mail["Subject"] == "1 game is waiting for you"
    assert "You missed the deadline" in mail.text
    assert "on the first line" in mail.text


def test_a_player_who_missed_the_deadline_reads_what_the_bot_played(alice: User, bob: User) -> None:
    table = table_of(alice, bob, timeout_policy=Game.TimeoutPolicy.MOVE)
    game = play_turns(table, 2)
    late = (alice, bob)[miss_deadline(game)]
    (move,) = log_of(game).moves[-1:]
    assert move[0].seat == game.seats.get(user=late).number
    for words in both_bodies(written(row_for(game, Kind.MISSED, late))):
        assert "a bot played this turn for you" in words
        assert f"{late.shown_name} played " in words


def test_a_gathered_email_enlarges_what_is_decided_about(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked())
    asked = (alice, bob)[game.to_act[0]]
    row = next(row for _name, row in every_row(game, asked) if row.kind == Kind.GATHERED)
    mail = read(bytes_of(row, game))
    assert set(mail.pictures) == {"board-1@127.0.0.1", "detail-1-1@127.0.0.1"}
    assert all(f'<img src="cid:{name}"' in mail.html for name in mail.pictures)


def test_each_kept_tile_is_explained_once(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, replies: Settings
) -> None:
    """The same sentence explains all tiles that move a creature."""

    def has_many(state: State) -> bool:
        board, rules = state.board, GAMES["escape"].rules
        if not isinstance(board.stage, TurnStage) or board.tiled or board.active != 0:
            return False
        kept = set(rules.view(state, 0).kept[0])
        return len(kept & {*MOVES}) > 1 and not kept.isdisjoint(DEFENCES.values())

    game = game_with(monkeypatch, (alice, bob), has_many)
    row = next(row for _name, row in every_row(game, alice) if row.kind == Kind.TURN)
    row.seq = game.version
    for words in both_bodies(read(bytes_of(row, game))):
        said = " ".join(words.replace("\n| ", " ").split())
        assert said.count("move one creature of that kind") == 1
        assert "defence: saves" in said
