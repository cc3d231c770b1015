"""The game page shows no secrets, takes a fixed number of queries and stays small."""

import re
from functools import cache
from pathlib import Path

import brotli
import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.models import Game, User
from games.web.boards import STATIC, scenery_files
from games.web.middleware import padded
from games.web.static_storage import StaticStorage
from tests.factories import fresh, log_of, play_one, play_to_the_end, play_turns, table_of
from tests.support.atlantis_differing_secrets import twin_table, with_other_secrets
from tests.support.escape_games import escape_table
from tests.support.pages import page_of, signed_in, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

# Of a table page: session, person, game with its seats, log, messages, games that wait; and notes,
# where there are any.
QUERIES = 6
FIRST_VISIT = 56_000  # bytes of a table page with everything that it loads, compressed
SECOND_VISIT = 15_000  # of the page alone, when the browser has the rest
PADDINGS = 40  # random ones, of which the largest counts
HEAD = 400  # of a file that browsers keep; for a page, what its server and the stream of events add


# -- secrets -------------------------------------------------------------------------


def without_tokens(page: str, *games: Game) -> str:
    """The page without what names the game or protects the form."""
    page = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", page)
    for game in games:
        page = page.replace(game.public_id, "…")
    return page


@pytest.mark.parametrize("moves", [0, 1])
def test_games_that_differ_only_in_secrets_give_the_same_page(
    alice: User, bob: User, dave: User, moves: int
) -> None:
    game = play_turns(table_of(alice, bob), moves)
    twin = twin_table(game, lambda events: with_other_secrets(events, 0))
    assert log_of(game).state != log_of(twin).state
    for reader in (alice, dave):
        ours, theirs = (without_tokens(page_of(g, reader), game, twin) for g in (game, twin))
        assert ours == theirs


# -- what it costs -------------------------------------------------------------------


def queries_for(game: Game, user: User) -> int:
    client = signed_in(user)
    with CaptureQueriesContext(connection) as seen:
        client.get(url(game))
    return len(seen)


def test_the_game_page_takes_the_same_number_of_queries_however_long_the_game(
    alice: User, bob: User, carol: User
) -> None:
    game = play_turns(table_of(alice, bob, carol), 3)
    queries_for(game, alice)  # notes that she is there, once a minute
    short = queries_for(game, alice)
    play_turns(game, 14)  # no game is over as early as that
    while fresh(game).to_act != [0]:
        play_one(game)
    assert queries_for(game, alice) == short == QUERIES


