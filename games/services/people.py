"""Settings of a user, and the devices that show push messages to them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import available_timezones

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

from games.log import pipeline
from games.mail import guarded_post, kinds, push, queue, workers
from games.models import (
    NOTED_EVERY,
    PREFERENCES,
    DeliveryMode,
    Game,
    MailAddress,
    OutboxMail,
    PushDevice,
    Seat,
    User,
    address_digest,
    database_clock,
)

from . import quotas
from .clean_text import clean_name
from .errors import NotAllowed, ServiceError
from .quotas import atomic

ALL_KINDS = "all"  # in the saved modes of a user: all kinds were switched off together
SEEN_EVERY = timedelta(minutes=1)


def person_sign_up(
    *, email: str, language: str, time_zone: str = "", known: User | None = None
) -> User:
    """Return the person with this address. Without one, create an account with this language and
    time zone, or with those of the site if they are not known here. It is suspended until the end
    of the suspension of an account with this address that was deleted.

    known: somebody who signs in with it, perhaps with an address besides the primary one. The same
    statements run for everybody, so that the time does not reveal who has an account.
    """
    language = language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    time_zone = time_zone if time_zone in available_timezones() else settings.TIME_ZONE
    primary = (known.email if known is not None else email).strip().lower()
    user = User(email=primary, language=language, time_zone=time_zone)
    kept = MailAddress.objects.filter(digest=address_digest(primary))
    user.suspended_until = kept.values_list("suspended_until", flat=True).first()
    user.set_unusable_password()
    with atomic():
        User.objects.bulk_create([user], ignore_conflicts=True)
        user = User.objects.with_address(primary).get()
        address = EmailAddress(user=user, email=primary, primary=True, verified=False)
        EmailAddress.objects.bulk_create([address], ignore_conflicts=True)
    return user


def person_update(*, user: User, display_name: str, time_zone: str, language: str) -> User:
    """Set the display name, the time zone and the language."""
    name = clean_name(display_name)
    if time_zone not in available_timezones():
        raise ServiceError(_("Unknown time zone."))
    if language not in dict(settings.LANGUAGES):
        raise ServiceError(_("Unknown language."))
    user.display_name, user.time_zone, user.language = name, time_zone, language
    user.save(update_fields=["display_name", "time_zone", "language"])
    return user


def person_rename(*, user: User, display_name: str) -> User:
    """Set the display name."""
    return person_update(
        user=user, display_name=display_name, time_zone=user.time_zone, language=user.language
    )


def person_figures_switch(*, user: User, public: bool) -> None:
    """Return whether everybody may see how reliably this person moves in time."""
    User.objects.filter(pk=user.pk).update(figures_public=public)


def person_hints_switch(*, user: User, wanted: bool) -> None:
    """Show hints at tables to this person, or no more."""
    User.objects.filter(pk=user.pk).update(wants_hints=wanted)


def export_count(*, person: User | None, network: str) -> None:
    """Count the download of a game by this person, or by a visitor from this IP address."""
    with atomic():
        quotas.spend(quotas.EXPORTS, person=person, network="" if person else network)


def personal_data_count(*, user: User) -> None:
    """Count the download of everything that is stored about this person."""
    with atomic():
        quotas.spend(quotas.PERSONAL_DATA, person=user)


def preview_count(*, network: str) -> None:
    """Count a picture of a board that is drawn for a visitor from this IP address."""
    with atomic():
        quotas.spend(quotas.PREVIEWS, network=network)


def trial_count(*, network: str) -> None:
    """Count a page of the trial that a visitor from this IP address opens."""
    with atomic():
        quotas.spend(quotas.TRIALS, network=network)


def game_mail_switch(*, game_id: int, user: User, off: bool, by_link: bool = False) -> None:
    """Switch the email of one game off or on for one of its players.

    by_link: by a link in an email, which others may have. The player gets one email that confirms
    it and says how to undo it.
    """
    with atomic():
        seats = Seat.objects.select_for_update(of=("self",)).select_related("game")
        seat = seats.filter(game_id=game_id, user=user).first()
        if seat is None:
            raise NotAllowed(_("You are not a player in this game."))
        if seat.mails_off != off:
            Seat.objects.filter(pk=seat.pk).update(mails_off=off)
            if not off:
                queue.catch_up(user)
            if off and by_link and _may_confirm(user):
                queue.unsubscribed(user, game=seat.game)


def _may_confirm(user: User) -> bool:
    """Return whether to confirm by email that emails are off. Links also work beyond the limit."""
    try:
        quotas.spend(quotas.UNSUBSCRIBING, person=user)
    except quotas.QuotaExceeded:
        return False
    return True


def mail_preferences_set(*, user: User, modes: Mapping[str, str], **preferences: object) -> None:
    """Set how a user gets email; queued emails follow. modes: kind → DeliveryMode.

    preferences: a value for each of PREFERENCES.
    """
    if preferences.keys() != set(PREFERENCES):
        raise TypeError(f"mail_preferences_set needs {PREFERENCES}")
    if not set(modes) <= set(kinds.selectable()) or not set(modes.values()) <= set(DeliveryMode):
        raise ServiceError(_("Unknown kind of email."))
    others = {field.name for field in User._meta.fields} - set(PREFERENCES)
    with atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        user.delivery_modes, user.saved_modes = _offered(modes), {}
        for name, value in preferences.items():
            setattr(user, name, value)
        try:
            user.clean_fields(exclude=others)
        except ValidationError as error:
            raise ServiceError(_("Choose one of the times offered.")) from error
        if (user.quiet_from is None) != (user.quiet_until is None) or (
            user.quiet_from is not None and user.quiet_from == user.quiet_until
        ):
            raise ServiceError(_("Quiet hours must start and end at different times."))
        _save_preferences(user)
        queue.catch_up(user)


def _offered(modes: Mapping[str, str]) -> dict[str, str]:
    """Return the modes, those that a kind does not have replaced by sending at once."""
    return {
        name: mode if mode in kinds.get(name).modes else DeliveryMode.IMMEDIATE
        for name, mode in modes.items()
    }


def mail_kind_switch(*, kind: str, user: User, off: bool, by_link: bool = False) -> bool:
    """Switch one kind of email off, or on again as it was; for a kind that batches, all kinds that
    it contains. Returns `off`. by_link: as for `game_mail_switch`."""
    with atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        was_off = mail_kind_is_off(user, kind)
        _switch(user, kind, off=off)
        _save_preferences(user)
        if not off:
            queue.catch_up(user)
        if off and by_link and not was_off and _may_confirm(user):
            queue.unsubscribed(user, switched=kind)
        return off


def _switch(user: User, kind: str, *, off: bool) -> None:
    """Change the modes of a kind, or of all kinds that it stands for."""
    switched = [name for name in _kinds_in(user, kind) if not _is_off(user, name)]
    if off and switched:
        before = user.saved_modes.get(kind, {}) if kind == ALL_KINDS else {}
        modes = {name: user.delivery_mode(name) for name in switched}
        user.saved_modes[kind] = {**before, **modes}
        user.delivery_modes.update(dict.fromkeys(switched, DeliveryMode.OFF))
    elif not off:
        saved = user.saved_modes.pop(kind, {kind: DeliveryMode.IMMEDIATE})
        known = kinds.selectable()
        user.delivery_modes.update({k: mode for k, mode in saved.items() if k in known})


def all_mail_switch(*, user: User, off: bool) -> None:
    """Switch all email off that a user can switch off, or on again as it was before; in the
    caller's transaction. Queued emails are dropped or sent when they are due."""
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    was_off = bool(user.saved_modes)
    _switch(user, ALL_KINDS, off=off)
    _clean_modes(user)
    user.save(update_fields=["delivery_modes", "saved_modes"])
    if was_off and not off:
        queue.catch_up(user)


