"""Boards as pictures of their own: miniatures in lists, and previews of links (Open Graph)."""

import hashlib

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from games import selectors, services
from games.models import Game
from games.rules.drawing import Drawing
from games.selectors import TablePage
from games.translate import say

from .limits import client_address

PREVIEW_PIXELS = 1_000_000
DAY = 24 * 3600


def miniature_url(game: Game) -> str:
    """The address of the present board. It changes with the position, so that it can be cached."""
    return f"{reverse('board_svg', args=[game.public_id])}?v={game.version}"


def preview_url(game: Game, seq: int | None) -> str:
    """The absolute address of the picture that others show beside a link to the game, or to the
    position after event `seq`."""
    words = [game.public_id] if seq is None else [game.public_id, seq]
    name = "board_png" if seq is None else "position_png"
    return f"{settings.SITE_URL}{reverse(name, args=words)}"


def _drawing(page: TablePage) -> Drawing:
    return page.engine.presentation.draw(
        page.view, recent=page.recent, translate=lambda text: say(text, page.names)
    )


@require_safe
@cache_control(private=True, max_age=DAY)
def board_svg(request: HttpRequest, public_id: str) -> HttpResponse:
    """The present board as this reader may see it. The session is part of what caches go by."""
    request.session.get("_")  # Vary: Cookie, also for spectators
    game = selectors.game_for(request.user, public_id)
    if game.started_at is None:
        raise Http404
    page = selectors.table_page(game, request.user)
    svg = page.engine.board_svg(
        page.view, recent=page.recent, translate=lambda text: say(text, page.names)
    )
    return HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")


@require_safe
def board_png(request: HttpRequest, public_id: str, seq: int | None = None) -> HttpResponse:
    """The board of an open game as spectators see it, for players too: links travel."""
    game = selectors.game_for(selectors.NOBODY, public_id)
    if game.started_at is None:
        raise Http404
    if seq is None:
        page = selectors.table_page(game, selectors.NOBODY)
    else:
        page = selectors.position_at(game, selectors.NOBODY, seq)
    drawing = _drawing(page)
    etag = f'"{hashlib.blake2s(repr(drawing).encode(), digest_size=12).hexdigest()}"'
    if request.headers.get("If-None-Match") == etag:
        response = HttpResponse(status=304)
    else:
        services.preview_count(network=client_address(request))
        from games.pictures import compositor  # needed by few processes

        png = compositor.render_png(drawing, pixels=PREVIEW_PIXELS)
        response = HttpResponse(png, content_type="image/png")
    response["ETag"] = etag
    response["Cache-Control"] = f"public, max-age={DAY if game.is_over or seq else 600}"
    return response
