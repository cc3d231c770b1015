"""A moderator who plays learns nothing from the admin about what the others write by email.

Worlds in which an opponent wrote different replies, or none, show the moderator the same pages.
"""

import re
from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from games import services
from games.models import Game, User
from tests.factories import person, table_of
from tests.support.moderators import moderating
from tests.support.pages import text
from tests.support.replies import Post

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies", "still_clock")]

INCOMING = reverse("admin:games_inboundmail_changelist")
OUTGOING = reverse("admin:games_outboxmail_changelist")
LIMITS = reverse("admin:games_quotause_changelist")
SEARCHES = ("", "?_facets=True", "?q=bob", "?o=-5.1&all=")


@pytest.fixture
def game(mona: User, bob: User) -> Game:
    """Mona, a moderator, plays, and Bob is to move."""
    return table_of(bob, mona)


def write(post: Post, lines: tuple[str, ...]) -> int:
    """The number (pk) of the last of these replies, 0 without any."""
    return max([post.write(line).pk for line in lines], default=0)


# What Bob writes: the outcomes.
WORLDS: dict[str, tuple[str, ...]] = {
    "nothing": (),
    "no move": ("Z crown with my last two cards",),
    "an illegal move": ("pass",),
    "a question": ("show",),
    "resign, but not yet": ("resign",),
    "too many": ("what?",) * 10,
}


def pages(client: Client, game: Game, mail: int) -> Iterator[tuple[str, str]]:
    """Everything of the admin that might say something of this email."""
    outcomes = [f"?outcome__exact={value}" for value in ("unclear", "refused", "asked", "limit")]
    states = ["?state__exact=done", "?sender_check__exact=pass", "?channel__exact=relay"]
    urls = [INCOMING + query for query in (*SEARCHES, *outcomes, *states)]
    urls += [OUTGOING + query for query in (*SEARCHES, "?kind=answer")]
    urls += [LIMITS, f"{LIMITS}?q=unclear", "/admin/"]
    urls += [reverse("admin:games_game_change", args=[game.pk])]
    urls += [reverse("admin:games_game_history", args=[game.pk])]
    for page in ("change", "history", "reveal"):
        urls.append(reverse(f"admin:games_inboundmail_{page}", args=[mail]))
    for url in urls:
        yield url, text(client.get(url, follow=True))
    reveal = reverse("admin:games_inboundmail_reveal", args=[mail])
    yield "reveal", text(client.post(reveal, {"reveal-reason": "I am curious"}))


def seen(client: Client, game: Game, bob: User, lines: tuple[str, ...]) -> dict[str, str]:
    """The pages in this moderator's browser after Bob has written these lines; then nothing of it
    has happened."""
    with transaction.atomic():
        mail = write(Post(game, bob), lines)
        found = dict(pages(client, game, mail))
        transaction.set_rollback(True)
    keys = (
        r'(name="csrfmiddlewaretoken" value|nonce)="[^"]*"'
        rf"|(?<=inboundmail[/ +]){mail}\b|(?<=ID “){mail}\b"
    )
    return {re.sub(keys, "", url): re.sub(keys, "", page) for url, page in found.items()}


def test_whatever_an_opponent_writes_the_moderator_sees_the_same(
    game: Game, mona: User, bob: User
) -> None:
    client = moderating(mona)
    before = seen(client, game, bob, WORLDS["nothing"])
    for name, lines in WORLDS.items():
        after = seen(client, game, bob, lines)
        different = [url for url in before if before[url] != after[url]]
        assert different == [], name


def outcomes(client: Client) -> list[str]:
    """Return the outcomes in the list of incoming emails."""
    return re.findall(r'class="field-outcome">([^<]*)<', text(client.get(INCOMING)))


REFUSED = "illegal move, or not possible now"


def test_a_moderator_who_does_not_play_sees_what_became_of_each_reply(
    game: Game, bob: User
) -> None:
    client = moderating(person("Root", is_staff=True))
    write(Post(game, bob), ("Z crown", "pass", "show"))
    assert outcomes(client) == ["information sent", REFUSED, "not understood"]
    assert "b…@example.org" in text(client.get(f"{OUTGOING}?kind=answer"))


def test_a_moderator_who_plays_sees_their_own_replies(game: Game, mona: User) -> None:
    Post(game, mona).write("pass")
    client = moderating(mona)
    assert outcomes(client) == [REFUSED]
    assert "m…@example.org" in text(client.get(f"{OUTGOING}?kind=answer"))


def test_once_the_game_is_over_a_moderator_who_played_sees_all_replies(
    game: Game, mona: User, bob: User
) -> None:
    Post(game, bob).write("pass")
    client = moderating(mona)
    assert outcomes(client) == []
    services.moderate_abort(
        game_id=game.pk, ruling=services.Ruling(person("Root", is_staff=True), "Bob left")
    )
    assert outcomes(client) == [REFUSED]


@pytest.mark.parametrize("url", [INCOMING, OUTGOING, LIMITS])
def test_a_list_says_why_rows_about_a_game_are_missing(game: Game, mona: User, url: str) -> None:
    said = "is not listed until the game is over"
    assert said in text(moderating(mona).get(url))
    other = person("Root", is_staff=True)
    assert said not in text(moderating(other).get(url))
    services.moderate_abort(game_id=game.pk, ruling=services.Ruling(other, "Bob left"))
    assert said not in text(moderating(mona).get(url))


def test_the_page_of_the_own_game_says_why_emails_are_missing(game: Game, mona: User) -> None:
    said = "You play in this game, so emails to the others are not"
    page = reverse("admin:games_game_change", args=[game.pk])
    assert said in text(moderating(mona).get(page))
    assert said not in text(moderating(person("Root", is_staff=True)).get(page))


def test_an_administrator_who_announces_to_moderate_their_own_game_sees_all_replies(
    bob: User,
) -> None:
    root = person("Root", is_staff=True, is_superuser=True)
    game = table_of(bob, root)
    mail = Post(game, bob).write("pass")
    client = moderating(root)
    assert outcomes(client) == []
    services.moderate_own_game(game_id=game.pk, ruling=services.Ruling(root, "Bob cannot reply"))
    assert outcomes(client) == [REFUSED]
    reveal = reverse("admin:games_inboundmail_reveal", args=[mail.pk])
    assert "<dd>pass</dd>" in text(client.post(reveal, {"reveal-reason": "Bob asked"}))
