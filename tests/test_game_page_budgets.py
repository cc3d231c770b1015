"""The game page shows no secrets, takes a fixed number of queries and stays small."""

import re
from pathlib import Path

import brotli
import msgspec
import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.log import event_store
from games.models import Game, User
from games.rules.atlantis import ATLANTIS
from games.rules.atlantis.model import Dealt, Prepared
from games.rules.contract import Event
from games.web.compression import padded
from tests.factories import fresh, log_of, play_one, play_to_the_end, play_turns, table_of
from tests.support.escape_games import escape_table
from tests.test_game_page import page_of, url
from tests.test_views import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

QUERIES = 7  # of a table page: session, person, game, seats, log, notes, games that wait
PAGE_BUDGET = 50_000  # bytes of a table page with everything that it loads, compressed
SECOND_BUDGET = 20_000  # of the page alone, when the browser has the rest


# -- secrets -------------------------------------------------------------------------


def doctored(events: tuple[Event, ...], viewer: int) -> list[Event]:
    """The same setup with every secret of `viewer`'s another: hand of the other, deck, covered tiles.

    The first cards of the deck stay, so that what is drawn next is the same.
    """
    prepared, dealt = events[0], events[1]
    assert isinstance(prepared, Prepared) and isinstance(dealt, Dealt)
    hands = [hand or () for hand in dealt.hands]
    spent = sum(map(len, hands))
    deck = list(prepared.deck)
    other = 1 - viewer
    at = next(i for i in range(len(deck) - 1, spent + 9, -1) if deck[i] not in hands[other])
    changed = tuple(sorted((deck[at], *hands[other][1:]), key=list(type(deck[at])).index))
    dealt_places = [i for i in range(spent) if deck[i] == hands[other][0]]
    deck[dealt_places[0]], deck[at] = deck[at], deck[dealt_places[0]]
    tail = deck[spent + 9 :]
    deck[spent + 9 :] = tail[::-1]
    now = ATLANTIS.fold(events)  # a first move can lift the tile of a stack as far as here
    stacks = [n for n in range(20, 26) if len(now.path[n]) == 2]  # of A tiles
    path = list(prepared.path)
    for a, b in zip(stacks, stacks[1:] + stacks[:1], strict=True):
        path[a] = (prepared.path[b][0], prepared.path[a][1])
    hands[other] = changed
    return [
        msgspec.structs.replace(prepared, deck=tuple(deck), path=tuple(path)),
        msgspec.structs.replace(dealt, hands=tuple(hands)),
        *events[2:],
    ]


def copy_of(game: Game, change: object) -> Game:
    """Another game with the same rows, whose engine events went through `change`."""
    log = log_of(game)
    seats = list(game.seats.all())
    twin = fresh(game)
    twin.pk, twin.public_id, twin.invite_token = None, "z" * 12, "z" * 24
    twin.save()
    for seat in seats:
        seat.pk, seat.game = None, twin
        seat.save()
    engine_events = tuple(entry.event for entry in log.entries if not entry.is_table)
    told = change(engine_events) if callable(change) else []
    at_entries = iter(told)
    events = [e.event if e.is_table else next(at_entries) for e in log.entries]
    for seq, (entry, event) in enumerate(zip(log.entries, events, strict=True)):
        event_store.append(twin, seq, [event], entry.by, at=entry.at)
    return twin


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
    twin = copy_of(game, lambda events: doctored(events, 0))
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


def weight(game: Game, user: User) -> dict[str, int]:
    """Bytes of a table page and of everything that it loads, compressed as they are sent."""
    page = page_of(game, user)
    parts = {"page": len(padded(page.encode()))}
    loaded = re.sub('<link rel="apple-touch-icon"[^>]*>', "", page)  # for the home screen only
    waiting = re.findall(r'(?:href|src)="(/static/[^"]+)"', loaded)
    while waiting:
        path = waiting.pop()
        found = finders.find(path.removeprefix("/static/"))
        assert found, path
        data = Path(found).read_bytes()
        squeezed = data if path.endswith((".woff2", ".png")) else brotli.compress(data)
        parts[path] = len(squeezed)
        if path.endswith(".css"):
            for name in re.findall(r'url\("([^"]+)"\)', data.decode()):
                waiting.append(str(Path(path).parent / name))
    return parts


def test_the_heaviest_game_page_stays_below_the_size_budget(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    game = play_to_the_end(table_of(alice, bob, carol, dave))
    running = play_turns(table_of(alice, bob, carol, dave), 40)
    while fresh(running).status == Game.Status.RUNNING and fresh(running).to_act != [0]:
        play_one(running)
    escape = play_turns(escape_table(alice, bob, carol, dave), 70)
    for table in (game, running, escape):
        parts = weight(table, alice)
        assert len(parts) > 4, "the stylesheets and the module are counted"
        assert sum(parts.values()) <= PAGE_BUDGET, parts
        assert parts["page"] <= SECOND_BUDGET
