"""Trees of choices compared with the form without JavaScript, in many positions."""

import random
from collections.abc import Iterator
from itertools import chain
from typing import Any

from games.rules import GAMES, selfplay
from games.rules.chance import SeededChance
from games.rules.contract import View
from games.rules.move_form import MOST_FORMS, Answers, ChoiceNode, FormField, MoveForm, choice_tree

WALKS = 3
STEPS = 5


def game_positions(game: str, seed: int) -> Iterator[View]:
    """The views of the players to act, in a game in which any legal move is made."""
    engine, seats = GAMES[game], 2 + seed % 3
    secret = seed.to_bytes(32, "big")
    player = selfplay.by_chance(engine, SeededChance(secret, 0))
    for state, _events in selfplay.play(engine, {}, seats, secret, player):
        for seat in engine.rules.to_act(state)[:1]:
            yield engine.rules.view(state, seat)


def positions(game: str) -> Iterator[View]:
    """The positions of one game after another."""
    return chain.from_iterable(game_positions(game, seed) for seed in range(1000))


def selected(field: FormField) -> list[str]:
    return [choice.value for choice in field.choices if choice.selected]


def sent(form: MoveForm[Any]) -> Answers:
    """Return the values that a browser sends of the form as it is."""
    stamps = {field.name: [field.stamp] * bool(field.stamp) for field in form.fields}
    return {field.name: [*stamps[field.name], *selected(field)] for field in form.fields}


def shown(form: MoveForm[Any]) -> tuple[object, ...]:
    """Return the parts of the form that a player sees."""
    return form.fields, form.line, form.preview, form.warnings, form.problem, form.marks, form.view


def walk(
    tree: tuple[ChoiceNode[View], ...], luck: random.Random
) -> Iterator[tuple[Answers, ChoiceNode[View]]]:
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


def compare(game: str, view: View, luck: random.Random, most: int = MOST_FORMS) -> int:
    """Assert that nodes of the tree of this position are the forms that the server gives for the
    same answers. Return how many were compared."""
    presentation, compared = GAMES[game].presentation, 0
    tree = choice_tree(presentation.forms(view), {}, most)
    assert shown(tree[0].form) == shown(presentation.move_form(view, {}))
    for _walk in range(WALKS):
        for answers, node in walk(tree, luck):
            assert shown(node.form)[1:] == shown(presentation.move_form(view, answers))[1:], answers
            resent = presentation.move_form(view, sent(node.form))
            assert shown(node.form) == shown(resent), f"the form of {answers}, sent as it is"
            compared += 1
    return compared
