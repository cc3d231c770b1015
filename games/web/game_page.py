"""The page of a game: board, move form, log and past positions; see `lobby` before the start."""

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
from games.models import MAX_TALK, Game, User, seat_names
from games.rules import GAMES
from games.rules.contract import Event
from games.rules.errors import MoveError
from games.selectors import TablePage
from games.translate import join_names, say

from . import boards, lobby, page_stamps, presenters, results, talk, turn_scope
from .boards import answers_of
from .decorators import discard_saved_form, post_action, save_form, saved_value, sign_in_url
from .forms import PlayForm
from .middleware import client_address
from .turn_scope import with_turn_scope

MOST_LINES = 12  # of the log at first, …
MOST_FRESH_LINES = 40  # … or so many since the reader's last move


def _game_for(request: HttpRequest, public_id: str) -> Game:
    game = selectors.game_for(turn_scope.player(request), public_id)
    request.game = game  # type: ignore[attr-defined]  # for context_processors.Waiting
    return game


def _note_presence(request: HttpRequest, game: Game) -> None:
    """Note that a player has the table open: emails about the turn that they see here wait."""
    reader = turn_scope.player(request)
    if isinstance(reader, User):
        services.table_seen(user=reader, game=game)


@with_turn_scope
@require_safe
def game(request: HttpRequest, public_id: str) -> HttpResponse:
    """The current position, or the lobby of a game that has not started."""
    scope = turn_scope.of(request)
    if scope is not None and not scope.is_open and not scope.game.is_open:
        return turn_scope.over_page(request, scope)
    try:
        game = _game_for(request, public_id)
    except selectors.NotFound:
        if request.user.is_authenticated:
            raise
        # The reader may only have to sign in. Does not reveal whether the game exists.
        return redirect_to_login(request.get_full_path())
    _note_presence(request, game)
    if game.status == Game.Status.GATHERING or game.started_at is None:
        return lobby.waiting_page(request, game)
    return _render_position(request, selectors.table_page(game, turn_scope.player(request)))


@with_turn_scope
@require_safe
def version(request: HttpRequest, public_id: str) -> HttpResponse:
    """The stamp by which an open page learns that it is out of date; see games.web.page_stamps."""
    game = _game_for(request, public_id)
    _note_presence(request, game)
    return page_stamps.answer(selectors.table_stamp(game, request.user), _stream(request, game))


@with_turn_scope
@require_safe
def position(request: HttpRequest, public_id: str, seq: int) -> HttpResponse:
    """The position after event `seq`."""
    page = selectors.position_at(_game_for(request, public_id), turn_scope.player(request), seq)
    return _render_position(request, page, past=True)


@with_turn_scope
def play(request: HttpRequest, public_id: str) -> HttpResponse:
    """Make the submitted move. An error shows the page again with answers and note kept."""
    scope = turn_scope.of(request)
    if scope is None or request.method != "POST":
        return post_action(_play)(request, public_id)
    return _play(request, public_id) if scope.is_open else redirect("game", public_id)


def _play(request: HttpRequest, public_id: str) -> HttpResponse:
    user, form, scope = turn_scope.player(request), PlayForm(request.POST), turn_scope.of(request)
    assert isinstance(user, User)
    try:
        game_id, seat = selectors.place_of(user, public_id)
        if not form.is_valid():
            raise services.ServiceError(_("Some answers were missing. Choose your move again."))
        if scope is not None and form.cleaned_data["note"]:
            raise services.ServiceError(_("Sign in to add a note to your move."))
        played = services.game_play_line(game_id=game_id, user=user, seat=seat, **form.cleaned_data)
    except selectors.NotSeated:
        return _render_error(request, public_id, _("You are not a player in this game."), 422)
    except (selectors.NotFound, services.GameMoved):
        return _render_error(request, public_id, services.GameMoved().text, 409)
    except services.ServiceError as error:
        return _render_error(request, public_id, error.text, 422)
    except MoveError as error:
        names = seat_names(_game_for(request, public_id).seat_list)
        return _render_error(request, public_id, say(error.text, names), 422)
    discard_saved_form(request)
    asked_again = seat in played.to_act
    if played.repeated:
        messages.info(request, _("This move had already been made."))
    elif not played.asked:
        messages.success(request, _("Saved. You can change it at any time."))
    else:
        messages.success(request, _("Your move has been made."))
        if played.note_refused:
            messages.warning(request, played.note_refused)
        if asked_again and scope is None:  # The next question follows from what happened.
            messages.info(request, _summary(_game_for(request, public_id), seat, played.events))
    return redirect(reverse("game", args=[public_id]) + ("#orders" if asked_again else ""))


