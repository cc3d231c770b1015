"""People: an address to sign in with, a name for the others, a language and a zone.

Nobody has a password to remember; whoever can read the mail may sign in.
"""

from __future__ import annotations

from typing import Any, ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import (
    AbstractBaseUser,
    BaseUserManager,
    PermissionsMixin,
)
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from .mail_preferences import GATHER_MINUTES, NotificationPreferences
from .suppression import address_digest


class UserManager(BaseUserManager["User"]):
    """Makes people; addresses are kept in lower case, as they are compared."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A person who can sign in with a code sent to `email`; a password is for staff at most."""
        if not email:
            raise ValueError("a person needs an address")
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A person who may do everything in the admin."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> User:
        """The person with this address, however it is spelt."""
        return self.get(email__iexact=username)


class User(NotificationPreferences, AbstractBaseUser, PermissionsMixin):
    """A person. May be deleted: seats become empty, the logs of the games stay whole."""

    email = models.EmailField(gettext_lazy("email address"), unique=True)
    display_name = models.CharField(gettext_lazy("name"), max_length=40, blank=True)
    time_zone = models.CharField(
        gettext_lazy("time zone"), max_length=64, default="UTC"
    )  # an IANA name: "Europe/Berlin"
    language = models.CharField(gettext_lazy("language"), max_length=10, default="en")
    is_staff = models.BooleanField(gettext_lazy("moderator"), default=False)
    is_active = models.BooleanField(gettext_lazy("active"), default=True)
    date_joined = models.DateTimeField(gettext_lazy("joined"), default=timezone.now)
    # Those of Django's base classes, under the names that moderators know.
    is_superuser = models.BooleanField(gettext_lazy("superuser"), default=False)
    last_login = models.DateTimeField(gettext_lazy("last sign-in"), null=True, blank=True)
    # Why mails do not arrive and at which address: "bounce:<digest>"; another address has another.
    mail_trouble = models.CharField(max_length=80, blank=True, default="", editable=False)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()

    class Meta:
        verbose_name = gettext_lazy("user")
        verbose_name_plural = gettext_lazy("users")
        constraints = (
            models.UniqueConstraint(Lower("email"), name="games_user_email_once"),
            models.CheckConstraint(condition=~models.Q(email=""), name="games_user_has_email"),
            models.CheckConstraint(
                condition=models.Q(quiet_from__isnull=True, quiet_until__isnull=True)
                | models.Q(
                    quiet_from__isnull=False,
                    quiet_until__isnull=False,
                    quiet_from__lte=23,
                    quiet_until__lte=23,
                ),
                name="games_user_quiet_whole",
            ),
            models.CheckConstraint(
                condition=models.Q(digest_hour__lte=23, gather_minutes__in=GATHER_MINUTES),
                name="games_user_mail_hours",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """What the others read: never the address, which is nobody else's business."""
        return self.display_name or _("Unnamed player")

    @property
    def zone(self) -> ZoneInfo:
        """The person's time zone; UTC where the stored name is no longer known."""
        try:
            return ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")

    @property
    def mail_stopped(self) -> str:
        """Why no mail goes to this person's present address: "bounce", "complaint", or ""."""
        reason, _colon, digest = self.mail_trouble.partition(":")
        return reason if reason and digest == address_digest(self.email) else ""

    def get_full_name(self) -> str:
        return self.name

    def get_short_name(self) -> str:
        return self.name


class SecondFactor(Authenticator):  # type: ignore[misc]  # allauth has no types
    """allauth's second factor of a staff account, under the name that moderators read."""

    class Meta:
        proxy = True
        verbose_name = gettext_lazy("two-factor device")
        verbose_name_plural = gettext_lazy("two-factor devices")
