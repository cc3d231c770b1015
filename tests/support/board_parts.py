"""The part of the board that a page shows, and the links to other parts."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit


def shown_part(page: str) -> str:
    """Return the part of the drawing that the page shows."""
    shown: str
    (shown,) = re.findall(r'<svg[^>]*class="board board-\w+" viewBox="([^"]*)"', page)
    return shown


def query_of(page: str, mark: str) -> dict[str, str]:
    """The query behind a board element, as one value for each name."""
    (href,) = re.findall(rf'<a id="{mark}"[^>]*href="([^"]*)"', page)
    url = urlsplit(unescape(href))
    return {name: value for name, (value,) in parse_qs(url.query).items()} | {"#": url.fragment}


def zoom_links(page: str) -> dict[str, str]:
    """Sign → address of the links beside the board."""
    links = r'<a class="step" id="look-\d+" href="([^"]*)" data-fresh[^>]*><span aria-hidden="true">(.)</span>'
    return {sign: unescape(href) for href, sign in re.findall(links, page)}