def _kinds_in(user: User, kind: str) -> list[str]:
    if kind == ALL_KINDS:
        return list(kinds.selectable())
    if kind in kinds.selectable():
        return [kind]
    mode = kinds.get(kind).batches if kind in kinds.names() else None
    return user.kinds_with_mode(mode) if mode is not None else []


def mail_kind_is_off(user: User, kind: str) -> bool:
    """Return whether emails of this kind, or all that it contained, are off."""
    return kind in user.saved_modes or _is_off(user, kind)


def _is_off(user: User, kind: str) -> bool:
    return user.delivery_mode(kind) == DeliveryMode.OFF


def _clean_modes(user: User) -> None:
    modes = user.delivery_modes.items()
    user.delivery_modes = {k: mode for k, mode in modes if mode != DeliveryMode.IMMEDIATE}


def _save_preferences(user: User) -> None:
    """Save them; queued emails that were not tried yet are scheduled anew."""
    _clean_modes(user)
    user.save(update_fields=["delivery_modes", "saved_modes", *PREFERENCES])
    waiting = OutboxMail.objects.select_for_update(skip_locked=True).filter(
        user=user, state=OutboxMail.State.QUEUED, attempts=0, kind__in=kinds.selectable()
    )
    for row in waiting:
        deadline = kinds.get(row.kind).deadline(row)
        row.next_try_at = user.send_at(row.kind, row.created_at, deadline)
        row.save(update_fields=["next_try_at"])
    workers.wake()


