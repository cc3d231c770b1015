"""Pictures of boards: miniatures, previews of links (Open Graph), examples, scenery.

The scenery of each board is a file that browsers keep: pages show it as an image. After a change of
the drawings or of their dark colours, `manage.py scenery` writes the files.
"""

import hashlib
import re
from functools import cache, lru_cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from games import selectors, services
from games.models import Game
from games.rules import GAMES, examples
from games.rules.chance import IdentityChance
from games.rules.drawing import Drawing, scenery_svg
from games.selectors import TablePage
from games.translate import say

from .middleware import client_address

NO_ANSWERS = ("typed", "log", "details")  # fields of an address that answer no question

PREVIEW_PIXELS = 1_000_000
DAY = 24 * 3600

STATIC = Path(__file__).parent.parent / "static"
_COLOUR = re.compile(r"(--b-[\w-]+): light-dark\([^,]+, ([^)]+)\)")
_RULE = re.compile(r"^([^{}@/]+) \{\s*(fill|stroke): var\((--b-[\w-]+)\);", re.MULTILINE)
_CLASS = re.compile(r"\.(?:board, \.example\) \.)?([\w-]+(?: path)?)(?=,|$)", re.MULTILINE)
_CLASSES = re.compile(r'class="([^"]*)"')


def answers_of(request: HttpRequest) -> dict[str, list[str]]:
    """The answers of the move form in the address."""
    return {name: values for name, values in request.GET.lists() if name not in NO_ANSWERS}


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
    style = _dark_style(_drawn_classes(svg))
    svg = svg.replace("</svg>", f"<style>{style}</style></svg>")
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


def example_url(kind: str) -> str:
    """The absolute address of the picture that others show beside a link to a table that is not
    open to all: an example, which says nothing about the table."""
    return f"{settings.SITE_URL}{reverse('example_png', args=[kind])}"


@require_safe
@cache_control(public=True, max_age=DAY)
def example_png(request: HttpRequest, kind: str) -> HttpResponse:
    """The board in the middle of a game."""
    if kind not in GAMES:
        raise Http404
    return HttpResponse(_example_png(kind), content_type="image/png")


@cache
def _example_png(kind: str) -> bytes:
    from games.pictures import compositor  # needed by few processes

    drawing = GAMES[kind].presentation.draw(examples.view(kind))
    return compositor.render_png(drawing, pixels=PREVIEW_PIXELS)


def example_board(kind: str, *, prefix: str = "") -> SafeString:
    """A board in the middle of a game as SVG, in the active language, for the welcome page and the
    pages of rules; that of the setup for a game without a record.

    prefix: of the ids, where several boards share a page.
    """
    return _board(kind, get_language() or "", prefix)


@lru_cache(maxsize=16)
def _board(kind: str, _language: str, prefix: str) -> SafeString:
    # Drawn by the game, without any user's text in it.
    svg = GAMES[kind].board_svg(examples.view(kind), translate=say, prefix=prefix)
    return mark_safe(svg)  # noqa: S308  # our own SVG


def path_of(kind: str) -> str:
    """The path of the file below the folder of static files."""
    return f"games/scenery-{kind}.svg"


@cache
def scenery_url(kind: str) -> str:
    """The address of the file; "" for a game that has none."""
    return static(path_of(kind)) if finders.find(path_of(kind)) else ""


def scenery_files() -> dict[str, str]:
    """path → content of the files of all games whose boards have scenery."""
    files = {}
    for kind, engine in GAMES.items():
        state = engine.fold(engine.setup({}, engine.seats[0], IdentityChance()))
        drawing = engine.presentation.draw(engine.rules.view(state, None))
        if drawing.scenery:
            style = _dark_style(_drawn_classes(scenery_svg(drawing, "")))
            files[path_of(kind)] = scenery_svg(drawing, style) + "\n"
    return files


def _drawn_classes(svg: str) -> frozenset[str]:
    """The classes of the elements of this drawing."""
    return frozenset(name for names in _CLASSES.findall(svg) for name in names.split())


@lru_cache(maxsize=64)
def _dark_style(classes: frozenset[str]) -> str:
    """The dark colours of these classes, from the style sheet of boards."""
    sheet = (STATIC / "games" / "board.css").read_text(encoding="utf-8")
    colours = dict(_COLOUR.findall(sheet))
    rules = [
        f".{name}{{{what}:{colours[variable]}}}"
        for selectors, what, variable in _RULE.findall(sheet)
        for name in _CLASS.findall(selectors)
        if name.split()[0] in classes
    ]
    return f"@media(prefers-color-scheme:dark){{{''.join(rules)}}}"
