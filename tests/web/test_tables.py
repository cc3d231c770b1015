"""The page of tables, miniatures of boards, and the pictures beside links."""

import json
import re
from datetime import timedelta
from html import unescape
from io import BytesIO

import pytest
from django.db.models import F
from django.test import Client
from PIL import Image

from games import selectors, services
from games.models import Game, User
from games.selectors import NOBODY, game_lists
from tests.factories import given_up, miss_deadline, play_turns, table_of
from tests.support.indistinguishable_games import atlantis, escape, with_other_own_secrets, world
from tests.support.pages import signed_in, text

pytestmark = pytest.mark.django_db


def listed(client: Client, query: str = "") -> list[str]:
    """The names of the games on the page of tables."""
    page = client.get(f"/tables/{query}")
    assert page.status_code == 200
    return [card["game"].name for card in page.context["cards"]]


@pytest.fixture
def games(alice: User, bob: User, carol: User) -> dict[str, Game]:
    """Public and private games of each state."""
    return {
        "looking": table_of(alice, seats=3, name="looking"),
        "hidden": table_of(alice, seats=3, name="hidden", is_open=False),
        "running": play_turns(table_of(alice, bob, name="running"), 2),
        "private": table_of(alice, bob, name="private", is_open=False),
        "escape": table_of(alice, bob, carol, name="escape", kind="escape", options={}),
        "over": given_up(alice, bob, name="over"),
    }


def test_everybody_finds_tables_to_join_and_games_to_watch(games: dict[str, Game]) -> None:
    visitor = Client()
    assert listed(visitor) == ["looking"]
    assert listed(visitor, "?show=running") == ["escape", "running"]
    assert listed(visitor, "?show=finished") == ["over"]


def test_filters_narrow_the_list(games: dict[str, Game]) -> None:
    visitor = Client()
    assert listed(visitor, "?show=running&kind=escape") == ["escape"]
    assert listed(visitor, "?show=running&seats=2") == ["running"]
    assert listed(visitor, "?show=running&kind=escape&seats=2") == []
    assert "No public game matches." in text(
        visitor.get("/tables/?show=running&kind=escape&seats=2")
    )


def test_a_list_without_a_filter_does_not_ask_for_another_one() -> None:
    page = text(Client().get("/tables/?show=running"))
    assert "No games yet." in page
    assert "Change the filter" not in page


def test_wrong_filters_count_as_none(games: dict[str, Game]) -> None:
    assert listed(Client(), "?show=private&kind=chess&seats=-1&before=never") == ["looking"]


def test_my_own_tables_do_not_look_for_me(games: dict[str, Game], alice: User) -> None:
    assert listed(signed_in(alice)) == []


def test_a_link_leads_to_older_games(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_lists, "LISTED", 2)
    for days, name in enumerate(("newest", "newer", "old")):
        game = table_of(alice, bob, name=name)
        age = timedelta(days=days)
        Game.objects.filter(pk=game.pk).update(started_at=F("started_at") - age)
    visitor = Client()
    page = visitor.get("/tables/?show=running")
    assert [card["game"].name for card in page.context["cards"]] == ["newest", "newer"]
    assert listed(visitor, page.context["later"]) == ["old"]


# -- what happened last --------------------------------------------------------------------------


def last_lines(client: Client, path: str = "/") -> list[str]:
    """Return the lines of a page's cards about the last event of their games."""
    return [
        card["last"]
        for name in ("waiting_games", "others", "cards")
        for card in client.get(path).context.get(name, ())
    ]


def newest_sentence(game: Game, reader: User | None) -> str:
    """The first sentence about the last move of a game, as its page has it."""
    page = selectors.table_page(
        selectors.game_for(reader or NOBODY, game.public_id), reader or NOBODY
    )
    return page.lines[-1].sentences[0]


@pytest.mark.parametrize(("kind", "moves"), [("atlantis", 3), ("escape", 1), ("escape", 40)])
def test_a_card_says_what_happened_last_as_its_reader_may_know_it(
    alice: User, bob: User, kind: str, moves: int
) -> None:
    game = play_turns(table_of(alice, bob, kind=kind, options={"order": "seated"}), moves)
    for user in (alice, bob):
        assert last_lines(signed_in(user)) == [newest_sentence(game, user)]
        assert newest_sentence(game, user) in unescape(text(signed_in(user).get("/")))
    assert last_lines(Client(), "/tables/?show=running") == [newest_sentence(game, None)]


