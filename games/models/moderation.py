"""Reports by players, decisions of moderators and hosts, appeals against them, and the rules of
conduct on which they rest.

A decision is never changed: triggers refuse UPDATE, DELETE and TRUNCATE. What was written about it
is a row beside it, which can be removed.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ObjectDoesNotExist
from django.db import models
from django.db.models import Index, Q, UniqueConstraint
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from .game import Game
from .game_data import MAX_TALK

if TYPE_CHECKING:
    from .people import User


class Rule(models.TextChoices):
    """The rules of conduct, as players read them."""

    POLITE = "polite", _("Be polite: insult, threaten and harass nobody.")
    CLEAN = (
        "clean",
        _("Write nothing illegal, sexual or commercial, and nothing private about others."),
    )
    FAIR = (
        "fair",
        _("Play for yourself: share no hidden information, and plan no result with others."),
    )
    ONE_ACCOUNT = "one_account", _("Use one account, and take only one seat at a table.")
    GO_ON = (
        "go_on",
        _(
            "Keep your games going: do not delay them on purpose. If you cannot play, announce an "
            "absence or resign."
        ),
    )


class Action(models.TextChoices):
    """What moderators and hosts do, as decisions name it."""

    PAUSE = "pause", _("Pause")
    RESUME = "resume", _("Resume")
    EXTEND = "extend", _("Extend the deadline")
    EXCUSE = "excuse", _("Excuse a missed deadline")
    PLAY_BOT = "play_bot", _("Let a bot play this turn")
    HAND_SEAT = "hand_seat", _("Reassign a seat")
    OFFER_SEAT = "offer_seat", _("Offer a seat")
    ROLLBACK = "rollback", _("Roll back the game")
    ABORT = "abort", _("Cancel the game")
    OWN_GAME = "own_game", _("Moderate your own game")
    REMOVE_PLAYER = "remove_player", _("Remove a player before the start")
    REVEAL = "reveal", _("Reveal hidden information")
    READ_REPLY = "read_reply", _("Read a reply")
    REMOVE_MESSAGE = "remove_message", _("Remove a message")
    REMOVE_TEXT = "remove_text", _("Delete the reason for a decision")
    EDIT_PERSON = "edit_person", _("Change a name, language or time zone")
    RESUME_EMAILS = "resume_emails", _("Resume emails")
    RETRY_EMAILS = "retry_emails", _("Retry emails")
    RETRY_REPLY = "retry_reply", _("Process a reply again")
    SIGN_OUT = "sign_out", _("Sign out of all devices")
    REMOVE_FACTOR = "remove_factor", _("Remove a second factor")
    CLOSE = "close", _("Delete an account")
    SUSPEND = "suspend", _("Suspend an account")
    LIFT = "lift", _("Lift a suspension")
    CLOSE_TALK = "close_talk", _("Stop someone from writing messages")
    OPEN_TALK = "open_talk", _("Let someone write messages again")
    WARN = "warn", _("Warn")
    RENAME = "rename", _("Rename the table")
    RENAME_CIRCLE = "rename_circle", _("Rename the circle")
    CLOSE_CIRCLE = "close_circle", _("Close the circle")
    UPHOLD = "uphold", _("Uphold a decision after an appeal")
    GRANT = "grant", _("Overturn a decision after an appeal")
    ROLES = "roles", _("Change a role")
    CLOSE_REPORTS = "close_reports", _("Close reports")


APPEAL_PERIOD = timedelta(days=30)
# The decisions that restrict a person, who can appeal.
RESTRICTING = frozenset(
    (
        Action.WARN,
        Action.SUSPEND,
        Action.CLOSE_TALK,
        Action.EDIT_PERSON,
        Action.REMOVE_MESSAGE,
        Action.RENAME,
        Action.RENAME_CIRCLE,
        Action.CLOSE_CIRCLE,
        Action.CLOSE,
        Action.HAND_SEAT,
    )
)


class Report(models.Model):
    """What one person reported about another one: a message, a name or the conduct at a table.

    game, message: where, and the pk of the message; None for a name. quoted: the message or the
    name as it was then. text: the words of the reporter. outcome: "" until a moderator closes it.
    note: the words of that moderator, for other moderators. Reports that were closed together have
    the same person and closed_at.
    """

    class About(models.TextChoices):
        MESSAGE = "message", _("message")
        NAME = "name", _("name")
        CONDUCT = "conduct", _("conduct at the table")

    class Outcome(models.TextChoices):
        """The sentences that reporters read."""

        OPEN = "", _("open")
        ACTED = "acted", _("We have acted on your report.")
        ALLOWED = "allowed", _("We have found nothing against the rules of conduct.")
        UNCLEAR = "unclear", _("We could not find out what happened, so nothing has been done.")

    about = models.CharField(_("about"), max_length=7, choices=About.choices)
    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="reports_made",
        verbose_name=_("reported by"),
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="reports_about",
        verbose_name=_("user"),
    )
    game = models.ForeignKey(
        Game, models.CASCADE, related_name="reports", null=True, verbose_name=_("game")
    )
    message = models.PositiveBigIntegerField(_("message"), null=True)
    quoted = models.CharField(_("reported text"), max_length=MAX_TALK, blank=True)
    text = models.CharField(_("text"), max_length=MAX_TALK)
    at = models.DateTimeField(_("time"), default=timezone.now, db_index=True)
    outcome = models.CharField(
        _("outcome"), max_length=7, choices=Outcome.choices, blank=True, default=Outcome.OPEN
    )
    note = models.CharField(_("note for moderators"), max_length=300, blank=True)
    closed_at = models.DateTimeField(_("closed"), null=True)

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        ordering = ("-pk",)
        constraints = (
            UniqueConstraint(
                fields=["reporter", "person", "about", "game", "message"],
                condition=Q(outcome=""),
                nulls_distinct=False,
                name="games_report_open_once",
            ),
        )
        indexes = (
            Index(fields=["person", "id"], condition=Q(outcome=""), name="games_report_open"),
        )

    def __str__(self) -> str:
        return self.subject

    @property
    def subject(self) -> str:
        """A description of what was reported."""
        known = {"name": self.person.name, "table": self.game.name if self.game else ""}
        match self.about:
            case self.About.MESSAGE:
                return gettext("A message of %(name)s at “%(table)s”") % known
            case self.About.CONDUCT:
                return gettext("The conduct of %(name)s at “%(table)s”") % known
        return gettext("The name of %(name)s") % known


def _person(name: Any) -> "models.ForeignKey[User | None, User | None]":
    """The id of somebody whose account may be gone."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.DO_NOTHING,
        verbose_name=name,
        null=True,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )


