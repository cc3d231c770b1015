"""A few turns for visitors: the page of a table without a table.

The address holds the visitor's moves, so nothing is stored; see `games.rules.trial`.
"""

from typing import Any
from urllib.parse import urlencode

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import select_template
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games import services
from games.models import bot_name
from games.rules import GAMES, trial
from games.rules.bots import Level
from games.rules.contract import AnyGame, Event, View
from games.rules.errors import MoveError
from games.rules.trial import VISITOR, Trial
from games.translate import say

from . import boards, choices, presenters
from .decorators import sign_in_url
from .middleware import client_address

FIELD = "m"  # of the address: a move
MOST_QUERY = 2000  # characters of the address


class _Page(msgspec.Struct, frozen=True):
    """The position of the trial, as `presenters.Position` asks for it, and the visitor's moves."""

    trial: Trial
    lines: tuple[str, ...]
    names: tuple[str, ...]
    problem: str = ""
    viewer: int = VISITOR

    @property
    def engine(self) -> AnyGame:
        return self.trial.engine

    @property
    def view(self) -> View:
        return self.trial.view

    @property
    def recent(self) -> tuple[Event, ...]:
        return self.trial.recent

    @property
    def version(self) -> int:
        return self.trial.version

    @property
    def my_turn(self) -> bool:
        return not self.trial.is_over

    @property
    def kept(self) -> list[tuple[str, str]]:
        """The fields of the address that lead to this position."""
        return [(FIELD, line) for line in self.lines]

    def written(self) -> list[tuple[int | None, list[str]]]:
        """(seat, sentences) of each move, the newest first."""
        rules, show = self.engine.rules, self.engine.presentation
        found = []
        for events in reversed(self.trial.moves):
            texts = [text for text in show.sentences(events) if text is not None]
            command = rules.command_of(events[0])
            found.append((command and command[0], [say(text, self.names) for text in texts]))
        return found


def _page(request: HttpRequest, kind: str) -> _Page:
    """The position after the moves in the address, up to the first that cannot be made."""
    if kind not in GAMES or len(request.META["QUERY_STRING"]) > MOST_QUERY:
        raise Http404
    services.trial_count(network=client_address(request))
    names = (_("Guest"), bot_name(1, Level.EASY))
    lines = tuple(request.GET.getlist(FIELD))
    page = _Page(trial.after(kind, ()), (), names)
    for count in range(1, len(lines) + 1):
        if page.trial.is_over:
            break
        try:
            page = _Page(trial.after(kind, lines[:count]), lines[:count], names)
        except MoveError as error:
            return msgspec.structs.replace(page, problem=say(error.text, names))
    return page


def _answers(request: HttpRequest) -> dict[str, list[str]]:
    return {name: each for name, each in boards.answers_of(request).items() if name != FIELD}


@require_safe
def play(request: HttpRequest, kind: str) -> HttpResponse:
    """The position, with the form for the next move."""
    page = _page(request, kind)
    answers, url = _answers(request), reverse("trial", args=[kind])
    kept = {FIELD: list(page.lines)} if page.lines else {}
    form, line, problem = None, "", page.problem
    board, view = presenters.BoardChoices(), page.view
    if page.my_turn:
        line = request.GET.get("typed", "")
        form, error = presenters.move_form(page, answers, line)
        problem = problem or error
        board = presenters.board_choices(form, url, answers, page.kept)
        view = form.view if form.view is not None else view
    hints = presenters.all_hints(page.engine)
    context: dict[str, Any] = {
        "trial": page.trial,
        "page": page,
        "engine": page.engine,
        "game_title": say(page.engine.title),
        "page_url": url,
        "play_url": url,
        "start_url": f"{url}?{urlencode(page.kept)}",
        "choices_url": reverse("trial_choices", args=[kind]),
        "kept": page.kept,
        "rows": _rows(page),
        "view": page.view,
        "board": presenters.board_svg(page, view, board, form.marks if form else ()),
        "position_text": presenters.position_text(page, view),
        "version": page.version,
        "form": form,
        "answered": bool(answers),
        "hand": page.engine.presentation.hand(page.view),
        "hand_template": select_template([f"games/hands/{kind}.html", "games/hands/any.html"]),
        "seats_template": select_template([f"games/seats/{kind}.html", "games/seats/any.html"]),
        "question": presenters.question_text(page),
        "hints": hints,
        "hint": presenters.hint_of(form, hints),
        "undo": presenters.undo_url(form, url, kept | answers),
        "blank": presenters.BLANK,
        "typed": line,
        "problem": problem,
        "moves": page.written(),
        "turn": min(len(page.trial.turns) + 1, trial.TURNS),
        "turns": trial.TURNS,
        "whole_game": sign_in_url(f"{reverse('new_game')}?{urlencode({'game': kind})}"),
    }
    response = render(request, "games/trial.html", context)
    if request.GET:
        response["X-Robots-Tag"] = "noindex, nofollow"  # every choice leads to more addresses
    return response


@require_safe
def look_ahead(request: HttpRequest, kind: str) -> HttpResponse:
    """The choices after the answers in the address, as those of a table."""
    page, found = _page(request, kind), dict[str, Any]()
    if page.my_turn:
        answers = boards.answers_of(request)
        found = choices.choices_json(page, reverse("trial", args=[kind]), answers)
        found["hints"] = presenters.all_hints(page.engine)
    return JsonResponse(found)


def _rows(page: _Page) -> list[presenters.SeatRow]:
    asked = page.engine.rules.to_act(page.trial.state)
    return [
        presenters.SeatRow(
            number=number,
            name=name,
            is_bot=number != page.viewer,
            is_me=number == page.viewer,
            is_host=False,
            to_act=number in asked,
            overdue=False,
            due_at=None,
            score=None,
            view=page.view,
        )
        for number, name in enumerate(page.names)
    ]
