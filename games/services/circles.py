"""Circles: founded, joined by each member's own yes, left, handed over and closed.

Whoever changes the members of a circle locks its row.
"""

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.mail import channels, guarded_post, queue
from games.models import (
    MOST_MEMBERS,
    Action,
    Circle,
    Invitation,
    Membership,
    Uncounted,
    User,
)
from games.models.game import new_token

from . import decisions, quotas
from .clean_text import clean_circle_name, clean_message
from .decisions import Ruling, latest_decision
from .errors import NotAllowed, ServiceError
from .invitations import MOST_ASKED, accept, clean_invited, count_invitation, invite
from .moderators import require_not_involved, require_right
from .quotas import atomic

_CIRCLES = "SELECT count(*) FROM games_membership WHERE user_id = %s AND left_at IS NULL"


def _locked(circle_id: int) -> Circle:
    """The circle; ServiceError if the last member has left it in the meantime."""
    circle = Circle.objects.select_for_update(no_key=True).filter(pk=circle_id).first()
    if circle is None:
        raise ServiceError(_("There is no such circle, or you are not a member of it."))
    return circle


def _founded(circle_id: int, by: User) -> Circle:
    """The locked circle, for its founder as long as it is not closed."""
    circle = _locked(circle_id)
    if circle.founder_id != by.pk:
        raise NotAllowed(_("Only the founder of the circle can do that."))
    _require_not_closed(circle)
    return circle


def _require_not_closed(circle: Circle) -> None:
    if circle.is_closed:
        raise ServiceError(_("This circle has been closed."))


def _require_may_join(user: User) -> None:
    if not user.is_active:
        raise NotAllowed(selectors.why_not_active(user))
    if user.is_closing:
        raise NotAllowed(_("Your account will be deleted soon. To play, cancel that first."))
    if not user.shown_name:
        raise ServiceError(_("Choose a name. Other players will see it."))
    sentence = _("You are already in %(count)s circles. Leave one before you join another.")
    quotas.require_room(quotas.CIRCLES, user, _CIRCLES, sentence)


def circle_create(*, founder: User, name: str) -> Circle:
    """Start a circle, whose first member is its founder."""
    name = clean_circle_name(name)
    with atomic():
        quotas.spend(quotas.CIRCLE_CHANGES, person=founder)
        _require_may_join(founder)
        circle = Circle.objects.create(name=name, founder=founder)
        Membership.objects.create(circle=circle, user=founder)
        return circle


def circle_join(*, token: str, user: User) -> Circle:
    """Join a circle by its link or by a personal invitation; joining twice is joining once.
    NotFound for an unknown token. Whom the founder has removed needs a personal invitation."""
    with atomic():
        circle = _locked(selectors.circle_invitation_for(token)[0].pk)
        _circle, personal = selectors.circle_invitation_for(token)  # as it is under the lock
        members = selectors.members(circle)
        if members.filter(user=user).exists():
            return circle
        if personal is not None and personal.answer == Invitation.Answer.ACCEPTED:
            raise NotAllowed(_("This invitation has already been accepted."))
        _require_not_closed(circle)
        quotas.spend(quotas.CIRCLE_CHANGES, person=user)
        _require_may_join(user)
        if personal is None and circle.memberships.filter(user=user, removed=True).exists():
            raise NotAllowed(
                _(
                    "The founder removed you from this circle. You need a personal invitation to "
                    "join again."
                )
            )
        if members.count() >= MOST_MEMBERS:
            raise ServiceError(
                _("This circle has %(most)s members, and no room for more.")
                % {"most": MOST_MEMBERS}
            )
        joined = {"joined_at": timezone.now(), "left_at": None, "removed": False}
        Membership.objects.update_or_create(circle=circle, user=user, defaults=joined)
        accept(user, personal, circle=circle)
        return circle


