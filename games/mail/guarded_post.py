"""One POST to an address that somebody has given us: of a push service, or of a circle's channel.

Nothing else must be reached by it: https at a known host with a public address, which is checked
when we connect, without redirects, and within a total time limit. The answer is not read beyond its
status.
"""

import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from urllib.parse import urlsplit

import dns.exception
import dns.resolver
from django.conf import settings
from django.http.request import validate_host
from django.utils.translation import gettext as _

from games.translate import join_names

MOST_ADDRESS = 1000  # characters
CONNECT_SECONDS = 4.0
TOTAL_SECONDS = 10.0


class BadAddress(ValueError):
    """This is no address to which we post. Its text says what is wrong."""


def post(address: str, hosts: Sequence[str], headers: Mapping[str, str], body: bytes) -> int | None:
    """The status of the answer; None if there was none, or if we must not connect."""
    try:
        host, port, path = target(address, hosts)
        return _post(host, port, path, headers, body)
    except (OSError, HTTPException, ValueError, dns.exception.DNSException):
        return None


def target(address: str, hosts: Sequence[str]) -> tuple[str, int, str]:
    """(host, port, path with query) of an address; BadAddress. hosts: that are known; one that
    begins with a dot stands for those below it."""
    if len(address) > MOST_ADDRESS or not re.fullmatch("[!-~]*", address):
        raise BadAddress(
            _("This address contains characters that are not allowed in addresses, or is too long.")
        )
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port or 443
    except ValueError as error:
        raise BadAddress(_("Enter a complete address with https.")) from error
    if parts.scheme != "https" or not host or parts.username is not None:
        raise BadAddress(_("Enter a complete address with https."))
    if port != 443 and not settings.PUSH_ALLOW_LOOPBACK:
        raise BadAddress(_("Enter an address without a port."))
    if _is_address(host):
        _require_public(host)
    known = validate_host(host, list(hosts))
    if not (known or (settings.PUSH_ALLOW_LOOPBACK and _is_address(host))):
        known_hosts = {"hosts": join_names(list(hosts))}
        raise BadAddress(_("Enter an address at one of these hosts: %(hosts)s.") % known_hosts)
    return host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _require_public(address: str) -> None:
    found = ipaddress.ip_address(address)
    mapped = getattr(found, "ipv4_mapped", None) or found
    if mapped.is_loopback and settings.PUSH_ALLOW_LOOPBACK:
        return
    if not mapped.is_global or mapped.is_multicast:
        raise BadAddress(_("This address is not public."))


def _addresses(host: str) -> list[str]:
    """The public IP addresses of a host; BadAddress if it has others as well."""
    found = [host]
    if not _is_address(host):
        found = list(dns.resolver.resolve_name(host, lifetime=CONNECT_SECONDS).addresses())
    for address in found:
        _require_public(address)
    return found


def _post(host: str, port: int, path: str, headers: Mapping[str, str], body: bytes) -> int:
    """The status of the answer. Connects to the very address that was checked."""
    until = time.monotonic() + TOTAL_SECONDS
    address = _addresses(host)[0]
    name = f"[{host}]" if ":" in host else host
    lines = [f"POST {path} HTTP/1.1", f"Host: {name if port == 443 else f'{name}:{port}'}"]
    sent = {**headers, "Content-Length": str(len(body)), "Connection": "close"}
    lines += [f"{key}: {value}" for key, value in sent.items()]
    request = "\r\n".join([*lines, "", ""]).encode("ascii") + body
    context = ssl.create_default_context()
    plain = socket.create_connection((address, port), timeout=CONNECT_SECONDS)
    with context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False) as stream:
        # A limit on each read would not end an answer that comes drop by drop.
        end = threading.Timer(max(until - time.monotonic(), 0.0), _shut, [stream])
        end.daemon = True
        end.start()
        try:
            stream.do_handshake()
            stream.sendall(request)
            answer = HTTPResponse(stream, method="POST")
            answer.begin()
            return answer.status
        finally:
            end.cancel()


def _shut(stream: ssl.SSLSocket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(stream, socket.SHUT_RDWR)
