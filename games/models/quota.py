"""Counters of the limits on outward actions. games.services.quotas writes them."""

from django.db import models
from django.db.models import Index, Q, UniqueConstraint
from django.utils.translation import gettext_lazy as _

MANY_REFUSALS = 10  # in one window: somebody keeps hitting the limit


class QuotaUse(models.Model):
    """The uses of one quota by one subject in its present window.

    quota: the name of a quota in games.services.quotas. subject: the key of a person or table, the
    HMAC of an address or network, "" for the whole service. ends_at: the end of the window; the
    next use starts a new one. limit: the limit at the last use. refused: refusals in the window.
    refused_at: the last refusal, also in an earlier window.
    """

    quota = models.CharField(_("limit"), max_length=60)
    subject = models.CharField(_("subject"), max_length=64, blank=True)
    ends_at = models.DateTimeField(_("window ends"))
    used = models.PositiveIntegerField(_("used"), db_default=0)
    limit = models.PositiveIntegerField(_("allowed"))
    refused = models.PositiveIntegerField(_("refusals"), db_default=0)
    refused_at = models.DateTimeField(_("last refusal"), null=True)

    class Meta:
        verbose_name = _("exceeded limit")
        verbose_name_plural = _("exceeded limits")
        indexes = (
            Index(
                fields=["-refused_at"],
                condition=Q(refused_at__isnull=False),
                name="games_quotause_refused",
            ),
            Index(
                fields=["-refused_at"],
                condition=Q(refused__gte=MANY_REFUSALS),
                name="games_quotause_often",
            ),
        )
        constraints = (UniqueConstraint(fields=["quota", "subject"], name="games_quotause_once"),)

    def __str__(self) -> str:
        return f"{self.quota} {self.subject[:12]}".rstrip()
