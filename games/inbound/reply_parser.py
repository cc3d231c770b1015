"""Finds the writer's own text in an email, as blocks. Pure: no database, no settings."""

import re
import unicodedata
from enum import Enum, auto
from itertools import islice

import msgspec

from . import blocks, quote_stripping
from .blocks import LONGEST, Block
from .html_text import Page
from .mime import ParsedMail

MARGIN = 64  # a mail program broke a line to which the next word does not fit within this

_INVISIBLE = dict.fromkeys(
    map(
        ord,
        "\u00ad\u200b\u200c\u200d\u2060\ufeff"
        "\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069",  # of direction
    )
)
# Letters under combining strokes, as phone keyboards and web pages strike out text.
_STRUCK = re.compile("[^\n][\u0334-\u0338\u20d2\u20d3\u20e5\u20e6\u20eb]+")
# Two patterns: one for both would look for the signature anew from each beginning of a message.
_SIGNED = re.compile(
    r"^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\n(?:[A-Za-z-]+:[^\n]*\n)*[ \t]*\n", re.MULTILINE
)
_SIGNATURE = re.compile(
    r"^-----BEGIN PGP SIGNATURE-----.*?(?:^-----END PGP SIGNATURE-----[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_ENCRYPTED = re.compile(r"\A\s*-----BEGIN PGP MESSAGE-----")
_LINK = re.compile(r"<(?:https?|mailto):[^\s<>]*>")
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2007": " ", "\t": " ", "\u2028": "\n"})


class Problem(Enum):
    """The reason why an email cannot be read.

    DIFFERS: its plain text and its HTML begin with different own words. STYLED: its formatting may
    hide or strike out some of the first own line. UNREADABLE: it takes too much time or memory, or
    nests too deeply. CUT: its text was too long to be stored.
    """

    ENCRYPTED = auto()
    DIFFERS = auto()
    STYLED = auto()
    UNREADABLE = auto()
    CUT = auto()


class Reply(msgspec.Struct, frozen=True):
    """The writer's own text in blocks.

    is_long: there was more text than a message may have. is_reaction: it is an emoji that a mail
    program sent for a click. problem: why nobody knows what the writer wrote, if so.
    """

    blocks: tuple[Block, ...] = ()
    is_long: bool = False
    is_reaction: bool = False
    problem: Problem | None = None

    @property
    def text(self) -> list[str]:
        """The lines of text, with an empty one between blocks."""
        texts = (["", *block.lines] for block in self.blocks if block.kind == "text")
        return [line for lines in texts for line in lines][1:]

    @property
    def line(self) -> str:
        """The first own line, or ""."""
        return next(iter(self.text), "")


def written(text: str) -> Reply:
    """A reply that consists of this text."""
    return _reply(quote_stripping.trimmed(text.split("\n")), "")


def read(mail: ParsedMail) -> Reply:
    """The own text of the writer of this email: the plain text, as far as the HTML shows it too."""
    if mail.reaction:
        return msgspec.structs.replace(written(mail.reaction), is_reaction=True)
    if mail.is_encrypted or _ENCRYPTED.search(mail.plain or ""):
        return Reply(problem=Problem.ENCRYPTED)
    if mail.is_cut:
        return Reply(problem=Problem.CUT)
    plain = quote_stripping.own_lines(_plain_lines(mail))
    if not mail.html:
        return _reply(plain, mail.first("from"))
    return _read_both(mail, plain, Page(mail.html))


def _read_both(mail: ParsedMail, plain: list[str], page: Page) -> Reply:
    """plain: the own lines of the plain text."""
    author = mail.first("from")
    shown = _html_lines(page)
    with_doubtful = _html_lines(page, doubtful=True) if page.leaves_out else shown
    if _first(shown) != _first(with_doubtful):
        return Reply(problem=Problem.STYLED)
    if not (mail.plain or "").strip():
        return _reply(shown, author)
    if _begin_alike(plain, shown):
        is_broken = len(_words([_first(plain)])) < len(_words([_first(shown)]))
        return _reply(shown if is_broken else plain, author)
    for struck, hidden in ((True, False), (True, True)):
        if page.leaves_out and _begin_alike(plain, _html_lines(page, struck=struck, hidden=hidden)):
            return _reply(shown, author)  # the plain text was made from the HTML without its styles
    return msgspec.structs.replace(_reply(plain, author), problem=Problem.DIFFERS)


def _first(own: list[str]) -> str:
    return _unbroken(own)[0] if own else ""


def _reply(own: list[str], author: str) -> Reply:
    if not own:
        return Reply()
    first, rest = _unbroken(own)
    found, is_long = blocks.split([first, *rest], author)
    return Reply(found, is_long)


def _plain_lines(mail: ParsedMail) -> list[str]:
    lines = _clean(_unsigned(mail.plain or "")).split("\n")
    return _unfold(lines, delsp=mail.delsp) if mail.flowed else lines


def _unsigned(text: str) -> str:
    """The text without the lines of a clear signature (RFC 9580, 7), which covers all of it."""
    begin = _SIGNED.search(text)
    signature = _SIGNATURE.search(text, begin.end()) if begin is not None else None
    if begin is None or signature is None:
        return text
    inner = re.sub(r"(?m)^- ", "", text[begin.end() : signature.start()])
    return f"{text[: begin.start()]}{inner}{text[signature.end() :]}"


def _html_lines(
    page: Page, *, doubtful: bool = False, struck: bool = False, hidden: bool = False
) -> list[str]:
    lines = page.lines(doubtful=doubtful, struck=struck, hidden=hidden)
    first = islice(lines, quote_stripping.MOST_LINES)
    return quote_stripping.own_lines([_clean(line) for line in first])


def _begin_alike(plain: list[str], html: list[str]) -> bool:
    """Return whether both begin with the same line of words, wherever a program broke it."""
    if not plain or not html:
        return not plain and not html
    first, words = _words(html[:1]), _words(plain)
    if not first or not words:
        return first == words
    own = _words(plain[:1])
    return words[: len(first)] == first and _words(html)[: len(own)] == own


def _words(lines: list[str]) -> list[str]:
    text = _LINK.sub(" ", " ".join(lines[:40])[: LONGEST * 2])
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


def _clean(text: str) -> str:
    """The text with ordinary spaces, without struck, invisible and control characters."""
    text = _STRUCK.sub("", text).translate(_INVISIBLE).translate(_SPACES)
    return "".join(
        char if char == "\n" or unicodedata.category(char) != "Cc" else " " for char in text
    )


def _unfold(lines: list[str], *, delsp: bool) -> list[str]:
    """Joins the paragraphs that format=flowed (RFC 3676) has broken."""
    found: list[str] = []
    open_depth: str | None = None  # the quote marks of a paragraph that goes on
    for line in lines:
        text = line.lstrip(">")
        depth = line[: len(line) - len(text)]
        text = text.removeprefix(" ")
        goes_on = text.endswith(" ") and text != "-- "
        if open_depth == depth and text != "-- ":
            found[-1] = (found[-1][:-1] if delsp else found[-1]) + text
        else:
            found.append(f"{depth} {text}" if depth else text)
        open_depth = depth if goes_on else None
    return found


def _unbroken(own: list[str]) -> tuple[str, list[str]]:
    """(the first line, the others); joins lines that a mail program broke at its margin."""
    first, rest = own[0], own[1:]
    width = len(first)
    while rest and rest[0] and width > MARGIN // 2 and width + 1 + len(rest[0].split()[0]) > MARGIN:
        width = len(rest[0])
        first = f"{first} {rest.pop(0)}"
    return first, rest
