"""Invitations to a table, by its host or for a rematch, or to a circle; and their answers."""

from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from games import selectors
from games.mail import queue
from games.models import Circle, Game, Invitation, User
from games.models.game import new_token

from . import quotas
from .clean_text import clean_message
from .errors import NotAllowed, ServiceError
from .locked_game import LockedGame
from .quotas import atomic

MOST_ASKED = 2  # times that an address which declined is invited to one table or circle
MAX_ADDRESS = 254  # characters of an email address that SMTP can carry


def game_invite_again(*, game_id: int, by: User, player: User) -> None:
    """Offer a seat to somebody whom the host has played with and whose address they need not
    know. Says nothing about earlier invitations: they could tell whose address the host typed."""
    if not selectors.played_with(by).filter(pk=player.pk).exists():
        raise NotAllowed(_("You can invite by name only people whom you have played with."))
    _offer(game_id, by, player.email.lower(), invitee=player)


def game_invite(
    *, game_id: int, by: User, address: str, message: str = "", language: str = ""
) -> Invitation:
    """Offer a seat to an address by email, for the host: once per table and address, and once more
    after it was declined, or after its seat was given up.

    message: a line of the host. language: of the email to an address without an account, by default
    the host's.
    """
    address, language, message = clean_invited(address, by, language, message)
    return _offer(game_id, by, address, message=message, language=language)


def _offer(game_id: int, by: User, address: str, **words: Any) -> Invitation:
    """Make an invitation with these fields, or return the one that this address has already."""
    with atomic():
        locked = LockedGame(game_id)
        locked.require_host(by)
        if any(seat.open_since is not None for seat in locked.seats):
            locked.require_not_over()
        else:
            locked.require_gathering()
        earlier = Invitation.objects.filter(game=locked.game, address=address).first()
        if earlier is not None:
            if not _may_be_asked_again(earlier, locked):
                return earlier
            earlier.delete()
        count_invitation(by, address)
        asked = 1 if earlier is None else earlier.asked + 1
        return invite(by, address, game=locked.game, asked=asked, **words)


def clean_invited(address: str, by: User, language: str, message: str) -> tuple[str, str, str]:
    """The address to invite, the language of the email, by default the inviter's, and their line.
    ServiceError for what is no address, for the inviter's own ones, and for a line of somebody who
    may write no messages."""
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
    line = clean_message(message)
    if line and (why := selectors.why_no_words(by)):
        raise ServiceError(why)
    return address, language if language in dict(settings.LANGUAGES) else by.language, line


def count_invitation(by: User, address: str) -> None:
    """Count an invitation in the limits. Those between people who know each other do not use up how
    many an address gets from strangers."""
    if not selectors.know_each_other(by, address):
        quotas.spend(quotas.INVITATIONS, person=by, addresses=[address])
        return
    quotas.spend(quotas.INVITATIONS, person=by)
    quotas.spend(quotas.FRIENDS, person=by, addresses=[address])


def _may_be_asked_again(invitation: Invitation, locked: LockedGame) -> bool:
    """Return whether it was declined for the first time; or it was accepted, and nobody with its
    address sits at the table any more."""
    if invitation.answer == Invitation.Answer.DECLINED:
        return invitation.asked < MOST_ASKED
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


def invite(by: User, address: str, **fields: Any) -> Invitation:
    """Make an invitation to the table or the circle that the fields name, and queue its email."""
    invitation = Invitation.objects.create(address=address, invited_by=by, **fields)
    queue.invited(invitation)
    return invitation


def accept(user: User, used: Invitation | None, **subject: Game | Circle) -> bool:
    """Answer the invitations of a person who takes a seat or joins a circle: the one that they use,
    and those to them, also if they come by the link. Whether there were any."""
    own = EmailAddress.objects.filter(user=user, verified=True).values("email")
    theirs = Q(invitee=user) | Q(address__in=own) | Q(pk=used.pk if used is not None else None)
    found = Invitation.objects.filter(theirs, **subject)
    found = found.exclude(answer=Invitation.Answer.ACCEPTED)
    return bool(found.update(answer=Invitation.Answer.ACCEPTED, answered_at=timezone.now()))


def report_if_all_answered(locked: LockedGame) -> None:
    """Tell the host of a table that still waits, if no invitation is open any more."""
    sent = Invitation.objects.filter(game=locked.game)
    if locked.game.status != Game.Status.GATHERING or sent.filter(answer="").exists():
        return
    last = sent.order_by("-answered_at", "-pk").values_list("pk", flat=True).first()
    queue.table_news(locked.game, locked.seats, "answered", key=last or 0)


def require_invited(game: Game, user: User, token: str) -> Invitation | None:
    """The personal invitation with this token that has not been used, if it is one. NotAllowed
    unless it is, or the table is open to all or made for a circle of this user, or the token is
    that of the table's link."""
    if token == game.invite_token:
        return None
    unused = Invitation.objects.filter(game=game).exclude(answer=Invitation.Answer.ACCEPTED)
    invitation = unused.filter(token=token).first() if token else None
    if not (game.is_open or invitation or selectors.in_circle_of(game, user)):
        raise NotAllowed(_("You can only join this table by invitation."))
    return invitation


def invitation_decline(*, token: str) -> None:
    """Decline a personal invitation. One that was accepted, or is unknown, stays as it is."""
    unanswered = Invitation.objects.filter(token=token, answer=Invitation.Answer.NONE)
    declined = {"answer": Invitation.Answer.DECLINED, "answered_at": timezone.now()}
    game_id = unanswered.values_list("game_id", flat=True).first()
    if game_id is None:  # to a circle
        unanswered.update(**declined)
        return
    with atomic():
        locked = LockedGame(game_id)
        if unanswered.update(**declined):
            report_if_all_answered(locked)
