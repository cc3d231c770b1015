"""Log lines without secrets: tokens in URLs, email addresses, and values of rows.

Every process of the service formats its log with ScrubbingFormatter, whatever wrote the line. A
segment of a path is a key if it is long and has a digit, or if it follows one of SECRET_PATHS.
"""

import json
import logging
import os
import re
import time
from typing import Any

# The paths that precede a token in a URL.
SECRET_PATHS = (
    "t",
    "i",
    "feed",
    "reply",
    "mail/off",
    "mail/off/kind",
    "mail/never",
    "accounts/confirm-email",
    "accounts/password/reset/key",
    "accounts/not-me",
)
HIDDEN = "…"
# A terminal would obey some of them, and a line break would start another record.
CONTROL_CHARACTERS = {
    **{number: f"\\x{number:02x}" for number in (*range(32), *range(127, 160))},
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "\\t",
}

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
    """Formats a record as a line with its time in UTC, level, logger, and what it was written for,
    and hides the secrets in it.

    Line breaks of the message become "\\n", so that what a client sent cannot pose as another
    record; those of a traceback stay.
    """

    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"
    converter = staticmethod(time.gmtime)

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}{about}: {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # the name of logging
        # The request or task of the line, from games.log_context.ContextFilter.
        names = getattr(record, "context", {}).items()
        record.about = "".join(f" {name}={value}" for name, value in names)
        return scrub(super().formatMessage(record)).translate(CONTROL_CHARACTERS)

    def format(self, record: logging.LogRecord) -> str:
        return scrub(super().format(record))


class JsonFormatter(ScrubbingFormatter):
    """Formats a record as a JSON object on one line: time, level, logger, process, message, what it
    was written for, and the traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": self.formatTime(record),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": scrub(record.getMessage()),
            **getattr(record, "context", {}),
        }
        if record.exc_info:
            entry["traceback"] = scrub(self.formatException(record.exc_info))
        return json.dumps(entry, ensure_ascii=False)


FORMATTERS: dict[str, type[logging.Formatter]] = {"line": ScrubbingFormatter, "json": JsonFormatter}
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
# Requests of strangers that Django, or anymail, refuses and logs as errors, by their exceptions.
REFUSED_REQUESTS = (
    "DisallowedHost",
    "RequestDataTooBig",
    "TooManyFieldsSent",
    "TooManyFilesSent",
    "AnymailWebhookValidationFailure",
)


def logging_settings(format_name: str, level: str) -> dict[str, Any]:
    """Return Django's setting LOGGING. format_name: a key of FORMATTERS."""
    refused = {f"django.security.{name}": {"filters": ["as_warning"]} for name in REFUSED_REQUESTS}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "context": {"()": "games.log_context.ContextFilter"},
            "as_warning": {"()": "games.log_context.AsWarning"},
            "short_refusals": {"()": "games.log_context.ShortRefusals"},
        },
        "formatters": {"scrubbed": {"()": FORMATTERS[format_name]}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "scrubbed",
                "filters": ["context"],
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": "INFO"},
            "django.request": {"filters": ["short_refusals"]},
            **refused,
        },
    }


def formatter() -> logging.Formatter:
    """The formatter that LOG_FORMAT names; lines for other values, which the settings refuse."""
    return FORMATTERS.get(os.environ.get("LOG_FORMAT", "line"), ScrubbingFormatter)()


def configure() -> None:
    """Log to standard error, for a process that has no Django."""
    handler = logging.StreamHandler()
    handler.setFormatter(formatter())
    logging.basicConfig(handlers=[handler], level=logging.INFO)
