"""Seats, boards, choices, hints and missed turns for templates, in the reader's language."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol
from urllib.parse import urlencode

import msgspec
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from games import selectors
from games.models import Game, Seat, User, seat_names
from games.rules import GAMES, printed_lines
from games.rules.contract import AnyGame, Event, View
from games.rules.drawing import Element
from games.rules.errors import MoveError
from games.rules.move_form import Choice, FormField, MoveForm
from games.rules.text import literal
from games.selectors import TablePage, absence_text
from games.translate import say

from .boards import scenery_url
from .players import player_key, player_url

NEWCOMER = timedelta(days=30)  # for so long after signing up there are hints

Answers = Mapping[str, Sequence[str]]


# -- seats ---------------------------------------------------------------------------


class SeatRow(msgspec.Struct):
    """A seat in a list. user: its player. resigned: the name of the player who did, in whose place
    its bot plays. view: shows its hand as far as the reader may see it."""

    number: int
    name: str
    is_bot: bool
    is_me: bool
    is_host: bool
    to_act: bool
    overdue: bool
    due_at: datetime | None
    score: int | None
    user: User | None = None
    resigned: str = ""
    over: bool = False
    view: View = None

    @property
    def url(self) -> str:
        """The address of the player's page; "" for bots."""
        return player_url(self.user) if self.user is not None else ""

    @property
    def key(self) -> str:
        """The value that names the player in a form; "" for bots."""
        return player_key(self.user) if self.user is not None else ""

    @property
    def away(self) -> str:
        """The player's absence as a sentence; "" after the game."""
        return absence_text(self.user, timezone.now(), self.name) if not self.over else ""


def seat_rows(
    game: Game, seats: Sequence[Seat], user: object, resigned: Mapping[int, str]
) -> list[SeatRow]:
    """All seats of a game in order; `user` is the reader. resigned: the names of those in whose
    place bots play, by seat."""
    me = user.pk if isinstance(user, User) else None
    running = game.status == Game.Status.RUNNING
    return [
        SeatRow(
            number=seat.number,
            name=name,
            is_bot=seat.is_bot,
            is_me=me is not None and seat.user_id == me,
            is_host=seat.user_id is not None and seat.user_id == game.host_id,
            to_act=running and seat.asked_seq is not None,
            overdue=running and seat.overdue,
            due_at=seat.due_at,
            score=game.scores[seat.number] if game.scores else None,
            user=seat.user,
            resigned=resigned.get(seat.number, ""),
            over=game.is_over,
        )
        for seat, name in zip(seats, seat_names(seats), strict=True)
    ]


def host_name(game: Game) -> str:
    """The name of the host at the table; "" without one."""
    names = zip(game.seat_list, seat_names(game.seat_list), strict=True)
    return next((name for seat, name in names if seat.user_id and seat.user_id == game.host_id), "")


def option_labels(game: Game) -> list[tuple[str, str]]:
    """(label, choice) of the options that this game was created with."""
    specs = GAMES[game.kind].options
    return [
        (say(spec.label), say(dict(spec.choices)[game.options[spec.name]]))
        for spec in specs
        if game.options.get(spec.name) in dict(spec.choices)
    ]


# -- the board and the move form -------------------------------------------------------


def accepts_input(page: TablePage) -> bool:
    """Return whether the reader has a move to make or orders to leave in advance."""
    if page.game.status != Game.Status.RUNNING or page.viewer is None:
        return False
    return page.my_turn or page.engine.accepts_input(page.view)


class Position(Protocol):
    """What board and form need of a position: that of a table, or of the trial.

    recent: the events to mark on the board. version: the number of events before it.
    """

    @property
    def engine(self) -> AnyGame: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def view(self) -> View: ...
    @property
    def recent(self) -> tuple[Event, ...]: ...
    @property
    def version(self) -> int: ...
    @property
    def my_turn(self) -> bool: ...


