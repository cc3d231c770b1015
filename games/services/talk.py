"""Messages of players at a table: write, delete and mute them; close and open the talk.

A message is a row beside the log. Nothing that spectators can observe changes with it, except by a
note, which belongs to a move.
"""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from games import selectors
from games.log import announcements, pipeline
from games.mail import queue
from games.mail.kinds.players import TALK
from games.models import DeliveryMode, Game, Message, Seat, User, database_clock

from . import quotas
from .clean_text import clean_talk
from .errors import NotAllowed, ServiceError
from .locked_game import LockedGame
from .quotas import atomic

State = Message.State


def message_write(*, game_id: int, user: User, text: str) -> Message:
    """Write to the others at the table. The email with it leaves after selectors.RECALL."""
    with atomic():
        game = _locked(game_id)
        seats = list(Seat.objects.filter(game=game).select_related("user").order_by("number"))
        return _write(game, seats, user, text)


def message_write_locked(locked: LockedGame, user: User, text: str) -> Message:
    """Write to the others for a caller who has locked the game."""
    return _write(locked.game, locked.seats, user, text)


def _write(game: Game, seats: Sequence[Seat], user: User, text: str) -> Message:
    message = clean_talk(text)
    if not message:
        raise ServiceError(_("Your message is empty."))
    seat = next((seat for seat in seats if seat.user_id == user.pk), None)
    if seat is None:
        raise NotAllowed(_("You are not a player in this game."))
    quotas.spend(quotas.MESSAGES, person=user, table=game)
    return post(game, seats, seat, message, database_clock.now())


def require_may_talk(game: Game, user: User) -> None:
    """ServiceError where this player may write no messages."""
    if why := selectors.why_no_talk(game, user):
        raise ServiceError(why)


def post(
    game: Game, seats: Sequence[Seat], seat: Seat, text: str, at: datetime, seq: int | None = None
) -> Message:
    """Store a clean message of the player on `seat` of a locked game, queue its emails and announce
    it. seq: the move that it belongs to."""
    author = seat.user
    assert author is not None
    require_may_talk(game, author)
    others = [other for other in seats if other.user is not None and other.user_id != author.pk]
    reached = [other for other in others if _wants_email(other, author)]
    message = Message.objects.create(
        game=game,
        author=author,
        seat=seat.number,
        seq=seq,
        text=text,
        at=at,
        readers=[author.pk, *(other.user_id for other in others)],
        unsent=[other.user_id for other in reached],
    )
    emails = queue.message_written(game, reached, message)
    pipeline.execute([*emails, *announcements.about_message(game.pk, is_note=seq is not None)])
    return message


def _wants_email(seat: Seat, author: User) -> bool:
    reader = seat.user
    assert reader is not None
    is_off = seat.mails_off or reader.delivery_mode(TALK.name) == DeliveryMode.OFF
    return not (reader.is_suspended or is_off) and author.pk not in reader.unheard


def message_delete(*, game_id: int, user: User, key: int) -> None:
    """Delete a message of this user: without a trace while it waits, else its text only."""
    with atomic():
        _locked(game_id)  # so that no email takes it up in the meantime
        rows = Message.objects.select_for_update().filter(game=game_id, author=user, pk=key)
        message = rows.exclude(state=State.REMOVED).first()
        if message is None:
            raise NotAllowed(_("This message is not yours."))
        if selectors.is_waiting(message, database_clock.now()):
            message.delete()
            return
        rows.update(text="", state=State.DELETED)
        pipeline.execute(announcements.about_message(game_id, is_note=message.seq is not None))


def talk_switch(*, game: Game, user: User, is_open: bool) -> None:
    """Close or open the talk of a table, as its host or as a moderator. game: as `game_for` found
    it for this user."""
    if not selectors.may_switch(game, user):
        raise NotAllowed(_("Only the host and moderators can do this."))
    with atomic():
        is_host = game.host_id == user.pk
        quotas.spend(
            quotas.HOST_ACTIONS if is_host else quotas.MODERATIONS, person=user, table=game
        )
        Game.objects.filter(pk=game.pk).update(talk_open=is_open)
        pipeline.execute(announcements.about_message(game.pk, is_note=False))


def talk_seen(*, seat: Seat, newest: int) -> None:
    """Remember that its player has had the messages up to this one (pk) of the table in the
    window."""
    if newest > seat.talk_read and Message.objects.filter(game=seat.game, pk=newest).exists():
        Seat.objects.filter(pk=seat.pk, user=seat.user, talk_read__lt=newest).update(
            talk_read=newest
        )


def person_mute(*, user: User, person: int, is_muted: bool) -> None:
    """Mute or unmute a person (pk) for this user. The person is not notified."""
    with atomic():
        quotas.spend(quotas.MUTES, person=user)
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        others = [other for other in user.muted if other != person]
        known = is_muted and person != user.pk and User.objects.filter(pk=person).exists()
        user.muted = [*others, person] if known else others
        user.save(update_fields=["muted"])


def person_block(*, user: User, person: User, is_blocked: bool) -> None:
    """Block a person for this user, or no longer: they sit down at no new table together, and the
    person is muted as well. The person is not notified."""
    if person == user:
        raise ServiceError(_("You cannot block yourself."))
    with atomic():
        quotas.spend(quotas.MUTES, person=user)
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        others = [other for other in user.blocked if other != person.pk]
        user.blocked = [*others, person.pk] if is_blocked else others
        user.save(update_fields=["blocked"])


def _locked(game_id: int) -> Game:
    """The game, locked until the transaction ends, so that the numbers of its messages follow the
    order in which they become visible."""
    return Game.objects.select_for_update(no_key=True).defer("seed").get(pk=game_id)
