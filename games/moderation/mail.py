"""Outgoing and incoming email, and when an email goes out, in words for moderators: what holds one
back, and what a user chose."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games import services
from games.mail import kinds
from games.models import DeliveryMode, Game, InboundMail, MailTransport, OutboxMail, User
from games.moderation import base
from games.moderation.admin_site import moderation_site
from games.moderation.base import ReadOnly, RevealForm, moderator, ruled
from games.templatetags.when import zoned
from games.translate import with_colon
from games.web.decorators import carry_out, discard_saved_form, saved_form

_MOMENT = timedelta(seconds=1)


def next_attempt(mail: OutboxMail) -> datetime | None:
    """Return when this email is tried again; None for one that is not."""
    waits = mail.state in (OutboxMail.State.QUEUED, OutboxMail.State.PARKED)
    return mail.next_try_at if waits else None


def why_held(mail: OutboxMail, now: datetime) -> str:
    """Return what a queued email waits for: a time that its reader chose, or a pause; "" for one
    that is due, or that a mail server refused."""
    user, at = mail.user, mail.next_try_at
    if mail.state != OutboxMail.State.QUEUED or mail.error or at <= now or user is None:
        return ""
    if not kinds.get(mail.kind).is_bulk:
        return ""
    mode, before = user.delivery_mode(mail.kind), at - _MOMENT
    if mode == DeliveryMode.DIGEST and user.next_hour(user.digest_hour, before) == at:
        return _("daily digest at %(hour)s") % {"hour": _hour(user.digest_hour)}
    if user.quiet_until is not None and user.after_quiet(before) == at:
        return _("quiet hours until %(hour)s") % {"hour": _hour(user.quiet_until)}
    if mail.game is not None and mail.game.status == Game.Status.PAUSED:
        return _("the game is paused")
    if mode == DeliveryMode.BATCHED:
        return _("grouped with others")
    if user.hold_while_online or kinds.get(mail.kind).waits_at_table:
        return _("the user is on the site")
    return ""


def preference_lines(user: User) -> list[str]:
    """How each kind of email arrives, and the hours that the user chose, in their time zone."""
    lines = [
        f"{with_colon(str(kinds.get(name).category))} "
        f"{DeliveryMode(user.delivery_mode(name)).label}"
        for name in kinds.selectable_by(user)
    ]
    if user.kinds_with_mode(DeliveryMode.DIGEST):
        lines.append(_("daily digest at %(hour)s") % {"hour": _hour(user.digest_hour)})
    if user.quiet_from is None or user.quiet_until is None:
        lines.append(_("no quiet hours"))
    else:
        hours = {"from": _hour(user.quiet_from), "until": _hour(user.quiet_until)}
        lines.append(_("quiet hours from %(from)s to %(until)s") % hours)
    return lines


def _hour(hour: int) -> str:
    return f"{hour:02}:00"


class MailKindFilter(admin.SimpleListFilter):
    """Emails of one kind."""

    title = gettext_lazy("kind")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(name, kinds.label(name)) for name in kinds.names()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(kind=self.value()) if self.value() else queryset


@admin.register(OutboxMail, site=moderation_site)
class OutboxMailAdmin(base.ListWithoutOwnGames):
    """The outbox: what became of each email, and why one waits. Moderators may retry parked and
    dead rows."""

    list_display = (
        "kind_label",
        "masked_address",
        "game",
        "state",
        "reason",
        "created_at",
        "sent_at",
        "next_attempt",
        "attempts",
    )
    list_filter = ("state", MailKindFilter)
    date_hierarchy = "created_at"
    search_fields = ("to_address", "message_id", "game__name", "=game__public_id")
    list_select_related = ("game", "user")
    ordering = ("-created_at",)
    readonly_fields = ("masked_address",)
    actions = ("try_again",)
    # The context may hold a sign-in code.
    hidden = ("to_address", "context", "messages", "lease_token", "dedupe_key")

    def get_queryset(self, request: HttpRequest) -> QuerySet[OutboxMail]:
        return base.emails_for(moderator(request), super().get_queryset(request))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Say above the list if no email is being sent, with the refusal."""
        if request.method == "GET":
            for closed in MailTransport.objects.filter(closed_at__isnull=False):
                messages.error(request, _why_closed(closed))
        return super().changelist_view(request, extra_context)

    @admin.display(description=gettext_lazy("to"))
    def masked_address(self, mail: OutboxMail) -> str:
        return mail.masked_address

    @admin.display(description=gettext_lazy("kind"), ordering="kind")
    def kind_label(self, mail: OutboxMail) -> object:
        return kinds.label(mail.kind)

    @admin.display(description=gettext_lazy("reason"))
    def reason(self, mail: OutboxMail) -> str:
        return why_held(mail, timezone.now()) or mail.error[:80]

    @admin.display(description=gettext_lazy("next attempt"), ordering="next_try_at")
    def next_attempt(self, mail: OutboxMail) -> datetime | None:
        return next_attempt(mail)

    @admin.action(description=gettext_lazy("Retry now"), permissions=["act"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[OutboxMail]) -> None:
        count = services.mails_retry(
            ids=list(queryset.values_list("pk", flat=True)), by=moderator(request)
        )
        messages.info(
            request,
            ngettext("%(count)s email will be retried.", "%(count)s emails will be retried.", count)
            % {"count": count},
        )


def _why_closed(closed: MailTransport) -> str:
    assert closed.closed_at is not None
    assert closed.retry_at is not None
    moments = {
        "since": zoned(closed.closed_at),
        "next": zoned(closed.retry_at),
        "words": closed.words,
    }
    if closed.name == MailTransport.ALL:
        words = _(
            "No email has been sent since %(since)s, because the mail server refuses ours:"
            " %(words)s. One email will be tried on %(next)s."
        )
    else:
        words = _(
            "The mail server has not been usable since %(since)s: %(words)s. One email will be"
            " tried on %(next)s."
        )
    return words % moments


@admin.register(MailTransport, site=moderation_site)
class MailTransportAdmin(ReadOnly):
    """Whether email is being sent, and the mail server's refusal if not."""

    list_display = ("name", "closed_at", "words", "pauses", "retry_at")
    hidden = ("refusals",)
    actions = ("try_now",)

    @admin.action(description=gettext_lazy("Try one email now"), permissions=["act"])
    def try_now(self, request: HttpRequest, queryset: QuerySet[MailTransport]) -> None:
        if services.transport_retry(by=moderator(request)):
            messages.info(request, _("Trying one email now."))
        else:
            messages.info(request, _("Emails are being sent; there is nothing to try."))


@admin.register(InboundMail, site=moderation_site)
class InboundMailAdmin(base.ListWithoutOwnGames):
    """Replies: the authenticity of the sender, the outcome, and the line that was read. The line is
    as secret as the game it is about: while that runs, it is shown for a reason that is
    recorded."""

    list_display = (
        "received_at",
        "user",
        "game",
        "text_read",
        "outcome",
        "sender_check",
        "channel",
        "state",
    )
    list_filter = ("state", "outcome", "sender_check", "channel")
    search_fields = ("user__email", "message_id", "game__name", "=game__public_id")
    list_select_related = ("game", "user")
    ordering = ("-received_at",)
    # The text is private, and the recipient is a key to the seat.
    hidden = ("raw", "letter", "key", "recipient", "sender")
    secret = ("line", "offer", "error")
    change_form_template = "admin/games/inboundmail/reply.html"
    actions = ("process_again",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[InboundMail]:
        return base.replies_for(moderator(request), super().get_queryset(request))

    @admin.action(description=gettext_lazy("Process again"), permissions=["act"])
    def process_again(
        self, request: HttpRequest, queryset: QuerySet[InboundMail]
    ) -> HttpResponse | None:
        ids = list(queryset.values_list("pk", flat=True))
        count = services.inbound_retry(ids=ids, by=moderator(request))
        words = ngettext(
            "%(count)s reply will be processed again.",
            "%(count)s replies will be processed again.",
            count,
        )
        messages.info(request, words % {"count": count})
        return redirect("admin:games_inboundmail_change", *ids) if len(ids) == 1 else None

    @admin.display(description=gettext_lazy("line read"))
    def text_read(self, mail: InboundMail) -> str:
        return _("hidden") if mail.line and _is_secret(mail) else mail.line

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        is_secret = obj is not None and _is_secret(obj)
        return (*self.hidden, *(self.secret if is_secret else ()))

    def get_urls(self) -> list[URLPattern]:
        reveal = self.admin_site.admin_view(self.reveal)
        own = path("<int:pk>/reveal/", reveal, name="games_inboundmail_reveal")
        return [own, *super().get_urls()]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        mail = self.get_object(request, unquote(object_id))
        own: dict[str, Any] = {"mail": mail}
        if mail is not None and _is_secret(mail):
            own["reveal_form"] = RevealForm(saved=saved_form(request))
        return super().change_view(request, object_id, form_url, own | (extra_context or {}))

    def reveal(self, request: HttpRequest, pk: int) -> HttpResponse:
        """POST: show the text of a reply; records who read it and why."""
        mails = self.get_queryset(request).select_related("game", "user")
        mail = get_object_or_404(mails, pk=pk)
        form = RevealForm(request.POST if request.method == "POST" else None)
        shown = not _is_secret(mail)
        if carry_out(form, ruled(services.inbound_reveal, moderator(request)), mail_id=pk):
            discard_saved_form(request)
            shown = True
        if request.method != "POST":
            return redirect("admin:games_inboundmail_change", pk)
        context = {"mail": mail, "shown": shown, "reveal_form": form}
        return self.page(request, "revealed.html", str(mail), **context)


def _is_secret(mail: InboundMail) -> bool:
    """Return whether the game of this reply still runs; one that names no game may be about
    several."""
    return mail.game is None or not mail.game.is_over
