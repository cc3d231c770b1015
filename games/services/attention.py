"""The daily email to moderators about what needs them."""

from collections.abc import Callable
from datetime import datetime

from django.utils import translation

from games.mail.kinds.attention import ATTENTION
from games.mail.outbox_rows import enqueue, row_for
from games.models import DeliveryMode, OutboxMail, User

Open = list[tuple[str, str, str]]  # label, how many, path of their list


def moderators_inform(*, now: datetime, open_now: Callable[[User], Open]) -> int:
    """Queue an email to each moderator who wants it, once the hour of their daily digest has come,
    at most one on each of their days; return their number. open_now: what needs this moderator, in
    the active language; no email where that is nothing."""
    staff = User.objects.active().filter(is_staff=True).order_by("pk")
    keys = {_key(user, now): user for user in staff if _is_due(user, now)}
    known = OutboxMail.objects.filter(dedupe_key__in=keys).values_list("dedupe_key", flat=True)
    rows = []
    for key in keys.keys() - set(known):
        with translation.override(keys[key].language):
            found = open_now(keys[key])
        if found:
            rows.append(row_for(ATTENTION, keys[key], key, context={"open": found}))
    enqueue(rows)
    return len(rows)


def _is_due(user: User, now: datetime) -> bool:
    wants = user.delivery_mode(ATTENTION.name) != DeliveryMode.OFF
    return wants and now.astimezone(user.zone).hour >= user.digest_hour


def _key(user: User, now: datetime) -> str:
    return f"attention:{user.pk}:{now.astimezone(user.zone).date()}"
