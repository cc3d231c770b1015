"""Signed links in emails: for one turn of a seat, for unsubscribing, for confirming a reply.

A token names its subject and is signed with the reader's address as part of the salt, so a link
becomes invalid when the address changes. What a link permits is decided by its view.
"""

from contextlib import suppress
from typing import NamedTuple

from django.core.signing import BadSignature, Signer, TimestampSigner
from django.urls import reverse

from games.models import Decision, Message, User, address_digest

# How long a browser may act on a turn after its link was used; the turn may end earlier.
TURN_SCOPE_SECONDS = 2 * 3600
ACCOUNT_SECONDS = 3600  # how long the page of an account without a session can be used


class TurnTokenData(NamedTuple):
    """The turn of `user` on `seat` that began with event `seq` of the game."""

    public_id: str
    seat: int
    seq: int
    user: User


class UnsubscribeTokenData(NamedTuple):
    """All email to `user` about the game with this public id, or of this kind; a kind that batches
    stands for its delivery mode."""

    subject: str
    user: User


def turn_path(public_id: str, seat: int, seq: int, user: User) -> str:
    """The link in a turn email."""
    token = _signer("turn", user).sign(f"{public_id}-{seat}-{seq}-{user.pk}")
    return reverse("turn_link", args=[token])


def off_path(public_id: str, user: User) -> str:
    """The link that switches all email about a game off."""
    return reverse("unsubscribe_game", args=[_signer("off", user).sign(f"{public_id}-{user.pk}")])


def kind_off_path(kind: str, user: User) -> str:
    """The link that switches all email of a kind off."""
    return reverse("unsubscribe_kind", args=[_signer("kind", user).sign(f"{kind}-{user.pk}")])


def read_turn_token(token: str) -> TurnTokenData | None:
    """The content of a turn token; None if it is forged or its user is gone."""
    return _turn_data(_read("turn", token))


def turn_scope_value(turn: TurnTokenData) -> str:
    """The cookie by which a browser may act on this turn; see games.web.turn_scope."""
    body = f"{turn.public_id}-{turn.seat}-{turn.seq}-{turn.user.pk}"
    return _scope_signer(turn.user, turn.user.get_session_auth_hash()).sign(body)


def read_turn_scope(value: str) -> TurnTokenData | None:
    """The turn that such a cookie names; None if it is forged or too old, or its user is gone."""
    return _turn_data(_read("scope", value))


def _turn_data(read: tuple[User, list[str]] | None) -> TurnTokenData | None:
    match read:
        case User() as user, [public_id, seat, seq, _user]:
            return TurnTokenData(public_id, int(seat), int(seq), user)
    return None


def read_unsubscribe_token(purpose: str, token: str) -> UnsubscribeTokenData | None:
    """The subject of a token of `off_path` (purpose "off") or `kind_off_path` ("kind"); None if it
    is forged or its user is gone."""
    match _read(purpose, token):
        case User() as user, [subject, _user]:
            return UnsubscribeTokenData(subject, user)
    return None


def appeal_path(decision: Decision, person: User) -> str:
    """The link to the page of a decision, on which its person can appeal."""
    return reverse("appeal", args=[_signer("appeal", person).sign(str(decision.pk))])


def read_appeal_token(token: str) -> tuple[Decision, User] | None:
    """The decision and the person of such a link, who may be suspended; None if it is forged or the
    person is gone."""
    key = token.partition(":")[0]
    if not (key.isascii() and key.isdecimal() and len(key) < 19):
        return None
    found = Decision.objects.select_related("person", "game", "words")
    decision = found.filter(pk=int(key)).first()
    if decision is None or decision.person is None:
        return None
    try:
        _signer("appeal", decision.person).unsign(token)
    except BadSignature:
        return None
    return decision, decision.person


def never_path(address: str) -> str:
    """The link that ends all invitations to an address, which it does not contain."""
    signer = Signer(salt="games.mail.never")
    return reverse("unsubscribe_invitations", args=[signer.sign(address_digest(address))])


