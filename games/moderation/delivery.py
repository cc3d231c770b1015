"""When emails go out, in words for moderators: what holds one back, and what a user chose."""

from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from games.mail import kinds
from games.models import DeliveryMode, Game, OutboxMail, User
from games.translate import with_colon

_MOMENT = timedelta(seconds=1)


def next_attempt(mail: OutboxMail) -> datetime | None:
    """Return when this email is tried again; None for one that is not."""
    waits = mail.state in (OutboxMail.State.QUEUED, OutboxMail.State.PARKED)
    return mail.next_try_at if waits else None


def why_held(mail: OutboxMail, now: datetime) -> str:
    """Return what a queued email waits for: a time that its reader chose, or a pause; "" for one
    that is due, or that a mail server refused."""
    user, at = mail.user, mail.next_try_at
    if mail.state != OutboxMail.State.QUEUED or mail.error or at <= now or user is None:
        return ""
    if not kinds.get(mail.kind).is_bulk:
        return ""
    mode, before = user.delivery_mode(mail.kind), at - _MOMENT
    if mode == DeliveryMode.DIGEST and user.next_hour(user.digest_hour, before) == at:
        return _("daily digest at %(hour)s") % {"hour": _hour(user.digest_hour)}
    if user.quiet_until is not None and user.after_quiet(before) == at:
        return _("quiet hours until %(hour)s") % {"hour": _hour(user.quiet_until)}
    if mail.game is not None and mail.game.status == Game.Status.PAUSED:
        return _("the game is paused")
    if mode == DeliveryMode.BATCHED:
        return _("grouped with others")
    if user.hold_while_online or kinds.get(mail.kind).waits_at_table:
        return _("the user is on the site")
    return ""


def preference_lines(user: User) -> list[str]:
    """How each kind of email arrives, and the hours that the user chose, in their time zone."""
    lines = [
        f"{with_colon(str(kinds.get(name).category))} "
        f"{DeliveryMode(user.delivery_mode(name)).label}"
        for name in kinds.selectable_by(user)
    ]
    if user.kinds_with_mode(DeliveryMode.DIGEST):
        lines.append(_("daily digest at %(hour)s") % {"hour": _hour(user.digest_hour)})
    if user.quiet_from is None or user.quiet_until is None:
        lines.append(_("no quiet hours"))
    else:
        hours = {"from": _hour(user.quiet_from), "until": _hour(user.quiet_until)}
        lines.append(_("quiet hours from %(from)s to %(until)s") % hours)
    return lines


def _hour(hour: int) -> str:
    return f"{hour:02}:00"
