"""How often a user was not understood lately, which decides how the answer helps."""

from datetime import timedelta
from itertools import takewhile

from django.utils import timezone

from games.models import InboundMail

from .reply_context import ReplyContext

Outcome = InboundMail.Outcome

DAY = timedelta(days=1)
UNCLEAR = (Outcome.UNCLEAR, Outcome.REFUSED)
IGNORED = (Outcome.LIMIT, Outcome.QUIET)
MOST = 10  # emails that are looked at


def count_in_a_row(context: ReplyContext) -> int:
    """How many of the user's last emails on this seat, within a day, were not understood."""
    earlier = InboundMail.objects.filter(
        game=context.game,
        seat=context.seat,
        user=context.user,
        received_at__gt=timezone.now() - DAY,
        state=InboundMail.State.DONE,
    )
    outcomes = earlier.order_by("-read_at", "-pk").values_list("outcome", flat=True)[:MOST]
    streak = takewhile(lambda outcome: outcome in (*UNCLEAR, *IGNORED), outcomes)
    return sum(outcome in UNCLEAR for outcome in streak)
