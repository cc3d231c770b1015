"""The choices that a page gets in advance are those of the form without JavaScript."""

import random
from itertools import islice

import pytest

from games.rules import GAMES
from games.rules.chance import IdentityChance
from games.rules.move_form import choice_tree
from tests.tiny_game import TWENTY

from .choice_trees import compare, positions

MOST = 24  # forms of a tree; `make fuzz-rules` compares whole trees, of 100 games
POSITIONS = 40  # of each game


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_node_is_the_form_that_the_same_answers_give(game: str) -> None:
    luck, compared = random.Random(7), 0
    for view in islice(positions(game), 0, POSITIONS * 13, 13):
        compared += compare(game, view, luck, MOST)
    assert compared > POSITIONS


@pytest.mark.parametrize("game", sorted(GAMES))
def test_only_later_positions_and_what_is_ticked_are_left_to_the_server(game: str) -> None:
    presentation = GAMES[game].presentation
    for view in islice(positions(game), 0, POSITIONS, 5):
        tree = choice_tree(presentation.forms(view), {}, 10_000)
        for number, node in enumerate(tree):
            for field, ways in zip(node.form.fields, node.branches, strict=True):
                assert len(ways) == (len(field.choices) if field.kind != "pay" else 0)
                later = field.redraws and number > 0
                instant = field.kind == "one" and not later and not node.form.together
                assert not instant or None not in ways, field.name


def test_all_steps_of_a_piece_can_be_followed_and_one_position_is_drawn_for_each() -> None:
    compared = 0
    for view in islice(positions("escape"), 0, POSITIONS * 3, 9):
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