class BoardChoices(msgspec.Struct, frozen=True):
    """The choices by clicks on the board.

    links: board element → URL that gives its answer. selected: elements whose answer is given.
    questions: board element → number of the question, among those that the board can answer.
    """

    links: dict[str, str] = {}
    selected: tuple[str, ...] = ()
    questions: dict[str, int] = {}


# A question with nothing in it, which the script of the page fills in.
BLANK = FormField(
    "blank", "one", literal(""), (Choice("", literal(""), literal("")),), help_text=literal("")
)


def undo_url(form: MoveForm[View] | None, url: str, answers: Answers) -> str:
    """Return the URL of the page without the answer that was given last."""
    asked = [field.name for field in form.fields] if form is not None else []
    given = [name for name in asked if name in answers]
    last = given[-1] if given else None
    kept = [(name, value) for name, values in answers.items() if name != last for value in values]
    return f"{url}{'?' if kept else ''}{urlencode(kept)}#orders"


def move_form(page: Position, answers: Answers, line: str) -> tuple[MoveForm[View], str]:
    """The form for the answers, or the preview of a typed line; and the line's error."""
    error = ""
    if line:
        try:
            command = printed_lines.parse(page.engine, line, page.view, say)
            return page.engine.presentation.preview(page.view, command), ""
        except MoveError as refused:
            error = say(refused.text, page.names)
    return page.engine.presentation.move_form(page.view, answers), error


def question_text(page: Position) -> str:
    """Return the question to the reader; "" if they are not asked or simply have their turn."""
    question = page.engine.rules.question(page.view) if page.my_turn else None
    return say(question.text, page.names) if question is not None else ""


def board_choices(
    form: MoveForm[View], url: str, answers: Answers, kept: Sequence[tuple[str, str]] = ()
) -> BoardChoices:
    """Return the choices of a move form that board elements stand for.

    A link keeps the answers to earlier fields and drops those to later ones, which may no longer be
    possible. url: that of the page. kept: further fields of its address that each link keeps.
    """
    links: dict[str, str] = {}
    selected: list[str] = []
    questions: dict[str, int] = {}
    earlier = [*kept]
    asked = [field for field in form.fields if any(c.element_id for c in field.choices)]
    for field in form.fields:
        for choice in field.choices:
            for element in choice.elements:
                questions[element] = asked.index(field)
                answer = [*earlier, *_answer(field, choice)]
                links[element] = f"{url}?{urlencode(answer)}#orders"
            if choice.selected:
                selected.extend(choice.elements[:1])
        earlier += [(field.name, value) for value in answers.get(field.name, ())]
    return BoardChoices(links, tuple(selected), questions)


def _answer(field: FormField, choice: Choice) -> list[tuple[str, str]]:
    """Return the field's answer after a click on this choice, which a field of kind "many" adds to
    those that are selected."""
    selected = [o.value for o in field.choices if o.selected] if field.kind == "many" else []
    return [(field.name, value) for value in [*selected, choice.value]]


def board_svg(
    page: Position,
    view: View,
    choices: BoardChoices,
    marks: Sequence[Element] = (),
) -> SafeString:
    """The board: choices are links, selected elements are marked. marks: what the choices would
    do."""
    svg = page.engine.board_svg(
        view,
        choices.links,
        page.recent,
        translate=lambda text: say(text, page.names),
        chosen=choices.selected,
        questions=choices.questions,
        marks=marks,
        scenery_url=scenery_url(page.engine.key),
    )
    return mark_safe(svg)  # noqa: S308  # our own drawing; it escapes labels with names in them


def position_text(page: Position, view: View) -> list[tuple[str, list[str]]]:
    """(heading, lines) of the position in words."""
    sections = page.engine.presentation.position_text(view)
    return [
        (say(section.title), [say(line, page.names) for line in section.lines])
        for section in sections
    ]


# -- hints for newcomers about their question --------------------------------------------


def is_newcomer(user: User) -> bool:
    """Return whether there are hints for this person, unless they want none."""
    return timezone.now() - user.date_joined <= NEWCOMER


