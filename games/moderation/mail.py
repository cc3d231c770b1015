"""Outgoing and incoming email."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy, ngettext

from games import services
from games.mail import kinds
from games.models import InboundMail, OutboxMail
from games.moderation.admin_site import moderation_site
from games.moderation.base import ReadOnly, moderator


class MailKindFilter(admin.SimpleListFilter):
    """Emails of one kind."""

    title = gettext_lazy("kind")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(name, kinds.label(name)) for name in kinds.names()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(kind=self.value()) if self.value() else queryset


@admin.register(OutboxMail, site=moderation_site)
class OutboxMailAdmin(ReadOnly):
    """The outbox, with the mail server's errors. Moderators may retry dead rows."""

    list_display = (
        "kind_label",
        "to_address",
        "game",
        "state",
        "attempts",
        "short_error",
        "created_at",
    )
    list_filter = ("state", MailKindFilter)
    search_fields = ("to_address", "message_id", "game__name", "game__public_id")
    list_select_related = ("game",)
    ordering = ("-created_at",)
    actions = ("try_again",)
    # The context may hold a sign-in code.
    hidden = ("context", "lease_token", "dedupe_key")

    @admin.display(description=gettext_lazy("kind"), ordering="kind")
    def kind_label(self, mail: OutboxMail) -> object:
        return kinds.label(mail.kind)

    @admin.display(description=gettext_lazy("error"))
    def short_error(self, mail: OutboxMail) -> str:
        return mail.error[:80]

    @admin.action(description=gettext_lazy("Retry now"), permissions=["view"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[OutboxMail]) -> None:
        count = services.mails_retry(
            ids=list(queryset.values_list("pk", flat=True)), by=moderator(request)
        )
        messages.info(
            request,
            ngettext("%(count)s email will be retried.", "%(count)s emails will be retried.", count)
            % {"count": count},
        )


@admin.register(InboundMail, site=moderation_site)
class InboundMailAdmin(ReadOnly):
    """Replies: the line that was read, the authenticity of the sender, the outcome."""

    list_display = (
        "received_at",
        "user",
        "game",
        "line",
        "outcome",
        "sender_check",
        "channel",
        "state",
    )
    list_filter = ("state", "outcome", "sender_check", "channel")
    search_fields = ("user__email", "message_id", "game__name", "game__public_id")
    list_select_related = ("game", "user")
    ordering = ("-received_at",)
    # The text is private, and the recipient is a key to the seat.
    hidden = ("raw", "key", "recipient", "sender")
