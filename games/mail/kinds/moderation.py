"""Emails about what moderators and hosts do: news of a report, what happened at a table, decisions
about the reader, and answers to appeals."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.mail import reply_addresses, signed_links
from games.mail.turn_text import moment
from games.models import (
    APPEAL_PERIOD,
    RESTRICTING,
    Action,
    Circle,
    Decision,
    Message,
    OutboxMail,
    Report,
    Rule,
    User,
)
from games.translate import join_names, quoted, with_colon

from .base import SEND, MailContent, SendDecision, ShortMailKind, Snapshots, register
from .seat_mail import GameMail, SeatMail, SeatMailKind

# Of decisions that restrict somebody, or end that. Of a seat that is lost, the email to the table
# says so.
DECISION_SENTENCES: Mapping[str, Promise] = {
    Action.SUSPEND: gettext_lazy("A moderator has suspended you: you cannot sign in or move."),
    Action.CLOSE_TALK: gettext_lazy(
        "A moderator has decided that you cannot write messages for some time. You can still play "
        "and vote."
    ),
    Action.OPEN_TALK: gettext_lazy("You can write messages to the other players again."),
    Action.OFFER_SEAT: gettext_lazy(
        "A moderator offers you a seat at a table. You have two weeks to accept it on the page "
        "below."
    ),
    Action.UPHOLD: gettext_lazy("A moderator has read your appeal. The decision stands."),
    Action.GRANT: gettext_lazy("A moderator has read your appeal and overturned the decision."),
    Action.LIFT: gettext_lazy("Your suspension has ended: you can sign in again."),
    Action.WARN: gettext_lazy("A moderator warns you: do not do this again."),
    Action.RENAME: gettext_lazy("A moderator has changed the name of a table that you host."),
    Action.RENAME_CIRCLE: gettext_lazy("A moderator has changed the name of a circle of yours."),
    Action.CLOSE_CIRCLE: gettext_lazy(
        "A moderator has closed a circle of yours: nobody can join it or make tables for it any "
        "more. Its members can still read it."
    ),
    Action.EDIT_PERSON: gettext_lazy(
        "A moderator has changed the name, language or time zone of your account."
    ),
    Action.SIGN_OUT: gettext_lazy("A moderator has signed you out of all devices."),
    Action.REMOVE_FACTOR: gettext_lazy(
        "A moderator has removed a second factor from your account: you can sign in without it."
    ),
    Action.REMOVE_MESSAGE: gettext_lazy("A moderator has removed a message that you wrote."),
    Action.CLOSE: gettext_lazy(
        "A moderator is closing your account: it will be deleted on %(when)s. Until then, you can "
        "sign in and cancel that."
    ),
}


class _Report(ShortMailKind):
    """News of a report for the person who made it: that it has arrived, and how it ended.

    Once it is closed, only the sentence of the outcome: nothing that a moderator wrote.
    """

    name = "report"
    label = gettext_lazy("news of a report")

    def check(self, row: OutboxMail) -> SendDecision:
        if not Report.objects.filter(pk=row.context["report"]).exists():
            return SendDecision("the report was deleted")
        return SEND

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        found = Report.objects.select_related("reporter", "person", "game")
        report = found.get(pk=row.context["report"])
        outcome = Report.Outcome(row.context["outcome"])
        received = _(
            "Your report has reached the moderators. You’ll get an email when they have closed it."
        )
        return MailContent(
            {
                "me": report.reporter.shown_name,
                "said": str(outcome.label) if outcome else received,
                "about": report.subject,
                "at": moment(report.at),
                "text": report.text,
                "conduct_url": settings.SITE_URL + reverse("conduct"),
            }
        )

    def subject(self, context: dict[str, Any]) -> str:
        return _("Your report at %(site)s") % {"site": settings.SITE_NAME}


REPORT = register(_Report())


class _Moderated(SeatMailKind):
    """A moderator or the host acted, or a player left; also for a player who lost a seat by it."""

    name = "moderated"
    label = gettext_lazy("moderator action")
    category = gettext_lazy("A player left, or the host or a moderator intervened")
    position = 6
    sample_statuses = ()

    def check(self, row: OutboxMail) -> SendDecision:
        return SEND if row.seat is None else super().check(row)  # who lost a seat has none

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        if row.seat is None:
            mail = GameMail(row, snapshots)
            rule = row.context.get("rule", "")
            decision = _appealable(row)
            words = f"{with_colon(_('Rule of conduct'))} {Rule(rule).label}" if rule else ""
            return MailContent(
                mail.context(
                    said=" ".join(filter(None, (_what(mail), _lapsed(mail)))),
                    rule=words,
                    removed=True,
                    asked=False,
                    due="",
                    has_link=mail.game.is_open,
                    **(appealing(decision) if decision is not None else {}),
                )
            )
        return super().content(row, snapshots)

    def seat_content(self, mail: SeatMail) -> MailContent:
        return mail.changed(_what(mail))


def _appealable(row: OutboxMail) -> Decision | None:
    """The decision by which the reader lost the seat, if they can appeal."""
    found = Decision.objects.select_related("person").filter(game=row.game_id, seq=row.seq).first()
    return found if found is not None and found.can_be_appealed else None


def _what(mail: GameMail) -> str:
    entry = next((e for e in mail.log.entries if e.seq == mail.row.seq and e.is_table), None)
    sentence = selectors.sentence_of(mail.log, entry, None, mail.seat_names) if entry else None
    return sentence or str(mail.row.context["reason"])


def _lapsed(mail: GameMail) -> str:
    """What became of what the reader, who lost the seat, had entered in advance."""
    entry = next((e for e in mail.log.entries if e.seq == mail.row.seq), None)
    if entry is None or entry.seat is None or mail.row.user is None:
        return ""
    return selectors.lapsed_orders_sentence(mail.log, entry.seq, entry.seat, mail.row.user.pk)


MODERATED = register(_Moderated())


class _Decision(ShortMailKind):
    """The statement of reasons: what a moderator decided about the reader, why, by which rule."""

    name = "decision"
    label = gettext_lazy("decision of a moderator")
    reaches_suspended = True

    def check(self, row: OutboxMail) -> SendDecision:
        decision = Decision.objects.select_related("person").get(pk=row.context["decision"])
        if decision.person is None:
            return SendDecision("the account is gone")
        if decision.action == Action.CLOSE and decision.person.closes_at is None:
            return SendDecision("the deletion was cancelled")
        return SEND

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        found = Decision.objects.select_related("game", "person", "words")
        decision = found.get(pk=row.context["decision"])
        assert decision.person is not None
        reply_to = None
        if decision.can_be_appealed:
            reply_to = reply_addresses.appeal_address(decision.pk)
        return MailContent(
            {
                "me": decision.person.shown_name,
                **decision_facts(decision, row.context),
                **appealing(decision),
                "reply_to": reply_to,
                "conduct_url": settings.SITE_URL + reverse("conduct"),
            },
            reply_to=reply_to,
        )

    def subject(self, context: dict[str, Any]) -> str:
        return _("A moderator’s decision at %(site)s") % {"site": settings.SITE_NAME}


class Judged(NamedTuple):
    """A sentence about what a decision judges. message: its pk, if there is such a row."""

    sentence: str
    message: int | None = None


def judged_messages(decision: Decision) -> list[int]:
    """Return the messages (pk) that the decision judges."""
    kind, _space, key = decision.message.rpartition(" ")
    return [int(key)] if kind == "message" else decision.messages


def judged(decision: Decision, shown: Callable[[datetime], str] = moment) -> list[Judged]:
    """Return what the decision judges: the words of messages with their time, the old name and the
    new one, or the name of a circle; for the answer to an appeal, what the appeal was about. [] for
    conduct, and for words that were removed. shown: a time."""
    if (appealed := _appealed(decision)) is not None:
        return judged(appealed, shown)
    if keys := judged_messages(decision):
        return [one for key in keys if (one := _quoted(key, shown)) is not None]
    words = getattr(decision, "words", None)
    kind, _space, _key = decision.message.rpartition(" ")
    if words is None:
        return []
    if words.before == words.after:
        circle = _("Circle “%(name)s”") % {"name": words.after}
        return [Judged(circle)] if kind == "circle" else []
    found = ((_("Former name"), words.before), (_("New name"), words.after))
    return [Judged(f"{with_colon(label)} {name or '–'}") for label, name in found]


def _quoted(key: int, shown: Callable[[datetime], str]) -> Judged | None:
    """The words of a message (pk) and when they were written; as somebody reported them where the
    author has deleted them; None if they are gone."""
    message = Message.objects.filter(pk=key).first()
    report = Report.objects.filter(message=key).first()
    text = (message and message.text) or (report and report.quoted)
    if not text:
        return None
    if message is None:
        return Judged(_("Message: “%(text)s”") % {"text": text})
    words = {"text": text, "at": shown(message.at)}
    return Judged(_("Message, %(at)s: “%(text)s”") % words, message.pk)


def decision_facts(decision: Decision, context: Mapping[str, Any] = {}) -> dict[str, Any]:
    """Return what was decided, about what, when and until when, why, by which rule, and how it was
    noticed. decision: its person has an account. context: of the email about it."""
    assert decision.person is not None
    sentence = DECISION_SENTENCES.get(
        decision.action, gettext_lazy("A moderator has reassigned your seat.")
    )
    said = str(sentence) % {"when": moment(decision.person.closes_at) or "–"}
    if bots := context.get("bots"):
        said += " " + _("A bot has taken your seat at %(tables)s.") % {
            "tables": join_names([quoted(table) for table in bots])
        }
    if context.get("kept"):
        said += " " + _("Deadlines still apply at tables where you keep your seat.")
    other = _appealed(decision)
    if other is not None and decision.action == Action.GRANT:
        said = " ".join(filter(None, [said, _restored(other, decision.person)]))
    return {
        "said": said,
        "appealed": f"{other.action_label}, {moment(other.at)}" if other is not None else "",
        "judged": [found.sentence for found in judged(decision)],
        "table": decision.game.name if decision.game is not None else "",
        "at": str(moment(decision.at)),
        "until": restricted_until(decision),
        "reason": decision.reason,
        "rule": decision.rule_label,
        "reported": _how_noticed(decision),
        "offer_url": _offer_url(decision),
    }


def _offer_url(decision: Decision) -> str:
    if decision.action != Action.OFFER_SEAT:
        return ""
    return settings.SITE_URL + reverse("seat_offer", args=[decision.pk])


def decision_lines(decision: Decision, context: Mapping[str, Any]) -> list[str]:
    """The facts of a decision as sentences, for who is about to make it. context: of the email."""
    facts = decision_facts(decision, context)
    labelled = {
        _("Ends"): facts["until"],
        _("Reason"): facts["reason"],
        _("Rule of conduct"): facts["rule"],
    }
    more = [f"{with_colon(label)} {words}" for label, words in labelled.items() if words]
    return [facts["said"], *facts["judged"], *more, *filter(None, [facts["reported"]])]


def appealing(decision: Decision) -> dict[str, str]:
    """Return until when and on which page its person can appeal; {} for a decision without
    appeal."""
    if not decision.can_be_appealed or decision.person is None:
        return {}
    return {
        "appeal_until": selectors.day(timezone.localtime(decision.at + APPEAL_PERIOD).date()),
        "appeal_url": settings.SITE_URL + signed_links.appeal_path(decision, decision.person),
    }


def _appealed(decision: Decision) -> Decision | None:
    """The decision against which the appeal was that this one answers."""
    if decision.action not in (Action.UPHOLD, Action.GRANT):
        return None
    found = Decision.objects.select_related("words", "game")
    return found.get(pk=decision.message.rpartition(" ")[2])


def _restored(decision: Decision, person: User) -> str:
    """Return what the person has or can do again after this decision was overturned; "" where
    something later forbids it or has changed it."""
    key, words = decision.message.rpartition(" ")[2], getattr(decision, "words", None)
    before = words.before if words is not None and words.before != words.after else ""
    match decision.action:
        case Action.SUSPEND if not person.is_suspended:
            return str(DECISION_SENTENCES[Action.LIFT])
        case Action.CLOSE_TALK if person.may_talk:
            return str(DECISION_SENTENCES[Action.OPEN_TALK])
        case Action.CLOSE if person.closes_at is None:
            return _("Your account will not be deleted.")
        case Action.EDIT_PERSON if before and person.display_name == before:
            return _("You have your former name again.")
        case Action.RENAME if decision.game is not None and decision.game.name == before:
            return _("Your table has its former name again.")
        case Action.RENAME_CIRCLE if Circle.objects.filter(pk=key, name=before).exists():
            return _("Your circle has its former name again.")
        case Action.CLOSE_CIRCLE if Circle.objects.filter(pk=key, closed_at=None).exists():
            return _("Your circle is open again.")
        case Action.REMOVE_MESSAGE if Message.objects.filter(pk=key, state="").exists():
            return _("Your message is shown again.")
    return ""


def restricted_until(decision: Decision, shown: Callable[[datetime], str] = moment) -> str:
    """Return when the restriction ends; "" for a decision that restricts for no time. shown: a
    time."""
    if decision.until is None:
        return _("never") if decision.action == Action.SUSPEND else ""
    return str(shown(decision.until))


def _how_noticed(decision: Decision) -> str:
    """Say whether somebody reported it; never who."""
    if decision.action not in RESTRICTING:
        return ""
    if decision.reported:
        return _("Someone had reported this.")
    return _("Nobody had reported this; the moderator noticed it.")


DECISION = register(_Decision())


class _Appeal(ShortMailKind):
    """What became of an email with an appeal. The decision about the appeal is an email of its own.

    context: `problem` says why nothing could be read, `refused` why it does not count.
    """

    name = "appeal"
    label = gettext_lazy("answer to an appeal")
    reaches_suspended = True

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        assert row.user is not None
        decision = Decision.objects.get(pk=row.context["decision"])
        known = {name: row.context.get(name, "") for name in ("problem", "refused")}
        page = settings.SITE_URL + signed_links.appeal_path(decision, row.user)
        return MailContent({"me": row.user.shown_name, "appeal_url": page, **known})

    def subject(self, context: dict[str, Any]) -> str:
        return DECISION.subject(context)


APPEAL = register(_Appeal())
