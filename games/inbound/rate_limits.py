"""Limits on what is read from one seat, from one user, and from senders who are not verified.

The first email over a limit is answered with a notice; later ones are dropped silently, because
only machines send hundreds.
"""

from datetime import timedelta
from itertools import takewhile

from django.db.models import Count, Q
from django.utils import timezone

from games.models import InboundMail, User

from .reply_context import ReplyContext

Outcome = InboundMail.Outcome

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)

SEAT_HOUR = 60  # emails of one seat that are read in an hour
PERSON_HOUR = 150  # of one user, in all games
UNSURE_DAY = 8  # answers in a day to emails to one seat whose sender is not verified
LISTS_HOUR = 8  # answers in an hour to emails about several games
UNCLEAR_HOUR = 8  # answers to emails that were not understood, one after the other

UNCLEAR = (Outcome.UNCLEAR, Outcome.REFUSED)


def check(context: ReplyContext) -> Outcome:
    """LIMIT for the first email over a limit, QUIET for a later one, NONE within the limits."""
    now = timezone.now()
    of_seat, of_user = Q(game=context.game, seat=context.seat), Q(user=context.user)
    if not context.is_trusted:
        unsure = InboundMail.objects.filter(of_seat, received_at__gt=now - DAY)
        unsure = unsure.exclude(sender_check__in=(InboundMail.SenderCheck.PASS, ""))
        answered = unsure.filter(answer__isnull=False).count()
        return Outcome.QUIET if answered >= UNSURE_DAY else Outcome.NONE
    is_notice = Q(outcome=Outcome.LIMIT)
    read = InboundMail.objects.filter(of_seat | of_user, received_at__gt=now - HOUR)
    counts = read.filter(state=InboundMail.State.DONE).aggregate(
        from_seat=Count("pk", filter=of_seat),
        seat_notices=Count("pk", filter=of_seat & is_notice),
        from_user=Count("pk", filter=of_user),
        user_notices=Count("pk", filter=of_user & is_notice),
    )
    if counts["from_seat"] >= SEAT_HOUR:
        return Outcome.QUIET if counts["seat_notices"] else Outcome.LIMIT
    if counts["from_user"] >= PERSON_HOUR:
        return Outcome.QUIET if counts["user_notices"] else Outcome.LIMIT
    return Outcome.NONE


def lists_are_over(user: User) -> bool:
    """Whether this user got enough lists of games within the last hour."""
    rows = InboundMail.objects.filter(user=user, game=None, received_at__gt=timezone.now() - HOUR)
    return rows.filter(answer__isnull=False).count() >= LISTS_HOUR


def unclear_before(context: ReplyContext) -> int:
    """How many of the user's last emails on this seat, within a day, were not understood."""
    earlier = InboundMail.objects.filter(
        game=context.game,
        seat=context.seat,
        user=context.user,
        received_at__gt=timezone.now() - DAY,
        state=InboundMail.State.DONE,
    )
    outcomes = earlier.order_by("-read_at", "-pk").values_list("outcome", flat=True)[:50]
    streak = takewhile(lambda outcome: outcome in (*UNCLEAR, Outcome.QUIET), outcomes)
    return sum(outcome in UNCLEAR for outcome in streak)
