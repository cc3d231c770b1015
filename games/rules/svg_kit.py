"""The common base of all drawings: short numbers, art files, tags, the frame of an icon."""

from collections.abc import Callable
from functools import cache, lru_cache
from importlib.resources import files

Point = tuple[float, float]

# The bundled font, then fonts that look like it. Icons and boards inherit these attributes.
ROOT_ATTRIBUTES = (
    'font-family="Atlantis Board,Cabin,Trebuchet MS,sans-serif" font-weight="700" '
    'text-anchor="middle"'
)


@lru_cache(maxsize=8192)
def num(value: float) -> str:
    """A number in the short form of SVG: one decimal, no superfluous zero."""
    text = f"{value:.1f}".removesuffix(".0")
    if text == "-0":
        return "0"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def pair(x: float, y: float) -> str:
    """Two numbers; a minus sign separates them without a space."""
    return f"{num(x)} {num(y)}".replace(" -", "-")


def path(data: str, fill: str = "none", **attributes: object) -> str:
    """A <path>; `stroke_width=2` becomes the attribute stroke-width, `class_` class."""
    return f'<path d="{data}" fill="{fill}"{_written(attributes)}/>'


def group(content: str, transform: str = "", **attributes: object) -> str:
    """A <g> with this transform and these attributes."""
    own = f' transform="{transform}"' if transform else ""
    return f"<g{own}{_written(attributes)}>{content}</g>"


def _written(attributes: dict[str, object]) -> str:
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{num(value) if isinstance(value, float) else value}"'
        for name, value in attributes.items()
    )


def use(name: str) -> str:
    """A reference to a definition of the drawing."""
    return f'<use href="#{name}"/>'


def text(content: object, x: float, y: float, **attributes: object) -> str:
    """A <text>; the caller has escaped the content."""
    place = (f' x="{num(x)}"' if x else "") + (f' y="{num(y)}"' if y else "")
    return f"<text{place}{_written(attributes)}>{content}</text>"


def art_of(package: str) -> Callable[[str], str]:
    """A function that reads <package>/art/<name>.svg once and returns what its <svg> contains."""
    folder = files(package) / "art"

    @cache
    def art(name: str) -> str:
        svg = (folder / f"{name}.svg").read_text(encoding="utf-8")
        content = svg.partition("<svg")[2].partition(">")[2].rpartition("</svg>")[0]
        return " ".join(content.split()).replace("> <", "><")

    return art


def icon(css: str, box: tuple[float, ...], content: str) -> str:
    """A picture of one thing, hidden from screen readers: the words beside it name the thing.

    Its width and height are those of the viewBox; a style sheet may say otherwise.
    """
    left, top, width, height = (f"{side:g}" for side in box)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{css}" '
        f'viewBox="{left} {top} {width} {height}" width="{width}" height="{height}" '
        f'{ROOT_ATTRIBUTES} aria-hidden="true" focusable="false">{content}</svg>'
    )
