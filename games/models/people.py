"""Users. They sign in with codes sent by email and have no passwords."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import CheckConstraint, Index, Q, UniqueConstraint
from django.db.models.functions import Collate, Lower
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.clock import Calendar
from games.clock.calendar import Absence

from . import database_clock
from .mail_preferences import GATHER_MINUTES, NotificationPreferences, address_digest
from .names import has_letter, is_reserved

FOR_GOOD = datetime(9000, 1, 1, tzinfo=UTC)  # the end of a suspension that has none


def not_suspended(path: str = "") -> Q:
    """Filter for the users who are not suspended now. path: the look-up that leads to the user,
    such as "user__"."""
    return ~Q(**{f"{path}suspended_until__gt": database_clock.now()})


def active(path: str = "") -> Q:
    """Filter for the users for whom `User.is_active` is true."""
    at_end = Q(**{f"{path}closes_at__lte": database_clock.now()})
    return not_suspended(path) & ~at_end & Q(**{f"{path}frozen_at": None})


class UserManager(BaseUserManager["User"]):
    """Creates users. Addresses are stored in lower case and compared without regard to case."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a user. The password is ignored: nobody has one."""
        if not email:
            raise ValueError("a user needs an email address")
        user = self.model(email=email.strip().lower(), **fields)
        user.set_unusable_password()
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a superuser."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def with_address(self, address: str) -> models.QuerySet["User"]:
        """The user with this address, in upper or lower case, by the index of the constraint
        games_user_email_once; `email__iexact` would read all rows."""
        return self.alias(lower=Lower("email")).filter(lower=address.strip().lower())

    def active(self) -> models.QuerySet["User"]:
        """The users who may act now, see `User.is_active`."""
        return self.filter(active())

    def get_by_natural_key(self, username: str | None) -> "User":
        """The user with this address, in upper or lower case."""
        return self.with_address(username or "").get()


