"""An invitation to a seat, sent to an address that need not be a user's."""

import re
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.mail import signed_links
from games.mail.snapshot import Snapshots
from games.models import Game, Invitation, OutboxMail, Seat, name_at, names_at_table

from .base import MailContent, MailKind, SendDecision, check_address, register
from .seat_mail import GameMail

_LINK = re.compile(r"[/\\@:<>]|www\b|\w[.\u3002\uff0e]\w{2}", re.IGNORECASE)


def plain_name(name: object) -> str:
    """A name as strangers read it: nothing that could be a link or an address."""
    text = str(name)
    return _("A player") if _LINK.search(text) else text


def _players(seats: Sequence[Seat]) -> list[dict[str, Any]]:
    """The players as strangers read their names: people with a link for a name have none."""
    own = ["" if _LINK.search(seat.own_name) else seat.own_name for seat in seats]
    numbers = [seat.number for seat in seats]
    named = zip(numbers, names_at_table(own, numbers), strict=True)
    return [{"seat": number, "name": name} for number, name in named]


class _Invitation(MailKind):
    name = "invitation"
    label = gettext_lazy("invitation")
    category = gettext_lazy("Someone invites you to play")
    position = 7
    follows_user = False
    names_table = False

    def check(self, row: OutboxMail) -> SendDecision:
        invitations = Invitation.objects.select_related("game")
        found = invitations.filter(pk=row.context["invitation"]).first()
        if found is None:
            return SendDecision("the invitation was taken back")
        if found.answer:
            return SendDecision("the invitation was answered")
        if found.game.status != Game.Status.GATHERING and not _open_seats(found.game):
            return SendDecision("the table is closed")
        return check_address(row.to_address, invitation=True)

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        mail = GameMail(row, snapshots)
        invitation = Invitation.objects.select_related("invited_by").get(
            pk=row.context["invitation"]
        )
        context = mail.context(
            inviter=name_at(mail.seats, invitation.invited_by),
            players=_players(mail.seats),
            free=_open_seats(mail.game) or max(0, mail.game.seat_count - len(mail.seats)),
            days=mail.game.pace_days,
            hours=mail.game.pace_hours,
            button_url=settings.SITE_URL + reverse("invitation", args=[invitation.token]),
            never_url=settings.SITE_URL + signed_links.never_path(row.to_address),
        )
        return MailContent(context)

    def subject(self, context: dict[str, Any]) -> str:
        known = {"inviter": plain_name(context["inviter"]), "title": context["title"]}
        if not context["inviter"]:
            return _("Invitation to a game of %(title)s") % known
        return _("%(inviter)s invites you to a game of %(title)s") % known

    def digest_line(self, context: dict[str, Any]) -> str:
        return _("You are invited to play. The first to join get the free seats.")


def _open_seats(game: Game) -> int:
    """How many seats of a game that has started can be taken over."""
    return 0 if game.is_over else game.seats.filter(open_since__isnull=False).count()


INVITATION = register(_Invitation())
