"""Boards drawn from what was drawn before look like boards drawn whole."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat

from games.pictures import compositor
from games.pictures.compositor import render_png
from games.pictures.rasterize import svg_to_png
from games.rules import GAMES
from games.rules.chance import SeededChance


def board(moves: int, seed: int = 3, *, kind: str = "atlantis") -> str:
    """The board after so many moves of a game of three, the last move marked on it."""
    engine = GAMES[kind]
    luck = bytes([seed]) * 32
    state = engine.fold(engine.setup({}, 3, SeededChance(luck, 1)))
    last: tuple[Any, ...] = ()
    for seq in range(2, moves + 2):
        if engine.rules.outcome(state) is not None:
            break
        seat = engine.rules.to_act(state)[0]
        command = engine.bot.choose(engine.rules.view(state, seat))
        last = engine.rules.decide(state, seat, command, SeededChance(luck, seq))
        state = engine.fold(last, state)
    return engine.board_svg(engine.rules.view(state, 0), recent=last)


def picture(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def difference(one: bytes, other: bytes) -> tuple[float, float]:
    """(mean difference of a channel, share of pixels that differ clearly), at half of the size:
    half a pixel of one that is twice as large is not to be seen."""
    small = [picture(png).reduce(4) for png in (one, other)]
    found = ImageChops.difference(*small).convert("L")
    histogram = found.histogram()
    return ImageStat.Stat(found).mean[0], sum(histogram[48:]) / sum(histogram)


@pytest.mark.parametrize("kind", sorted(GAMES))
@pytest.mark.parametrize("moves", [0, 9, 25, 90])
def test_it_is_the_picture_that_resvg_draws_of_the_whole(kind: str, moves: int) -> None:
    svg = board(moves, kind=kind)
    mean, clearly = difference(render_png(svg), svg_to_png(svg))
    assert mean < 3
    assert clearly < 0.004


def test_another_board_is_another_picture() -> None:
    """So that the test above is known to look: one move apart is clearly seen."""
    assert difference(render_png(board(9)), svg_to_png(board(10)))[1] > 0.004


def test_what_was_drawn_before_leaves_no_trace_in_the_bytes() -> None:
    for cached in (compositor._placed, compositor._sprite, compositor._scenery):
        cached.cache_clear()
    fresh = render_png(board(12))
    render_png(board(30, seed=8))
    render_png(board(5, seed=9))
    assert render_png(board(12)) == fresh


def test_a_board_that_was_painted_is_not_drawn_again() -> None:
    render_png(board(12))
    before = compositor._sprite.cache_info().misses
    render_png(board(12))
    assert compositor._sprite.cache_info().misses == before


def test_most_of_a_new_board_was_drawn_before() -> None:
    for seed in range(12):
        render_png(board(8, seed=seed))
    before = compositor._sprite.cache_info()
    render_png(board(8, seed=99))
    after = compositor._sprite.cache_info()
    assert after.misses - before.misses < (after.hits - before.hits) / 2


def test_a_board_that_begins_elsewhere_than_at_nothing_is_not_shifted() -> None:
    piece = '<g id="piece-1"><g transform="translate(10 10)"><rect width="20" height="20"/></g></g>'
    fixed = '<path id="mark-1" d="M-20-20h10v10h-10z"/>'
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-50 -50 100 100">'
        f'<path d="M-50-50h100v100h-100z" fill="#ccc"/>{piece}{fixed}</svg>'
    )
    mean, clearly = difference(render_png(svg, width=100), svg_to_png(svg, width=100))
    assert (round(mean), clearly) == (0, 0)


@pytest.mark.parametrize("svg", ["", "words", "<svg>", "<svg></svg>", "<svg viewBox='x'></svg>"])
def test_what_is_no_board_is_refused(svg: str) -> None:
    with pytest.raises(ValueError, match=r"whole SVG|how large"):
        render_png(svg)
