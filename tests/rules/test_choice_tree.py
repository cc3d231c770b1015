"""The choices that a page gets in advance are those of the form without JavaScript."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from games.rules import GAMES
from games.rules.chance import IdentityChance
from games.rules.choice_tree import Node, choice_tree
from games.rules.contract import View
from games.rules.move_form import Answers, FormField, MoveForm
from tests.rules.atlantis import games as atlantis_games
from tests.rules.escape import games as escape_games
from tests.support.lengths import by_length
from tests.tiny_game import TWENTY

MOST = by_length(24, 240)  # forms of a tree
POSITIONS = by_length(75, 3000)  # of each game
WALKS = 3
STEPS = 5


def positions(game: str) -> Iterator[View]:
    engine = GAMES[game]
    for seed in range(1000):
        seats = 2 + seed % 3
        if game == "atlantis":
            for state in atlantis_games.wandering(seats, seed):
                yield engine.rules.view(state, engine.rules.to_act(state)[0])
        else:
            for moment in escape_games.wandering(seats, seed):
                yield engine.rules.view(moment.state, moment.seat)


def selected(field: FormField) -> list[str]:
    return [choice.value for choice in field.choices if choice.selected]


def sent(form: MoveForm[Any]) -> Answers:
    """What a browser sends of the form as it is."""
    return {field.name: selected(field) for field in form.fields}


def shown(form: MoveForm[Any]) -> tuple[object, ...]:
    """What a player sees of the form."""
    return form.fields, form.line, form.preview, form.warnings, form.problem, form.marks, form.view


def walk(tree: tuple[Node[View], ...], luck: random.Random) -> Iterator[tuple[Answers, Node[View]]]:
    """Nodes on a way through the tree, with the answers given so far and the one just given."""
    here = tree[0]
    for _step in range(STEPS):
        ways = [
            (at, number, way)
            for at, field in enumerate(here.branches)
            for number, way in enumerate(field)
            if way is not None and tree[way] is not here
        ]
        if not ways:
            return
        at, number, way = luck.choice(ways)
        fields = here.form.fields
        answers = {field.name: selected(field) for field in fields[:at]}
        answers[fields[at].name] = [fields[at].choices[number].value]
        here = tree[way]
        yield answers, here


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_node_is_the_form_that_the_same_answers_give(game: str) -> None:
    presentation, luck, compared = GAMES[game].presentation, random.Random(7), 0
    step = by_length(7, 1)
    for view in islice(positions(game), 0, POSITIONS * step, step):
        tree = choice_tree(presentation.forms(view), {}, MOST)
        assert shown(tree[0].form) == shown(presentation.move_form(view, {}))
        for _walk in range(WALKS):
            for answers, node in walk(tree, luck):
                assert shown(node.form)[1:] == shown(presentation.move_form(view, answers))[1:]
                resent = presentation.move_form(view, sent(node.form))
                assert shown(node.form) == shown(resent), "the form, sent as it is"
                compared += 1
    assert compared > POSITIONS


@pytest.mark.parametrize("game", sorted(GAMES))
def test_only_later_positions_and_what_is_ticked_are_left_to_the_server(game: str) -> None:
    presentation = GAMES[game].presentation
    for view in islice(positions(game), 0, POSITIONS, 5):
        tree = choice_tree(presentation.forms(view), {}, 10_000)
        for number, node in enumerate(tree):
            for field, ways in zip(node.form.fields, node.branches, strict=True):
                assert len(ways) == len(field.choices)
                later = field.redraws and number > 0
                instant = field.kind == "one" and not later and not node.form.together
                assert not instant or None not in ways, field.name


def test_all_steps_of_a_piece_can_be_followed_and_one_position_is_drawn_for_each() -> None:
    compared = 0
    for view in islice(positions("escape"), 0, POSITIONS * 3, by_length(9, 3)):
        ask = GAMES["escape"].presentation.forms(view)
        pieces = [field for field in ask({}).fields if field.name == "who1"]
        for piece in pieces[0].choices[1:3] if pieces else ():
            tree = choice_tree(ask, {"who1": [piece.value]})
            steps = [
                ways
                for field, ways in zip(tree[0].form.fields, tree[0].branches, strict=True)
                if field.name == "step1"
            ]
            for way in steps[0]:
                assert way is not None
                assert tree[way].form.view is not None
            drawn = {node.position: node.form.view for node in tree}
            assert len({tree[way].position for way in steps[0] if way is not None}) == len(steps[0])
            assert all(node.form.view == drawn[node.position] for node in tree)
            compared += 1
    assert compared


def test_a_tree_ends_at_its_limit_and_begins_with_the_next_questions() -> None:
    view = next(islice(positions("atlantis"), 3, None))
    forms = GAMES["atlantis"].presentation.forms(view)
    whole, part = choice_tree(forms, {}, 10_000), choice_tree(forms, {}, 5)
    assert [node.form for node in part] == [node.form for node in whole[:5]]
    assert any(way is None for node in part for ways in node.branches for way in ways)


def test_a_game_that_says_nothing_about_it_has_a_tree() -> None:
    state = TWENTY.fold(TWENTY.setup({}, 2, IdentityChance()))
    tree = choice_tree(TWENTY.presentation.forms(TWENTY.rules.view(state, 0)), {})
    assert [node.form.line for node in tree] == [None, "roll", "stop"]
