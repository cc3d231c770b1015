"""Requests that the front refuses by itself: the short pages that say so, in the reader's language,
and the limits on requests with a large body, which only providers of email may send.

Only a webhook takes a large body, and only with a provider's secret in the head. It waits for room
in memory, of which each network has a share: strangers can neither take it nor keep it taken.
"""

import asyncio
import base64
import gettext
import hmac
import html
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path

from atlantis_site.connections import network_of

LOCALE = Path(__file__).resolve().parent.parent / "games" / "locale"
WEBHOOKS = b"/anymail/"
# Amazon SNS sends the secret only after it was asked for it.
ASKED_FOR_SECRET = b"/anymail/amazon_ses/"


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


@dataclass(frozen=True)
class Share:
    """Room that is reserved for one body."""

    network: str
    size: int


class LargeBodies:
    """The room of all large bodies. Its methods are for one event loop."""

    def __init__(
        self,
        secrets: Sequence[str] = (),
        *,
        trust_proxy: bool = False,
        room: int = 64 * 1024 * 1024,
        network_room: int = 32 * 1024 * 1024,
        seconds: float = 20,
    ) -> None:
        """secrets: "user:password" of providers. trust_proxy: whether X-Forwarded-For names the
        client. room, network_room: bytes of all bodies, and of those from one network. seconds: how
        long a body waits."""
        self.trust_proxy = trust_proxy
        self._secrets = [secret.encode() for secret in secrets]
        self._room, self._network_room, self._seconds = room, network_room, seconds
        self._taken: Counter[str] = Counter()
        self._freed = asyncio.Event()

    def check(self, path: bytes, authorization: bytes) -> None:
        """Raise RequestRefused unless a request with this head may have a large body."""
        if path.startswith(ASKED_FOR_SECRET) and not authorization and self._secrets:
            raise RequestRefused(401)
        if not path.startswith(WEBHOOKS) or not self._is_secret(authorization):
            raise RequestRefused(413)

    def _is_secret(self, authorization: bytes) -> bool:
        kind, _space, value = authorization.partition(b" ")
        try:
            given = base64.b64decode(value) if kind.lower() == b"basic" else b""
        except ValueError:
            return False
        return any(hmac.compare_digest(given, secret) for secret in self._secrets)

    async def reserve(self, peer: str, forwarded: str, size: int) -> Share:
        """Wait until there is room for this many bytes, and take it.

        RequestRefused after `seconds`. forwarded: all fields X-Forwarded-For.
        """
        network = network_of(peer, forwarded, self.trust_proxy)
        try:
            async with asyncio.timeout(self._seconds):
                while (
                    self._taken.total() + size > self._room
                    or self._taken[network] + size > self._network_room
                ):
                    await self._freed.wait()
        except TimeoutError:
            raise RequestRefused(503) from None
        self._taken[network] += size
        return Share(network, size)

    def free(self, share: Share) -> None:
        """Give the room back."""
        self._taken[share.network] -= share.size
        self._taken += Counter()  # forgets networks that have nothing
        self._freed.set()
        self._freed = asyncio.Event()