class User(NotificationPreferences, AbstractBaseUser, PermissionsMixin):
    """A user. After deletion their seats have no player; the logs of their games stay complete.

    time_zone: an IANA name. mail_trouble: why email bounces and for which address, as
    "bounce:<digest>", so that it does not apply to a new address. frozen_at: since then, the
    account waits for the page that restores it; suspended_until: until then it is suspended;
    closes_at: when it will be deleted. No module but this one and those that write them asks for
    these three: see `is_active` and `games.selectors.may_act`. no_talk_until: until then this user
    may write no messages, see `games.selectors.why_no_talk`. absences: see games.clock.calendar.
    muted: the users (pk) whose messages are folded away and not emailed. blocked: those with whom
    this user sits down at no new table, and who are muted, too.
    """

    email = models.EmailField(_("email address"), unique=True)
    display_name = models.CharField(_("name"), max_length=40, blank=True)
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    language = models.CharField(_("language"), max_length=10, default="en")
    is_staff = models.BooleanField(_("moderator"), default=False)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now)
    # Overridden for their verbose names only.
    is_superuser = models.BooleanField(_("superuser"), default=False)
    last_login = models.DateTimeField(_("last sign-in"), null=True, blank=True)
    suspended_until = models.DateTimeField(
        _("end of the suspension"), null=True, blank=True, editable=False
    )
    frozen_at = models.DateTimeField(null=True, blank=True, editable=False)
    closes_at = models.DateTimeField(null=True, blank=True, editable=False)
    no_talk_until = models.DateTimeField(
        _("no messages until"), null=True, blank=True, editable=False
    )
    figures_public = models.BooleanField(
        _("Everyone can see how reliably I move on time"), default=True, db_default=True
    )
    wants_hints = models.BooleanField(default=True, db_default=True, editable=False)
    muted = ArrayField(models.BigIntegerField(), default=list, db_default=[], editable=False)
    blocked = ArrayField(models.BigIntegerField(), default=list, db_default=[], editable=False)
    absences = models.JSONField(default=list, db_default=[], editable=False)
    mail_trouble = models.CharField(max_length=80, blank=True, default="", editable=False)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()

    # Whether the session of this request has proved the second factor; not stored.
    has_proved_factor = False

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        permissions = (
            ("change_roles", "Can change roles"),
            ("suspend_user", "Can warn and suspend users"),
        )
        indexes = (
            Index(Collate(Lower("display_name"), "C"), name="games_user_name_begins"),
            Index(Collate(Lower("email"), "C"), name="games_user_email_begins"),
            Index(fields=["id"], condition=Q(mail_trouble__gt=""), name="games_user_mail_trouble"),
            Index(
                fields=["suspended_until"],
                condition=Q(suspended_until__isnull=False),
                name="games_user_suspended",
            ),
        )
        constraints = (
            UniqueConstraint(Lower("email"), name="games_user_email_once"),
            CheckConstraint(condition=~Q(email=""), name="games_user_has_email"),
            CheckConstraint(
                condition=Q(quiet_from__isnull=True, quiet_until__isnull=True)
                | Q(
                    quiet_from__isnull=False,
                    quiet_until__isnull=False,
                    quiet_from__lte=23,
                    quiet_until__lte=23,
                ),
                name="games_user_quiet_whole",
            ),
            CheckConstraint(
                condition=Q(digest_hour__lte=23, gather_minutes__in=GATHER_MINUTES),
                name="games_user_mail_hours",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def is_active(self) -> bool:  # type: ignore[override]  # an attribute in Django
        """Whether they may act: neither suspended nor frozen, and the account is not at its end.
        Django signs nobody else in and gives nobody else a right."""
        at_end = self.closes_at is not None and self.closes_at <= database_clock.now()
        return not (self.is_suspended or self.is_frozen or at_end)

    @property
    def is_suspended(self) -> bool:
        """Whether a moderator has suspended them until a time to come."""
        return self.suspended_until is not None and self.suspended_until > database_clock.now()

    @property
    def is_frozen(self) -> bool:
        """Whether "This was not me" was pressed, and the account has not been restored since."""
        return self.frozen_at is not None

    @property
    def is_closing(self) -> bool:
        """Whether the account will be deleted, unless that is cancelled."""
        return self.closes_at is not None

    @property
    def may_talk(self) -> bool:
        """Whether no moderator has closed their messages until a time to come."""
        return self.no_talk_until is None or self.no_talk_until <= database_clock.now()

    @property
    def is_suspended_for_good(self) -> bool:
        """Whether their suspension has no end."""
        return self.suspended_until == FOR_GOOD

    def has_usable_password(self) -> bool:
        return False  # also where a command of Django has set one

    def check_password(self, raw_password: str | None) -> bool:
        return False

    @property
    def shown_name(self) -> str:
        """The name for other players, never the address; "" without one that people can have."""
        name = self.display_name
        return name if has_letter(name) and not is_reserved(name) else ""

    @property
    def name(self) -> str:
        """`shown_name`, or words for a person without one. At a table, use `seat_names`."""
        return self.shown_name or gettext("A player")

    @property
    def unheard(self) -> list[int]:
        """The users (pk) whose messages are folded away and not emailed."""
        return [*self.muted, *self.blocked]

    @property
    def zone(self) -> ZoneInfo:
        """The user's time zone; UTC if the stored name is not known any more."""
        try:
            return ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")

    def calendar(self, *, weekends_off: bool = False, at_night: bool = False) -> Calendar:
        """Return the user's calendar at a table. at_night: quiet hours do not matter."""
        away = tuple(one.interval(self.zone) for one in self.absence_list if one.last >= one.first)
        return Calendar(self.zone, weekends_off, None if at_night else self.quiet_hours, away)

    @property
    def absence_list(self) -> list[Absence]:
        """The absences of the last year, the present one and those to come."""
        return msgspec.convert(self.absences, list[Absence])

    @property
    def is_away(self) -> bool:
        """Whether an absence of theirs lasts now."""
        today = database_clock.now().astimezone(self.zone).date()
        return any(one.first <= today <= one.last for one in self.absence_list)

    @property
    def mail_stopped(self) -> str:
        """The reason why email to the current address is stopped: "bounce", "complaint" or ""."""
        reason, _colon, digest = self.mail_trouble.partition(":")
        return reason if reason and digest == address_digest(self.email) else ""

    def get_session_auth_hash(self) -> str:
        """Django's, and other for other rights: a user who gains or loses some signs in again."""
        return self._with_rights(super().get_session_auth_hash())

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        """Yield the results of `get_session_auth_hash` with the former secret keys."""
        digests = super().get_session_auth_fallback_hash()
        return map(self._with_rights, digests, settings.SECRET_KEY_FALLBACKS)

    def _with_rights(self, digest: str, key: str | None = None) -> str:
        """key: the secret key of the digest, None for the present one."""
        if not (self.is_staff or self.is_superuser):
            return digest
        rights = f"{digest}:{self.is_staff:d}{self.is_superuser:d}"
        return salted_hmac("games.user.rights", rights, secret=key, algorithm="sha256").hexdigest()

    @property
    def moderator_name(self) -> str:
        """`shown_name`, or words for a moderator without one."""
        return self.shown_name or gettext("A moderator")

    def get_full_name(self) -> str:
        return self.moderator_name  # the admin asks

    def get_short_name(self) -> str:
        return self.moderator_name


class SecondFactor(Authenticator):  # type: ignore[misc]  # allauth has no types
    """allauth's Authenticator under a translated name."""

    class Meta:
        proxy = True
        verbose_name = _("two-factor device")
        verbose_name_plural = _("two-factor devices")
