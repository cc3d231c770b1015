"""Invitations to a table, by its host or for a rematch, and what becomes of them."""

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.utils import timezone
from django.utils.translation import gettext as _

from games.mail import queue
from games.models import Game, Invitation, User
from games.models.game import new_token

from . import quotas
from .errors import NotAllowed, ServiceError
from .locked_game import LockedGame
from .quotas import atomic

MAX_ADDRESS = 254  # characters of an email address that SMTP can carry


def game_invite(*, game_id: int, by: User, address: str) -> Invitation:
    """Offer a seat to an address by email, for the host: once per table and address, unless the
    earlier invitation was used and its seat given up."""
    address = address.strip().lower()
    try:
        validate_email(address)
        MaxLengthValidator(MAX_ADDRESS)(address)
    except ValidationError as error:
        raise ServiceError(_("Enter a valid email address.")) from error
    # Allauth stores addresses in lower case, as invitations do.
    own = EmailAddress.objects.filter(user=by, email=address, verified=True)
    if address == by.email.lower() or own.exists():
        raise ServiceError(_("“%(address)s” is your own address.") % {"address": address})
    with atomic():
        locked = LockedGame(game_id)
        locked.require_host(by)
        if any(seat.open_since is not None for seat in locked.seats):
            locked.require_not_over()
        else:
            locked.require_gathering()
        earlier = Invitation.objects.filter(game=locked.game, address=address).first()
        if earlier is not None:
            if not _is_used_up(earlier, locked):
                return earlier
            earlier.delete()
        quotas.spend(quotas.INVITATIONS, person=by, addresses=[address], table=locked.game)
        return invite(locked.game, by, address, again=earlier is not None)


def _is_used_up(invitation: Invitation, locked: LockedGame) -> bool:
    """Return whether it was accepted, and nobody with its address sits at the table any more."""
    if invitation.answer != Invitation.Answer.ACCEPTED:
        return False
    known = EmailAddress.objects.filter(email=invitation.address, verified=True)
    owners = {address.user_id for address in known}
    return not any(
        seat.user_id in owners or (seat.user and seat.user.email.lower() == invitation.address)
        for seat in locked.seats
    )


def game_replace_link(*, game_id: int, by: User) -> None:
    """Give the table another invitation link, for the host, so that the old one invites nobody any
    more. Personal invitations stay valid."""
    with atomic():
        locked = LockedGame(game_id)
        locked.require_host(by)
        locked.require_gathering()
        locked.game.invite_token = new_token()
        locked.game.save(update_fields=["invite_token"])


def invite(
    game: Game, by: User, address: str, *, invitee: User | None = None, again: bool = False
) -> Invitation:
    """Make an invitation and queue its email. invitee: its player, if `by` did not type it."""
    invitation = Invitation.objects.create(
        game=game, address=address, invited_by=by, invitee=invitee
    )
    queue.invited(invitation, again=again)
    return invitation


def accept(invitation: Invitation | None) -> None:
    """Answer a personal invitation, where there is one."""
    if invitation is not None:
        invitation.answer = Invitation.Answer.ACCEPTED
        invitation.answered_at = timezone.now()
        invitation.save(update_fields=["answer", "answered_at"])


def require_invited(game: Game, token: str) -> Invitation | None:
    """The personal invitation with this token that has not been used, if it is one. NotAllowed
    unless it is, or the table is open to all, or the token is that of the table's link."""
    if token == game.invite_token:
        return None
    unused = Invitation.objects.filter(game=game).exclude(answer=Invitation.Answer.ACCEPTED)
    invitation = unused.filter(token=token).first() if token else None
    if not (game.is_open or invitation):
        raise NotAllowed(_("You can only join this table by invitation."))
    return invitation


def invitation_decline(*, token: str) -> None:
    """Decline a personal invitation. One that was accepted, or is unknown, stays as it is."""
    Invitation.objects.filter(token=token, answer=Invitation.Answer.NONE).update(
        answer=Invitation.Answer.DECLINED, answered_at=timezone.now()
    )
