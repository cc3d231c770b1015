"""Find the colours of a game's pictures: `python -m tests.programs.board_palettes atlantis`.

Prints a palette for the module `svg/board.py` of the game, made from boards of whole games, and
the sizes of some of these boards with it.
"""

import argparse
from collections import Counter

from PIL import Image, ImageColor

from games.pictures.compositor import compose
from games.pictures.rasterize import palette_of, palette_png
from games.rules import GAMES
from tests.pictures.boards import boards

SHEET = 200_000  # pixels of the picture from which Pillow finds the colours


def palette(pictures: list[Image.Image], exact: tuple[str, ...], size: int) -> tuple[str, ...]:
    """These exact colours, and those that come closest to the others in the pictures."""
    seen: Counter[tuple[int, int, int]] = Counter()
    for picture in pictures:
        for count, colour in picture.getcolors(1 << 24) or []:
            assert isinstance(colour, tuple)
            seen[colour[0], colour[1], colour[2]] += count
    # The root, so that the small things that people look for count beside the sea.
    weights = {colour: count**0.5 for colour, count in seen.items() if count > 2}
    share = SHEET / sum(weights.values())
    dots = [colour for colour, weight in weights.items() for _dot in range(round(weight * share))]
    sheet = Image.new("RGB", (len(dots), 1))
    sheet.putdata(dots)
    found = sheet.quantize(size - len(exact), method=Image.Quantize.MEDIANCUT, kmeans=4)
    values = found.getpalette("RGB") or []
    more = {
        "#{:02x}{:02x}{:02x}".format(*values[at : at + 3])
        for at in range(0, 3 * (size - len(exact)), 3)
    }
    return (*exact, *sorted(more - set(exact), key=ImageColor.getrgb))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=sorted(GAMES))
    parser.add_argument("exact", nargs="*", metavar="#rrggbb", help="a colour that must stay")
    parser.add_argument("--colours", type=int, default=44, help="of the palette")
    args = parser.parse_args()
    kind, exact = args.game, tuple(args.exact)
    drawings = [
        drawing
        for seats in GAMES[kind].seats
        for luck in (b"1" * 32, b"2" * 32)
        for _view, drawing in list(boards(kind, seats, luck))[::9]
    ]
    pictures = [compose(drawing) for drawing in drawings]
    colours = palette(pictures, exact, args.colours)
    for at in range(0, len(colours), 8):
        print("    " + " ".join(f'"{colour}",' for colour in colours[at : at + 8]))
    sizes = [len(palette_png(picture, palette_of(colours))) for picture in pictures]
    print(f"{len(sizes)} boards, {sum(sizes) / len(sizes):,.0f} bytes, at most {max(sizes):,}")


if __name__ == "__main__":
    main()
