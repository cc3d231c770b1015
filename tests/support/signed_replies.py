"""Replies with a DKIM signature of the writer's domain, whose key a name server on loopback has."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dkim
import pytest

from games.inbound import limited_reader
from games.mail import dkim_signing, dns_lookup

from . import name_server

KEY, _TEXT = dkim_signing.new_key()
SELECTOR = "k1"
NAME = f"{SELECTOR}._domainkey.example.org"
SIGNED = [b"from", b"to", b"subject", b"message-id"]

Zone = dict[tuple[str, str], list[str]]


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[Zone]:
    """The zone of the name server that readers ask, with the key of example.org."""
    zone: Zone = {(NAME, "TXT"): [dkim_signing.record_text(KEY)]}
    with name_server.running(zone) as place:
        server = dns_lookup.parse_name_server(place)
        monkeypatch.setattr(limited_reader, "NAME_SERVER", server)
        yield zone
    limited_reader.stop()


class _Signer(dkim.DKIM):  # type: ignore[misc]  # dkimpy has no types
    """Signs with tags that dkimpy would not write."""

    tags: Mapping[bytes, bytes] = {}

    def gen_header(
        self, fields: list[tuple[bytes, bytes]], covered: Sequence[bytes], *more: Any
    ) -> Any:
        fields[:] = [*self.tags.items(), *(pair for pair in fields if pair[0] not in self.tags)]
        if b"h" in self.tags:
            covered = self.tags[b"h"].split(b":")
        return super().gen_header(fields, covered, *more)


def sign(
    raw: bytes,
    *,
    domain: str = "example.org",
    tags: Mapping[bytes, bytes] | None = None,
    **more: Any,
) -> bytes:
    """The email with a signature of this domain above it. tags: in place of those of dkimpy."""
    signer = _Signer(raw)
    signer.tags = tags or {}
    signature: bytes = signer.sign(
        SELECTOR.encode(),
        domain.encode(),
        KEY.pem,
        canonicalize=(b"relaxed", b"relaxed"),
        include_headers=SIGNED,
        **more,
    )
    return signature + raw
