"""Reports by players about a message, a name or the conduct of somebody at their table."""

from django.conf import settings
from django.db import models
from django.db.models import Index, Q, UniqueConstraint
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from .game import Game
from .game_data import MAX_TALK


class Report(models.Model):
    """What one person reported about another one.

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
        """What was reported, in words."""
        known = {"name": self.person.name, "table": self.game.name if self.game else ""}
        match self.about:
            case self.About.MESSAGE:
                return gettext("A message of %(name)s at “%(table)s”") % known
            case self.About.CONDUCT:
                return gettext("The conduct of %(name)s at “%(table)s”") % known
        return gettext("The name of %(name)s") % known
