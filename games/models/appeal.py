"""Appeals of people against decisions about them."""

from django.db import models
from django.db.models import Index, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from .decision import Decision


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
        *(Decision, models.DO_NOTHING),
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
