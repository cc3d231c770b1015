"""Settings of a user."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import available_timezones

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from games import mail
from games.mail import queue
from games.models import GATHER_MINUTES, OutboxMail, Seat, User, Way

from .locked_game import NotAllowed, ServiceError, atomic, clean_line

MAX_DISPLAY_NAME = 40
SEEN_EVERY = timedelta(minutes=1)


def person_sign_up(*, email: str, language: str) -> User:
    """The person with this address; where there is none, a new account in this language."""
    known = User.objects.filter(email__iexact=email).first()
    if known is not None:
        return known
    language = language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    return User.objects.create_user(email, language=language, time_zone=settings.TIME_ZONE)


def person_update(*, user: User, display_name: str, time_zone: str, language: str) -> User:
    """Set the display name, the time zone and the language."""
    name = clean_line(display_name, MAX_DISPLAY_NAME)
    if not name:
        raise ServiceError(_("Please choose a name. Other players will see it."))
    if "@" in name:
        raise ServiceError(_("Everyone can see your name, so please do not use an email address."))
    if time_zone not in available_timezones():
        raise ServiceError(_("Unknown time zone."))
    if language not in dict(settings.LANGUAGES):
        raise ServiceError(_("Unknown language."))
    user.display_name, user.time_zone, user.language = name, time_zone, language
    user.save(update_fields=["display_name", "time_zone", "language"])
    return user


def mails_switch(*, game_id: int, user: User, off: bool) -> None:
    """Switch the email of one game off or on for one of its players."""
    if not Seat.objects.filter(game_id=game_id, user=user).update(mails_off=off):
        raise NotAllowed(_("You are not a player in this game."))


def mail_wishes_set(
    *,
    user: User,
    ways: Mapping[str, str],
    gather_minutes: int,
    digest_hour: int,
    quiet_from: int | None,
    quiet_until: int | None,
    mail_waits: bool,
) -> None:
    """When this person wants which mails. ways: kind → Way; what waits now follows at once."""
    if not set(ways) <= set(queue.CHOSEN) or not set(ways.values()) <= set(Way):
        raise ServiceError(_("Unknown kind of email."))
    if gather_minutes not in GATHER_MINUTES or digest_hour not in range(24):
        raise ServiceError(_("Choose one of the times offered."))
    if (quiet_from is None) != (quiet_until is None) or (
        quiet_from is not None and quiet_from == quiet_until
    ):
        raise ServiceError(_("Quiet hours must start and end at different times."))
    with atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        user.mail_ways = {kind: way for kind, way in ways.items() if way != Way.ONCE}
        user.mail_ways_before = {}
        user.gather_minutes, user.digest_hour = gather_minutes, digest_hour
        user.quiet_from, user.quiet_until, user.mail_waits = quiet_from, quiet_until, mail_waits
        _keep_wishes(user)


def mail_kind_switch(*, kind: str, user: User, off: bool) -> bool:
    """All mails of one kind, or all that come one way (gathered, digest), off with one click, or
    again as they were before. Whether they are off now."""
    with atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        kinds = {"gathered": user.kinds(Way.GATHER), "digest": user.kinds(Way.DIGEST)}.get(
            kind, [kind] if kind in queue.CHOSEN else []
        )
        kinds = [name for name in kinds if user.way(name) != Way.NONE]
        if off and kinds:
            user.mail_ways_before[kind] = {name: user.way(name) for name in kinds}
            user.mail_ways.update(dict.fromkeys(kinds, Way.NONE))
        elif not off:
            before = user.mail_ways_before.pop(kind, {kind: Way.ONCE})
            user.mail_ways.update({k: w for k, w in before.items() if k in queue.CHOSEN})
        _keep_wishes(user)
        return off


def mail_kind_is_off(user: User, kind: str) -> bool:
    """Whether mails of this kind, or all that came this way, are off."""
    return kind in user.mail_ways_before or user.way(kind) == Way.NONE


def _keep_wishes(user: User) -> None:
    """Write them down; mails that are queued and were not tried yet get their new moment."""
    user.mail_ways = {kind: way for kind, way in user.mail_ways.items() if way != Way.ONCE}
    user.save(
        update_fields=[
            *("mail_ways", "mail_ways_before", "gather_minutes", "digest_hour"),
            *("quiet_from", "quiet_until", "mail_waits"),
        ]
    )
    waiting = OutboxMail.objects.select_for_update(skip_locked=True).filter(
        user=user, state=OutboxMail.State.QUEUED, attempts=0, kind__in=queue.CHOSEN
    )
    for row in waiting:
        row.next_try_at = user.mail_from(row.kind, row.created_at, mail.latest(row))
        row.save(update_fields=["next_try_at"])
    queue.nudge()


def person_seen(*, user: User, now: datetime | None = None) -> None:
    """Remember when a user whose email is held back while online was last seen, once a minute."""
    now = now or timezone.now()
    if user.mail_waits and (user.seen_at is None or now - user.seen_at > SEEN_EVERY):
        User.objects.filter(pk=user.pk).update(seen_at=now)