def test_only_a_game_with_notes_asks_for_them(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    queries_for(game, alice)
    assert queries_for(game, alice) == QUERIES
    play_one(game, note="To the south!")
    queries_for(game, alice)  # notes that she has read it
    assert queries_for(game, alice) == QUERIES + 1


def weight(game: Game, user: User) -> dict[str, int]:
    """Bytes of a table page and of everything that it loads, as they are sent, with their heads."""
    answer = signed_in(user).get(url(game))
    page = answer.content.decode()
    page_size = max(len(padded(answer.content)) for _ in range(PADDINGS))
    parts = {"page": page_size + len(str(answer.headers)) + HEAD}
    loaded = re.sub('<link rel="apple-touch-icon"[^>]*>', "", page)  # for the home screen only
    waiting = re.findall(r'(?:href|src|script)="(/static/[^"]+)"', loaded)
    while waiting:
        path = waiting.pop()
        found = finders.find(path.removeprefix("/static/"))
        assert found, path
        parts[path], names = weight_of_file(path, Path(found))
        waiting += [str(Path(path).parent / name) for name in names]
    return parts


@cache
def weight_of_file(path: str, found: Path) -> tuple[int, list[str]]:
    """(bytes as they are sent, the files that a stylesheet names)."""
    data = found.read_bytes()
    if path.endswith((".woff2", ".png")):
        return len(data) + HEAD, []
    names = re.findall(r'url\("([^":]+)"\)', data.decode()) if path.endswith(".css") else []
    return len(brotli.compress(data)) + HEAD, names


def asked(game: Game) -> Game:
    """The game, once its first seat is asked."""
    while fresh(game).status == Game.Status.RUNNING and fresh(game).to_act != [0]:
        play_one(game)
    return game


def test_table_pages_stay_below_the_size_budgets(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    for table in (
        asked(play_turns(table_of(alice, bob), 16)),
        asked(play_turns(table_of(alice, bob, carol, dave), 40)),
        play_to_the_end(table_of(alice, bob, carol, dave)),
        asked(play_turns(escape_table(alice, bob), 30)),
        asked(play_turns(escape_table(alice, bob, carol, dave), 70)),
    ):
        parts = weight(table, alice)
        assert len(parts) > 4, "the stylesheets and the module are counted"
        assert sum(parts.values()) <= FIRST_VISIT, parts
        assert parts["page"] <= SECOND_VISIT


# -- what is shown on demand ---------------------------------------------------------


def test_the_whole_log_is_one_link_away(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 20)
    page = page_of(game, alice)
    shown = page.count('<li id="e')
    assert shown < page_of(game, alice, "?log=all").count('<li id="e')
    assert '<a data-more href="?log=all#log">' in page
    assert "Show all moves" not in page_of(game, alice, "?log=all")


def test_the_details_of_a_game_are_one_link_away(alice: User, bob: User, dave: User) -> None:
    game = table_of(alice, bob)
    assert 'name="sure"' not in page_of(game, alice)
    assert "Game details, votes, emails, resigning" in page_of(game, alice)
    assert "resigning" not in page_of(game, dave)
    page = page_of(game, alice, "?details=all")
    assert 'name="sure"' in page
    assert "Verifiable randomness" in page
    assert game.commitment in page


def test_how_to_write_a_move_is_fetched_from_the_rules(alice: User, bob: User) -> None:
    for table, kind in ((table_of(alice, bob), "atlantis"), (escape_table(alice, bob), "escape")):
        assert f'<a data-more href="/rules/{kind}/#typed-help">' in page_of(table, alice)
        assert '<ul id="typed-help">' in signed_in(alice).get(f"/rules/{kind}/").content.decode()


def test_what_is_shown_on_demand_answers_no_question(alice: User, bob: User) -> None:
    client = signed_in(alice)
    game = table_of(alice, bob)
    found = client.get(url(game, "choices?log=all&details=all")).json()
    assert found["hidden"] == []
    assert '<p class="fresh" hidden>' in page_of(game, alice, "?log=all&details=all")


# -- files that browsers keep --------------------------------------------------------


def test_a_collected_script_imports_the_file_that_browsers_keep(tmp_path: Path) -> None:
    files = {
        "games/page.js": 'import { fetchPage } from "./fetch.js"\nfetchPage()\n',
        "games/fetch.js": "export const fetchPage = () => 1\n",
    }
    for name, script in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(script)
    storage = StaticStorage(location=tmp_path)
    list(storage.post_process({name: (storage, name) for name in files}))
    fetch = storage.hashed_files["games/fetch.js"].removeprefix("games/")
    page = (tmp_path / storage.hashed_files["games/page.js"]).read_text()
    assert page == f'import {{ fetchPage }} from "./{fetch}"\nfetchPage()\n'


def test_scripts_with_a_minified_copy_are_not_compressed(tmp_path: Path) -> None:
    """The admin loads the copy; compressing the original costs a second of each build."""
    storage = StaticStorage(location=tmp_path)
    for name in ("jquery.js", "jquery.min.js", "app.js"):
        (tmp_path / name).write_text("done()\n" * 100)
        storage.hashed_files[name] = name
    found = {name for name, _compressed in storage.compress_files(storage.hashed_files)}
    assert found == {"jquery.min.js", "app.js"}


def test_the_files_of_the_scenery_are_those_of_the_drawings() -> None:
    """`manage.py scenery` writes them."""
    for path, svg in scenery_files().items():
        assert (STATIC / path).read_text() == svg, path
    assert set(scenery_files()) == {"games/scenery-atlantis.svg", "games/scenery-escape.svg"}


def test_a_page_shows_the_scenery_as_an_image(alice: User, bob: User) -> None:
    for table, kind in ((table_of(alice, bob), "atlantis"), (escape_table(alice, bob), "escape")):
        page = page_of(table, alice)
        assert f'<image href="/static/games/scenery-{kind}.svg"' in page
        assert 'class="sea"' not in page
