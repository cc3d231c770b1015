"""Boards as PNG for emails: opaque, sharp, readable and light."""

import io
import unicodedata
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from django.template import Context, Template
from PIL import Image, ImageFont

from games.pictures import rasterize
from games.pictures.compositor import render_png
from games.rules import GAMES
from games.rules.atlantis import ATLANTIS as GAME
from games.rules.atlantis.model import View
from games.rules.atlantis.svg import icon_svg
from games.rules.atlantis.svg.board import NUMBERS
from games.rules.atlantis.svg.geometry import WIDTH
from games.rules.drawing import ROOT_ATTRIBUTES
from tests.rules.atlantis.scenes import SCENES, middle, middle_moves

HEAVIEST = 70_000  # bytes: an email carries one board


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png))


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES.keys())
def test_a_board_is_an_opaque_picture_of_modest_weight(scene: Callable[[], View]) -> None:
    png = render_png(GAME.presentation.draw(scene(), None, middle_moves()))
    picture = opened(png)
    assert picture.format == "PNG"
    assert picture.width > 500
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


def text_png(text: str) -> bytes:
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 20" font-size="14"'
    return rasterize.svg_to_png(
        f'{head} {ROOT_ATTRIBUTES}><text x="150" y="15">{escape(text)}</text></svg>'
    )


def test_a_name_keeps_all_its_letters() -> None:
    name = "Jürgen Łukasz Élodie Weiß Ελένη Иван Αλέξανδρος Юлія Őz d_42 & … ●"
    whole = text_png(name)
    for place, letter in enumerate(name):
        if letter != " ":
            assert text_png(name[:place] + "\ue000" + name[place + 1 :]) != whole, letter
    blank = text_png(" ")
    assert [letter for letter in sorted(set(name)) if text_png(letter) == blank] == [" "]


@pytest.mark.parametrize(
    ("first", "last"),
    [("A", "ɏ"), ("Ͱ", "Ͽ"), ("Ѐ", "ԣ"), ("Ḁ", "ỹ"), ("ἀ", "ῼ")],
    ids=["Latin", "Greek", "Cyrillic", "Latin with two accents", "ancient Greek"],
)
def test_the_font_has_all_letters_of_european_names(first: str, last: str) -> None:
    font = ImageFont.truetype(rasterize.NAMES_FONT, 20)
    missing = bytes(font.getmask("\ue000"))
    letters = [chr(code) for code in range(ord(first), ord(last) + 1)]
    assert not [
        letter
        for letter in letters
        if unicodedata.category(letter).startswith("L") and bytes(font.getmask(letter)) == missing
    ]


def test_a_board_needs_no_letters_of_the_second_font(monkeypatch: pytest.MonkeyPatch) -> None:
    svg = GAME.board_svg(middle(), None, middle_moves())
    with_names = rasterize.svg_to_png(svg)
    monkeypatch.setattr(rasterize, "FONTS", [rasterize.FONT])
    assert rasterize.svg_to_png(svg) == with_names


def test_the_paper_shows_where_the_drawing_leaves_it_free() -> None:
    png = rasterize.svg_to_png(icon_svg("flag"), width=30, paper="#102030")
    assert opened(png).convert("RGB").getpixel((0, 59)) == (0x10, 0x20, 0x30)


def test_what_is_no_drawing_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown token"):
        rasterize.svg_to_png("a board")


def test_the_font_comes_with_its_licence_and_for_the_web_too() -> None:
    fonts = Path(rasterize.FONT).parent
    assert "SIL OPEN FONT LICENSE" in (fonts / "OFL.txt").read_text()
    assert "Bitstream Vera" in (fonts / "DEJAVU-LICENSE.txt").read_text()
    assert (fonts / "atlantis-board.woff2").stat().st_size < 5_000


def test_a_page_draws_icons_by_their_names() -> None:
    page = Template('{% load games %}{% icon game "card-ring" %}')
    game = GAMES["atlantis"]
    assert page.render(Context({"game": game})) == game.presentation.icon_svg("card-ring")


def test_the_digits_of_space_numbers_are_ten_pixels_high_in_an_email_on_a_phone() -> None:
    pixels = 20  # for each unit of the drawing
    heights = []
    for digit in "0123456789":
        attributes = f'{ROOT_ATTRIBUTES} {NUMBERS} style="stroke:none"'
        svg = (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">'
            f'<text x="20" y="30" {attributes}>{digit}</text></svg>'
        )
        picture = opened(rasterize.svg_to_png(svg, width=40 * pixels, paper="#000000"))
        box = picture.convert("L").point(lambda value: 255 * (value > 128)).getbbox()
        assert box is not None
        heights.append((box[3] - box[1]) / picture.width * 40)
    on_phone = 306 / WIDTH
    assert min(heights) * on_phone >= 10
