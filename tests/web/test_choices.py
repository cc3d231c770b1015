"""The legal moves as JSON: what the form shows, for the seat that is asked and nobody else."""

import gzip
import html
import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from games.models import Game, User
from tests.factories import fresh, log_of, play_turns, table_of
from tests.support.atlantis_differing_secrets import twin_table, with_other_secrets
from tests.support.escape_games import escape_table, play_line
from tests.support.indistinguishable_games import (
    escape,
    move_alike,
    with_other_own_secrets,
    world,
)
from tests.support.lengths import by_length
from tests.support.pages import signed_in, text, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("still_clock")]

MOST = 40_000  # bytes of the heaviest answer, compressed


def choices_of(game: Game, client: Client, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(client.get(url(game, f"choices?{query}")).content)
    return found


def inputs(page: str) -> set[tuple[str, str, bool]]:
    """(name, value, whether it is chosen) of every radio button and checkbox of the form."""
    orders = page.partition('id="orders"')[2].partition("</section>")[0]
    found = re.findall(
        r'<input\s+type="(?:radio|checkbox)"\s+name="([^"]+)"\s+value="([^"]*)"[^>]*?( checked)?\s*>',
        orders,
    )
    return {
        (name, html.unescape(value), bool(checked))
        for name, value, checked in found
        if name != "blank"
    }


def offered(found: dict[str, Any], node: dict[str, Any]) -> set[tuple[str, str, bool]]:
    return {
        (field["name"], pick[0], at in chosen)
        for number, chosen, _ways in node["fields"]
        for field in [found["fields"][number]]
        for at, pick in enumerate(field["picks"])
    }


def first_branches(found: dict[str, Any]) -> list[tuple[list[tuple[str, str]], dict[str, Any]]]:
    """A way through the tree, each time by the first choice that leads on: answers and nodes."""
    here = 0
    way: list[tuple[list[tuple[str, str]], dict[str, Any]]] = []
    while True:
        fields = found["nodes"][here]["fields"]
        onward = [
            (at, pick, to)
            for at, (_number, _chosen, ways) in enumerate(fields)
            for pick, to in enumerate(ways)
            if to is not None and to > here
        ]
        if not onward:
            return way
        at, pick, here = onward[0]
        answers = [
            (found["fields"][n]["name"], found["fields"][n]["picks"][chosen[0]][0])
            for n, chosen, _ways in fields[:at]
        ]
        field = found["fields"][fields[at][0]]
        answers.append((field["name"], field["picks"][pick][0]))
        way.append((answers, found["nodes"][here]))


@pytest.mark.long
@pytest.mark.parametrize("make", [table_of, escape_table], ids=["atlantis", "escape"])
def test_every_step_offers_what_the_page_offers(make: Any, alice: User, bob: User) -> None:
    game = make(alice, bob)
    asked = (alice, bob)[fresh(game).to_act[0]]
    client = signed_in(asked)
    found = choices_of(game, client)
    assert found["version"] == fresh(game).version
    assert offered(found, found["nodes"][0]) == inputs(text(client.get(url(game))))
    steps = first_branches(found)
    assert steps
    for answers, node in steps[:: by_length(3, 1)]:
        page = text(client.get(url(game, f"?{urlencode(answers)}")))
        assert offered(found, node) == inputs(page)
        assert ("line" in node) == ('id="preview"' in page)
        for sentence in node.get("preview", []):
            assert sentence in html.unescape(page)


def board_of(found: dict[str, Any], node: dict[str, Any]) -> str:
    return "".join(found["parts"][number] for number in found["boards"][node["board"]])


def places(board: str) -> set[tuple[str, str]]:
    """(id, place) of the explorers and ships on a board."""
    return set(re.findall(r'id="((?:explorer|ship)-[^"]+)"[^>]* transform="([^"]+)"', board))


def movers(game: Game, client: Client) -> list[str]:
    """The pieces that can make the first step of a turn; none while something else is asked."""
    fields = choices_of(game, client)["fields"]
    return [pick[0] for field in fields if field["name"] == "who1" for pick in field["picks"]]


def test_each_step_of_a_piece_has_the_board_that_the_page_shows(alice: User, bob: User) -> None:
    game = play_turns(escape_table(alice, bob), 30)
    while not (pieces := movers(game, client := signed_in((alice, bob)[game.to_act[0]]))):
        game = play_turns(game, 1)  # a creature moves first
    piece = pieces[1]
    found = choices_of(game, client, urlencode({"who1": piece}))
    at = [found["fields"][n]["name"] for n, _chosen, _ways in found["nodes"][0]["fields"]]
    number, _chosen, ways = found["nodes"][0]["fields"][at.index("step1")]
    boards = set()
    for pick, way in zip(found["fields"][number]["picks"], ways, strict=True):
        answers = {"who1": piece, "step1": pick[0]}
        page = text(client.get(url(game, f"?{urlencode(answers)}")))
        board = board_of(found, found["nodes"][way])
        assert places(board) == places(page.partition('id="board"')[2])
        boards.add(board)
    assert len(boards) == len(ways)


def test_the_moves_of_a_full_board_stay_small(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    game = play_turns(table_of(alice, bob, carol, dave), 24)
    asked = (alice, bob, carol, dave)[fresh(game).to_act[0]]
    answer = signed_in(asked).get(url(game, "choices"))
    assert len(gzip.compress(answer.content, 6)) <= MOST


def test_everything_that_can_be_tapped_is_a_link_of_the_board(alice: User, bob: User) -> None:
    found = choices_of(table_of(alice, bob), signed_in(alice))
    elements = {e for field in found["fields"] for pick in field["picks"] for e in pick[4]}
    links = set(re.findall(r'<a id="([^"]+)"', board_of(found, found["nodes"][0])))
    parts = {link for link in links if link.startswith("part-")}  # they lead closer
    assert elements == links - parts and elements


def test_spectators_get_nothing_and_who_waits_gets_the_choices_of_a_plan(
    alice: User, bob: User, dave: User
) -> None:
    game = table_of(alice, bob)
    for client in (signed_in(dave), Client()):
        assert choices_of(game, client) == {}
    names = {field["name"] for field in choices_of(game, signed_in(bob))["fields"]}
    assert names <= {"figure", "landing", "cards"} and "landing" in names


def test_the_moves_are_fetched_while_the_page_loads_where_a_script_will_ask_for_them(
    alice: User, bob: User, dave: User
) -> None:
    game = table_of(alice, bob)
    asked = alice if log_of(game).projection.to_act == (0,) else bob

    def preloaded(user: User, query: str = "") -> list[str]:
        page = text(signed_in(user).get(url(game) + query))
        found = re.findall(r'<link rel="preload" as="fetch" crossorigin\s+href="([^"]+)">', page)
        return [html.unescape(address) for address in found]

    assert preloaded(asked) == [url(game, "choices")]
    query = "?zoom=whole&window=1%2C2"
    assert preloaded(asked, query) == [url(game, "choices") + query]
    assert preloaded(asked, "?typed=E") == []
    assert preloaded(dave) == []


@pytest.mark.parametrize("moves", [0, 1])
def test_worlds_that_differ_in_the_secrets_of_others_offer_the_same(
    alice: User, bob: User, moves: int
) -> None:
    game = play_turns(table_of(alice, bob), moves)
    asked = fresh(game).to_act[0]
    twin = twin_table(game, lambda events: with_other_secrets(events, asked))
    assert log_of(game).state != log_of(twin).state
    client = signed_in((alice, bob)[asked])
    ours, theirs = (
        text(client.get(url(g, "choices"))).replace(g.public_id, "") for g in (game, twin)
    )
    assert ours == theirs


def test_worlds_of_escape_that_differ_in_the_secrets_of_others_offer_the_same(
    alice: User, bob: User
) -> None:
    """In an attack, in the turn after it, and after each step of a piece."""
    worlds, seen = escape(), []
    line = move_alike("escape", worlds)
    for events in (*worlds, with_other_own_secrets(worlds[0])):
        with world("escape", events, [alice, bob]) as game:
            client = signed_in(alice)
            attacked = choices_of(game, client)
            play_line(game, alice, line)
            turn = choices_of(game, client)
            piece = next(f for f in turn["fields"] if f["name"] == "who1")["picks"][1][0]
            seen.append([attacked, turn, choices_of(game, client, f"who1={piece}")])
    ours, theirs, others = seen
    assert all(found["nodes"] for found in ours)
    assert len(ours[2]["boards"]) > 1
    assert ours == theirs
    assert ours != others, "own secrets show, so a difference would be seen"
