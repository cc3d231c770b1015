"""Members of a circle read its standings, and leave it, by reply to any email of its tables."""

import re

import pytest

from games import selectors, services
from games.inbound import commands
from games.models import Circle, Game, OutboxMail, User
from tests.factories import fresh, log_of, person, person_on, play_to_the_end, table_of
from tests.support.emails import Kind, row_for, written
from tests.support.pages import new_table, signed_in
from tests.support.replies import Outcome, Post, one_line

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "clock")]


@pytest.fixture
def circle(alice: User, bob: User) -> Circle:
    made = services.circle_create(founder=alice, name="Sunday table")
    return services.circle_join(token=made.join_token, user=bob)


@pytest.fixture
def played(circle: Circle, alice: User, bob: User) -> Game:
    """A table of the circle whose game is over."""
    return play_to_the_end(table_of(alice, bob, circle_id=circle.pk))


def is_member(circle: Circle, user: User) -> bool:
    return selectors.members(circle).filter(user=user).exists()


@pytest.mark.parametrize(
    ("language", "word", "said"),
    [
        ("en", "standings", "Fewer than five games: | Alice: 1 game"),
        ("de", "Tabelle", "Weniger als fünf Partien: | Alice: 1 Partie"),
        ("fr", "classement", "Moins de cinq parties : | Alice : 1 partie"),
    ],
)
def test_the_standings_come_by_reply_in_each_language(
    played: Game, bob: User, language: str, word: str, said: str
) -> None:
    bob.language = language
    bob.save()
    post = Post(played, bob)
    assert post.write(word).outcome == "shown"
    answer = one_line(post.answer().text)
    assert all(part in answer for part in said.split(" | "))


def test_standings_by_reply_name_the_circle_and_tell_of_games_left_out(
    played: Game, circle: Circle, alice: User, bob: User
) -> None:
    post = Post(played, bob)
    post.write("standings")
    assert "“Sunday table”: Fewer than five games" in one_line(post.answer().text)
    services.circle_game_uncount(
        circle_id=circle.pk, by=alice, game=played.public_id, reason="The cat played"
    )
    post.write("standings")
    assert "have been left out of the standings" in one_line(post.answer().text)


def test_the_standings_of_a_circle_without_a_result_say_so(
    circle: Circle, alice: User, bob: User
) -> None:
    post = Post(table_of(alice, bob, circle_id=circle.pk), bob)
    post.write("standings")
    assert "No game of this circle has ended" in one_line(post.answer().text)


@pytest.mark.parametrize(
    "line",
    ["leave circle", "leave the circle Monday table", "Runde verlassen", "quitter le cercle"],
)
def test_leaving_asks_for_the_name_of_the_circle(
    played: Game, circle: Circle, bob: User, line: str
) -> None:
    post = Post(played, bob)
    assert post.write(line).outcome == "refused"
    assert "reply “leave circle Sunday table”" in one_line(post.answer().text)
    assert is_member(circle, bob)


@pytest.mark.parametrize(
    "line",
    [
        "leave circle Sunday table",
        "Leave the circle “Sunday table”.",
        "Runde verlassen Sunday Table",
        "die Runde „Sunday table“ verlassen",
        "quitter le cercle sunday table",
    ],
)
def test_its_name_confirms_that_a_member_leaves(
    played: Game, circle: Circle, bob: User, line: str
) -> None:
    post = Post(played, bob)
    post.write(line)
    assert "You’ve left the circle." in one_line(post.answer().text)
    assert not is_member(circle, bob)


@pytest.mark.parametrize(
    "line",
    [
        "leave circle Sunday table?",
        "Runde Sunday table verlassen?",
        "quitter le cercle Sunday table ?",
        "leave circle Sunday table？",
    ],
)
def test_a_question_about_leaving_asks_back(
    played: Game, circle: Circle, bob: User, line: str
) -> None:
    post = Post(played, bob)
    assert post.write(line).outcome == "refused"
    assert "send the line again without the question mark" in one_line(post.answer().text)
    assert is_member(circle, bob)


