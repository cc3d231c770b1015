"""How moderators retry emails that the mail server refused."""

from collections.abc import Sequence

from games.mail import nudges, transport_state
from games.models import OutboxMail, User, database_clock

from . import quotas
from .moderators import require_staff
from .quotas import atomic


def transport_retry(*, by: User) -> int:
    """Let the next sender try one email now although the mail server refused ours; how many closed
    transports there are."""
    require_staff(by)
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=by)
        count = transport_state.try_now()
        if count:
            nudges.nudge()
            nudges.nudge("games.tasks.drain_urgent")
    return count


def mails_retry(*, ids: Sequence[int], by: User) -> int:
    """Queue these parked or dead emails again, with all their attempts; how many there were.

    Emails that were sent or dropped, or are being sent, are left alone.
    """
    require_staff(by)
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=by)
        dead = OutboxMail.objects.filter(
            pk__in=ids,
            state__in=(OutboxMail.State.PARKED, OutboxMail.State.DEAD),
            batched_into__isnull=True,
        )
        count = dead.update(
            state=OutboxMail.State.QUEUED, attempts=0, next_try_at=database_clock.now(), error=""
        )
        if count:
            nudges.nudge()
            nudges.nudge("games.tasks.drain_urgent")
    return count
