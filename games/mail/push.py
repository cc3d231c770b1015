"""Web Push: encrypt a short message for a browser (RFC 8291) and hand it to its push service (RFC
8030).

Endpoints come from users: `guarded_post` sends nothing but to push services.
"""

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping
from datetime import timedelta
from enum import Enum
from functools import cache
from urllib.parse import urlsplit

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from py_vapid import Vapid02

from games.models import Game, PushDevice, database_clock, keyed_digest

from . import guarded_post

LIFE_SECONDS = 24 * 3600  # for which a push service keeps a message for a device that is off
TOKEN_SECONDS = 3600
PATIENCE = timedelta(days=7)  # for a device that is refused: our clock or the service may be wrong
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of the curve P-256


class PushResult(Enum):
    """The outcome of a message."""

    TAKEN = "taken"
    GONE = "gone"  # the device has unsubscribed
    REFUSED = "refused"  # the push service does not let us send to this device
    FAILED = "failed"


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
    """BadAddress unless these can be a browser's address and keys."""
    guarded_post.target(endpoint, settings.PUSH_HOSTS)
    try:
        point, secret = _decoded(p256dh), _decoded(auth)
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError as error:
        raise guarded_post.BadAddress("the keys are not valid") from error
    if len(secret) != 16 or len(point) != 65:
        raise guarded_post.BadAddress("the keys are not valid")


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
        body = http_ece.encrypt(
            message,
            salt=secrets.token_bytes(16),
            private_key=ec.generate_private_key(ec.SECP256R1()),
            dh=_decoded(device.p256dh),
            auth_secret=_decoded(device.auth),
            version="aes128gcm",
        )
        headers = _headers(device.endpoint, topic)
    except (ValueError, http_ece.ECEException):
        return PushResult.FAILED
    status = guarded_post.post(device.endpoint, settings.PUSH_HOSTS, headers, body) or 0
    if status in (404, 410):
        return PushResult.GONE
    if status in (401, 403):
        return PushResult.REFUSED
    return PushResult.TAKEN if 200 <= status < 300 else PushResult.FAILED


def _headers(endpoint: str, topic: str) -> dict[str, str]:
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
        "TTL": str(LIFE_SECONDS),
        "Topic": topic,
        "Urgency": "normal",
    }
