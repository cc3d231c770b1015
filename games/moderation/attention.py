"""What needs a moderator: the list on the admin's first page, and the figures of the daily email.

A row is there as long as its cause. Each kind takes a fixed number of queries, each of which reads
at most MOST_COUNTED rows by an index of its own.

A new kind is a function that finds its rows, and an entry in KINDS at the place of its urgency. It
leaves out what its reader may not see elsewhere.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.mail import kinds
from games.models import (
    MANY_REFUSALS,
    Appeal,
    Game,
    Heartbeat,
    InboundMail,
    MailAddress,
    MailTransport,
    OutboxMail,
    QuotaUse,
    Report,
    Seat,
    StopReason,
    User,
    address_digest,
    not_suspended,
)
from games.moderation import base
from games.operations import health, report
from games.services import appeals_for, has_right, reports_for
from games.services.quota_subjects import Scope
from games.services.quotas import REGISTRY
from games.translate import with_colon

SHOWN = 20  # rows of each kind; the others are a number and a link
MOST_COUNTED = 1000
WORDS_SHOWN = 12  # of a report
LATE = timedelta(days=3)  # that a table may wait for a missed deadline
LIMITS_FOR = timedelta(days=1)

OPEN = {"answered": "no"}
BOUNCE = {"emails": "bounce"}
OVERDUE = {"late": "yes"}
PARKED = {"state__exact": OutboxMail.State.PARKED.value}
DEAD = {"state__exact": OutboxMail.State.DEAD.value}
FAILED = {"state__exact": InboundMail.State.FAILED.value}


class Row(NamedTuple):
    """Something that needs attention. about: a table, a person or an address. url: of the form that
    usually settles it, "" if none does."""

    what: str
    since: datetime | None
    about: str
    url: str = ""


class Found(NamedTuple):
    """The first SHOWN rows of a kind, and how many there are: MOST_COUNTED + 1 for more."""

    rows: Sequence[Row]
    number: int


class Kind(NamedTuple):
    """A kind of rows. right: the permission to see them, "" for all staff. model: the list with all
    of them in the admin, with this query; "" without one."""

    label: Promise
    right: str
    find: Callable[[User, datetime], Found]
    model: str = ""
    query: Mapping[str, str] = {}

    @property
    def url(self) -> str:
        """The list with all rows of this kind; the admin's first page where there is none."""
        name = f"games_{self.model}_changelist" if self.model else "index"
        return reverse(f"admin:{name}", query=self.query)


class Group(NamedTuple):
    """What was found of one kind."""

    kind: Kind
    rows: Sequence[Row]
    number: int

    @property
    def total(self) -> str:
        """How many there are, "1000+" for more than are counted."""
        return f"{MOST_COUNTED}+" if self.number > MOST_COUNTED else str(self.number)

    @property
    def more(self) -> str:
        """How many rows are not shown; "" for none."""
        left = min(self.number, MOST_COUNTED) - len(self.rows)
        return f"{left}{'+' if self.number > MOST_COUNTED else ''}" if left > 0 else ""


def open_now(by: User, now: datetime) -> list[Group]:
    """Return what needs attention and this moderator may see, the most urgent kind first."""
    allowed = (kind for kind in KINDS if not kind.right or has_right(by, kind.right))
    groups = [Group(kind, *kind.find(by, now)) for kind in allowed]
    return [group for group in groups if group.number]


def figures(by: User, now: datetime) -> list[tuple[str, str, str]]:
    """The faults of the service and each of these groups: its label, how many rows it has, and the
    path of their list."""
    found = [(str(group.kind.label), group.total, group.kind.url) for group in open_now(by, now)]
    if faults := report.failures(report.look_inside(now, replies=not plays(by))):
        found.insert(0, (_("State of the service"), str(len(faults)), reverse("admin:index")))
    return found


def plays(by: User) -> bool:
    """Return whether this moderator has a seat in a game that is not over, and must not learn from
    the state of the service whether emails of opponents come in."""
    over = (Game.Status.FINISHED, Game.Status.ABORTED)
    return Seat.objects.filter(user=by.pk).exclude(game__status__in=over).exists()


def _found(rows: QuerySet[Any], line: Callable[[Any], Row]) -> Found:
    count = rows.order_by()[: MOST_COUNTED + 1].count()
    return Found([line(row) for row in rows[:SHOWN]], count)


# -- reports and appeals -------------------------------------------------------------------


