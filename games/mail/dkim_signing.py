"""DKIM signatures (RFC 6376) of our own, for a service whose mail server does not sign.

The key is in the settings; `manage.py make_dkim_key` makes one.
"""

import base64
import binascii
import re
from functools import lru_cache
from typing import NamedTuple

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

BITS = 2048  # of a new key; longer ones do not fit into what every verifier reads
LEAST_BITS = 1024  # RFC 8301: verifiers ignore shorter keys

# A header that is named here and absent from the email cannot be added on the way, nor a second
# From. List-Unsubscribe-Post counts only if it is signed (RFC 8058).
HEADERS = (
    "from",
    "from",
    "to",
    "subject",
    "date",
    "message-id",
    "in-reply-to",
    "references",
    "reply-to",
    "mime-version",
    "content-type",
    "list-id",
    "list-unsubscribe",
    "list-unsubscribe-post",
    "auto-submitted",
    "feedback-id",
)

_SELECTOR = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


class Key(NamedTuple):
    """A key of this service. pem: the private key as dkimpy reads it. public: the value of p= in
    its DNS record."""

    pem: bytes
    public: str
    bits: int


def sign(email: bytes) -> bytes:
    """The email with a signature before it; unchanged if no key is set.

    email: its final bytes, with CRLF at the end of each line.
    """
    if not settings.DKIM_PRIVATE_KEY:
        return email
    import dkim  # only processes that send need it

    signature: bytes = dkim.sign(
        email,
        settings.DKIM_SELECTOR.encode(),
        settings.DKIM_DOMAIN.encode(),
        read_key(settings.DKIM_PRIVATE_KEY).pem,
        canonicalize=(b"relaxed", b"relaxed"),
        include_headers=[name.encode() for name in HEADERS],
        linesep=b"\r\n",
    )
    return signature + email


@lru_cache(maxsize=2)
def read_key(text: str) -> Key:
    """The key of the setting: base64 of DER on one line, or PEM. ValueError says what is wrong."""
    try:
        if "-----" in text:
            found = serialization.load_pem_private_key(text.strip().encode(), None)
        else:
            found = serialization.load_der_private_key(base64.b64decode(text, validate=True), None)
    except (ValueError, TypeError, binascii.Error) as error:
        raise ValueError("it is neither base64 of a DER key nor PEM without a password") from error
    if not isinstance(found, rsa.RSAPrivateKey):
        raise ValueError("it is no RSA key")
    if found.key_size < LEAST_BITS:
        raise ValueError(f"it has {found.key_size} bits, and at least {LEAST_BITS} are needed")
    return _key(found)


def new_key() -> tuple[Key, str]:
    """(a new key, its text for the setting)."""
    made = rsa.generate_private_key(public_exponent=65537, key_size=BITS)
    der = made.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return _key(made), base64.b64encode(der).decode()


def _key(found: rsa.RSAPrivateKey) -> Key:
    pem = found.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    public = found.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return Key(pem, base64.b64encode(public).decode(), found.key_size)


def record_name(selector: str, domain: str) -> str:
    """The name of the DNS record of a key."""
    return f"{selector}._domainkey.{domain}"


def record_text(key: Key) -> str:
    """The text of its TXT record."""
    return f"v=DKIM1; k=rsa; p={key.public}"


def is_selector(name: str) -> bool:
    """Whether this can be the name of a key."""
    return _SELECTOR.fullmatch(name) is not None


def check_setting() -> None:
    """ImproperlyConfigured if the settings of DKIM are incomplete or wrong."""
    selector = settings.DKIM_SELECTOR
    if selector and not is_selector(selector):
        raise ImproperlyConfigured(
            f"DKIM_SELECTOR is {selector!r}: use letters, digits and hyphens."
        )
    if not settings.DKIM_PRIVATE_KEY:
        return  # the selector is that of the provider, which signs
    if not (selector and settings.DKIM_DOMAIN):
        raise ImproperlyConfigured(
            "DKIM_PRIVATE_KEY needs DKIM_SELECTOR, the name of the key in the DNS. "
            "`manage.py make_dkim_key` prints both."
        )
    try:
        read_key(settings.DKIM_PRIVATE_KEY)
    except ValueError as error:
        raise ImproperlyConfigured(f"DKIM_PRIVATE_KEY cannot be used: {error}.") from None