def _summary(game: Game, seat: int, events: Sequence[Event]) -> str:
    """The events of a move in sentences, as its player may read them."""
    engine, names = GAMES[game.kind], seat_names(game.seat_list)
    texts = engine.presentation.sentences([engine.rules.visible(event, seat) for event in events])
    return " ".join(say(text, names) for text in texts if text is not None)


def _render_error(request: HttpRequest, public_id: str, problem: str, status: int) -> HttpResponse:
    """The current position with the error above the form; the answers are in the URL.

    A game that has not started has no position: its lobby shows the error.
    """
    game = _game_for(request, public_id)
    if game.started_at is None:
        messages.error(request, problem)
        return redirect("game", public_id)
    page = selectors.table_page(game, turn_scope.player(request))
    if request.POST.get("note") and turn_scope.of(request) is None:
        save_form(request, reverse("game", args=[public_id]))
    return _render_position(request, page, problem=problem, status=status)


@require_safe
def record(request: HttpRequest, public_id: str) -> HttpResponse:
    """The record of a finished game as a file; see games.rules.records."""
    game = _game_for(request, public_id)
    lines = selectors.record_lines(game)
    person = request.user if isinstance(request.user, User) else None
    services.export_count(person=person, network=client_address(request))
    text = "".join(f"{line}\n" for line in lines)
    response = HttpResponse(text, content_type="application/jsonl; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{game.kind}-{public_id}.jsonl"'
    return response


# -- one position --------------------------------------------------------------------


def _render_position(
    request: HttpRequest,
    page: TablePage,
    *,
    past: bool = False,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    game, engine = page.game, page.engine
    form, line, choices, view = None, "", presenters.BoardChoices(), page.view
    url, answers = reverse("game", args=[game.public_id]), {}
    if not past and presenters.accepts_input(page):
        answers = answers_of(request)
        line = request.GET.get("typed", "")
        form, error = presenters.move_form(page, answers, line)
        problem = problem or error
        choices = presenters.board_choices(form, url, answers)
        view = form.view if form.view is not None else page.view
    rows = presenters.seat_rows(game, page.seats, turn_scope.player(request), page.resigned)
    for row in rows:
        row.view = page.views[row.number] if page.views else page.view
        if past:
            row.name, row.is_bot = page.names[row.number], page.bots[row.number]
    hints = presenters.hints_for(request, page)
    winners = [page.names[number] for number in game.winners or ()]
    context: dict[str, Any] = {
        "game": game,
        "engine": engine,
        "page_url": url,
        "start_url": url,
        "play_url": reverse("play", args=[game.public_id]),
        "choices_url": reverse("choices", args=[game.public_id]),
        "game_title": say(engine.title),
        "page": page,
        "past": past,
        "rows": rows,
        "host_name": presenters.host_name(game),
        "me": page.viewer,
        "scope": turn_scope.of(request),
        "scope_name": _scope_name(request, rows),
        "sign_in": sign_in_url(reverse("game", args=[game.public_id])),
        "over": game.is_over,
        "version": page.version,
        "stamp": selectors.table_stamp(game, request.user),
        **_following(request, game, past=past),
        "bots_to_act": any(row.is_bot and row.to_act for row in rows),
        "view": page.view,
        "board": presenters.board_svg(page, view, choices, form.marks if form else ()),
        "position_text": presenters.position_text(page, view),
        "answered": bool(set(request.GET) - {"log", "details"}),
        "hand": engine.presentation.hand(page.view) if not game.is_over else (),
        "hand_template": select_template([f"games/hands/{game.kind}.html", "games/hands/any.html"]),
        "seats_template": select_template(
            [f"games/seats/{game.kind}.html", "games/seats/any.html"]
        ),
        "steps": _steps(page, past=past),
        "question": presenters.question_text(page) if not past else "",
        "ending": results.ending(page) if not past else "",
        **_log(request, page),
        "form": form,
        "hint": presenters.hint_of(form, hints),
        "hints": hints,
        "undo": presenters.undo_url(form, url, answers),
        "blank": presenters.BLANK,
        "typed": line,
        "problem": problem,
        "note": saved_value(request, "note"),
        "until": saved_value(request, "until"),
        "typed_name": saved_value(request, "display_name"),
        "reason": saved_value(request, "reason"),
        "note_length": MAX_TALK,
        "may_note": isinstance(request.user, User)
        and not selectors.why_no_talk(game, request.user),
        **(talk.of_page(request, game) if not past else {}),
        "query": request.GET.urlencode(),
        "preview": _preview_url(request, page, past=past),
        "preview_text": ", ".join(page.names),
        "winners": winners,
        "winner_names": join_names(winners),
        "settlement": results.settlement(page) if page.is_now or not past else (),
        **(results.statistics(page) if not past else {}),
        "share_url": request.build_absolute_uri(url),
        "options": presenters.option_labels(game),
        "time_control": selectors.time_control_lines(game),
        **(presenters.missed_turn_offers(request, page) if not past else {}),
        **(_rematch(request, page) if game.is_over and not past else {}),
    }
    return render(request, "games/game.html", context, status=status)


def _scope_name(request: HttpRequest, rows: Sequence[presenters.SeatRow]) -> str:
    """Return the name at the table of a reader who came by the link of an email; else ""."""
    scope = turn_scope.of(request)
    if scope is None:
        return ""
    return next((row.name for row in rows if row.user == scope.user), scope.user.name)


def _rematch(request: HttpRequest, page: TablePage) -> dict[str, Any]:
    """The rematch of a game that is over, where the reader can go, or whether they can ask for it;
    for those who have played, also from a seat that they no longer have."""
    rematch, can_ask = selectors.rematch_for(request.user, page.game)
    return {
        "rematch": rematch,
        "can_ask_for_rematch": page.has_played and can_ask,
        "rematch_began": page.has_played and not rematch and not can_ask,
    }


def _following(request: HttpRequest, game: Game, *, past: bool) -> dict[str, Any]:
    """Return what the scripts of the page need to keep it current.

    follow: whether to do so. events: the address of the stream of changes, None to poll instead.
    """
    follow = not past and not game.is_over
    return {"follow": follow, "events": _stream(request, game) if follow else None}


def _stream(request: HttpRequest, game: Game) -> str | None:
    """Return the address of the stream of changes.

    The reader of a private table by the link of an email polls: each request checks that the turn
    of the link goes on.
    """
    if turn_scope.of(request) is not None and not game.is_open:
        return None
    return page_stamps.stream_of(request, selectors.table_topics(game, request.user))


def _log(request: HttpRequest, page: TablePage) -> dict[str, Any]:
    """Return the log, newest line first: the last few lines and those since the reader's last move,
    or all of them with `?log=all`.

    details: whether to show the details of the game, with `?details=all`.
    """
    whole = request.GET.get("log") == "all"
    most = len(page.items) if whole else MOST_LINES
    lines = page.newest_lines(most, max(most, MOST_FRESH_LINES))
    earlier = len(lines) < len(page.items)
    if page.seed and lines and page.seed in lines[0].text:
        lines = lines[1:]  # it is folded away beside the record
    return {
        "lines": lines,
        "whole": whole,
        "details": request.GET.get("details") == "all",
        "earlier": earlier,
    }


def _preview_url(request: HttpRequest, page: TablePage, *, past: bool) -> str | None:
    """The picture that shows beside a link to this page: what spectators see of an open game.

    None for those who are signed in: the programs that fetch such pictures are not.
    """
    if not page.game.is_open or request.user.is_authenticated:
        return None
    return boards.preview_url(page.game, page.seq if past else None)


def _steps(page: TablePage, *, past: bool) -> dict[str, Any]:
    """Links to the first, previous, next and current position."""

    def url(seq: int) -> str:
        return reverse("position", args=[page.game.public_id, seq])

    here = max((step for step in page.steps if step <= page.seq), default=0)
    now = reverse("game", args=[page.game.public_id]) if past else None
    return {
        "number": page.steps.index(here) if here else 0,
        "count": max(0, len(page.steps) - 1),
        "first": url(page.steps[0]) if page.earlier else None,
        "back": url(page.earlier) if page.earlier else None,
        "forth": url(page.later) if past and page.later else now,
        "now": now,
        "all": " ".join(map(str, page.steps)),
        "pattern": url(0),
    }
