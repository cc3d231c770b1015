"""Seats, the move form and pictures for templates, in the reader's language. No queries."""

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
SHORT_LABEL = 4  # letters


# -- seats ---------------------------------------------------------------------------


class SeatRow(msgspec.Struct):
    """A seat in a list. view: shows its hand as far as the reader may see it."""

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


def seat_rows(game: Game, seats: Sequence[Seat], user: object) -> list[SeatRow]:
    """The seats in order; `user` is the reader."""
    me = user.pk if isinstance(user, User) else None
    running = game.status == Game.Status.RUNNING
    return [
        SeatRow(
            number=seat.number,
            name=seat.name,
            is_bot=seat.is_bot,
            is_me=me is not None and seat.user_id == me,
            is_host=seat.user_id is not None and seat.user_id == game.host_id,
            to_act=running and seat.asked_seq is not None,
            overdue=running and seat.overdue,
            due_at=seat.due_at,
            score=game.scores[seat.number] if game.scores else None,
        )
        for seat in seats
    ]


def option_labels(game: Game) -> list[tuple[str, str]]:
    """(label, choice) of the options that this game was created with."""
    specs = GAMES[game.kind].options
    return [
        (say(spec.label), say(dict(spec.choices)[game.options[spec.name]]))
        for spec in specs
        if game.options.get(spec.name) in dict(spec.choices)
    ]


def join_names(names: Sequence[str]) -> str:
    """Names as a list: "Alice, Bob and Carol"."""
    if len(names) < 2:
        return "".join(names)
    return _("%(first)s and %(last)s") % {"first": ", ".join(names[:-1]), "last": names[-1]}


# -- the move form -------------------------------------------------------------------


class RenderedChoice(msgspec.Struct):
    """One answer to a field."""

    value: str
    label: str
    detail: str
    icon: SafeString | None
    selected: bool


class RenderedField(msgspec.Struct):
    """A field of the move form.

    value: the number in a field of kind "count". icon: that of its first choice. short: the labels
    have few letters, so that many fit in a row.
    """

    name: str
    id: str
    kind: str
    prompt: str
    help_text: str
    choices: list[RenderedChoice]
    max: int
    value: str
    icon: SafeString | None
    short: bool


class RenderedForm(msgspec.Struct):
    """The move form.

    links: board element → URL that gives its answer. chosen: the board elements whose answer is
    given. view: the position after the answers so far, where they change it.
    """

    fields: list[RenderedField]
    line: str | None
    preview: list[str]
    warnings: list[str]
    problem: str
    links: dict[str, str]
    chosen: list[str]
    view: View = None


def render_move_form(
    form: MoveForm[View], engine: AnyGame, url: str, answers: Answers, names: Sequence[str]
) -> RenderedForm:
    """The form for a template, with links for the board elements that stand for its choices.

    url: of the game's page. A link keeps the answers to earlier fields and drops those to later
    ones, which may not fit any more.
    """

    def translate(text: Text | None) -> str:
        return say(text, names) if text is not None else ""

    links: dict[str, str] = {}
    chosen: list[str] = []
    earlier: list[tuple[str, str]] = []
    viewport = viewport_of(answers)  # a zoomed board stays zoomed, around what was tapped
    for field in form.fields:
        for choice in field.choices:
            if choice.element_id is None:
                continue
            answer = [*earlier, *_answer(field, choice), *query_of(viewport, choice.element_id)]
            anchor = "board" if viewport.zoom else "orders"
            links[choice.element_id] = f"{url}?{urlencode(answer)}#{anchor}"
            if choice.selected:
                chosen.append(choice.element_id)
        earlier += [(field.name, value) for value in answers.get(field.name, ())]
    return RenderedForm(
        fields=[_render_field(engine, field, translate) for field in form.fields],
        line=form.line,
        preview=[translate(text) for text in form.preview],
        warnings=[translate(text) for text in form.warnings],
        problem=translate(form.problem),
        links=links,
        chosen=chosen,
        view=form.view,
    )


def _answer(field: FormField, choice: Choice) -> list[tuple[str, str]]:
    """The field's answer after a click on this choice; in a field of kind "many" it is added."""
    selected = [o.value for o in field.choices if o.selected] if field.kind == "many" else []
    return [(field.name, value) for value in [*selected, choice.value]]


def _render_field(
    engine: AnyGame, field: FormField, translate: Callable[[Text | None], str]
) -> RenderedField:
    icons = {choice.icon for choice in field.choices if choice.icon}
    # Our own drawings, without any user's text.
    drawn = {name: mark_safe(engine.presentation.icon_svg(name)) for name in icons}  # noqa: S308
    choices = [
        RenderedChoice(
            choice.value,
            translate(choice.label),
            translate(choice.detail),
            drawn.get(choice.icon or ""),
            choice.selected,
        )
        for choice in field.choices
    ]
    return RenderedField(
        name=field.name,
        id=f"ask-{field.name}",
        kind=field.kind,
        prompt=translate(field.prompt),
        help_text=translate(field.help_text),
        choices=choices,
        max=field.max,
        value=next((choice.value for choice in choices if choice.selected), "0"),
        icon=choices[0].icon if choices else None,
        short=all(len(c.label) <= SHORT_LABEL and not (c.detail or c.icon) for c in choices),
    )


# -- the board -----------------------------------------------------------------------


def drawn_view(page: TablePage, form: RenderedForm | None) -> View:
    """The position to draw: after the reader's answers so far."""
    return page.view if form is None or form.view is None else form.view


def board_svg(page: TablePage, form: RenderedForm | None, zoom: BoardZoom) -> SafeString:
    """The board: choices and zoomable parts are links, chosen elements are marked."""
    svg = page.engine.board_svg(
        drawn_view(page, form),
        {**(form.links if form else {}), **zoom.elements},
        page.recent,
        translate=lambda text: say(text, page.names),
        chosen=form.chosen if form else (),
        viewport=zoom.viewport,
    )
    return mark_safe(svg)  # noqa: S308  # our own drawing; it escapes labels with names in them