def _reports(by: User, _now: datetime) -> Found:
    """Return the oldest report about each person, because those about one person are closed
    together; first the people whom most others have reported."""
    seen = reports_for(by).filter(outcome=Report.Outcome.OPEN)
    same = seen.order_by().filter(person=OuterRef("person"))
    number = same.values("person").annotate(number=Count("reporter", distinct=True))
    rows = seen.exclude(Exists(same.filter(pk__lt=OuterRef("pk")))).annotate(
        reporters=Subquery(number.values("number"))
    )

    def row(report: Any) -> Row:
        url = reverse("admin:games_report_change", args=[report.pk])
        count = ngettext("%(count)s person", "%(count)s people", report.reporters)
        words = Truncator(report.text).words(WORDS_SHOWN)
        kind = with_colon(f"{count % {'count': report.reporters}}, {report.get_about_display()}")
        said = f"{kind} {words}"
        return Row(said, report.at, report.person.name, url)

    rows = rows.select_related("person").order_by("-reporters", "pk")

    return _found(rows, row)


def _appeals(by: User, _now: datetime) -> Found:
    """Return the open appeals that this moderator may answer."""
    found = appeals_for(by).filter(answer__isnull=True).order_by("at")
    return _found(found.select_related("decision__person"), _appeal_row)


def _appeal_row(appeal: Appeal) -> Row:
    url = reverse("admin:games_appeal_change", args=[appeal.pk])
    return Row(appeal.decision.action_label, appeal.at, str(appeal.decision.person), url)


# -- tables --------------------------------------------------------------------------------


def _late(_by: User, now: datetime) -> Found:
    return _found(_overdue().filter(due_at__lt=now - LATE), _late_row)


def _without_host(_by: User, now: datetime) -> Found:
    """Return the tables whose host is gone or suspended; `_late` has them after LATE.

    Suspended people are read first: PostgreSQL would compare the hosts of all games with them.
    """
    suspended = User.objects.exclude(not_suspended()).values_list("pk", flat=True)
    gone = Q(game__host=None) | Q(game__host__in=list(suspended[:MOST_COUNTED]))
    return _found(_overdue().filter(gone, due_at__gte=now - LATE), _late_row)


def _overdue() -> QuerySet[Seat]:
    return Seat.objects.filter(overdue=True).select_related("game", "user").order_by("due_at")


def _late_row(seat: Seat) -> Row:
    who = {"name": seat.own_name or _("A player")}
    url = reverse("admin:games_game_change", args=[seat.game_id], query={"act": "play_bot"})
    return Row(_("The table waits for %(name)s.") % who, seat.due_at, seat.game.name, url)


def _faulty_logs(_by: User, _now: datetime) -> Found:
    check = Heartbeat.objects.filter(name=Heartbeat.VERIFY, started_at__isnull=False).first()
    faults = check.faults if check is not None else {}
    since = check.started_at if check is not None else None

    def row(game: Game) -> Row:
        said = _("The log fails verification. Pause the game, and ask the operator.")
        if event := faults[game.public_id]:
            said = _(
                "Event %(number)s of the log fails verification. Pause the game, and ask the "
                "operator."
            ) % {"number": event}
        url = reverse("admin:games_game_change", args=[game.pk], query={"act": "pause"})
        return Row(said, since, game.name, url)

    games = Game.objects.filter(public_id__in=list(faults) or [""]).defer("seed").order_by("pk")
    return _found(games, row)


# -- people --------------------------------------------------------------------------------


def _bouncing(_by: User, _now: datetime) -> Found:
    playing = (Game.Status.RUNNING, Game.Status.PAUSED)
    seats = Seat.objects.filter(user=OuterRef("pk"), game__status__in=playing)
    troubled = User.objects.filter(Exists(seats), mail_trouble__gt="").order_by("pk")
    troubled = troubled.only("email", "mail_trouble")
    found = [
        user for user in troubled[: MOST_COUNTED + 1] if user.mail_stopped == StopReason.BOUNCE
    ]
    digests = [address_digest(user.email) for user in found[:SHOWN]]
    known = dict(
        MailAddress.objects.filter(digest__in=digests or [""]).values_list("digest", "stopped_at")
    )
    said = _("Emails to this player bounce.")
    form = {"act": "emails"}
    rows = [
        Row(
            said,
            known.get(digest),
            user.email,
            reverse("admin:games_user_conduct", args=[user.pk], query=form),
        )
        for user, digest in zip(found, digests, strict=False)
    ]
    return Found(rows, len(found))


