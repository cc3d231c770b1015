"""Seats and the turn form as plain values for templates, in the reader's language.

Nothing here reads the database, writes, or knows what a particular game is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from urllib.parse import urlencode

import msgspec
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from games.models import Game, Seat, User
from games.rules import GAMES
from games.rules.contract import AnyGame, Choice, FormField, MoveForm, View
from games.rules.text import Text
from games.selectors import TablePage
from games.translate import say

from .board_zoom import BoardZoom, query_of, viewport_of

Answers = Mapping[str, Sequence[str]]
SHORT = 4  # letters


class Row(msgspec.Struct):
    """A seat as pages list it. view: the one in which its hand lies as open as the reader may see."""

    number: int
    name: str
    is_bot: bool
    is_me: bool
    is_host: bool
    to_act: bool
    overdue: bool
    due_at: datetime | None
    score: int | None
    view: View = None


def rows_of(game: Game, seats: Sequence[Seat], me: int | None) -> list[Row]:
    """The seats in their order; `me` is the id of the reader."""
    asked = game.status == Game.Status.RUNNING
    return [
        Row(
            number=seat.number,
            name=seat.name,
            is_bot=seat.is_bot,
            is_me=me is not None and seat.user_id == me,
            is_host=seat.user_id is not None and seat.user_id == game.host_id,
            to_act=asked and seat.asked_seq is not None,
            overdue=asked and seat.overdue,
            due_at=seat.due_at,
            score=game.scores[seat.number] if game.scores else None,
        )
        for seat in seats
    ]


def chosen_options(game: Game) -> list[tuple[str, str]]:
    """(label, choice) of the table's game options."""
    specs = GAMES[game.kind].options
    return [
        (say(spec.label), say(dict(spec.choices)[game.options[spec.name]]))
        for spec in specs
        if game.options.get(spec.name) in dict(spec.choices)
    ]


def reader_id(user: object) -> int | None:
    """The id of a signed-in person, None for somebody passing by."""
    return user.pk if isinstance(user, User) else None


def listed(names: Sequence[str]) -> str:
    """Names in a row: "Alice and Bob"."""
    if len(names) < 2:
        return "".join(names)
    return _("%(first)s and %(last)s") % {"first": ", ".join(names[:-1]), "last": names[-1]}


# -- the turn form -------------------------------------------------------------------


class Pick(msgspec.Struct):
    """One answer on the page."""

    value: str
    label: str
    detail: str
    icon: SafeString | None
    selected: bool


class Question(msgspec.Struct):
    """A field of the turn form. chosen: of a count, the number; icon: of its first option; short:
    its answers are words of a few letters, of which many fit a row."""

    name: str
    id: str
    kind: str
    prompt: str
    help: str
    picks: list[Pick]
    most: int
    chosen: str
    icon: SafeString | None
    short: bool


class TurnForm(msgspec.Struct):
    """The turn form. links: board element → address that gives its answer; chosen: those elements
    whose answer is given; view: the position as the answers leave it, where they change it."""

    questions: list[Question]
    line: str | None
    preview: list[str]
    warnings: list[str]
    problem: str
    links: dict[str, str]
    chosen: list[str]
    view: View = None


def turn_form(
    dialog: MoveForm[View], engine: AnyGame, page: str, answers: Answers, names: Sequence[str]
) -> TurnForm:
    """The dialog for a template, and the answers its board elements stand for.

    page: the address of the table. A link keeps the answers to the questions before its own and
    forgets those after it, which may not fit any more.
    """

    def words(text: Text | None) -> str:
        return say(text, names) if text is not None else ""

    links: dict[str, str] = {}
    given: list[tuple[str, str]] = []
    viewport = viewport_of(answers)  # an enlarged board stays so, around what was tapped
    for field in dialog.fields:
        for choice in field.choices:
            if choice.element_id is not None:
                query = urlencode(
                    [*given, *_with(field, choice), *query_of(viewport, choice.element_id)]
                )
                links[choice.element_id] = (
                    f"{page}?{query}#{'board' if viewport.zoom else 'orders'}"
                )
        given += [(field.name, value) for value in answers.get(field.name, ())]
    return TurnForm(
        questions=[
            _question(engine, number, field, words) for number, field in enumerate(dialog.fields)
        ],
        line=dialog.line,
        preview=[words(text) for text in dialog.preview],
        warnings=[words(text) for text in dialog.warnings],
        problem=words(dialog.problem),
        links=links,
        chosen=[
            o.element_id
            for field in dialog.fields
            for o in field.choices
            if o.selected and o.element_id
        ],
        view=dialog.view,
    )


def drawn_view(page: TablePage, form: TurnForm | None) -> View:
    """The position to draw: as the reader's answers so far leave it."""
    return page.view if form is None or form.view is None else form.view


def board_of(page: TablePage, form: TurnForm | None, zoom: BoardZoom) -> SafeString:
    """The board or a part of it, what can be chosen there as links, what is chosen marked so."""
    svg = page.engine.board_svg(
        drawn_view(page, form),
        {**(form.links if form else {}), **zoom.elements},
        page.recent,
        translate=lambda text: say(text, page.names),
        viewport=zoom.viewport,
    )
    for mark in form.chosen if form else ():
        svg = svg.replace(f'id="{mark}" class="', f'id="{mark}" aria-current="true" class="chosen ')
    # Drawn by the engine from its own shapes; labels, with names in them, are escaped there.
    return mark_safe(svg)  # noqa: S308


def _with(field: FormField, choice: Choice) -> list[tuple[str, str]]:
    """The answer once this option is chosen on the board; one of several joins the others."""
    before = [o.value for o in field.choices if o.selected] if field.kind == "many" else []
    return [(field.name, value) for value in [*before, choice.value]]


def _question(
    engine: AnyGame, number: int, field: FormField, words: Callable[[Text | None], str]
) -> Question:
    icons = {choice.icon for choice in field.choices if choice.icon}
    # Drawn by the engine from its own shapes: nothing of a person is in it.
    drawn = {name: mark_safe(engine.presentation.icon_svg(name)) for name in icons}  # noqa: S308
    picks = [
        Pick(
            choice.value,
            words(choice.label),
            words(choice.detail),
            drawn.get(choice.icon or ""),
            choice.selected,
        )
        for choice in field.choices
    ]
    return Question(
        name=field.name,
        id=f"ask-{field.name}",
        kind=field.kind,
        prompt=words(field.prompt),
        help=words(field.help_text),
        picks=picks,
        most=field.max,
        chosen=next((pick.value for pick in picks if pick.selected), "0"),
        icon=picks[0].icon if picks else None,
        short=all(len(pick.label) <= SHORT and not (pick.detail or pick.icon) for pick in picks),
    )
