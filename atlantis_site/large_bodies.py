"""Limits on requests with a large body, which only providers of email may send.

Only a webhook takes one, and only with a provider's secret in the head. A large body waits for room
in memory, of which each network has a share: strangers can neither take it nor keep it taken.
"""

import asyncio
import base64
import hmac
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from atlantis_site.connections import network_of
from atlantis_site.refusals import RequestRefused

WEBHOOKS = b"/anymail/"
# Amazon SNS sends the secret only after it was asked for it.
ASKED_FOR_SECRET = b"/anymail/amazon_ses/"


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
