"""Limits on everything that reaches other people or costs work.

`register` makes the quotas of one action. Their names, such as "invitations_person_day", are stored
and stand in the setting QUOTAS, which changes their limits. A service calls `spend` inside its
transaction: one statement counts in all quotas of the action and locks their rows until the
transaction ends, so parallel processes never exceed a limit. If one quota is full, nothing is
counted and QuotaExceeded says when the action works again.

A window starts with the first use and lasts an hour or a day by PostgreSQL's clock. Addresses and
networks are stored as HMACs only. Call `spend` after the game is locked; an action that spends
several times does so in the order of registration, or two transactions might block each other.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.log import pipeline
from games.models import Game, QuotaUse, User
from games.translate import exact_time

from .errors import ServiceError
from .quota_subjects import Scope, subject_keys

logger = logging.getLogger(__name__)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
WINDOWS = {"hour": HOUR, "day": DAY}
KEEP = timedelta(days=30)  # for refusals, which moderators can read
BATCH = 5000  # rows that one statement deletes


@dataclass(frozen=True)
class Quota:
    """A limit on one action. what: the action as a plural noun, for the sentence."""

    action: str
    what: Promise
    scope: Scope
    per: str  # a key of WINDOWS; "" for a limit on how many there are at one time
    default: int

    @property
    def name(self) -> str:
        """The name in the database and in the setting QUOTAS."""
        return "_".join(filter(None, (self.action, self.scope, self.per)))

    @property
    def limit(self) -> int:
        """The number of uses in one window, or of things at one time."""
        return int(settings.QUOTAS.get(self.name, self.default))


@dataclass(frozen=True)
class Quotas:
    """The quotas of one action, in the order of their scopes."""

    name: str
    quotas: tuple[Quota, ...]


REGISTRY: dict[str, Quota] = {}


def register(action: str, what: Promise, **limits: int) -> Quotas:
    """An action with these limits: person_day=20 allows it 20 times a day to each person.

    person=5 limits how many there are at one time; see `require_room`.
    """
    quotas = []
    for name, default in limits.items():
        scope, _separator, per = name.partition("_")
        if per and per not in WINDOWS:
            raise ValueError(f"{name}: a quota is per {' or per '.join(WINDOWS)}")
        quotas.append(Quota(action, what, Scope(scope), per, default))
    quotas.sort(key=lambda quota: list(Scope).index(quota.scope))
    REGISTRY.update((quota.name, quota) for quota in quotas)
    return Quotas(action, tuple(quotas))


def check_setting() -> None:
    """ImproperlyConfigured if the setting QUOTAS names an unknown quota."""
    if unknown := sorted(settings.QUOTAS.keys() - REGISTRY.keys()):
        raise ImproperlyConfigured(
            f"QUOTAS names unknown limits: {', '.join(unknown)}. "
            "docs/configuration.md lists the known ones."
        )


# In the order in which one transaction may spend them.
# Emails whose signature is checked, which asks name servers; more are read as unsigned ones.
SIGNATURES = register("signatures", gettext_lazy("email replies"), person_hour=300)
REPLIES = register("replies", gettext_lazy("email replies"), seat_hour=60, person_hour=150)
# Emails that strangers bring to the listener; their mail servers try again later.
ARRIVALS = register("arrivals", gettext_lazy("emails"), network_hour=120)
# Replies that are read although their sender is not verified. Anybody who knows the address can use
# them up, which keeps only further emails of this kind from being read.
READINGS = register(
    "readings", gettext_lazy("email replies"), seat_hour=20, person_hour=60, network_hour=120
)
# Answers to replies whose sender is not verified: they go to the player, not to the sender.
UNVERIFIED_REPLIES = register(
    "unverified_replies", gettext_lazy("email replies"), seat_day=8, person_day=24
)
UNCLEAR_REPLIES = register("unclear_replies", gettext_lazy("unclear email replies"), seat_hour=20)
GAME_LISTS = register("game_lists", gettext_lazy("email replies"), person_hour=8)
# Private orders, each of which is kept and read with the log for as long as the game exists.
ORDERS = register("orders", gettext_lazy("plans and standing orders"), seat_day=200)
# Also notes on a move that was made before.
MESSAGES = register("messages", gettext_lazy("messages"), person_hour=60, seat_day=100)
MUTES = register("mutes", gettext_lazy("changes to whom you mute or block"), person_day=60)
PLAYER_REPORTS = register("player_reports", gettext_lazy("reports"), person_day=5)
UNSUBSCRIBING = register(
    "unsubscribing", gettext_lazy("confirmations that emails are off"), person_day=6
)
OPEN_TABLES = register("open_tables", gettext_lazy("open tables"), person=5)
GAMES_AT_ONCE = register("games_at_once", gettext_lazy("games at the same time"), person=100)
TABLES = register("tables", gettext_lazy("new tables"), person_day=30, service_hour=2000)
INVITATIONS = register(
    "invitations",
    gettext_lazy("invitations"),
    person_day=20,
    pair_day=2,
    address_day=3,
    service_hour=1000,
)
# Those that an address gets from people it has played with, or to whom it has said yes. They do
# not count in `invitations_address_day`, which is for strangers.
FRIENDS = register("friends_invitations", gettext_lazy("invitations"), pair_day=5, address_day=10)
REMATCHES = register(
    "rematches", gettext_lazy("rematches"), seat_day=3, person_day=20, pair_day=5, address_day=10
)
# Tables for a circle, rematches included, whose members get an invitation each. They have said yes
# to the circle. Nothing counts by address: rematches of some would use up those of others.
CIRCLE_TABLES = register(
    "circle_tables",
    gettext_lazy("tables for circles"),
    person_day=10,
    pair_day=10,
    service_hour=1000,
)
# Circles are founded, joined, handed over and closed; people are removed.
CIRCLE_CHANGES = register("circle_changes", gettext_lazy("changes to circles"), person_day=40)
CHANNEL_TESTS = register("channel_tests", gettext_lazy("tests of a channel"), person_hour=5)
CIRCLES = register("circles", gettext_lazy("circles"), person=10)
EXPORTS = register(
    "exports",
    gettext_lazy("downloads of games"),
    person_hour=60,
    network_hour=120,
    service_hour=5000,
)
PERSONAL_DATA = register(
    "personal_data", gettext_lazy("downloads of your data"), person_day=10, service_hour=200
)
PREVIEWS = register(
    "previews", gettext_lazy("pictures of boards"), network_hour=120, service_hour=20_000
)
# Pages and answers of the trial; a turn of *Escape* takes about ten.
TRIALS = register(
    "trials", gettext_lazy("pages of the trial"), network_hour=400, service_hour=20_000
)
# Each seat that is taken over shows a hand.
TAKEOVERS = register(
    "takeovers", gettext_lazy("seats that are taken over"), person_day=5, table_day=10
)
SEAT_OFFERS = register("seat_offers", gettext_lazy("seat offers"), person_day=5)
HELP = register("help", gettext_lazy("extra days and nudges"), seat_day=6, person_day=20)
HOST_CALLS = register("host_calls", gettext_lazy("requests to the host"), seat_day=2, person_day=5)
# All players get an email about a vote.
VOTES = register("votes", gettext_lazy("votes"), person_day=6)
# All players get an email about these, too.
MODERATIONS = register("moderations", gettext_lazy("moderation actions"), person_hour=200)
HOST_ACTIONS = register("host_actions", gettext_lazy("host actions"), seat_day=60, person_hour=60)
# People and bots that sit down at a table that waits: the log keeps that, and that they leave.
SEATINGS = register("seatings", gettext_lazy("sitting down at this table"), seat_day=20)
ACCOUNT_CHANGES = register("account_changes", gettext_lazy("account changes"), person_day=20)
ABSENCES = register("absences", gettext_lazy("changes to absences"), person_day=60)
FEED_KEYS = register("feed_keys", gettext_lazy("new addresses of feeds"), person_day=20)
FEEDS = register("feeds", gettext_lazy("fetches of feeds"), person_hour=120)
# Codes for a browser that has signed in with the address before, or has proved in another way that
# the address is its user's. Strangers cannot use them up: no network, not the service as a whole.
# With SIGN_IN_CODES from two networks, an address gets at most six codes an hour.
OWN_CODES = register("own_codes", gettext_lazy("sign-in codes"), address_hour=2, address_day=8)
SIGN_IN_CODES = register(
    "sign_in_codes",
    gettext_lazy("sign-in codes"),
    source_hour=2,
    source_day=4,
    network_hour=60,
    network_day=300,
    service_hour=3000,
)
# Counted with the first code of an hour, and of a day, that a network asks for: a network that has
# got one keeps its share whatever others do.
CODE_NETWORKS = {
    per: register(
        "code_networks",
        gettext_lazy("networks that ask for sign-in codes"),
        **{f"address_{per}": limit},
    )
    for per, limit in (("hour", 2), ("day", 6))
}
# Codes to addresses without an account, in addition to SIGN_IN_CODES. The page must not show that
# this limit is exceeded, or it would say which addresses have an account.
SIGN_UPS = register(
    "sign_ups",
    gettext_lazy("new accounts"),
    network_hour=20,
    network_day=60,
    service_hour=300,
    service_day=2000,
)
# Counted before the comparison, so that tries at one moment are as many as tries in turn. A try of
# the second factor that was right is taken back.
GUESSES = register("guesses", gettext_lazy("attempts to enter a code"), code_hour=3)
FACTOR_GUESSES = register(
    "factor_guesses",
    gettext_lazy("wrong second-factor codes"),
    person_hour=10,
    person_day=30,
)
PUSH_CHANGES = register("push_changes", gettext_lazy("changes to notifications"), person_day=30)
PUSH_DEVICES = register("push_devices", gettext_lazy("devices with notifications"), person=8)


class QuotaExceeded(ServiceError):
    """A limit is exceeded. until: when the action works again; None if that is not known.

    is_first: it is the first refusal in this window.
    """

    def __init__(
        self, quota: Quota, subject: str, until: datetime | None, text: str, *, is_first: bool
    ) -> None:
        super().__init__(text)
        self.quota = quota
        self.subject = subject
        self.until = until
        self.is_first = is_first

    @property
    def retry_after(self) -> int:
        """Seconds until the action works again, at least 1; for the header Retry-After."""
        left = (self.until or timezone.now()) - timezone.now()
        return max(1, round(left.total_seconds()))


# PostgreSQL takes the rows in this order, so two transactions cannot wait for each other.
_COUNT = """
    INSERT INTO games_quotause AS old (quota, subject, ends_at, used, "limit") VALUES {rows}
    ON CONFLICT (quota, subject) DO UPDATE SET
        used = CASE WHEN old.ends_at <= now() THEN 1 ELSE old.used + 1 END,
        refused = CASE WHEN old.ends_at <= now() THEN 0 ELSE old.refused END,
        ends_at = CASE WHEN old.ends_at <= now() THEN excluded.ends_at ELSE old.ends_at END,
        "limit" = excluded."limit"
    RETURNING quota, subject, used, "limit", ends_at
