"""Log lines without secrets: tokens in URLs, email addresses, and values of rows.

Every process of the service formats its log with ScrubbingFormatter, whatever wrote the line. A
segment of a path is a key if it is long and has a digit, or if it follows one of SECRET_PATHS.
"""

from __future__ import annotations

import logging
import re

# What precedes a token in a URL, and the rest of such a URL up to its end.
SECRET_PATHS = (
    *("t", "i", "reply", "mail/off", "mail/off/kind", "mail/never"),
    *("accounts/confirm-email", "accounts/password/reset/key", "accounts/not-me"),
)
HIDDEN = "…"

_TOKEN = re.compile(rf"/({'|'.join(SECRET_PATHS)})/(?!kind/)[^/\s?#'\"]+")
_LONG_SEGMENT = re.compile(r"/(?=[\w:=-]*\d)[\w:=-]{20,}(?=[/?\s'\"]|$)", re.MULTILINE)
_ADDRESS = re.compile(r"[^\s<>\"'(),;:\[\]/=]+@[\w-]+(?:\.[\w-]+)+")
# PostgreSQL repeats values of rows in its details, and of the statement in excerpts. psycopg puts
# both into the text of its errors, after a line break that `repr` writes as \n.
_LATER_LINE = (
    r"(?:CONTEXT|HINT|QUERY|WHERE|SCHEMA NAME|Traceback|The above exception|During handling)"
)
_DETAIL = re.compile(
    rf"^(DETAIL|LINE \d+):.*?(?=\n{_LATER_LINE}|\n\n|\Z)", re.MULTILINE | re.DOTALL
)
_DETAIL_IN_REPR = re.compile(r"\\n(DETAIL|LINE \d+):[^\n]*")
_INPUT = re.compile(r"(invalid input (?:syntax|value)[^:\n]*: )\"[^\n]*\"")


def scrub(text: str) -> str:
    """The text of a log record without secrets."""
    text = _TOKEN.sub(rf"/\1/{HIDDEN}", text)
    text = _LONG_SEGMENT.sub(f"/{HIDDEN}", text)
    text = _DETAIL.sub(rf"\1: {HIDDEN}", text)
    text = _DETAIL_IN_REPR.sub(rf"\\n\1: {HIDDEN}", text)
    text = _INPUT.sub(rf'\1"{HIDDEN}"', text)
    return _ADDRESS.sub(f"{HIDDEN}@{HIDDEN}", text)


class ScrubbingFormatter(logging.Formatter):
    """Formats a record, with its traceback, and hides the secrets in it."""

    def format(self, record: logging.LogRecord) -> str:
        return scrub(super().format(record))


def configure() -> None:
    """Log to standard error, for a process that has no Django."""
    handler = logging.StreamHandler()
    handler.setFormatter(ScrubbingFormatter("{levelname} {name}: {message}", style="{"))
    logging.basicConfig(handlers=[handler], level=logging.INFO)
