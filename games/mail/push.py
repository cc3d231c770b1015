"""Web Push: encrypt a short message for a browser (RFC 8291) and hand it to its push service (RFC
8030).

Endpoints come from users, so nothing else than a push service must be reached by them: https at a
host in PUSH_HOSTS with a public address, which is checked when we connect, without redirects, and
within a total time limit.
"""

import base64
import hashlib
import ipaddress
import json
import secrets
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from enum import Enum
from functools import cache
from http.client import HTTPException, HTTPResponse
from urllib.parse import urlsplit

import dns.exception
import dns.resolver
import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.db.models import Q
from django.http.request import validate_host
from django.utils import timezone
from py_vapid import Vapid02

from games.models import Game, PushDevice, database_clock, keyed_digest

MOST_ENDPOINT = 1000  # characters
LIFE_SECONDS = 24 * 3600  # for which a push service keeps a message for a device that is off
CONNECT_SECONDS = 4.0
TOTAL_SECONDS = 10.0
TOKEN_SECONDS = 3600
PATIENCE = timedelta(days=7)  # for a device that is refused: our clock or the service may be wrong
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of the curve P-256


class PushResult(Enum):
    """The outcome of a message."""

    TAKEN = "taken"
    GONE = "gone"  # the device has unsubscribed
    REFUSED = "refused"  # the push service does not let us send to this device
    FAILED = "failed"


class BadEndpoint(ValueError):
    """This is not the address of a push service."""


# -- keys --------------------------------------------------------------------------------------


@cache
def _server_key() -> ec.EllipticCurvePrivateKey:
    """Our key (VAPID, RFC 8292). It follows from DATA_KEY: when that changes, devices subscribe
    anew."""
    number = int.from_bytes(
        b"".join(keyed_digest(f"games.mail.push.{part}", "vapid") for part in (1, 2))
    )
    return ec.derive_private_key(number % (_ORDER - 1) + 1, ec.SECP256R1())


def public_key() -> str:
    """The key that browsers subscribe with, base64url."""
    point = _server_key().public_key()
    return _encoded(point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check(endpoint: str, p256dh: str, auth: str) -> None:
    """BadEndpoint unless these can be a browser's address and keys."""
    _target(endpoint)
    try:
        point, secret = _decoded(p256dh), _decoded(auth)
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError as error:
        raise BadEndpoint("the keys are not valid") from error
    if len(secret) != 16 or len(point) != 65:
        raise BadEndpoint("the keys are not valid")


def digest(endpoint: str) -> str:
    """The lookup key of a device."""
    return hashlib.sha256(endpoint.encode()).hexdigest()


# -- messages of the outbox --------------------------------------------------------------------


def message_of(game: Game, subject: str, sentence: str) -> bytes:
    """The notification about a game, as JSON: the subject of the email, why it is sent, and
    where it leads."""
    path = f"/g/{game.public_id}/"
    message = {"title": subject[:200], "body": sentence, "tag": path, "url": f"{path}#orders"}
    return json.dumps(message).encode()


def send_all(devices: list[PushDevice], message: bytes, topic: str) -> dict[int, PushResult]:
    """Hand the message to the push service of each device; outcomes by the device's key."""
    return {device.pk: send(device, message, topic) for device in devices}


def forget_devices(found: Mapping[int, PushResult]) -> None:
    """Forget the devices that are gone, and those that have been refused for a week without a
    message that was taken. found: the outcome by the device's key."""
    now, devices = database_clock.now(), PushDevice.objects
    gone, refused, taken = (
        [key for key, outcome in found.items() if outcome == wanted]
        for wanted in (PushResult.GONE, PushResult.REFUSED, PushResult.TAKEN)
    )
    is_over = Q(pk__in=refused, refused_since__lte=now - PATIENCE)
    devices.filter(Q(pk__in=gone) | is_over).delete()
    devices.filter(pk__in=refused, refused_since=None).update(refused_since=now)
    devices.filter(pk__in=taken, refused_since__isnull=False).update(refused_since=None)


def send(device: PushDevice, message: bytes, topic: str) -> PushResult:
    """Hand one message to a push service.

    topic: a message that has not arrived yet is replaced by a later one of the same topic.
    """
    try:
        host, port, path = _target(device.endpoint)
        body = http_ece.encrypt(
            message,
            salt=secrets.token_bytes(16),
            private_key=ec.generate_private_key(ec.SECP256R1()),
            dh=_decoded(device.p256dh),
            auth_secret=_decoded(device.auth),
            version="aes128gcm",
        )
        status = _post(host, port, path, _headers(device.endpoint, topic, len(body)), body)
    except (OSError, HTTPException, ValueError, http_ece.ECEException, dns.exception.DNSException):
        return PushResult.FAILED
    if status in (404, 410):
        return PushResult.GONE
    if status in (401, 403):
        return PushResult.REFUSED
    return PushResult.TAKEN if 200 <= status < 300 else PushResult.FAILED


def _headers(endpoint: str, topic: str, length: int) -> dict[str, str]:
    parts = urlsplit(endpoint)
    contact = settings.MAIL_FROM.rpartition("<")[2].rstrip(">")
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int(timezone.now().timestamp()) + TOKEN_SECONDS,
        "sub": f"mailto:{contact}",
    }
    signed: dict[str, str] = Vapid02(private_key=_server_key()).sign(claims)
    return signed | {
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "Content-Length": str(length),
        "TTL": str(LIFE_SECONDS),
        "Topic": topic,
        "Urgency": "normal",
        "Connection": "close",
    }


