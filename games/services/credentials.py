"""The protection of an account: its addresses, second factor, sessions and keys of feeds.

Every change is reported to all addresses of the account, also to those removed lately, with a link
"This was not me". The link ends all sessions and freezes the credentials; only somebody who reads
an address that the account had a week before can restore it. Receivers of model signals find the
changes, so that none escapes that comes from the admin or from a command.
"""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from games.mail import queue
from games.models import (
    AddressRecord,
    Appeal,
    CredentialChange,
    DecisionText,
    FeedKey,
    Game,
    InboundMail,
    Invitation,
    MailAddress,
    OutboxMail,
    PushDevice,
    Seat,
    User,
    address_digest,
)
from games.selectors import DISPUTE, feed_digest, trusted_addresses

from . import quotas
from .circles import circles_leave, circles_pass_on
from .errors import ServiceError
from .lobby import game_leave
from .moves import game_vacate
from .quotas import atomic

logger = logging.getLogger(__name__)

Kind = CredentialChange.Kind

CLOSING = timedelta(days=7)  # until an account is deleted
MOST = 50  # accounts in one go
CHANGES = timedelta(days=90)  # for so long, changes are kept
REPORTED = timedelta(days=30)  # for so long, a removed address hears of changes

FEED_KEY_BYTES = 32

