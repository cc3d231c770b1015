"""Answers that need no backend: short pages with an error, in the reader's language."""

import gettext
import html
import os
import re
from collections.abc import Iterator
from functools import cache
from http import HTTPStatus
from pathlib import Path

LOCALE = Path(__file__).resolve().parent.parent / "games" / "locale"


class RequestRefused(Exception):
    """An answer that needs no backend."""

    def __init__(self, status: int) -> None:
        self.status = status


def refusal(status: int, languages: str) -> bytes:
    """A whole response with a short page, in the first known language of `languages`.

    languages: an Accept-Language header.
    """
    language = next((code for code in _codes(languages) if code in ("en", *_translated())), "")
    page = _page(status, language or os.environ.get("LANGUAGE_CODE", "en"))
    head = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Content-Type: text/html; charset=utf-8",
        f"Content-Length: {len(page)}",
        "Cache-Control: no-store",
        "Content-Security-Policy: default-src 'none'",
        "Vary: Accept-Language",
        "Connection: close",
        *(["Retry-After: 5"] if status == 503 else []),
        *(['WWW-Authenticate: Basic realm="webhooks"'] if status == 401 else []),
    ]
    return "\r\n".join([*head, "", ""]).encode() + page


def _codes(languages: str) -> Iterator[str]:
    return (word[:2] for word in re.findall(r"[a-z]{2}", languages[:200].lower()))


@cache
def _translated() -> tuple[str, ...]:
    return tuple(path.parent.parent.name for path in LOCALE.glob("*/LC_MESSAGES/django.mo"))


@cache
def _page(status: int, language: str) -> bytes:
    _ = gettext.translation("django", LOCALE, [language], fallback=True).gettext
    match status:
        case 503:
            title = _("The service is busy")
            text = _(
                "Go back and try again in a few seconds: what you entered is still in your browser."
            )
        case 408:
            title = _("The connection was too slow")
            text = _("Your request did not arrive completely, and nothing was changed. Try again.")
        case 413:
            title = _("That’s too large")
            text = _(
                "Your request was larger than this site accepts, and nothing was changed. Go back "
                "and send less: a shorter text, or an email without attachments."
            )
        case _:
            title = _("That wasn’t understood")
            text = _("Your browser sent something that this site does not understand.")
    title, text = html.escape(title), html.escape(text)
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n'
        f"<h1>{title}</h1>\n<p>{text}</p>\n</html>\n"
    ).encode()