def test_before_a_founder_leaves_the_answer_says_who_comes_after(played: Game, alice: User) -> None:
    post = Post(played, alice)
    post.write("leave circle")
    assert "When you leave, Bob becomes the founder." in one_line(post.answer().text)


def test_an_unverified_sender_leaves_nothing(played: Game, circle: Circle, bob: User) -> None:
    post = Post(played, bob)
    assert post.write("leave circle Sunday table", results=None).outcome == "confirm"
    assert is_member(circle, bob)


def test_an_unverified_sender_is_not_asked_to_confirm_what_names_no_circle(
    played: Game, circle: Circle, bob: User
) -> None:
    post = Post(played, bob)
    assert post.write("leave circle", results=None).outcome == "refused"
    assert "reply “leave circle Sunday table”" in one_line(post.answer().text)
    assert is_member(circle, bob)


def test_at_other_tables_and_for_former_members_there_is_no_circle(
    played: Game, circle: Circle, alice: User, bob: User
) -> None:
    elsewhere = Post(table_of(alice, bob), bob)
    elsewhere.write("standings")
    assert "wasn’t made for a circle of yours" in one_line(elsewhere.answer().text)
    services.circle_leave(circle_id=circle.pk, user=bob)
    here = Post(played, bob)
    here.write("standings")
    said = one_line(here.answer().text)
    assert "wasn’t made for a circle of yours" in said
    assert "Sunday table" not in said.replace(played.name, "")


def test_a_sentence_about_a_circle_is_no_command() -> None:
    assert not isinstance(commands.parse("I leave the circle to Bob?"), commands.ShowStandings)
    assert isinstance(commands.parse("my circle is in the lead"), commands.Move)


# -- the whole way by email --------------------------------------------------------------------

LINES_AT_THE_END = {
    "en": "“Sunday table”: you have beaten",
    "de": "„Sunday table“: Du hast",
    "fr": "« Sunday table » : vous avez battu",
}
WORDS = {"en": "standings", "de": "Tabelle", "fr": "classement"}


def link_in(row: OutboxMail, pattern: str) -> str:
    """The path of the first link of this kind in the text of an email."""
    found = re.search(rf"https?://[^/]+({pattern})", written(row).text)
    assert found is not None
    return found[1]


def test_three_friends_play_by_email_from_the_invitation_to_the_standings(alice: User) -> None:
    """In three languages: only the links of emails are opened, and all moves are replies."""
    bob, carol = person("Bob", language="de"), person("Carol", language="fr")
    circle = services.circle_create(founder=alice, name="Sunday table")
    for friend in (bob, carol):
        services.circle_invite(circle_id=circle.pk, by=alice, address=friend.email)
        invited = OutboxMail.objects.filter(kind=Kind.INVITATION, to_address=friend.email).get()
        link = link_in(invited, r"/circles/join/[\w-]+/")
        signed_in(friend).post(link, {"accept": "1"})
        assert is_member(circle, friend)

    game = new_table(signed_in(alice), bots=[], is_open=f"circle-{circle.public_id}")
    for friend in (bob, carol):
        offered = row_for(game, Kind.INVITATION, friend)
        link = link_in(offered, r"/i/[\w-]+/")
        signed_in(friend).post(link, {"join": "1"})
    assert fresh(game).status == Game.Status.RUNNING

    while not fresh(game).is_over:
        (asked,) = log_of(game).projection.to_act
        assert Post(game, person_on(game, asked)).move().outcome == Outcome.PLAYED

    for player in (alice, bob, carol):
        post = Post(game, player)
        last = OutboxMail.objects.filter(game=game, user=player).latest("pk")
        assert LINES_AT_THE_END[player.language] in one_line(written(last).text)
        assert post.write(WORDS[player.language]).outcome == "shown"
        assert all(name in post.answer().text for name in ("Alice", "Bob", "Carol"))
