"""A board of plain text as a picture, for games that draw nothing."""

from xml.sax.saxutils import escape

from .drawing import Drawing, Element

LINE, COLUMN, MARGIN = 16, 7.5, 8  # units
LEAST_WIDTH = 360


def draw(text: str) -> Drawing:
    """The lines of a text, in the bundled font."""
    lines = text.rstrip("\n").split("\n")
    width = max(LEAST_WIDTH, 2 * MARGIN + COLUMN * max(map(len, lines)))
    height = 2 * MARGIN + LINE * len(lines)
    return Drawing(
        css="board-text",
        viewbox=(0, 0, width, height),
        title=lines[0],
        description=text,
        definitions=(),
        scenery=(),
        elements=tuple(
            Element(
                (f'<text xml:space="preserve">{escape(line)}</text>',),
                x=MARGIN,
                y=MARGIN + LINE * number + 12,
                box=(0, -LINE, width, 2 * LINE),
                group='font-size="12" fill="#222" text-anchor="start"',
            )
            for number, line in enumerate(lines)
        ),
    )
