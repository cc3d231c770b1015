"""The addresses of players' pages: signed, so that nobody can go through all numbers."""

import base64
import binascii
from functools import lru_cache

from django.core.signing import BadSignature, Signer
from django.urls import reverse

from games.models import User

_SALT = "games.web.players"


def player_url(user: User) -> str:
    """The address of the page of this player."""
    return _url(user.pk)


def player_key(user: User) -> str:
    """What the address of this player's page ends in."""
    key = base64.urlsafe_b64encode(Signer(salt=_SALT).sign(str(user.pk)).encode())
    return key.decode().rstrip("=")


@lru_cache(maxsize=4096)  # a page may link to hundreds of players, and most of them again
def _url(pk: int) -> str:
    return reverse("player", args=[player_key(User(pk=pk))])


def player_of(key: str) -> User | None:
    """The player with this address; None for a forged one, and where the account is gone."""
    try:
        signed = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4)).decode()
        pk = int(Signer(salt=_SALT).unsign(signed))
    except (BadSignature, ValueError, binascii.Error):
        return None
    return User.objects.filter(pk=pk, is_active=True).first()
