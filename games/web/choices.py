"""The legal moves of a position as JSON: the questions of the move form, followed in advance.

The script of the page asks one question after another with them, and only confirming talks to the
server. The choices come from the same form and the same view as the page.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from games import selectors
from games.models import Game
from games.rules.contract import View
from games.rules.drawing import elements_svg
from games.rules.move_form import ChoiceNode, FormField, choice_tree
from games.templatetags.games import picks_style
from games.translate import say

from . import boards, presenters, turn_scope
from .presenters import Position
from .turn_scope import with_turn_scope


@with_turn_scope
@require_safe
def choices(request: HttpRequest, public_id: str) -> HttpResponse:
    """The choices after the answers in the address; none for readers without a move."""
    game = selectors.game_for(turn_scope.player(request), public_id)
    found: dict[str, Any] = {}
    if game.status == Game.Status.RUNNING:
        page = selectors.table_page(game, turn_scope.player(request))
        if presenters.accepts_input(page):
            url = reverse("game", args=[game.public_id])
            found = choices_json(page, url, boards.answers_of(request))
            found["hints"] = presenters.hints_for(request, page)
    response = JsonResponse(found)
    response["Cache-Control"] = "no-store"
    return response


def choices_json(page: Position, url: str, answers: presenters.Answers) -> dict[str, Any]:
    """Return the tree of choices as JSON, with boards on which everything that may be chosen is a
    link to the page at `url`. Lists refer to each other by index.

    fields: the questions, each once: name, kind, prompt, help, number of its board colour, and its
    choices (value, label, detail, icon, board elements, worth, whether it is fixed). Of a payment
    also the price and the stamp; see FormField.
    nodes: the states of the form, the first of them that of the page; null for a state that only
    the server can show. Each question of a node is (field, selected choices, branches), with a node
    or null as the branch of each choice; a payment has none. "marks" of a
    node is SVG to draw on top of its "board".
    hidden: the answers that no question asks for.
    boards: each is a list of parts, because the boards of a turn differ in few of them.
    parts: pieces of SVG text.
    """
    forms = page.engine.presentation.forms(page.view)
    tree = choice_tree(forms, answers)
    writer = _Writer(page)
    nodes = writer.nodes(tree)
    asked = {field.name for node in tree for field in node.form.fields}
    links = dict.fromkeys(
        element
        for node in tree
        for field in node.form.fields
        for choice in field.choices
        for element in choice.elements
    )
    return {
        "version": page.version,
        "url": url,
        "hidden": [
            [name, value]
            for name, values in answers.items()
            if name not in asked
            for value in values
        ],
        "icons": {name: page.engine.presentation.icon_svg(name) for name in writer.icons},
        "fields": list(writer.fields.values()),
        "nodes": nodes,
        **_drawings(page, tree, nodes, presenters.BoardChoices(links=dict.fromkeys(links, "#"))),
    }


def _drawings(
    page: Position,
    tree: Sequence[ChoiceNode[View]],
    nodes: Sequence[dict[str, Any] | None],
    choices: presenters.BoardChoices,
) -> dict[str, Any]:
    """Draw the boards of the nodes, and set the number of its board in each node."""
    numbers: dict[object, int] = {}
    parts: dict[str, int] = {}
    boards: list[list[int]] = []
    for node, written in zip(tree, nodes, strict=True):
        if written is None:
            continue
        if node.position not in numbers:
            numbers[node.position] = len(boards)
            view: View = node.form.view if node.form.view is not None else page.view
            svg = presenters.board_svg(page, view, choices)
            boards.append([parts.setdefault(part, len(parts)) for part in _parts(svg)])
        written["board"] = numbers[node.position]
    return {"parts": list(parts), "boards": boards}


def _parts(svg: str) -> list[str]:
    """Cut the text where elements begin, so that most pieces recur in the text of other boards."""
    return svg.replace("<g ", "\0<g ").replace("<a ", "\0<a ").split("\0")


class _Writer:
    """Turns forms into plain data; every question and every text is made once."""

    FOLLOWED = ("one", "pay")  # kinds of questions that the script of the page can ask

    def __init__(self, page: Position) -> None:
        self.names = page.names
        self.fields: dict[tuple[Any, ...], dict[str, Any]] = {}
        self.numbers: dict[tuple[Any, ...], int] = {}
        self.icons: dict[str, None] = {}

    def nodes(self, tree: Sequence[ChoiceNode[View]]) -> list[dict[str, Any] | None]:
        """Write the nodes; null for one with a question that only the server can ask."""
        plain = [all(field.kind in self.FOLLOWED for field in node.form.fields) for node in tree]
        return [
            self.node(node, plain) if is_plain else None
            for node, is_plain in zip(tree, plain, strict=True)
        ]

    def node(self, node: ChoiceNode[View], plain: Sequence[bool]) -> dict[str, Any]:
        form = node.form
        found: dict[str, Any] = {
            "fields": [
                [
                    self.field(field),
                    [at for at, choice in enumerate(field.choices) if choice.selected],
                    [way if way is not None and plain[way] else None for way in ways],
                ]
                for field, ways in zip(form.fields, node.branches, strict=True)
            ]
        }
        if form.problem is not None:
            found["problem"] = say(form.problem, self.names)
        if form.marks:
            found["marks"] = elements_svg(form.marks)
        if form.line is not None:
            found["line"] = form.line
            found["preview"] = [say(text, self.names) for text in form.preview]
            found["warnings"] = [say(text, self.names) for text in form.warnings]
        return found

    def field(self, field: FormField) -> int:
        """The number of this question in `fields`."""
        key = (
            field.name,
            field.prompt,
            field.help_text,
            tuple((choice.value, choice.label, choice.detail) for choice in field.choices),
            field.stamp,
        )
        if key not in self.fields:
            self.numbers[key] = len(self.fields)
            self.fields[key] = {
                "name": field.name,
                "kind": field.kind,
                "prompt": say(field.prompt, self.names),
                "help": say(field.help_text, self.names) if field.help_text else "",
                "style": picks_style(field),
                "picks": list(self.picks(field)),
            }
            if field.kind == "pay":
                self.fields[key] |= {"due": field.due, "stamp": field.stamp}
        return self.numbers[key]

    def picks(self, field: FormField) -> Iterator[list[Any]]:
        for choice in field.choices:
            if choice.icon:
                self.icons[choice.icon] = None
            yield [
                choice.value,
                say(choice.label, self.names),
                say(choice.detail, self.names) if choice.detail else "",
                choice.icon or "",
                list(choice.elements),
                choice.worth,
                choice.fixed,
            ]