"""
_ROW = "(%s, %s, now() + %s, 1, %s)"
_TAKE_BACK = """
    UPDATE games_quotause SET used = greatest(used - 1, 0)
    WHERE (quota, subject) IN ({rows})
"""
_REFUSE = """
    INSERT INTO games_quotause AS old
        (quota, subject, ends_at, used, "limit", refused, refused_at)
    VALUES (%s, %s, now() + %s, 0, %s, 1, now())
    ON CONFLICT (quota, subject) DO UPDATE SET
        refused = CASE WHEN old.ends_at <= now() THEN 1 ELSE old.refused + 1 END,
        used = CASE WHEN old.ends_at <= now() THEN 0 ELSE old.used END,
        ends_at = CASE WHEN old.ends_at <= now() THEN excluded.ends_at ELSE old.ends_at END,
        refused_at = now()
    RETURNING refused
"""


def spend(
    action: Quotas,
    *,
    person: User | None = None,
    addresses: Iterable[str] = (),
    table: Game | None = None,
    network: str = "",
    code: str = "",
    first: Sequence[pipeline.Statement] = (),
) -> list[list[pipeline.Row]]:
    """Count one use for each of these subjects, or raise QuotaExceeded and count nothing.

    network: the IP address of the client. code: the expected one and its browser. Quotas whose
    subject is not given are left out. first: statements to run before, in the same round trip;
    their rows are returned.
    """
    subjects = subject_keys(person, addresses, table, network, code)
    rows = [(q, subject) for q in action.quotas if q.per for subject in subjects.get(q.scope, ())]
    if not rows:
        raise TypeError(f"{action.name} has no quota for any of these subjects")
    values: list[Any] = []
    for quota, subject in rows:
        values += (quota.name, subject, WINDOWS[quota.per], quota.limit)
    count = _COUNT.format(rows=", ".join([_ROW] * len(rows))), values
    *found, counted = pipeline.execute([*first, count])
    over = [row for row in counted if row[2] > row[3]]
    if over:
        name, subject, _used, _limit, until = max(over, key=lambda row: row[4])
        pairs = [pair for row in counted for pair in row[:2]]
        take_back = _TAKE_BACK.format(rows=", ".join(["(%s, %s)"] * len(counted)))
        quota = REGISTRY[name]
        _refuse(quota, subject, until, [(take_back, pairs)], _sentence(quota, until))
    return found


def first_uses(action: Quotas, scope: Scope, *, address: str, network: str = "") -> list[str]:
    """Return for which windows, "hour" or "day", the use that this transaction has counted is the
    first one."""
    (subject,) = subject_keys(None, [address], None, network)[scope]
    names = {quota.name: quota.per for quota in action.quotas if quota.scope == scope}
    found = QuotaUse.objects.filter(quota__in=names, subject=subject, used=1)
    return sorted((names[quota] for quota in found.values_list("quota", flat=True)), reverse=True)


def take_back(action: Quotas, *, person: User | None = None, table: Game | None = None) -> None:
    """Take back one use of an action that turned out to cost nothing."""
    subjects = subject_keys(person, (), table, "")
    names = [(q.name, key) for q in action.quotas for key in subjects.get(q.scope, ())]
    with connection.cursor() as cursor:
        rows = ", ".join(["(%s, %s)"] * len(names))
        cursor.execute(_TAKE_BACK.format(rows=rows), [value for name in names for value in name])


def require_room(action: Quotas, person: User, count: str, sentence: str) -> None:
    """Raise QuotaExceeded if this person has as many as allowed at one time.

    count: SQL with the pk of the user as its parameter. It runs once the person's row of the quota
    is locked, so that two transactions do not count at the same time. sentence: what to do, with
    %(count)s.
    """
    (quota,) = action.quotas
    subject, limit = str(person.pk), quota.limit
    lock = _COUNT.format(rows=_ROW), [quota.name, subject, DAY, limit]
    _locked, ((used,),) = pipeline.execute([lock, (count, [person.pk])])
    if used >= limit:
        _refuse(quota, subject, None, [], sentence % {"count": used})


def _refuse(
    quota: Quota,
    subject: str,
    until: datetime | None,
    before: list[pipeline.Statement],
    text: str,
) -> NoReturn:
    """Record the refusal and raise it."""
    refused = pipeline.execute([*before, _refusal(quota, subject)])[-1][0][0]
    if refused == 1:
        level = logging.ERROR if quota.scope == Scope.SERVICE else logging.WARNING
        words = "Limit exceeded: %s (%s) %s"
        logger.log(level, words, quota.name, quota.limit, subject[:12])
    raise QuotaExceeded(quota, subject, until, text, is_first=refused == 1)


def _refusal(quota: Quota, subject: str) -> pipeline.Statement:
    window = WINDOWS.get(quota.per, DAY)
    return _REFUSE, [quota.name, subject, window, quota.limit]


def _sentence(quota: Quota, until: datetime) -> str:
    """Return the exceeded limit, and when to try again, for the reader."""
    match quota.scope:
        case Scope.ADDRESS:
            text = _("This address has reached the limit for %(what)s (%(limit)s %(per)s).")
        case Scope.TABLE:
            text = _("This table has reached the limit for %(what)s (%(limit)s %(per)s).")
        case Scope.NETWORK | Scope.SERVICE:
            text = _("There are too many requests for %(what)s at the moment.")
        case _:
            text = _("You have reached the limit for %(what)s (%(limit)s %(per)s).")
    per = _("per hour") if quota.per == "hour" else _("per day")
    limit = text % {"what": quota.what, "limit": quota.limit, "per": per}
    return f"{limit} {_('Try again after %(when)s.') % {'when': exact_time(until)}}"


@contextmanager
def atomic() -> Iterator[None]:
    """Open a transaction like Django's `transaction.atomic`. If a quota refuses the action, the
    refusal is recorded after everything else is rolled back."""
    try:
        with transaction.atomic():
            yield
    except QuotaExceeded as refused:
        pipeline.execute([_refusal(refused.quota, refused.subject)])
        raise


def purge_old() -> int:
    """Delete counters whose window is over, and refusals older than KEEP; return their number."""
    old = QuotaUse.objects.filter(ends_at__lt=timezone.now() - DAY).filter(
        Q(refused_at__isnull=True) | Q(refused_at__lt=timezone.now() - KEEP)
    )
    with transaction.atomic():
        # A row that is locked is just being used again, so it stays.
        idle = old.select_for_update(skip_locked=True).values_list("pk", flat=True)
        return QuotaUse.objects.filter(pk__in=list(idle[:BATCH])).delete()[0]