def _limits(by: User, now: datetime) -> Found:
    of_people = [name for name, q in REGISTRY.items() if q.scope in (Scope.PERSON, Scope.SEAT)]
    uses = QuotaUse.objects.filter(
        quota__in=of_people, refused__gte=MANY_REFUSALS, refused_at__gte=now - LIMITS_FOR
    )
    uses = base.limits_for(by, uses).order_by("-refused_at")
    keys = [_person_of(use) for use in uses[:SHOWN]]
    people = User.objects.in_bulk([0, *keys])
    sees_people = has_right(by, "view_user")

    def row(use: QuotaUse) -> Row:
        person = people.get(_person_of(use))
        url = reverse("admin:games_quotause_changelist", query={"limit": use.quota})
        if person is not None and sees_people:
            url = reverse("admin:games_user_change", args=[person.pk])
        said = _("The limit %(limit)s was exceeded %(count)s times.") % {
            "limit": use.quota,
            "count": use.refused,
        }
        return Row(said, use.refused_at, person.name if person is not None else use.subject, url)

    return _found(uses, row)


def _person_of(use: QuotaUse) -> int:
    """The user (pk): the subject is "user" or "table:user"."""
    return int(re.findall(r"\d+", use.subject)[-1])


# -- emails and tasks ----------------------------------------------------------------------


def _mail_server(_by: User, now: datetime) -> Found:
    url = reverse("admin:games_mailtransport_changelist")

    def row(closed: MailTransport) -> Row:
        return Row(f"{health.refusal(closed, now)}.", closed.closed_at, closed.name, url)

    return _found(health.closed_transports(), row)


def _parked(by: User, _now: datetime) -> Found:
    return _emails(by, health.parked_emails(), _("The mail server refuses this email: %(kind)s."))


def _dead(by: User, now: datetime) -> Found:
    return _emails(by, health.dead_emails(now), _("This email failed: %(kind)s."))


def _emails(by: User, rows: QuerySet[OutboxMail], said: str) -> Found:
    def row(mail: OutboxMail) -> Row:
        url = reverse("admin:games_outboxmail_changelist", query={"q": mail.message_id})
        return Row(
            said % {"kind": kinds.label(mail.kind)}, mail.created_at, mail.masked_address, url
        )

    return _found(base.emails_for(by, rows), row)


def _failed_replies(by: User, now: datetime) -> Found:
    """Return the failed replies to a turn that is still open and, for some days, those about no
    turn."""
    failed = InboundMail.objects.filter(state=InboundMail.State.FAILED)
    turns = Seat.objects.filter(
        game=OuterRef("game"), number=OuterRef("seat"), asked_seq__lte=OuterRef("seq")
    )
    since = now - timedelta(days=settings.INBOUND_KEEP_DAYS)
    rows = failed.filter(
        Exists(turns) | Q(game=None, received_at__gt=now - health.FAILED_FOR), received_at__gt=since
    )

    def row(mail: InboundMail) -> Row:
        said = f"{_('This reply could not be processed.')} {mail.failure}".rstrip()
        url = reverse("admin:games_inboundmail_change", args=[mail.pk])
        return Row(said, mail.received_at, mail.game.name if mail.game is not None else "–", url)

    rows = base.replies_for(by, rows).select_related("game").order_by("-received_at")
    return _found(rows, row)


KINDS = (
    Kind(gettext_lazy("Logs that do not verify"), "view_game", _faulty_logs, "game"),
    Kind(gettext_lazy("Reports by players"), "view_report", _reports, "report"),
    Kind(gettext_lazy("Appeals"), "change_appeal", _appeals, "appeal", OPEN),
    Kind(
        gettext_lazy("Tables that have waited for three days"), "view_game", _late, "game", OVERDUE
    ),
    Kind(
        gettext_lazy("Tables that wait and have no host"),
        "view_game",
        _without_host,
        "game",
        OVERDUE,
    ),
    Kind(gettext_lazy("Players whose emails bounce"), "view_user", _bouncing, "user", BOUNCE),
    Kind(gettext_lazy("Mail server"), "view_mailtransport", _mail_server, "mailtransport"),
    Kind(
        gettext_lazy("Emails that the mail server refuses"),
        "view_outboxmail",
        _parked,
        "outboxmail",
        PARKED,
    ),
    Kind(gettext_lazy("Emails that failed"), "view_outboxmail", _dead, "outboxmail", DEAD),
    Kind(
        gettext_lazy("Replies that could not be processed"),
        "view_inboundmail",
        _failed_replies,
        "inboundmail",
        FAILED,
    ),
    Kind(
        gettext_lazy("Limits that one person keeps exceeding"), "view_quotause", _limits, "quotause"
    ),
)