def hints_for(request: HttpRequest, page: TablePage) -> dict[str, str]:
    """The hints of a game by the name of their question, for a newcomer whose turn it is."""
    user = request.user
    if not page.my_turn or not isinstance(user, User) or not user.wants_hints:
        return {}
    if not is_newcomer(user):
        return {}
    return all_hints(page.engine)


def all_hints(engine: AnyGame) -> dict[str, str]:
    """The hints of a game by the name of their question."""
    return {name: say(text) for name, text in engine.presentation.hints().items()}


def hint_of(form: MoveForm[View] | None, hints: Mapping[str, str]) -> str:
    """The hint about the last question that has one; questions may be numbered."""
    names = [field.name.rstrip("0123456789") for field in form.fields] if form is not None else []
    return next((hints[name] for name in reversed(names) if name in hints), "")


# -- missed turns ----------------------------------------------------------------------


def missed_turn_offers(request: HttpRequest, page: TablePage) -> dict[str, Any]:
    """The reader's possible actions about missed deadlines; with queries."""
    user, game = request.user, page.game
    can_take_back = _can_take_back(user, page)
    return {
        # The former player of a seat can take it back, and takes over no other.
        **({} if can_take_back else _open_seats(request, page)),
        "can_call_host": _can_call_host(user, page),
        "bot_votes": _bot_votes(user, page),
        "excusable": _excusable(user, page),
        "can_step_in": _can_step_in(user, game) and any(seat.overdue for seat in page.seats),
        "can_take_back": can_take_back,
        "others_can_take_it": bool(selectors.open_seats(game)),
    }


def _can_take_back(user: selectors.Reader, page: TablePage) -> bool:
    lost = page.viewer is None and any(seat.is_bot for seat in page.seats)
    return lost and selectors.can_take_back(user, page.game)


def _open_seats(request: HttpRequest, page: TablePage) -> dict[str, Any]:
    """The seats that others may take over, whether the reader may, and the link for others; and the
    seats that the reader can offer them."""
    seats, is_player = selectors.open_seats(page.game), page.viewer is not None
    can_offer = is_player and request.user.is_authenticated
    to_offer = selectors.seats_to_offer(page.game) if can_offer else []
    if not (seats or to_offer):
        return {}
    link = reverse("invitation", args=[page.game.invite_token])
    can = not is_player and selectors.may_take_over(request.user, page.game)
    return {
        "open_seats": seats,
        "to_offer": to_offer,
        "can_take_over": can,
        "invite_url": request.build_absolute_uri(link) if is_player and seats else "",
    }


def _can_call_host(user: object, page: TablePage) -> bool:
    """Return whether the reader waits for a late player and is neither that player nor the host."""
    if page.viewer is None or not isinstance(user, User) or page.game.host_id == user.pk:
        return False
    late = [seat for seat in page.seats if seat.overdue]
    return (
        page.game.status == Game.Status.RUNNING
        and bool(late)
        and all(seat.number != page.viewer and seat.user_id != page.game.host_id for seat in late)
    )


def _bot_votes(user: object, page: TablePage) -> list[selectors.PossibleVote]:
    """The votes by which the reader can go on without a late player; the host needs none."""
    if not isinstance(user, User) or page.game.host_id == user.pk:
        return []
    return [vote for vote in page.votes if vote.about == "bot"]


def _excusable(user: object, page: TablePage) -> list[dict[str, Any]]:
    """The seats whose last missed deadline the reader, as the host, may excuse."""
    if not isinstance(user, User) or page.game.host_id != user.pk or page.game.is_over:
        return []
    return [
        {"number": seat.number, "name": name}
        for seat, name in zip(page.seats, page.misses, strict=True)
        if name and seat.user_id != user.pk
    ]


def _can_step_in(user: object, game: Game) -> bool:
    if not isinstance(user, User) or game.status != Game.Status.RUNNING:
        return False
    return game.host_id == user.pk
