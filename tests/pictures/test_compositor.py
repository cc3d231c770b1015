"""Boards composed of cached sprites look like boards that resvg draws whole."""

import io
from itertools import islice

import msgspec
import pytest
from PIL import Image, ImageChops, ImageColor, ImageStat

from games.pictures import compositor
from games.pictures.compositor import (
    DETAIL_SCALE,
    PIXELS_WITH_DETAILS,
    Sprite,
    SpriteCache,
    compose,
    render_png,
    render_pngs,
)
from games.pictures.rasterize import PAPER, rasterize
from games.rules import GAMES
from games.rules.drawing import Box, Drawing, Element, board_svg, elements_svg
from tests.pictures.boards import board_after, boards
from tests.support.lengths import by_length


def whole(drawing: Drawing) -> Image.Image:
    """Return the drawing painted by resvg at once, as wide as the compositor's picture."""
    return rasterize(board_svg(drawing), large(drawing).width, PAPER).convert("RGB")


def large(drawing: Drawing) -> Image.Image:
    """The compositor's picture, about 800 pixels wide."""
    return compose(drawing, pixels=800 * 1024)


def picture(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def difference(one: Image.Image, other: Image.Image) -> tuple[float, float]:
    """(mean difference of a channel, share of pixels that differ clearly), at a quarter of the
    size: half a pixel of one that is larger is not to be seen."""
    small = [image.reduce(4) for image in (one, other)]
    found = ImageChops.difference(*small).convert("L")
    histogram = found.histogram()
    return ImageStat.Stat(found).mean[0], sum(histogram[48:]) / sum(histogram)


@pytest.mark.long
@pytest.mark.parametrize("kind", sorted(GAMES))
@pytest.mark.parametrize("moves", by_length([90], [0, 9, 25, 90]))
def test_it_is_the_picture_that_resvg_draws_of_the_whole(kind: str, moves: int) -> None:
    drawing = board_after(moves, kind=kind)
    mean, clearly = difference(large(drawing), whole(drawing))
    assert mean < 3
    assert clearly < 0.004


@pytest.mark.parametrize("kind", sorted(GAMES))
@pytest.mark.parametrize("moves", [9, 90])
def test_the_palette_of_a_game_keeps_its_colours(kind: str, moves: int) -> None:
    drawing = board_after(moves, kind=kind)
    png = render_png(drawing)
    mean, clearly = difference(picture(png), compose(drawing))
    assert mean < 5
    assert clearly < 0.002
    if drawing.palette:  # else the picture has a palette of its own
        assert Image.open(io.BytesIO(png)).getpalette() == [
            value for colour in drawing.palette for value in ImageColor.getrgb(colour)
        ]


@pytest.mark.parametrize(
    ("kind", "seats", "seed", "moves"),
    [("atlantis", 2, 1, 0), ("atlantis", 4, 11, 19), ("escape", 2, 1, 0), ("escape", 4, 2, 75)],
)
def test_a_board_in_an_email_has_at_most_60_kb(
    kind: str, seats: int, seed: int, moves: int
) -> None:
    """At the start, and the fullest of many games: four players, and the way of each of them."""
    _view, drawing = next(islice(boards(kind, seats, bytes([seed]) * 32), moves, None))
    assert len(render_png(drawing)) < 60_000


@pytest.mark.parametrize("seat_colour", ["#0072b2", "#d55e00", "#f0e442", "#000000"])
@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_the_colours_of_the_players_are_exact(kind: str, seat_colour: str) -> None:
    assert seat_colour in board_after(0, kind=kind).palette


def test_the_comparison_sees_a_single_move() -> None:
    assert difference(large(board_after(9)), whole(board_after(10)))[1] > 0.004


def test_the_cache_leaves_no_trace_in_the_bytes() -> None:
    compositor.sprites.clear()
    fresh = render_png(board_after(12))
    render_png(board_after(30, seed=8))
    render_png(board_after(5, seed=9))
    assert render_png(board_after(12)) == fresh


def test_a_board_that_was_drawn_is_not_drawn_again() -> None:
    render_png(board_after(12))
    before = compositor.sprites.misses
    render_png(board_after(12))
    assert compositor.sprites.misses == before


@pytest.mark.parametrize("kind", ["atlantis", "escape"])
def test_a_new_board_draws_few_fragments_and_each_of_them_once(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(12):
        render_png(board_after(30, seed=seed, kind=kind))
    areas = []

    def count(svg: str, width: int) -> Image.Image:
        image = rasterize(svg, width)
        areas.append(image.width * image.height)
        return image

    monkeypatch.setattr(compositor, "rasterize", count)
    before = compositor.sprites.misses
    drawing = board_after(30, seed=99, kind=kind)
    png = render_png(drawing)
    assert len(areas) == compositor.sprites.misses - before
    assert len(areas) < sum(len(element.fragments) for element in drawing.elements) / 3
    assert sum(areas) < picture(png).width * picture(png).height


def test_the_cache_is_bounded_by_memory() -> None:
    cache = SpriteCache(limit=250)

    def sprite(side: int) -> Sprite:
        return Sprite(Image.new("RGB", (side, side)), None, 0, 0)

    for name in "abc":
        cache.get(name, lambda: sprite(10))
    assert cache.pixels == 200
    cache.get("b", lambda: pytest.fail("b was used recently"))
    cache.get("d", lambda: None)
    cache.get("e", lambda: sprite(11))
    cache.get("b", lambda: pytest.fail("b was used more recently than c"))
    cache.get("f", lambda: sprite(99))
    assert cache.pixels == 0


@pytest.mark.parametrize("kind", sorted(GAMES))
def test_no_fragment_reaches_out_of_its_box(kind: str) -> None:
    """Otherwise it would be cut off in emails, but not on pages."""
    drawings = [board_after(moves, kind=kind) for moves in (0, 40, 90)]
    definitions = drawings[0].definitions
    for element in {element for drawing in drawings for element in drawing.elements}:
        left, top, wide, high = element.box
        roomy = (left - 20, top - 20, wide + 40, high + 40)
        body = elements_svg([msgspec.structs.replace(element, x=0, y=0)])
        if (sprite := compositor._draw(body, roomy, 1, definitions)) is not None:
            assert left <= sprite.left and sprite.left + sprite.colours.width <= left + wide, body
            assert top <= sprite.top and sprite.top + sprite.colours.height <= top + high, body


def test_a_board_that_begins_elsewhere_than_at_zero_is_not_shifted() -> None:
    drawing = Drawing(
        css="",
        viewbox=(-50, -50, 100, 100),
        title="",
        description="",
        definitions=(),
        scenery=(Element(('<path d="M-50-50h100v100h-100z" fill="#ccc"/>',)),),
        elements=(
            Element(('<rect width="20" height="20"/>',), 10, 10),
            Element(('<path d="M-20-20h10v10h-10z"/>',)),
        ),
    )
    mean, clearly = difference(compose(drawing, pixels=40_000), whole(drawing).resize((200, 200)))
    assert (round(mean), clearly) == (0, 0)


@pytest.mark.parametrize("part", [(104, 80, 176, 224), (224, 160, 176, 144)])
def test_a_detail_is_a_part_of_the_board_beside_it(part: Box) -> None:
    drawing = board_after(90, kind="escape")
    board, detail = map(picture, render_pngs(drawing, PIXELS_WITH_DETAILS, (part,)))
    left, top = round(part[0] * DETAIL_SCALE), round(part[1] * DETAIL_SCALE)
    same = board.crop((left, top, left + detail.width, top + detail.height))
    assert detail.width == round(part[2] * DETAIL_SCALE)
    assert ImageChops.difference(detail, same).getbbox() is None


def test_a_detail_of_a_smaller_board_has_the_same_pixels() -> None:
    drawing, part = board_after(90, kind="escape"), (104, 80, 176, 224)
    beside, alone = (render_pngs(drawing, size, (part,)) for size in (PIXELS_WITH_DETAILS, 88_000))
    assert beside[1] == alone[1] and beside[0] != alone[0]


def test_a_fragment_that_is_not_svg_is_refused() -> None:
    drawing = board_after(0)
    broken = msgspec.structs.replace(drawing, elements=(Element(("<g>",)),))
    with pytest.raises(ValueError, match="expected 'g' tag"):
        render_png(broken)