def circle_invite(
    *, circle_id: int, by: User, address: str, message: str = "", language: str = ""
) -> Invitation:
    """Invite an address to a circle by email, for its founder: once, again after it was declined
    for the first time, and again after it was accepted. message: a line of the founder. language:
    as in `game_invite`. Nothing tells whether the address is that of a member."""
    address, language, message = clean_invited(address, by, language, message)
    with atomic():
        circle = _founded(circle_id, by)
        earlier = Invitation.objects.filter(circle=circle, address=address).first()
        if earlier is not None:
            has_declined = earlier.answer == Invitation.Answer.DECLINED
            if not earlier.answer or (has_declined and earlier.asked >= MOST_ASKED):
                return earlier
            earlier.delete()
        count_invitation(by, address)
        asked = 1 if earlier is None else earlier.asked + 1
        words = {"message": message, "language": language, "asked": asked}
        return invite(by, address, circle=circle, **words)


def circle_replace_link(*, circle_id: int, by: User) -> None:
    """Give the circle another link, for its founder, so that the old one invites nobody any
    more."""
    with atomic():
        circle = _founded(circle_id, by)
        quotas.spend(quotas.CIRCLE_CHANGES, person=by)
        circle.join_token = new_token()
        circle.save(update_fields=["join_token"])


def circle_leave(*, circle_id: int, user: User) -> None:
    """Leave a circle, which hides one's name there at once. A founder passes it on to whoever has
    been a member for longest, if possible one who may act; without members it is deleted."""
    with atomic():
        _end(_locked(circle_id), user)


def _end(circle: Circle, user: User, *, removed: bool = False) -> None:
    own = circle.memberships.filter(user=user, left_at=None)
    own.update(left_at=timezone.now(), removed=removed)
    # The seats that this person was offered as a member, not those as a player of the last game.
    offers = Invitation.objects.filter(game__circle=circle, invitee=user)
    offers = offers.exclude(answer=Invitation.Answer.ACCEPTED)
    offers.exclude(game__rematch_of__seats__user=user).delete()
    if circle.founder_id != user.pk:
        return
    heir = selectors.next_founder(circle)
    if heir is None:
        circle.delete()
        return
    _pass_on(circle, heir)


def _pass_on(circle: Circle, to: User) -> None:
    """Make a member the founder, and tell them as long as there is something to do."""
    circle.founder = to
    circle.save(update_fields=["founder"])
    if not circle.is_closed:
        queue.told_founder(
            circle,
            gettext_lazy("You’re the founder of “%(circle)s” now"),
            gettext_lazy(
                "The role of founder has passed to you. You can invite and remove members, hand "
                "the circle over to another member, or close it. Open its page:"
            ),
        )


def circles_leave(*, user: User) -> None:
    """Leave all circles, for an account that is deleted."""
    for circle_id in user.memberships.filter(left_at=None).values_list("circle_id", flat=True):
        circle_leave(circle_id=circle_id, user=user)


def circles_pass_on(*, user: User) -> None:
    """Pass the circles of a founder who may not act on to members who may; others stay."""
    founded = Circle.objects.select_for_update(no_key=True).filter(founder=user)
    for circle in founded.order_by("pk"):
        heir = selectors.next_founder(circle)
        if heir is not None and selectors.may_found(heir):
            _pass_on(circle, heir)


def circle_hand_over(*, circle_id: int, by: User, to: User) -> None:
    """Make another member the founder, who gets an email."""
    with atomic():
        circle = _founded(circle_id, by)
        member = selectors.members(circle).filter(user=to).first()
        if member is None:
            raise ServiceError(_("This person has left the circle."))
        if not selectors.may_found(member.user):
            raise ServiceError(_("This person cannot run the circle now. Choose another member."))
        quotas.spend(quotas.CIRCLE_CHANGES, person=by)
        _pass_on(circle, member.user)


def circle_remove(*, circle_id: int, by: User, member: User) -> None:
    """Remove another member, for the founder. Only a personal invitation lets them return."""
    with atomic():
        circle = _founded(circle_id, by)
        if member == by:
            raise ServiceError(_("Leave the circle instead of removing yourself."))
        quotas.spend(quotas.CIRCLE_CHANGES, person=by)
        _end(circle, member, removed=True)


def circle_close(*, circle_id: int, by: User) -> None:
    """Close a circle for good, for its founder: nobody can join it or make tables for it any more.
    Its members can still read it."""
    with atomic():
        circle = _founded(circle_id, by)
        quotas.spend(quotas.CIRCLE_CHANGES, person=by)
        _close(circle)


