"""Digests that are stored, and must stay the same when SECRET_KEY is replaced."""

from django.conf import settings
from django.utils.crypto import salted_hmac


def keyed_digest(purpose: str, value: str) -> bytes:
    """The HMAC-SHA256 of a value under DATA_KEY. purpose: makes the digests of different uses
    differ."""
    return salted_hmac(purpose, value, secret=settings.DATA_KEY, algorithm="sha256").digest()
