"""What a reader of a table can do about missed deadlines."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from games import selectors
from games.models import Game, User
from games.selectors import TablePage


def offers(request: HttpRequest, page: TablePage) -> dict[str, Any]:
    """For the template of the table: what the reader may do now."""
    user, game = request.user, page.game
    can_take_back = _can_take_back(user, page)
    return {
        # The former player of a seat can take it back, and takes over no other.
        **({} if can_take_back else _open_seats(request, page)),
        "can_call_host": _can_call_host(user, page),
        "excusable": _excusable(user, page),
        "can_step_in": _can_step_in(user, game) and any(seat.overdue for seat in page.seats),
        "can_take_back": can_take_back,
        "others_can_take_it": game.timeout_policy == Game.TimeoutPolicy.OPEN,
    }


def _can_take_back(user: selectors.Reader, page: TablePage) -> bool:
    lost = page.viewer is None and any(seat.is_bot for seat in page.seats)
    return lost and selectors.can_take_back(user, page.game)


def _open_seats(request: HttpRequest, page: TablePage) -> dict[str, Any]:
    """The seats that others may take over, whether the reader may, and the link for others."""
    seats = selectors.open_seats(page.game)
    if not seats:
        return {}
    link = reverse("invitation", args=[page.game.invite_token])
    can = page.viewer is None and selectors.may_take_over(request.user, page.game)
    return {
        "open_seats": seats,
        "can_take_over": can,
        "invite_url": request.build_absolute_uri(link) if page.viewer is not None else "",
    }


def _can_call_host(user: object, page: TablePage) -> bool:
    """Whether the reader waits for a late player and is neither that player nor the host."""
    if page.viewer is None or not isinstance(user, User) or page.game.host_id == user.pk:
        return False
    late = [seat for seat in page.seats if seat.overdue]
    return (
        page.game.status == Game.Status.RUNNING
        and bool(late)
        and all(seat.number != page.viewer and seat.user_id != page.game.host_id for seat in late)
    )


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
