"""Questions to name servers, within a time. No Django: readers of emails ask, too."""

from collections.abc import Callable
from functools import partial
from ipaddress import ip_address

import dns.exception
import dns.resolver

SECONDS = 4.0  # for one answer, with all tries

# (name, record type) → records: whole texts for TXT, "10 host" for MX, names without the last dot.
Lookup = Callable[[str, str], list[str]]
NameServer = tuple[str, int]  # address and port


class DnsUnavailable(Exception):
    """No name server answered, or it answered with an error."""


def parse_name_server(text: str) -> NameServer:
    """Return the address and port of `address`, `address:port` or `[address]:port`; ValueError."""
    host, _, port = text.rpartition(":")
    if not host or (":" in host and host[0] != "["):
        host, port = text, "53"
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        address = None
    if address is None or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"{text!r} is not the address of a name server, such as 192.0.2.1:53")
    return str(address), int(port)


def lookup_at(server: NameServer | None = None, seconds: float | None = None) -> Lookup:
    """Return a lookup function for `server` or this machine's servers.

    A name without records gives []. It raises DnsUnavailable. seconds: for one answer, SECONDS by
    default.
    """
    try:
        resolver = dns.resolver.Resolver(configure=server is None)
    except dns.exception.DNSException as error:
        return partial(_refuse, str(error))
    if server:
        host, resolver.port = server
        resolver.nameservers = [host]
    resolver.lifetime = SECONDS if seconds is None else seconds
    return lambda name, record_type: _lookup(resolver, name, record_type)


def _refuse(reason: str, _name: str, _record_type: str) -> list[str]:
    """Raise DnsUnavailable: this machine has no name server configured."""
    raise DnsUnavailable(reason)


def _lookup(resolver: dns.resolver.Resolver, name: str, record_type: str) -> list[str]:
    try:
        answer = resolver.resolve(name, record_type, raise_on_no_answer=False, search=False)
    except dns.resolver.NXDOMAIN:
        return []
    except (dns.exception.DNSException, OSError) as error:
        raise DnsUnavailable(str(error)) from error
    if record_type == "TXT":
        return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]
    return [record.to_text().removesuffix(".") for record in answer]
