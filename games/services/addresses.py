"""Addresses that refuse invitations or at which email bounces, and emails to send again."""

from collections.abc import Sequence

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from games.mail import queue, transport_state, workers
from games.models import (
    Action,
    MailAddress,
    MailReport,
    OutboxMail,
    StopReason,
    User,
    address_digest,
    database_clock,
)

from . import decisions, quotas
from .clean_text import clean_reason
from .errors import ServiceError
from .moderators import require_right
from .quotas import atomic

MOST = 500  # reports in one go


def address_refuse(*, digest: str, refused: bool) -> None:
    """Block or allow invitations to the address with this digest."""
    MailAddress.objects.update_or_create(
        digest=digest, defaults={"refused_at": timezone.now() if refused else None}
    )


def address_has_refused(digest: str) -> bool:
    """Return whether this address refuses invitations."""
    return MailAddress.objects.filter(digest=digest, refused_at__isnull=False).exists()


def reports_work() -> int:
    """Process the reports of mail providers, each exactly once; how many."""
    waiting = MailReport.objects.filter(worked_at__isnull=True).order_by("pk")
    return sum(_report(pk) for pk in list(waiting.values_list("pk", flat=True)[:MOST]))


def _report(pk: int) -> int:
    with atomic():
        report = (
            MailReport.objects.select_for_update(skip_locked=True)
            .filter(pk=pk, worked_at__isnull=True)
            .first()
        )
        if report is None:
            return 0
        digest = address_digest(report.address)
        MailAddress.objects.get_or_create(digest=digest)
        known = MailAddress.objects.filter(digest=digest)
        if report.meaning == MailReport.Meaning.SOFT:
            known.update(soft_bounces=F("soft_bounces") + 1)
        else:
            known.update(stopped=report.meaning, stopped_at=timezone.now())
            User.objects.with_address(report.address).update(
                mail_trouble=f"{report.meaning}:{digest}"
            )
        report.address, report.worked_at = "", timezone.now()
        report.save(update_fields=["address", "worked_at"])
        return 1


def address_unblock(*, user: User) -> None:
    """Send email to this user again, starting with the turns and votes that are still open."""
    if not user.mail_stopped:
        raise ServiceError(_("Emails are already being delivered to you."))
    with atomic():
        _unblock([user])
        user.mail_trouble = ""


def domain_unblock(*, domain: str, by: User, reason: str) -> int:
    """Send email again to all users at this domain whose addresses bounce; how many there are.

    For moderators, after the domain's mail server was away or refused us. Users who marked our
    email as spam still get none.
    """
    require_right(by, "change_user")
    reason = clean_reason(reason)
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=by)
        decisions.record(Action.RESUME_EMAILS, decisions.Ruling(by, reason))
        there = User.objects.filter(mail_trouble__gt="", email__iendswith=f"@{domain}")
        users = [user for user in there if user.mail_stopped == StopReason.BOUNCE]
        _unblock(users)
    return len(users)


def _unblock(users: Sequence[User]) -> None:
    digests = [address_digest(user.email) for user in users]
    known = MailAddress.objects.filter(digest__in=digests)
    known.update(stopped=StopReason.NO, stopped_at=None)
    User.objects.filter(pk__in=[user.pk for user in users]).update(mail_trouble="")
    for user in users:
        queue.catch_up(user)
    workers.wake()


def transport_retry(*, by: User) -> int:
    """Let the next sender try one email now although the mail server refused ours; how many closed
    transports there are."""
    require_right(by, "change_mailtransport")
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=by)
        decisions.record(Action.RETRY_EMAILS, decisions.Ruling(by))
        count = transport_state.try_now()
        if count:
            workers.wake()
            workers.wake("games.tasks.drain_urgent")
    return count


def mails_retry(*, ids: Sequence[int], by: User) -> int:
    """Queue these parked or dead emails again, with all their attempts; how many there were.

    Emails that were sent or dropped, or are being sent, are left alone.
    """
    require_right(by, "change_outboxmail")
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=by)
        decisions.record(Action.RETRY_EMAILS, decisions.Ruling(by))
        dead = OutboxMail.objects.filter(
            pk__in=ids,
            state__in=(OutboxMail.State.PARKED, OutboxMail.State.DEAD),
            batched_into__isnull=True,
        )
        count = dead.update(
            state=OutboxMail.State.QUEUED, attempts=0, next_try_at=database_clock.now(), error=""
        )
        if count:
            workers.wake()
            workers.wake("games.tasks.drain_urgent")
    return count
