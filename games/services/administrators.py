"""Administrators, and the link with which they connect their first authenticator app.

The operator of the service makes them on its command line. The link is for the app only: it signs
nobody in. It works once, for a day: its signature covers the unusable password of the account,
which is renewed when a link is made or used. That ends all sessions of the account, too.
"""

from datetime import timedelta

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, validate_totp_code
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, TimestampSigner
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from games import selectors
from games.models import User

from .errors import ServiceError
from .moderators import Role
from .people import person_sign_up
from .quotas import atomic
from .recovery_codes import recovery_codes_make

ENROLMENT = timedelta(hours=24)  # how long a link works


def administrator_make(*, address: str, lost_second_factor: bool = False) -> tuple[User, str]:
    """Make the person with this address an administrator, with a new account if there is none.

    Returns the token of an enrolment link too, "" for somebody who has a second factor.
    lost_second_factor: remove it, so that they enrol another one; ServiceError if there is no such
    account, because a mistyped address would then get one with all rights.
    """
    try:
        validate_email(address.strip())
    except ValidationError as error:
        raise ServiceError(_("Enter a valid email address.")) from error
    with atomic():
        found = selectors.person_by_address(address)
        if lost_second_factor and not User.objects.with_address(address).exists():
            # For the operator alone, so it is not translated.
            raise ServiceError(f"No account has the address {address}.")
        user = found or person_sign_up(email=address, language=settings.LANGUAGE_CODE)
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        user.suspended_until, user.is_staff, user.is_superuser = None, True, True
        user.groups.set(Group.objects.filter(name=Role.ADMINISTRATOR))
        if lost_second_factor:
            for factor in Authenticator.objects.filter(user=user):
                factor.delete()
        # Nobody else can claim the address by signing up with it.
        EmailAddress.objects.update_or_create(
            user=user,
            email=address.strip().lower(),
            defaults={"verified": True},
            create_defaults={"verified": True, "primary": not _has_address(user)},
        )
        if _has_factor(user):
            user.save(update_fields=["suspended_until", "is_staff", "is_superuser"])
            return user, ""
        user.set_unusable_password()
        user.save(update_fields=["suspended_until", "is_staff", "is_superuser", "password"])
        return user, _signer(user).sign(str(user.pk))


def enrolment_user(token: str) -> User | None:
    """The person whom an enrolment link is for; None if it is forged, used, replaced or too old."""
    pk = token.partition(":")[0]
    if not (pk.isascii() and pk.isdecimal() and len(pk) < 19):
        return None
    user = User.objects.active().filter(pk=int(pk), is_staff=True).first()
    if user is None or _has_factor(user):
        return None
    try:
        _signer(user).unsign(token, max_age=ENROLMENT)
    except BadSignature:  # SignatureExpired is one
        return None
    return user


def enrolment_finish(*, token: str, secret: str, code: str) -> list[str]:
    """Connect the authenticator app that has this secret and shows this code; the recovery codes.
    The link is used up, and all sessions of the account end."""
    with atomic():
        named = enrolment_user(token)
        if named is not None:
            User.objects.select_for_update(no_key=True).get(pk=named.pk)
            named = enrolment_user(token)  # once more, now that nobody else can use the link
        if named is None:
            raise ServiceError(_("This link has been used or has expired."))
        if not validate_totp_code(secret, code):
            raise ServiceError(_("That code is wrong. Enter the one that the app shows now."))
        TOTP.activate(named, secret)
        spare = recovery_codes_make(user=named)
        named.set_unusable_password()
        named.save(update_fields=["password"])
        return spare


def _has_factor(user: User) -> bool:
    factors = Authenticator.objects.exclude(type=Authenticator.Type.RECOVERY_CODES)
    return bool(factors.filter(user=user).exists())


def _has_address(user: User) -> bool:
    return bool(EmailAddress.objects.filter(user=user, primary=True).exists())


def _signer(user: User) -> TimestampSigner:
    return TimestampSigner(salt=f"games.enrolment:{user.email}:{user.password}")
