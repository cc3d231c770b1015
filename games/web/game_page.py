"""The table: the board, the turn form, the log, past positions, the record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import select_template
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games import selectors, services
from games.models import Game, Invitation, Seat, User
from games.rules import GAMES
from games.rules.contract import Event, MoveError, MoveForm, View
from games.selectors import TablePage
from games.translate import say
from games.web.forms import NOTE_LENGTH, InviteForm, PlayForm

from .board_zoom import zoom_of
from .decorators import deed, forget, keep, typed_word
from .presenters import (
    Row,
    TurnForm,
    board_of,
    chosen_options,
    drawn_view,
    listed,
    reader_id,
    rows_of,
    turn_form,
)


def _game(request: HttpRequest, public_id: str) -> Game:
    game = selectors.game_for(request.user, public_id)
    request.game = game  # type: ignore[attr-defined]  # the head of the page knows where we are
    return game


@require_safe
def game(request: HttpRequest, public_id: str) -> HttpResponse:
    """The table as it is now, or, before the start, the room where it gathers."""
    try:
        table = _game(request, public_id)
    except selectors.NotFound:
        if request.user.is_authenticated:
            raise
        # Whoever follows a link from a mail may just have to sign in; says nothing of the table.
        return redirect_to_login(request.get_full_path())
    if table.status == Game.Status.GATHERING or table.started_at is None:
        return _waiting_room(request, table)
    return _table(request, selectors.table_page(table, request.user))


@require_safe
def moment(request: HttpRequest, public_id: str, seq: int) -> HttpResponse:
    """The table as it was after event `seq`."""
    table = _game(request, public_id)
    return _table(request, selectors.position_at(table, request.user, seq), past=True)


@deed
def play(request: HttpRequest, public_id: str) -> HttpResponse:
    """Make the move of the form. A refusal shows the table again with everything kept."""
    user = request.user
    assert isinstance(user, User)
    form = PlayForm(request.POST)
    try:
        game_id, seat = selectors.place_of(user, public_id)
        if not form.is_valid():
            raise services.ServiceError(
                _("Some answers were missing. Please choose your move again.")
            )
        played = services.game_play_line(
            game_id=game_id,
            user=user,
            seat=seat,
            line=form.cleaned_data["line"],
            version=form.cleaned_data["version"],
            note=form.cleaned_data["note"],
        )
    except selectors.NotSeated:
        return _refused(request, public_id, _("You are not a player in this game."), 422)
    except (selectors.NotFound, services.GameMoved):
        return _refused(request, public_id, services.GameMoved().text, 409)
    except services.ServiceError as error:
        return _refused(request, public_id, error.text, 422)
    except MoveError as error:
        names = [chair.name for chair in _game(request, public_id).seats.all()]
        return _refused(request, public_id, say(error.text, names), 422)
    forget(request)
    again = seat in played.to_act
    if played.repeated:
        messages.info(request, _("This move had already been made."))
    elif not played.asked:
        messages.success(request, _("Saved. You can change it at any time."))
    else:
        messages.success(request, _("Your move has been made."))
        if again:  # what came of it is part of what is asked now
            messages.info(request, _told(_game(request, public_id), seat, played.events))
    return redirect(reverse("game", args=[public_id]) + ("#orders" if again else ""))


def _told(table: Game, seat: int, events: Sequence[Event]) -> str:
    """What a move did, as the one who made it may know it."""
    engine, names = GAMES[table.kind], [chair.name for chair in table.seats.all()]
    told = (engine.presentation.sentence(engine.rules.visible(event, seat)) for event in events)
    return " ".join(say(text, names) for text in told if text is not None)


def _refused(request: HttpRequest, public_id: str, problem: str, status: int) -> HttpResponse:
    """The board as it is now, the sentence above the form, the answers and the note kept."""
    page = selectors.table_page(_game(request, public_id), request.user)
    if request.POST.get("note"):
        keep(request, reverse("game", args=[public_id]))
    return _table(request, page, problem=problem, status=status)


@require_safe
def record(request: HttpRequest, public_id: str) -> HttpResponse:
    """The record of a finished game as a file: JSON lines that anybody can check."""
    table = _game(request, public_id)
    text = "".join(f"{line}\n" for line in selectors.record_lines(table))
    response = HttpResponse(text, content_type="application/jsonl; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{table.kind}-{public_id}.jsonl"'
    return response


# -- the page of a table -------------------------------------------------------------


def _table(
    request: HttpRequest,
    page: TablePage,
    *,
    past: bool = False,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    table, engine = page.game, page.engine
    form, line = None, ""
    if _accepts_input(page) and not past:
        line = request.GET.get("typed", "")
        form, trouble = _form(request, page, line)
        problem = problem or trouble
    zoom = zoom_of(request, page, drawn_view(page, form), past=past)
    rows = rows_of(table, page.seats, reader_id(request.user))
    for row in rows:
        row.view = page.views[row.number] if page.views else page.view
    winners = [page.names[number] for number in table.winners or ()]
    context: dict[str, Any] = {
        "game": table,
        "engine": engine,
        "game_title": say(engine.title),
        "page": page,
        "past": past,
        "rows": rows,
        "me": page.viewer,
        "over": table.is_over,
        "version": page.version,
        "view": page.view,
        "board": board_of(page, form, zoom),
        "zoom": zoom,
        "hand": engine.presentation.hand(page.view) if not table.is_over else (),
        "seats_template": select_template(
            [f"games/seats/{table.kind}.html", "games/seats/any.html"]
        ),
        "steps": _steps(page, past=past),
        "question": _question(page) if not past else "",
        "ending": _ending(page) if not past else "",
        "lines": page.lines[::-1],
        "form": form,
        "typed": line,
        "problem": problem,
        "note": typed_word(request, "note"),
        "reason": typed_word(request, "reason"),
        "note_length": NOTE_LENGTH,
        "query": request.GET.urlencode(),
        "notation_help": [say(text) for text in engine.notation.help_lines()] if form else (),
        "winners": winners,
        "winner_names": listed(winners),
        "settlement": _settlement(page) if page.is_now or not past else (),
        "options": chosen_options(table),
        "can_step_in": _can_step_in(request, table) and any(row.overdue for row in rows),
        "rematch": _rematch(request, table) if table.is_over and not past else None,
    }
    return render(request, "games/table.html", context, status=status)


def _accepts_input(page: TablePage) -> bool:
    """Whether the reader has a form here: a move to make, or orders to leave in advance."""
    if page.game.status != Game.Status.RUNNING or page.viewer is None:
        return False
    return page.my_turn or page.engine.accepts_input(page.view)


def _form(request: HttpRequest, page: TablePage, line: str) -> tuple[TurnForm, str]:
    """The turn form, from the answers in the address or from a line that was typed."""
    answers = {name: values for name, values in request.GET.lists() if name != "typed"}
    trouble = ""
    dialog: MoveForm[View] = page.engine.presentation.move_form(page.view, answers)
    if line:
        try:
            command = page.engine.notation.parse(line, page.view)
            dialog = page.engine.presentation.preview(page.view, command)
        except MoveError as error:
            trouble = say(error.text, page.names)
    url = reverse("game", args=[page.game.public_id])
    return turn_form(dialog, page.engine, url, answers, page.names), trouble


def _steps(page: TablePage, *, past: bool) -> dict[str, Any]:
    """Links to the positions around this one."""

    def url(seq: int) -> str:
        return reverse("moment", args=[page.game.public_id, seq])

    here = max((step for step in page.steps if step <= page.seq), default=0)
    links: dict[str, Any] = {
        "number": page.steps.index(here) if here else 0,
        "count": max(0, len(page.steps) - 1),
        "first": None,
        "back": url(page.earlier) if page.earlier else None,
        "forth": None,
        "now": None,
    }
    if page.earlier:
        links["first"] = url(page.steps[0])
    if past:
        links["now"] = reverse("game", args=[page.game.public_id])
        links["forth"] = url(page.later) if page.later else links["now"]
    return links


def _question(page: TablePage) -> str:
    """What the reader is asked, where it is not simply a move."""
    question = page.engine.rules.question(page.view) if page.my_turn else None
    return say(question.text, page.names) if question is not None else ""


def _ending(page: TablePage) -> str:
    """How the game came to its end, where there are several ways."""
    text = page.engine.presentation.ending(page.view) if page.game.scores is not None else None
    return say(text, page.names) if text is not None else ""


def _settlement(page: TablePage) -> list[dict[str, Any]]:
    """The final scoring, explained; empty before the end."""
    if not page.game.is_over or page.game.scores is None:
        return []
    winners = page.game.winners or ()
    return [
        {
            "seat": page.seats[seat],
            "score": page.game.scores[seat],
            "won": seat in winners,
            "texts": [say(text, page.names) for text in texts],
        }
        for seat, texts in page.engine.presentation.settlement(page.view)
    ]


def _can_step_in(request: HttpRequest, table: Game) -> bool:
    user = request.user
    if not isinstance(user, User) or table.status != Game.Status.RUNNING:
        return False
    return user.is_staff or table.host_id == user.pk


def _rematch(request: HttpRequest, table: Game) -> Game | None:
    """The table of the next game, where this reader may see it."""
    again = table.rematches.exclude(status=Game.Status.ABORTED).first()
    if again is None or not selectors.may_see(request.user, again):
        return None
    return again


# -- before the start ----------------------------------------------------------------


def _waiting_room(request: HttpRequest, table: Game) -> HttpResponse:
    user = request.user
    seats = list(table.seats.all())
    rows = rows_of(table, seats, reader_id(user))
    me = next((row for row in rows if row.is_me), None)
    is_host = isinstance(user, User) and table.host_id == user.pk
    context = {
        "game": table,
        "game_title": say(GAMES[table.kind].title),
        "chairs": _chairs(table, seats, rows),
        "rows": rows,
        "row_me": me,
        "is_host": is_host,
        "free_seats": table.seat_count - len(rows),
        "can_start": len(rows) > 1,
        "options": chosen_options(table),
        "invite_url": request.build_absolute_uri(reverse("invitation", args=[table.invite_token])),
        "invite_form": _invite_form(request) if is_host else None,
        "invitations": _invitations(table) if is_host else (),
    }
    return render(request, "games/waiting.html", context)


def _chairs(table: Game, seats: list[Seat], rows: list[Row]) -> list[tuple[int, Row | None]]:
    """(place, who sits there) for all places of the table, free ones with None."""
    taken = {seat.place: row for seat, row in zip(seats, rows, strict=True)}
    return [(place, taken.get(place)) for place in range(table.seat_count)]


def _invite_form(request: HttpRequest) -> InviteForm:
    """The form with the address that was refused before, if there was one."""
    return InviteForm(initial={"address": typed_word(request, "address")})


def _invitations(table: Game) -> list[tuple[Invitation, bool]]:
    """What the host has sent, each with whether mails to that address do not arrive."""
    found = list(table.invitations.order_by("created_at"))
    stopped = selectors.undelivered(invitation.address for invitation in found)
    return [(invitation, invitation.address in stopped) for invitation in found]
