"""Writing on pieces: names and numbers that read over anything."""

from __future__ import annotations

from .geometry import num


def name_tag(name: str, x: float, y: float, size: float) -> str:
    """The name of a piece, light with a dark rim."""
    across = f' x="{num(x)}"' if x else ""
    return (
        f'<text class="who"{across} y="{num(y)}" font-size="{num(size)}" fill="#fffdf5" stroke="#1c2a33" '
        f'stroke-width="1.8" paint-order="stroke" stroke-linejoin="round">{name}</text>'
    )


def number_tag(number: int, x: float, y: float) -> str:
    """A number on a small disc of paper."""
    return (
        f'<circle class="b-badge" cx="{num(x)}" cy="{num(y)}" r="4.3" fill="#fffaf0" stroke="#2c2418" stroke-width=".7"/>'
        f'<text class="value" x="{num(x)}" y="{num(y + 2.5)}" font-size="7" fill="#2c2418">{number}</text>'
    )