# -- the connection ----------------------------------------------------------------------------


def _target(endpoint: str) -> tuple[str, int, str]:
    """(host, port, path with query) of an endpoint; BadEndpoint."""
    if len(endpoint) > MOST_ENDPOINT or not endpoint.isascii() or not endpoint.isprintable():
        raise BadEndpoint("the address is not valid")
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port or 443
    except ValueError as error:
        raise BadEndpoint("the address is not valid") from error
    if parts.scheme != "https" or not host or parts.username is not None or " " in endpoint:
        raise BadEndpoint("the address must be https")
    if port != 443 and not settings.PUSH_ALLOW_LOOPBACK:
        raise BadEndpoint("the address must be at port 443")
    if _is_address(host):
        _require_public(host)
    if not (_is_known(host) or (settings.PUSH_ALLOW_LOOPBACK and _is_address(host))):
        raise BadEndpoint("the host is not in PUSH_HOSTS")
    return host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _is_known(host: str) -> bool:
    return validate_host(host, settings.PUSH_HOSTS)


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
        raise BadEndpoint("the address is not public")


def _addresses(host: str) -> list[str]:
    """The public IP addresses of a host; BadEndpoint if it has others as well."""
    found = [host]
    if not _is_address(host):
        found = list(dns.resolver.resolve_name(host, lifetime=CONNECT_SECONDS).addresses())
    for address in found:
        _require_public(address)
    return found


def _post(host: str, port: int, path: str, headers: dict[str, str], body: bytes) -> int:
    """The status of the answer. Connects to the very address that was checked."""
    address = _addresses(host)[0]
    name = f"[{host}]" if ":" in host else host
    lines = [f"POST {path} HTTP/1.1", f"Host: {name if port == 443 else f'{name}:{port}'}"]
    lines += [f"{key}: {value}" for key, value in headers.items()]
    request = "\r\n".join([*lines, "", ""]).encode("ascii") + body
    context = ssl.create_default_context()
    plain = socket.create_connection((address, port), timeout=CONNECT_SECONDS)
    with context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False) as stream:
        # A limit on each read would not end an answer that comes drop by drop.
        end = threading.Timer(TOTAL_SECONDS, _shut, [stream])
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