class Decision(models.Model):
    """One action of a moderator, or of a host in their place.

    action: an Action, rule: a Rule or "". person: whom it concerns. message: the text that it
    concerns, such as "message 5". messages: those (pk) for which a person is restricted.
    seq: the event of the table. until: its end; None for none.
    reported: whether somebody had reported what it is about. Ids stay when accounts are deleted.
    """

    at = models.DateTimeField(_("time"), db_default=Now())
    by = _person(_("moderator or host"))
    as_host = models.BooleanField(_("decision of a host"), default=False)
    action = models.CharField(_("action"), max_length=20)
    game = models.ForeignKey(
        Game,
        models.DO_NOTHING,
        verbose_name=_("game"),
        null=True,
        related_name="decisions",
        db_constraint=False,
        db_index=False,
    )
    person = _person(_("user"))
    message = models.CharField(_("message"), max_length=40, blank=True)
    messages = ArrayField(models.BigIntegerField(), default=list)
    rule = models.CharField(_("rule of conduct"), max_length=20, blank=True)
    until = models.DateTimeField(_("end"), null=True)
    seq = models.PositiveIntegerField(_("event"), null=True)
    reported = models.BooleanField(_("reported"), default=False, db_default=False)

    class Meta:
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        ordering = ("-pk",)
        constraints = (
            UniqueConstraint(
                fields=["game", "seq"],
                condition=Q(seq__isnull=False),
                name="games_decision_once",
            ),
        )
        indexes = (
            Index(fields=["game"], name="games_decision_game", condition=Q(game__isnull=False)),
            Index(
                fields=["person"], name="games_decision_person", condition=Q(person__isnull=False)
            ),
            Index(fields=["by"], name="games_decision_by"),
        )

    def __str__(self) -> str:
        return self.action_label

    @property
    def can_be_appealed(self) -> bool:
        """Whether its person may appeal, as long as it is new."""
        restricts = self.action in RESTRICTING and self.person_id not in (None, self.by_id)
        return restricts and not self.as_host

    @property
    def by_name(self) -> str:
        """Who decided, "–" for nobody."""
        if self.by_id is None:
            return "–"
        try:
            by = self.by
        except ObjectDoesNotExist:
            by = None
        if by is None:
            return gettext("deleted user %(id)s") % {"id": self.by_id}
        return by.shown_name or gettext("Host") if self.as_host else by.moderator_name

    @property
    def action_label(self) -> str:
        """The action in words."""
        return str(Action(self.action).label)

    @property
    def rule_label(self) -> str:
        """The rule of conduct in words, "" for none."""
        return str(Rule(self.rule).label) if self.rule else ""

    @property
    def reason(self) -> str:
        """The words of who decided; "" if they were removed."""
        text = getattr(self, "words", None)
        return text.text if text is not None else ""

    @property
    def name_before(self) -> str:
        """The name that the decision replaced; "" for none, or if the words were removed."""
        text = getattr(self, "words", None)
        return text.before if text is not None else ""

    def has_named(self, name: str) -> bool:
        """Return whether this is the name that the decision gave in place of another one."""
        text = getattr(self, "words", None)
        return text is not None and bool(text.before) and text.after == name


