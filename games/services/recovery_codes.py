"""Recovery codes, each of which replaces a code of the authenticator app once.

Their owner sees them when they are made, and never again: what is stored are hashes by PBKDF2 with
one random salt for each set, so that a code is checked against the whole set by one slow hash. The
row is allauth's; its list of `migrated_codes` is empty, so that allauth itself accepts none.
"""

import hashlib
import re
import secrets
from typing import Any

from allauth.mfa.models import Authenticator
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from games.models import CredentialChange, User

from . import quotas
from .credentials import change_report
from .errors import ServiceError
from .quotas import atomic

COUNT, DIGITS = 10, 8
ITERATIONS = 210_000  # of HMAC-SHA-512, the least that OWASP ASVS 5.0 approves: about 0.15 s
SALT_BYTES = 16


def recovery_codes_make(*, user: User) -> list[str]:
    """New codes in place of the old ones, for somebody who has a second factor."""
    codes: dict[str, None] = {}
    while len(codes) < COUNT:
        codes[f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"] = None
    salt = secrets.token_bytes(SALT_BYTES)
    data = {
        "salt": salt.hex(),
        "iterations": ITERATIONS,
        "hashes": [_digest(code, salt.hex(), ITERATIONS) for code in codes],
        "migrated_codes": [],
    }
    with atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        own = Authenticator.objects.filter(user=user)
        if not own.exclude(type=Authenticator.Type.RECOVERY_CODES).exists():
            raise ServiceError(_("You can generate codes once an app is connected."))
        own.filter(type=Authenticator.Type.RECOVERY_CODES).delete()
        Authenticator.objects.create(user=user, type=Authenticator.Type.RECOVERY_CODES, data=data)
    return list(codes)


def recovery_codes_renew(*, user: User) -> list[str]:
    """Replace the codes, and report the change to all addresses of the account."""
    with atomic():
        # Before the quota, as everywhere: see `credentials.account_close`.
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        quotas.spend(quotas.ACCOUNT_CHANGES, person=user)
        change_report(user=user, kind=CredentialChange.Kind.RECOVERY_CODES)
        return recovery_codes_make(user=user)


def recovery_codes_of(user: User) -> Authenticator | None:
    """The user's recovery codes; None without any."""
    found: Authenticator | None = Authenticator.objects.filter(
        user=user, type=Authenticator.Type.RECOVERY_CODES, data__has_key="hashes"
    ).first()
    return found


def is_recovery_code(code: str) -> bool:
    """Return whether the code has the form of a recovery code. Codes of apps are shorter."""
    return bool(re.fullmatch(rf"[0-9]{{{DIGITS}}}", _plain(code)))


def recovery_code_use(*, factor: Authenticator, code: str) -> bool:
    """Return whether the code is one of these recovery codes that was not used before; it is used
    now."""
    tried = factor.data
    digest = _digest(_plain(code), tried["salt"], tried["iterations"])
    with atomic():
        locked = Authenticator.objects.select_for_update().filter(pk=factor.pk).first()
        if locked is None:
            return False
        kept = [each for each in locked.data["hashes"] if not constant_time_compare(each, digest)]
        if len(kept) == len(locked.data["hashes"]):
            return False
        locked.data["hashes"] = kept
        locked.save(update_fields=["data"])
    return True


def _plain(code: str) -> str:
    return re.sub(r"[\s-]", "", code)


def _digest(code: str, salt: str, iterations: int) -> str:
    salted: dict[str, Any] = {"salt": bytes.fromhex(salt), "iterations": iterations}
    return hashlib.pbkdf2_hmac("sha512", code.encode(), **salted).hex()
