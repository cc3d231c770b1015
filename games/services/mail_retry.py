"""Resend emails that were given up."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from games.mail import queue
from games.models import OutboxMail, User

from .locked_game import NotAllowed


def mails_retry(*, ids: Sequence[int], by: User) -> int:
    """Queue these dead emails again, with all their attempts; how many there were.

    Emails that were sent or dropped, or are being sent, are left alone.
    """
    if not (by.is_staff and by.is_active):
        raise NotAllowed(_("Only a moderator can do that."))
    with transaction.atomic():
        dead = OutboxMail.objects.filter(
            pk__in=ids, state=OutboxMail.State.DEAD, batched_into__isnull=True
        )
        count = dead.update(
            state=OutboxMail.State.QUEUED, attempts=0, next_try_at=timezone.now(), error=""
        )
        if count:
            queue.nudge()
    return count
