"""An invitation to a seat or to a circle, sent to an address that need not be a user's."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.mail import signed_links
from games.models import (
    DeliveryMode,
    Game,
    Invitation,
    OutboxMail,
    Seat,
    has_link,
    name_at,
    names_at_table,
)
from games.rules import examples

from .base import (
    NOT_WANTED,
    BoardPicture,
    MailContent,
    MailKind,
    SendDecision,
    Snapshots,
    check_address,
    register,
)
from .seat_mail import GameMail


def plain_name(name: object) -> str:
    """A name as strangers read it: nothing that could be a link or an address."""
    text = str(name)
    return _("A player") if has_link(text) else text


def _players(seats: Sequence[Seat]) -> list[dict[str, Any]]:
    """The players as strangers read their names: people with a link for a name have none."""
    own = ["" if has_link(seat.own_name) else seat.own_name for seat in seats]
    numbers = [seat.number for seat in seats]
    named = zip(numbers, names_at_table(own, numbers), strict=True)
    return [{"seat": number, "name": name} for number, name in named]


class _Invitation(MailKind):
    """An invitation; with "begun" in its context, it says that the game has begun without an
    answer. The row of one to a circle names neither a game nor a user: it goes out alone."""

    name = "invitation"
    label = gettext_lazy("invitation")
    category = gettext_lazy("Someone invites you to play")
    position = 7
    follows_user = False
    names_table = False

    def check(self, row: OutboxMail) -> SendDecision:
        invitations = Invitation.objects.select_related("game", "circle", "invited_by")
        found = invitations.filter(pk=row.context["invitation"]).first()
        if found is None:
            return SendDecision("the invitation was taken back")
        if found.answer:
            return SendDecision("the invitation was answered")
        if found.invited_by is None or not found.invited_by.is_active:
            return SendDecision("whoever invited may not act")
        if "begun" in row.context:
            if not _was_sent(found):
                return SendDecision("the invitation was not sent")
        elif not _is_open(found):
            return SendDecision("the table or the circle is closed")
        owner = selectors.person_by_address(found.address)
        if owner is not None and (
            found.invited_by_id in owner.blocked
            or owner.delivery_mode(self.name) == DeliveryMode.OFF
        ):
            return SendDecision(NOT_WANTED)
        return check_address(row.to_address, invitation=True)

    def content(self, row: OutboxMail, snapshots: Snapshots) -> MailContent:
        invitations = Invitation.objects.select_related("invited_by", "game__rematch_of", "circle")
        invitation = invitations.get(pk=row.context["invitation"])
        never_url = settings.SITE_URL + signed_links.never_path(row.to_address)
        if invitation.game is None:
            assert invitation.circle is not None
            inviter = invitation.invited_by.name if invitation.invited_by is not None else ""
            words = {"circle": invitation.circle.name, "message": invitation.message}
            url = _url("circle_invitation", invitation.token)
            return MailContent(
                {"inviter": inviter, **words, "button_url": url, "never_url": never_url},
                "invitation_circle",
            )
        mail = GameMail(row, snapshots)
        last = invitation.table.rematch_of
        context = mail.context(
            inviter=name_at(mail.seats, invitation.invited_by),
            message=invitation.message,
            last=last,
            last_url=_url("game", last.public_id) if last is not None else "",
            pitch=selectors.pitch(mail.game),
            circle_name=mail.game.circle.name if mail.game.circle is not None else "",
            players=_players(mail.seats),
            free=_open_seats(mail.game) or max(0, mail.game.seat_count - len(mail.seats)),
            rules_url=_url("rules", mail.game.kind),
            button_url=_url("invitation", invitation.token),
            never_url=never_url,
        )
        if "begun" in row.context:
            return MailContent(context, "invitation_begun")
        board = f"board@{settings.SITE_HOST}"
        picture = BoardPicture(board, mail.game, (), examples.view(mail.game.kind))
        return MailContent({**context, "board": board}, boards=(picture,))

    def subject(self, context: dict[str, Any]) -> str:
        if "circle" in context:
            known = {"inviter": plain_name(context["inviter"]), "circle": context["circle"]}
            return _("%(inviter)s invites you to the circle “%(circle)s”") % known
        known = {"inviter": plain_name(context["inviter"]), "title": context["title"]}
        if not context["inviter"]:
            return _("Invitation to a game of %(title)s") % known
        if context["last"] is not None:
            return _("%(inviter)s wants to play %(title)s with you again") % known
        return _("%(inviter)s invites you to a game of %(title)s") % known

    def digest_line(self, context: dict[str, Any]) -> str:
        if "board" not in context:
            return _("The game has started without you.")
        return _("You’re invited to play. The first to join get the free seats.")


def _url(name: str, of: str) -> str:
    return settings.SITE_URL + reverse(name, args=[of])


def _is_open(invitation: Invitation) -> bool:
    """Return whether the invitation can be accepted."""
    if invitation.game is None:
        return invitation.circle is not None and not invitation.circle.is_closed
    waits = invitation.game.status == Game.Status.GATHERING
    return waits or bool(_open_seats(invitation.game))


def _was_sent(invitation: Invitation) -> bool:
    """Return whether the email of this invitation has gone out."""
    sent = (OutboxMail.State.SENT, OutboxMail.State.MERGED)
    rows = OutboxMail.objects.filter(game=invitation.table, kind=INVITATION.name, state__in=sent)
    return rows.filter(context__invitation=invitation.pk).exists()


def _open_seats(game: Game) -> int:
    """The number of seats that can be taken over in a game that has started."""
    return 0 if game.is_over else game.seats.filter(open_since__isnull=False).count()


INVITATION = register(_Invitation())