def read_never_token(token: str) -> str | None:
    """The digest of the address that such a link is about; None if it is forged."""
    try:
        return Signer(salt="games.mail.never").unsign(token)
    except BadSignature:
        return None


def reply_path(inbound: int, user: User) -> str:
    """The link that confirms what the incoming email of this user with this key asks for."""
    return reverse("reply_confirm", args=[_signer("reply", user).sign(f"{inbound}-{user.pk}")])


def read_reply_token(token: str) -> int | None:
    """The key of the incoming email that such a link is about; None if it is forged, or its user is
    gone or has another address."""
    match _read("reply", token):
        case User(), [inbound, _user]:
            return int(inbound)
    return None


def message_path(message: Message) -> str:
    """The link by which its author deletes a message."""
    signer = _signer("message", message.author)
    return reverse("message_delete", args=[signer.sign(f"{message.pk}-{message.author_id}")])


def read_message_token(token: str) -> Message | None:
    """The message that its author can delete by such a link; None if it is forged, the message is
    gone, or its author has another address."""
    match _read("message", token):
        case User() as user, [key, _user]:
            shown = Message.objects.filter(author=user, state=Message.State.SHOWN)
            return shown.select_related("game", "author").filter(pk=int(key)).first()
    return None


def not_me_path(change: int) -> str:
    """The link "This was not me" in the report of the credential change with this key. It does not
    depend on the address, which may be what was changed."""
    return reverse("not_me", args=[Signer(salt="games.mail.not_me").sign(str(change))])


def read_not_me_token(token: str) -> int | None:
    """The key of the change that such a link is about; None if it is forged."""
    try:
        return int(Signer(salt="games.mail.not_me").unsign(token))
    except (BadSignature, ValueError):
        return None


def account_path(user: User) -> str:
    """The address that the forms of an account that cannot be signed in to are posted to, for an
    hour, by the person who has just proved its address."""
    body, sessions = str(user.pk), user.get_session_auth_hash()
    return reverse("account_inactive_act", args=[_account_signer(user, sessions).sign(body)])


def read_account_token(token: str) -> User | None:
    """The user of such an address; None if it is forged or too old, or all sessions have ended."""
    key = token.partition(":")[0]
    if not (key.isascii() and key.isdecimal() and len(key) < 19):
        return None
    user = User.objects.filter(pk=int(key)).first()
    if user is None:
        return None
    try:
        _account_signer(user, user.get_session_auth_hash()).unsign(token, max_age=ACCOUNT_SECONDS)
    except BadSignature:  # SignatureExpired is one
        return None
    return user


def _account_signer(user: User, sessions: str) -> TimestampSigner:
    return TimestampSigner(salt=f"games.web.account:{user.email}:{sessions}")


def _signer(purpose: str, user: User) -> Signer:
    return Signer(salt=f"games.mail.{purpose}:{user.email}")


def _scope_signer(user: User, sessions: str) -> TimestampSigner:
    """sessions: what the sessions of the user are checked against; a scope ends where they all
    end."""
    return TimestampSigner(salt=f"games.web.turn_scope:{user.email}:{sessions}")


def _is_scope_of(user: User, token: str) -> bool:
    """Whether this cookie was signed for the user, with the present secret key or a former one."""
    for sessions in (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()):
        with suppress(BadSignature):  # SignatureExpired is one
            _scope_signer(user, sessions).unsign(token, max_age=TURN_SCOPE_SECONDS)
            return True
    return False


def _read(purpose: str, token: str) -> tuple[User, list[str]] | None:
    """The user whom the token names and its parts; None if it is forged or the user is gone."""
    parts = token.partition(":")[0].split("-")
    if not (parts[-1].isascii() and parts[-1].isdecimal() and len(parts[-1]) < 19):
        return None
    user = User.objects.filter(pk=int(parts[-1])).first()
    if user is None:
        return None
    if purpose == "scope":
        return (user, parts) if _is_scope_of(user, token) else None
    try:
        _signer(purpose, user).unsign(token)
    except BadSignature:
        return None
    return user, parts