def test_a_card_says_that_a_deadline_was_missed(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    miss_deadline(game)
    assert last_lines(signed_in(bob)) == ["Alice missed the deadline."]


def test_a_card_does_not_give_the_move_of_a_player_to_the_bot_that_took_over(
    alice: User, bob: User
) -> None:
    game = play_turns(table_of(alice, bob), 3)
    services.game_resign(game_id=game.pk, user=alice)
    assert last_lines(signed_in(bob)) == ["Alice resigned. A bot takes over."]


# -- miniatures ----------------------------------------------------------------------------------


def test_the_card_of_a_game_shows_its_board(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 2)
    page = signed_in(alice).get("/").content.decode()
    address = f"/g/{game.public_id}/board.svg?v={game.version}"
    assert f'src="{address}"' in page
    picture = signed_in(alice).get(address)
    assert picture["Content-Type"].startswith("image/svg+xml")
    assert picture.content.startswith(b"<svg")


def test_a_miniature_is_kept_for_one_session_only(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    picture = signed_in(alice).get(f"/g/{game.public_id}/board.svg")
    assert "Cookie" in picture["Vary"]
    assert "private" in picture["Cache-Control"]


def test_strangers_get_no_board_of_a_private_game(alice: User, bob: User, dave: User) -> None:
    game = table_of(alice, bob, is_open=False)
    for client in (Client(), signed_in(dave)):
        for name in ("board.svg", "board.png", f"at/{game.version}/board.png"):
            assert client.get(f"/g/{game.public_id}/{name}").status_code == 404, name


def test_a_table_without_a_board_has_no_picture(alice: User) -> None:
    game = table_of(alice, seats=3)
    assert "/board.svg" not in signed_in(alice).get("/").content.decode()
    for name in ("board.svg", "board.png", "at/1/board.png"):
        assert signed_in(alice).get(f"/g/{game.public_id}/{name}").status_code == 404


@pytest.mark.parametrize(("kind", "logs"), [("atlantis", atlantis), ("escape", escape)])
def test_worlds_that_differ_in_the_secrets_of_others_have_the_same_pictures_and_lists(
    kind: str, logs: object, alice: User, bob: User
) -> None:
    seen = []
    for log in logs():  # type: ignore[operator]
        with world(kind, log, [alice, bob]) as game:
            Game.objects.filter(pk=game.pk).update(is_open=True, started_at=F("last_event_at"))
            player, spectator = signed_in(alice), Client()
            names = ("board.svg", "board.png", f"at/{game.version}/board.png")
            pictures = [f"/g/{game.public_id}/{name}" for name in names]
            lists = ["/tables/?show=running", "/tables/stamp?show=running", "/", "/stamp"]
            bodies = [c.get(path).content for c in (player, spectator) for path in pictures]
            etag = spectator.get(pictures[1])["ETag"]
            texts = [text(c.get(path)) for c in (player, spectator) for path in lists]
            past = spectator.get(f"/g/{game.public_id}/at/{game.version - 1}/").content.decode()
            link = re.findall(r'<meta property="og:[^>]*>', past.replace(game.public_id, "…"))
            assert len(link) == 6
            seen.append((bodies, etag, texts, link))
            assert len(last_lines(spectator, lists[0])) == 1
    assert seen[0] == seen[1]


def test_a_miniature_shows_me_my_own_values_and_a_preview_does_not(alice: User, bob: User) -> None:
    log = escape()[0]
    miniatures, previews = [], []
    for events in (log, with_other_own_secrets(log)):
        with world("escape", events, [alice, bob]) as game:
            Game.objects.filter(pk=game.pk).update(is_open=True, started_at=F("last_event_at"))
            player = signed_in(alice)
            miniatures.append(player.get(f"/g/{game.public_id}/board.svg").content)
            previews.append(player.get(f"/g/{game.public_id}/board.png").content)
    assert miniatures[0] != miniatures[1]
    assert previews[0] == previews[1]


# -- pictures beside links -----------------------------------------------------------------------


def test_a_link_to_a_position_shows_that_position(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 3)
    pages = [f"/g/{game.public_id}/", f"/g/{game.public_id}/at/{game.version - 1}/"]
    pictures = []
    for path in pages:
        page = Client().get(path).content.decode()
        assert f'property="og:title" content="{game.name}' in page
        address = page.partition('property="og:image" content="')[2].partition('"')[0]
        assert address.startswith("http")
        picture = Client().get("/" + address.split("/", 3)[3])
        assert picture["Content-Type"] == "image/png"
        assert Image.open(BytesIO(picture.content)).width >= 800
        pictures.append(picture.content)
    assert pictures[0] != pictures[1]


def test_a_private_game_has_no_picture_for_links(alice: User, bob: User) -> None:
    game = table_of(alice, bob, is_open=False)
    assert "og:image" not in signed_in(alice).get(f"/g/{game.public_id}/").content.decode()


def test_a_picture_that_has_not_changed_is_not_drawn_again(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    path = f"/g/{game.public_id}/board.png"
    etag = Client().get(path)["ETag"]
    again = Client().get(path, headers={"if-none-match": etag})
    assert (again.status_code, again.content) == (304, b"")


def test_drawing_pictures_has_a_limit(
    alice: User, bob: User, settings: pytest.FixtureRequest
) -> None:
    settings.QUOTAS = {"previews_network_hour": 1}  # type: ignore[attr-defined]
    game = table_of(alice, bob)
    path = f"/g/{game.public_id}/board.png"
    assert Client().get(path).status_code == 200
    assert Client().get(path).status_code == 429


def test_an_open_list_follows_the_tables_on_it(alice: User, bob: User, dave: User) -> None:
    game = table_of(alice, seats=3)
    client = signed_in(dave)

    def stamp(path: str) -> str:
        found: str = json.loads(client.get(path).content)["stamp"]
        return found

    page = text(client.get("/tables/"))
    assert f'data-stamp="{stamp("/tables/stamp")}"' in page
    before = stamp("/tables/stamp?show=open&kind=atlantis")
    services.game_join(game_id=game.pk, user=bob, token=game.invite_token)
    assert stamp("/tables/stamp?show=open&kind=atlantis") != before
