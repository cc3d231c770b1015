"""Boards as PNG for mails: opaque, sharp, readable and light."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from django.template import Context, Template
from PIL import Image

from games.pictures import rasterize
from games.rules import GAMES
from games.rules.atlantis import ATLANTIS as GAME
from games.rules.atlantis.model import View
from games.rules.atlantis.svg import icon_svg

from .rules.atlantis.scenes import SCENES, middle, middle_moves

HEAVIEST = 120_000  # bytes: a mail carries one board


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png))


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES.keys())
def test_a_board_is_an_opaque_picture_of_double_width_and_modest_weight(
    scene: Callable[[], View],
) -> None:
    png = rasterize.svg_to_png(GAME.board_svg(scene(), None, middle_moves()))
    picture = opened(png)
    assert picture.format == "PNG"
    assert picture.width == 2 * rasterize.WIDTH
    assert picture.mode == "P"
    assert "transparency" not in picture.info
    assert len(png) <= HEAVIEST


def test_the_same_board_is_the_same_picture() -> None:
    svg = GAME.board_svg(middle(), None, middle_moves())
    assert rasterize.svg_to_png(svg) == rasterize.svg_to_png(svg)


def test_text_is_really_drawn() -> None:
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" font-size="14"'
    words = f'{head} font-family="{rasterize.FONT_FAMILY}"><text y="15">27</text></svg>'
    drawn = opened(rasterize.svg_to_png(words, width=40)).convert("L")
    dark = sum(drawn.histogram()[:100])
    assert dark > 100


def test_the_paper_shows_where_the_drawing_leaves_it_free() -> None:
    png = rasterize.svg_to_png(icon_svg("flag"), width=30, paper="#102030")
    assert opened(png).convert("RGB").getpixel((0, 59)) == (0x10, 0x20, 0x30)


def test_what_is_no_drawing_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown token"):
        rasterize.svg_to_png("a board")


def test_the_font_comes_with_its_licence_and_for_the_web_too() -> None:
    fonts = Path(rasterize.FONT).parent
    assert "SIL OPEN FONT LICENSE" in (fonts / "OFL.txt").read_text()
    assert (fonts / "atlantis-board.woff2").stat().st_size < 5_000


def test_a_page_draws_icons_by_their_names() -> None:
    page = Template('{% load games %}{% icon game "card-ring" %}')
    game = GAMES["atlantis"]
    assert page.render(Context({"game": game})) == game.presentation.icon_svg("card-ring")
