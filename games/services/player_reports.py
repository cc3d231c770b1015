"""Reports by players, and what moderators make of them.

A report changes nothing that the reported person can observe. Moderators see no report of their
own, about themselves, or about a table at which they play.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from games import selectors
from games.mail import queue
from games.mail.kinds.attention import ATTENTION
from games.mail.outbox_rows import enqueue, row_for
from games.models import (
    RESTRICTING,
    Action,
    Decision,
    Game,
    Message,
    OutboxMail,
    Report,
    Seat,
    User,
    database_clock,
)

from . import decisions, quotas
from .account_moderation import moderate_close_talk, moderate_suspend, moderate_warn
from .clean_text import clean_talk
from .decisions import Ruling, latest_decision, message_remove
from .errors import NotAllowed, ServiceError
from .moderators import games_kept_from, has_right, informed, require_right
from .quotas import atomic

KEPT = timedelta(days=365)  # with all texts
BETWEEN_EMAILS = timedelta(hours=1)  # about reports, to one moderator
TOLD_ONCE = timedelta(days=1)  # older reports are in the daily email
BATCH = 5000  # rows that one statement deletes


def message_report(*, game: Game, user: User, key: int, text: str) -> Report:
    """Report a message that this person may read. game: as `game_for` found it for them."""
    message = selectors.readable(game, user).filter(pk=key).select_related("author").first()
    if message is None or message.state != Message.State.SHOWN:
        raise NotAllowed(_("This message has been deleted."))
    about = Report(
        about=Report.About.MESSAGE,
        person=message.author,
        game=game,
        message=message.pk,
        quoted=message.text,
    )
    with atomic():
        return _file(about, user, text)


def conduct_report(
    *, game: Game, user: User, person: User, text: str, is_answered: bool = False
) -> Report:
    """Report the conduct of somebody at a table at which both have a seat, or had one.

    is_answered: the reporter gets another confirmation than our email.
    """
    if not (selectors.has_played(game, user) and selectors.has_played(game, person)):
        raise NotAllowed(_("You can only report people with whom you play."))
    about = Report(about=Report.About.CONDUCT, person=person, game=game)
    with atomic():
        return _file(about, user, text, is_answered=is_answered)


def name_report(*, user: User, person: User, text: str) -> Report:
    """Report the name of a person."""
    with atomic():
        about = Report(about=Report.About.NAME, person=person, quoted=person.display_name)
        return _file(about, user, text)


def _file(report: Report, user: User, text: str, *, is_answered: bool = False) -> Report:
    report.text = clean_talk(text)
    if not report.text:
        raise ServiceError(_("Write a few words about what happened."))
    if report.person == user:
        raise ServiceError(_("You cannot report yourself."))
    quotas.spend(quotas.PLAYER_REPORTS, person=user)  # locks a row of this person
    thing = {"person": report.person, "about": report.about, "game": report.game}
    earlier = Report.objects.filter(reporter=user, outcome="", message=report.message, **thing)
    if earlier.exists():
        raise ServiceError(_("You have reported this already. A moderator will look at it."))
    report.reporter = user
    report.at = database_clock.now()
    report.save()
    if not is_answered:
        queue.report_news(report)
    reports_tell(now=report.at)
    return report


# -- moderators ----------------------------------------------------------------------------


def reports_for(by: User) -> QuerySet[Report]:
    """The reports that this moderator may see: none that they made, none about them, and none about
    the tables at which they play, or about the names of those who play with them."""
    kept = games_kept_from(by, database_clock.now())
    waiting = Game.objects.filter(status=Game.Status.GATHERING, seats__user=by)
    opponents = Seat.objects.filter(game__in=kept, user__isnull=False).values("user")
    reports = Report.objects.exclude(Q(person=by) | Q(reporter=by))
    reports = reports.exclude(Q(game__isnull=False) & (Q(game__in=kept) | Q(game__in=waiting)))
    return reports.exclude(game=None, person__in=opponents)


def reports_tell(*, now: datetime) -> int:
    """Queue an email to each moderator who wants it and may close a report that has come since the
    last such email, at most one an hour; return their number."""
    rows = []
    for user in informed():
        if not has_right(user, "change_report"):
            continue
        told = OutboxMail.objects.filter(dedupe_key__startswith=f"reports:{user.pk}:")
        last = told.order_by("-pk").first()
        if last is not None and last.created_at > now - BETWEEN_EMAILS:
            continue
        waiting = reports_for(user).filter(outcome=Report.Outcome.OPEN)
        newer = waiting.filter(at__gt=now - TOLD_ONCE)
        if last is not None:
            newer = newer.filter(pk__gt=int(last.dedupe_key.rpartition(":")[2]))
        newest = newer.order_by("-pk").values_list("pk", flat=True).first()
        if newest is None:
            continue
        with translation.override(user.language):
            label = _("Reports by players")
        people = waiting.aggregate(number=Count("person", distinct=True))["number"]
        found = [(label, str(people), reverse("admin:games_report_changelist"))]
        key = f"reports:{user.pk}:{newest}"
        rows.append(row_for(ATTENTION, user, key, context={"open": found}))
    enqueue(rows)
    return len(rows)


def reports_judge(
    *,
    person: User,
    ruling: Ruling,
    measure: str,
    until: datetime | None,
    removed: Collection[int],
    outcomes: Mapping[int, str],
) -> None:
    """Decide about reports about one person at once: restrict the person, remove messages, close
    reports.

    measure: "warn", "close_talk", "suspend", or "" for none. until: its end. removed: the messages
    (pk). outcomes: the sentence for the reporter of each report (pk) that is closed.
    """
    if not (measure or removed or outcomes):
        raise ServiceError(
            _(
                "Choose an action against the person, a message to remove or an answer to a "
                "reporter."
            )
        )
    with atomic():
        locked = User.objects.select_for_update(no_key=True).get(pk=person.pk)
        ruling.require_version(latest_decision(locked))
        acted = [key for key, outcome in outcomes.items() if outcome == Report.Outcome.ACTED]
        here = replace(ruling, version=None)
        restricting = replace(here, messages=_judged(ruling.by, locked, removed, acted))
        match measure:
            case "warn":
                moderate_warn(user=person, ruling=restricting)
            case "close_talk":
                moderate_close_talk(user=person, ruling=restricting, until=until)
            case "suspend":
                moderate_suspend(user=person, ruling=restricting, until=until)
        for key in sorted(removed):
            message_remove(message_id=key, ruling=here)
        if outcomes:
            reports_close(outcomes=outcomes, ruling=here)


def _judged(by: User, person: User, removed: Collection[int], acted: Collection[int]) -> list[int]:
    """Return the messages (pk) of this person that are removed, or that the reports (pk) are about
    on which moderators act."""
    reports = reports_for(by).filter(pk__in=acted, person=person, message__isnull=False)
    written = Message.objects.filter(pk__in=removed, author=person)
    keys = {*reports.values_list("message", flat=True), *written.values_list("pk", flat=True)}
    return sorted(key for key in keys if key is not None)


def reports_close(*, outcomes: Mapping[int, str], ruling: Ruling) -> None:
    """Close these reports together. outcomes: report (pk) → the outcome whose sentence its reporter
    gets. The reason is for other moderators."""
    require_right(ruling.by, "change_report")
    ruling = ruling.cleaned()
    if not outcomes or not set(outcomes.values()) <= set(Report.Outcome.values) - {""}:
        raise ServiceError(_("Choose an outcome, and at least one report."))
    with atomic():
        quotas.spend(quotas.MODERATIONS, person=ruling.by)
        found = reports_for(ruling.by).filter(pk__in=outcomes, outcome="")
        reports = list(
            found.select_for_update(of=("self",))
            .select_related("reporter", "person", "game")
            .order_by("pk")
        )
        if len(reports) < len(outcomes):
            raise ServiceError(
                _("Another moderator has closed some of these reports in the meantime.")
            )
        now = database_clock.now()
        for report in reports:
            report.outcome, report.note = outcomes[report.pk], ruling.reason
            report.closed_at = now
            if report.outcome == Report.Outcome.ACTED and not _is_acted_on(report):
                raise ServiceError(
                    _("“%(report)s”: nothing has been done about this. Choose another answer.")
                    % {"report": report.subject}
                )
        Report.objects.bulk_update(reports, ["outcome", "note", "closed_at"])
        decisions.record(Action.CLOSE_REPORTS, Ruling(ruling.by), about=reports[-1])
        for report in reports:
            queue.report_news(report)


def _is_acted_on(report: Report) -> bool:
    """Return whether moderators have restricted its person since, removed its message, or acted at
    its table."""
    about_person = Q(person=report.person, action__in=RESTRICTING) & ~Q(
        action=Action.REMOVE_MESSAGE
    )
    removal = Q(action=Action.REMOVE_MESSAGE, message=f"message {report.message}")
    at_table = Q(game=report.game, seq__isnull=False) if report.game is not None else Q(pk=None)
    since = Decision.objects.filter(at__gte=report.at, as_host=False)
    return since.filter(about_person | removal | at_table).exists()


def player_reports_purge() -> int:
    """Delete reports of more than a year ago; return their number."""
    old = Report.objects.filter(at__lt=database_clock.now() - KEPT).values_list("pk", flat=True)
    return Report.objects.filter(pk__in=list(old[:BATCH])).delete()[0]