def _close(circle: Circle) -> None:
    circle.closed_at = timezone.now()
    circle.save(update_fields=["closed_at"])
    Invitation.objects.filter(circle=circle).filter(~Q(answer="accepted")).delete()


def circle_game_uncount(*, circle_id: int, by: User, game: str, reason: str) -> None:
    """Declare a finished game (public id) of a circle as not counted, for its founder. The members
    read the reason."""
    reason = clean_message(reason)
    if not reason:
        raise ServiceError(_("Give a reason. The members of the circle can read it."))
    if why_not := selectors.why_no_words(by):
        raise NotAllowed(why_not)
    with atomic():
        circle = _founded(circle_id, by)
        found = selectors.counted_games(circle).filter(public_id=game).first()
        if found is None:
            raise ServiceError(_("This is not a finished game that counts for the circle."))
        quotas.spend(quotas.CIRCLE_CHANGES, person=by)
        Uncounted.objects.create(game=found, reason=reason)


def circle_game_count(*, circle_id: int, by: User, game: str) -> None:
    """Count a game again that was declared as not counted, for the founder of the circle."""
    with atomic():
        circle = _founded(circle_id, by)
        quotas.spend(quotas.CIRCLE_CHANGES, person=by)
        selectors.uncounted_games(circle).filter(game__public_id=game).delete()


def circle_channel(*, circle_id: int, by: User, address: str, turns: bool) -> None:
    """Post the news of a circle to this address from now on, for its founder; without one, the
    present address stays. turns: also whose turn it is."""
    if address:
        try:
            channels.check(address)
        except guarded_post.BadAddress as error:
            raise ServiceError(str(error)) from error
    with atomic():
        circle = _founded(circle_id, by)
        quotas.spend(quotas.CIRCLE_CHANGES, person=by)
        if not address and not circle.channel_address:
            raise ServiceError(_("Enter the address of the channel."))
        circle.channel_address, circle.channel_turns = address or circle.channel_address, turns
        circle.save(update_fields=["channel", "channel_turns"])


def circle_channel_remove(*, circle_id: int, by: User) -> None:
    """Forget the channel of a circle, for its founder."""
    with atomic():
        circle = _founded(circle_id, by)
        quotas.spend(quotas.CIRCLE_CHANGES, person=by)
        circle.channel = ""
        circle.save(update_fields=["channel"])
        circle.posts.filter(sent=False).delete()


def circle_channel_test(*, circle_id: int, by: User) -> bool:
    """Post a message to the channel of a circle, for its founder; return whether it arrived."""
    with atomic():
        circle = _founded(circle_id, by)
        quotas.spend(quotas.CHANNEL_TESTS, person=by)
    return channels.send_test(circle)


# -- moderation ----------------------------------------------------------------------------


def _judged(circle_id: int, ruling: Ruling) -> Circle:
    """The locked circle, for a moderator, whose action is counted."""
    require_right(ruling.by, "change_circle")
    circle = _locked(circle_id)
    if circle.founder is not None:
        ruling.require_version(latest_decision(circle.founder))
        knows = circle.memberships.filter(user=ruling.by).exists()
        require_not_involved(circle.founder, ruling.by, "change_circle", knows=knows)
    quotas.spend(quotas.MODERATIONS, person=ruling.by)
    return circle


def moderate_circle_rename(*, circle_id: int, ruling: Ruling, title: str) -> None:
    """Give a circle another name. Its founder gets an email."""
    ruling = ruling.cleaned()
    with atomic():
        circle = _judged(circle_id, ruling)
        before, circle.name = circle.name, clean_circle_name(title)
        if circle.name == before:
            raise ServiceError(_("The circle already has this name."))
        circle.save(update_fields=["name"])
        decisions.record(
            Action.RENAME_CIRCLE,
            ruling,
            person=circle.founder,
            about=circle,
            before=before,
            after=circle.name,
        )


def moderate_circle_close(*, circle_id: int, ruling: Ruling) -> None:
    """Close a circle. Its founder gets an email."""
    ruling = ruling.cleaned()
    with atomic():
        circle = _judged(circle_id, ruling)
        _require_not_closed(circle)
        _close(circle)
        decisions.record(
            Action.CLOSE_CIRCLE,
            ruling,
            person=circle.founder,
            about=circle,
            before=circle.name,
            after=circle.name,
        )
