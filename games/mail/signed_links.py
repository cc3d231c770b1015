"""Signed links in mails: one seat's one turn, one game's mails.

A token names what it is for and is signed with the reader's address as part of the key, so a link
dies when the address changes. Tokens do not act: the views decide what a press of a button does.
"""

from __future__ import annotations

from typing import NamedTuple

from django.core.signing import BadSignature, Signer
from django.urls import reverse

from games.models import User, address_digest


class TurnPass(NamedTuple):
    """The turn `seq` of `seat`, asked of `user` in the game `public_id`."""

    public_id: str
    seat: int
    seq: int
    user: User


class OffPass(NamedTuple):
    """The mails of the game `public_id` to `user`."""

    public_id: str
    user: User


class KindPass(NamedTuple):
    """The mails of one kind (or one way: gathered, digest) to `user`."""

    kind: str
    user: User


def turn_path(public_id: str, seat: int, seq: int, user: User) -> str:
    """The path of the link in a turn mail."""
    token = _signer("turn", user).sign(f"{public_id}-{seat}-{seq}-{user.pk}")
    return reverse("turn_link", args=[token])


def off_path(public_id: str, user: User) -> str:
    """The path that List-Unsubscribe names."""
    return reverse("unsubscribe_game", args=[_signer("off", user).sign(f"{public_id}-{user.pk}")])


def kind_off_path(kind: str, user: User) -> str:
    """The path of List-Unsubscribe for all mails of this kind, of every game."""
    return reverse("unsubscribe_kind", args=[_signer("kind", user).sign(f"{kind}-{user.pk}")])


def read_turn_token(token: str) -> TurnPass | None:
    """What a turn token names, None unless it is one of ours and its reader is still with us."""
    match _read("turn", token):
        case User() as user, [public_id, seat, seq, _user]:
            return TurnPass(public_id, int(seat), int(seq), user)
    return None


def read_off_token(token: str) -> OffPass | None:
    """What a List-Unsubscribe token names, None unless it is one of ours."""
    match _read("off", token):
        case User() as user, [public_id, _user]:
            return OffPass(public_id, user)
    return None


def read_kind_token(token: str) -> KindPass | None:
    """What the token of a kind names, None unless it is one of ours."""
    match _read("kind", token):
        case User() as user, [kind, _user]:
            return KindPass(kind, user)
    return None


def never_path(address: str) -> str:
    """The path of the link that ends all invitations to an address, which it does not tell."""
    signer = Signer(salt="games.mail.never")
    return reverse("unsubscribe_invitations", args=[signer.sign(address_digest(address))])


def read_never_token(token: str) -> str | None:
    """The digest of the address that such a link is about, None unless it is ours."""
    try:
        return Signer(salt="games.mail.never").unsign(token)
    except BadSignature:
        return None


def reply_path(inbound: int) -> str:
    """The path of the link that confirms what the inbound mail of this key asks for."""
    return reverse("reply_confirm", args=[Signer(salt="games.mail.reply").sign(str(inbound))])


def read_reply_token(token: str) -> int | None:
    """The key of the inbound mail that a confirming link is about, None unless it is ours."""
    try:
        return int(Signer(salt="games.mail.reply").unsign(token))
    except (BadSignature, ValueError):
        return None


def _signer(purpose: str, user: User) -> Signer:
    return Signer(salt=f"games.mail.{purpose}:{user.email}")


def _read(purpose: str, token: str) -> tuple[User, list[str]] | None:
    """The person named in the token and its words, once the signature is found to be ours."""
    words = token.partition(":")[0].split("-")
    if not (words[-1].isascii() and words[-1].isdecimal() and len(words[-1]) < 19):
        return None
    user = User.objects.filter(pk=int(words[-1]), is_active=True).first()
    if user is None:
        return None
    try:
        _signer(purpose, user).unsign(token)
    except BadSignature:
        return None
    return user, words