def person_seen(*, user: User, now: datetime | None = None) -> None:
    """Remember when a user whose email is held back while online was last seen, once a minute."""
    now = now or timezone.now()
    seen = user.last_seen_at
    if user.hold_while_online and (seen is None or now - seen > SEEN_EVERY):
        User.objects.filter(pk=user.pk).update(last_seen_at=now)


def table_seen(*, user: User, game: Game) -> None:
    """Remember, once a minute, that one of the players has this table open, so that the email of
    their turn waits. game: as `selectors.game_for` found it for this user."""
    now, seen = database_clock.now(), game.seen_at
    if game.is_over or not user.hold_at_table or (seen is not None and now - seen < NOTED_EVERY):
        return
    if any(seat.user_id == user.pk for seat in game.seat_list):
        pipeline.execute([(_TABLE_SEEN, [game.pk, user.pk, now])])


_TABLE_SEEN = (
    "INSERT INTO games_tablepresence (game_id, user_id, at) VALUES (%s, %s, %s)"
    " ON CONFLICT (game_id, user_id) DO UPDATE SET at = excluded.at"
)


def device_add(*, user: User, endpoint: str, p256dh: str, auth: str) -> str:
    """Send push messages to this browser, and return the digest of its endpoint. Another user of
    the same browser gets none there any more."""
    try:
        push.check(endpoint, p256dh, auth)
    except guarded_post.BadAddress as error:
        raise ServiceError(_("This browser does not support our notifications.")) from error
    with atomic():
        quotas.spend(quotas.PUSH_CHANGES, person=user)
        found = push.digest(endpoint)
        PushDevice.objects.filter(digest=found).delete()
        sentence = _(
            "%(count)s of your devices receive notifications already. Switch them off on one first."
        )
        count = "SELECT count(*) FROM games_pushdevice WHERE user_id = %s"
        quotas.require_room(quotas.PUSH_DEVICES, user, count, sentence)
        PushDevice.objects.create(
            user=user, endpoint=endpoint, digest=found, p256dh=p256dh, auth=auth
        )
    return found


def device_remove(*, user: User, endpoint: str) -> None:
    """Send no push messages to this browser any more."""
    PushDevice.objects.filter(user=user, digest=push.digest(endpoint)).delete()


def device_forget(*, user: User, digest: str) -> None:
    """Send no push messages to the browser whose endpoint has this digest, after its user has
    signed out there."""
    PushDevice.objects.filter(user=user, digest=digest).delete()


def devices_remove(*, user: User) -> None:
    """Send no push messages to any device of this user."""
    PushDevice.objects.filter(user=user).delete()