_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def _without_reports() -> Iterator[None]:
    """Suppress reports within a service that reports everything it does as one change."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


# -- receivers of signals ------------------------------------------------------------------


def on_address_saved(instance: EmailAddress, **_signal: Any) -> None:
    """An address was verified, or became the primary one."""
    if not instance.verified:
        return
    user, now = instance.user, timezone.now()
    first = not user.address_records.exists()
    record, added = AddressRecord.objects.get_or_create(
        user=user, address=instance.email, defaults={"is_primary": instance.primary}
    )
    if record.removed_at is not None:
        record.removed_at, record.verified_at, added = None, now, True
    became_primary = instance.primary and not record.is_primary
    record.is_primary = instance.primary
    record.save()
    if added and not first:
        change_report(user=user, kind=Kind.ADDRESS_ADDED, address=instance.email)
    if became_primary and not first:
        change_report(user=user, kind=Kind.PRIMARY, address=instance.email)


def on_address_deleted(instance: EmailAddress, origin: object = None, **_signal: Any) -> None:
    """An address was removed; not with its account."""
    if _is_with_account(origin):
        return
    records = AddressRecord.objects.filter(user=instance.user_id, address=instance.email)
    if records.filter(removed_at__isnull=True).update(removed_at=timezone.now(), is_primary=False):
        user = instance.user
        change_report(user=user, kind=Kind.ADDRESS_REMOVED, address=instance.email)


def on_factor_saved(instance: Authenticator, created: bool, **_signal: Any) -> None:
    """A second factor was added. The recovery codes that come with it are no other change."""
    if created and instance.type != Authenticator.Type.RECOVERY_CODES:
        change_report(user=instance.user, kind=Kind.FACTOR_ADDED)


def on_factor_deleted(instance: Authenticator, origin: object = None, **_signal: Any) -> None:
    """A second factor was removed; not with its account."""
    if instance.type != Authenticator.Type.RECOVERY_CODES and not _is_with_account(origin):
        change_report(user=instance.user, kind=Kind.FACTOR_REMOVED)


def _is_with_account(origin: object) -> bool:
    model = origin.model if isinstance(origin, QuerySet) else type(origin)
    return model is User


# -- reports -------------------------------------------------------------------------------


def change_report(*, user: User, kind: str, address: str = "") -> None:
    """Report a change to every address of the account, and to those removed lately."""
    if _silent.get():
        return
    now = timezone.now()
    with atomic():
        change = CredentialChange.objects.create(user=user, kind=kind, address=address, at=now)
        known = user.address_records.filter(
            Q(removed_at__isnull=True) | Q(removed_at__gt=now - REPORTED)
        )
        addresses = {user.email, *known.values_list("address", flat=True)}
        queue.credentials(change, sorted(addresses))


def records_purge() -> None:
    """Delete the records of addresses that were removed long ago, of old changes, and of
    suspensions of deleted accounts that are over."""
    now = timezone.now()
    calm = AddressRecord.objects.filter(user__frozen_at__isnull=True)
    calm.filter(removed_at__lt=now - REPORTED).delete()
    old = CredentialChange.objects.filter(user__frozen_at__isnull=True, at__lt=now - CHANGES)
    old.delete()
    over = MailAddress.objects.filter(suspended_until__lte=Now())
    over.filter(refused_at=None, stopped="", soft_bounces=0).delete()
    over.update(suspended_until=None)


# -- sessions ------------------------------------------------------------------------------


def sessions_close(*, user: User) -> None:
    """Sign the user out everywhere; links of turn emails that are in use end, too.

    The stored password, which nobody knows, is part of what sessions are checked against.
    """
    user.set_unusable_password()
    user.save(update_fields=["password"])
    for session in UserSession.objects.filter(user=user):
        session.end()
    PushDevice.objects.filter(user=user).delete()


# -- "This was not me" -----------------------------------------------------------------------


def change_dispute(*, change: CredentialChange) -> None:
    """End all sessions and feeds, freeze the credentials and stop a deletion. Once for each
    change."""
    with atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=change.user_id)
        change = CredentialChange.objects.get(pk=change.pk)
        if change.disputed_at is not None or not change_is_disputable(change):
            return
        now = timezone.now()
        CredentialChange.objects.filter(pk=change.pk).update(disputed_at=now)
        sessions_close(user=user)
        FeedKey.objects.filter(user=user).delete()
        if user.frozen_at is None:
            user.frozen_at, user.closes_at = now, None
            user.save(update_fields=["frozen_at", "closes_at"])
            change_report(user=user, kind=Kind.FROZEN)


def change_is_disputable(change: CredentialChange) -> bool:
    """Return whether its link still freezes the account: for a week, and not after a
    restoration."""
    since = change.user.credential_changes.filter(kind=Kind.RESTORED, at__gt=change.at)
    return change.at > timezone.now() - DISPUTE and not since.exists()


def freezing_change(user: User) -> CredentialChange | None:
    """The change whose link leads to the page that restores this account, which is frozen."""
    return user.credential_changes.filter(kind=Kind.FROZEN).order_by("-at").first()


def account_restore(*, user: User, address: str) -> None:
    """Give a frozen account back to the person who has proved this trusted address.

    It becomes the primary address. Addresses and second factors that are younger than the trusted
    ones are removed, and all sessions end.
    """
    with atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        trusted = {record.address for record in trusted_addresses(user)}
        if user.frozen_at is None or address not in trusted:
            raise ServiceError(_("This address cannot restore the account."))
        elsewhere = EmailAddress.objects.filter(email=address, verified=True).exclude(user=user)
        others = User.objects.filter(email=address).exclude(pk=user.pk)
        if elsewhere.exists() or others.exists():
            raise ServiceError(
                _(
                    "This address now belongs to another account. For help, reply to any email "
                    "from us."
                )
            )
        with _without_reports():
            EmailAddress.objects.filter(user=user).exclude(email__in=trusted).delete()
            EmailAddress.objects.filter(user=user).update(primary=False)
            user.address_records.update(is_primary=False)
            # Before the address is saved: the record keeps the age that it is trusted for.
            user.address_records.filter(address=address).update(removed_at=None)
            own, _new = EmailAddress.objects.get_or_create(user=user, email=address)
            own.verified = own.primary = True
            own.save()
            factors = Authenticator.objects.filter(user=user)
            factors.filter(created_at__gt=user.frozen_at - DISPUTE).delete()
        user.email, user.frozen_at = address, None
        user.save(update_fields=["email", "frozen_at"])
        queue.catch_up(user)
        sessions_close(user=user)
        change_report(user=user, kind=Kind.RESTORED)


# -- deletion --------------------------------------------------------------------------------


def account_close(*, user: User) -> None:
    """Delete the account in a week, unless that is cancelled."""
    with atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if user.frozen_at is not None:
            raise ServiceError(_("This account is frozen. Restore it first."))
        if user.closes_at is None:
            quotas.spend(quotas.ACCOUNT_CHANGES, person=user)
            user.closes_at = timezone.now() + CLOSING
            user.save(update_fields=["closes_at"])
            circles_pass_on(user=user)
            change_report(user=user, kind=Kind.CLOSING)


def account_keep(*, user: User) -> None:
    """Cancel the deletion."""
    with atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if user.closes_at is not None:
            quotas.spend(quotas.ACCOUNT_CHANGES, person=user)
            user.closes_at = None
            user.save(update_fields=["closes_at"])
            change_report(user=user, kind=Kind.KEPT)


def accounts_delete_due() -> int:
    """Delete the accounts whose week is over by PostgreSQL's clock; how many."""
    due = User.objects.filter(closes_at__lte=Now(), frozen_at__isnull=True)
    done = 0
    for pk in list(due.values_list("pk", flat=True)[:MOST]):
        try:
            done += _delete(pk)
        except Exception:  # one account must not hold up the others
            logger.exception("Account %s could not be deleted", pk)
    return done


