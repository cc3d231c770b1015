"""Outlines of choices stand out from any background, in light and dark mode."""

from io import BytesIO

import pytest
from PIL import Image

from games.models import User
from tests.factories import play_turns, table_of
from tests.support.escape_games import escape_table
from tests.support.lengths import by_length

from .people import Enter, table

LEAST = 3.0  # contrast of an outline with what is inside it (WCAG 1.4.11)
NEAR = 4  # pixels around a point of an outline
# Points of every outline, each with one further inside.
POINTS = """[...document.querySelectorAll('#board a.target:not(.idle) .halo')].flatMap((halo) => {
    if (!halo.getTotalLength) return []
    const at = halo.getScreenCTM(), box = halo.getBBox(), length = halo.getTotalLength()
    const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(at)
    return [0.1, 0.35, 0.6, 0.85].map((part) => {
        const point = halo.getPointAtLength(part * length)
        const edge = new DOMPoint(point.x, point.y).matrixTransform(at)
        const inner = { x: edge.x + (middle.x - edge.x) * 0.35, y: edge.y + (middle.y - edge.y) * 0.35 }
        return [edge.x, edge.y, inner.x, inner.y].map(Math.round)
    })
})"""


def luminance(pixel: tuple[int, ...]) -> float:
    parts = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in pixel[:3]]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "scheme"),
    [
        ("atlantis", "light"),
        ("escape", "dark"),
        *by_length((), (("atlantis", "dark"), ("escape", "light"))),
    ],
)
def test_every_outline_has_enough_contrast(
    enter: Enter, alice: User, bob: User, kind: str, scheme: str
) -> None:
    game = play_turns(table_of(alice, bob), 6) if kind == "atlantis" else escape_table(alice, bob)
    page = enter(alice, color_scheme=scheme, viewport={"width": 1400, "height": 1000})
    query = "" if kind == "atlantis" else "?value=1"
    page.goto(table(game, query))
    points = page.evaluate(POINTS)
    picture = Image.open(BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    seen = 0
    for x, y, inner_x, inner_y in points:
        if not (NEAR <= x < picture.width - NEAR and NEAR <= y < picture.height - NEAR):
            continue
        inside = picture.getpixel((inner_x, inner_y))
        around = [
            picture.getpixel((x + dx, y + dy))
            for dx in range(-NEAR, NEAR + 1)
            for dy in range(-NEAR, NEAR + 1)
        ]
        assert max(contrast(pixel, inside) for pixel in around) >= LEAST, (x, y)  # type: ignore[arg-type]
        seen += 1
    assert seen > 8
