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
from games.rules import ENGINES
from games.rules.engine import Dialog, Engine, Field, Option, Text, View
from games.selectors import TablePage
from games.translate import say

from .board_zoom import Closer, look_of

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
    specs = ENGINES[game.kind].option_specs
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
    dialog: Dialog, engine: Engine, page: str, answers: Answers, names: Sequence[str]
) -> TurnForm:
    """The dialog for a template, and the answers its board elements stand for.

    page: the address of the table. A link keeps the answers to the questions before its own and
    forgets those after it, which may not fit any more.
    """

    def words(text: Text | None) -> str:
        return say(text, names) if text is not None else ""

    links: dict[str, str] = {}
    given: list[tuple[str, str]] = []
    look = look_of(answers)  # who looks closer goes on doing so, round what was tapped
    for field in dialog.fields:
        for option in field.options:
            if option.mark is not None:
                query = urlencode([*given, *_with(field, option), *look.query(option.mark)])
                links[option.mark] = f"{page}?{query}#{'board' if look.zoom else 'orders'}"
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
        chosen=[o.mark for field in dialog.fields for o in field.options if o.selected and o.mark],
        view=dialog.view,
    )


def drawn_view(page: TablePage, form: TurnForm | None) -> View:
    """The position to draw: as the reader's answers so far leave it."""
    return page.view if form is None or form.view is None else form.view


def board_of(page: TablePage, form: TurnForm | None, closer: Closer) -> SafeString:
    """The board or a part of it, what can be chosen there as links, what is chosen marked so."""
    svg = page.engine.board_svg(
        drawn_view(page, form),
        {**(form.links if form else {}), **closer.fields},
        page.recent,
        translate=lambda text: say(text, page.names),
        near=closer.look.near,
        zoom=closer.look.zoom,
    )
    for mark in form.chosen if form else ():
        svg = svg.replace(f'id="{mark}" class="', f'id="{mark}" aria-current="true" class="chosen ')
    # Drawn by the engine from its own shapes; labels, with names in them, are escaped there.
    return mark_safe(svg)  # noqa: S308


def _with(field: Field, option: Option) -> list[tuple[str, str]]:
    """The answer once this option is chosen on the board; one of several joins the others."""
    before = [o.value for o in field.options if o.selected] if field.kind == "many" else []
    return [(field.name, value) for value in [*before, option.value]]


def _question(
    engine: Engine, number: int, field: Field, words: Callable[[Text | None], str]
) -> Question:
    icons = {option.icon for option in field.options if option.icon}
    # Drawn by the engine from its own shapes: nothing of a person is in it.
    drawn = {name: mark_safe(engine.icon_svg(name)) for name in icons}  # noqa: S308
    picks = [
        Pick(
            option.value,
            words(option.label),
            words(option.detail),
            drawn.get(option.icon or ""),
            option.selected,
        )
        for option in field.options
    ]
    return Question(
        name=field.name,
        id=f"ask-{field.name}",
        kind=field.kind,
        prompt=words(field.prompt),
        help=words(field.help),
        picks=picks,
        most=field.most,
        chosen=next((pick.value for pick in picks if pick.selected), "0"),
        icon=picks[0].icon if picks else None,
        short=all(len(pick.label) <= SHORT and not (pick.detail or pick.icon) for pick in picks),
    )