def _forget_addresses(user: User) -> None:
    """Delete the invitations to the addresses of a user, and what the emails from the user hold."""
    addresses = {user.email.lower()} | {
        email.lower()
        for email in EmailAddress.objects.filter(user=user).values_list("email", flat=True)
    }
    Invitation.objects.filter(address__in=addresses).delete()
    Invitation.objects.filter(invited_by=user).update(message="")
    # Emails from before the account existed, such as invitations, name no user.
    OutboxMail.objects.filter(user=None, to_address__in=addresses).delete()
    read = InboundMail.objects.filter(user=user).exclude(state=InboundMail.State.NEW)
    read.update(sender=None, raw=b"", line="", letter=None, offer="")


def _delete(pk: int) -> bool:
    """Give up the seats, each in a transaction of its own, then delete what is about the person.

    The games stay whole: bots play on, and the log names seats only. False if the deletion was
    cancelled.
    """
    for seat in _seats_of(pk):
        if seat.user is None or seat.game.is_over:
            continue
        leave = game_leave if seat.game.status == Game.Status.GATHERING else game_vacate
        leave(game_id=seat.game_id, user=seat.user)
    with atomic():
        due = User.objects.select_for_update(of=("self",))
        user = due.filter(pk=pk, closes_at__lte=Now(), frozen_at__isnull=True).first()
        if user is None:
            return False
        circles_leave(user=user)
        _forget_addresses(user)
        DecisionText.objects.filter(Q(decision__by=pk) | Q(decision__person=pk)).delete()
        Appeal.objects.filter(decision__person=pk).delete()
        sessions_close(user=user)
        _keep_suspension(user)
        user.delete()
    return True


def _keep_suspension(user: User) -> None:
    """Let a new account with an address of this one be suspended, too, as long as this is."""
    if not user.is_suspended:
        return
    verified = EmailAddress.objects.filter(user=user, verified=True)
    for address in {user.email, *verified.values_list("email", flat=True)}:
        MailAddress.objects.update_or_create(
            digest=address_digest(address), defaults={"suspended_until": user.suspended_until}
        )


def _seats_of(pk: int) -> QuerySet[Seat]:
    return Seat.objects.filter(user=pk).select_related("game", "user")


def feed_key_create(*, user: User, kind: str) -> str:
    """Create the key of this kind of feed and return it; an earlier one no longer works."""
    key = secrets.token_urlsafe(FEED_KEY_BYTES)
    with atomic():
        quotas.spend(quotas.FEED_KEYS, person=user)
        FeedKey.objects.update_or_create(
            user=user,
            kind=FeedKey.Kind(kind),
            defaults={"digest": feed_digest(key), "created_at": timezone.now()},
        )
        change_report(user=user, kind=CredentialChange.Kind.FEED_CREATED)
    return key


def feed_key_revoke(*, user: User, kind: str) -> None:
    """Delete the key of this kind of feed."""
    with atomic():
        if FeedKey.objects.filter(user=user, kind=kind).delete()[0]:
            change_report(user=user, kind=CredentialChange.Kind.FEED_REVOKED)


def feed_count(*, user: User) -> None:
    """Count that somebody fetched a feed of this user."""
    with atomic():
        quotas.spend(quotas.FEEDS, person=user)