class DecisionText(models.Model):
    """The reason that a moderator or host gave; a row beside the decision, so that it can be
    removed. before, after: the name of a table or a person that the decision replaced, and the new
    one."""

    decision = models.OneToOneField(
        Decision, models.DO_NOTHING, primary_key=True, related_name="words"
    )
    text = models.CharField(_("reason"), max_length=300)
    before = models.CharField(_("name before"), max_length=60, blank=True, db_default="")
    after = models.CharField(_("new name"), max_length=60, blank=True, db_default="")

    class Meta:
        verbose_name = _("reason")
        verbose_name_plural = _("reasons")

    def __str__(self) -> str:
        return self.text


class Appeal(models.Model):
    """What the person of a decision writes against it; at most one for each decision.

    text: emptied after a year. message_id: of the email that brought it, "" for one from the page.
    for_administrators: a moderator may not undo the decision. answer: the decision that answers it;
    None while it is open.
    """

    decision = models.OneToOneField(
        Decision, models.DO_NOTHING, related_name="appeal", verbose_name=_("decision")
    )
    at = models.DateTimeField(_("time"), db_default=Now())
    text = models.TextField(_("text"), blank=True)
    message_id = models.CharField(max_length=255, blank=True)
    for_administrators = models.BooleanField(_("for administrators"))
    answer = models.OneToOneField(
        Decision,
        models.DO_NOTHING,
        null=True,
        related_name="answers",
        verbose_name=_("answer"),
    )

    class Meta:
        verbose_name = _("appeal")
        verbose_name_plural = _("appeals")
        ordering = ("at",)
        indexes = (
            Index(fields=["at"], name="games_appeal_open", condition=Q(answer__isnull=True)),
            Index(fields=["at"], name="games_appeal_text", condition=~Q(text="")),
        )

    def __str__(self) -> str:
        return str(self.decision)
