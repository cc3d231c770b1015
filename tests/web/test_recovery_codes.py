"""Recovery codes: stored as slow, salted hashes, shown once, and each works once."""

import hashlib
import json
import re

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from games import services
from games.models import User
from tests.factories import quota_windows_end
from tests.plugins.fast_hashes import REAL_ITERATIONS
from tests.support.accounts import CODE_PAGE, FACTOR, recovery_codes_on, reported_changes, sent_code
from tests.support.forked_work import forked
from tests.support.moderators import give_factor
from tests.support.pages import text

pytestmark = pytest.mark.django_db

GENERATE = f"{FACTOR}recovery-codes/generate/"


def make(user: User) -> list[str]:
    """An app and recovery codes for this user."""
    give_factor(user)
    return services.recovery_codes_make(user=user)


def stored(user: User) -> Authenticator:
    return Authenticator.objects.get(user=user, type=Authenticator.Type.RECOVERY_CODES)


def opens(user: User, code: str) -> bool:
    """Return whether somebody who reads this user's email signs in with the recovery code."""
    quota_windows_end()
    client = Client()
    client.post("/accounts/login/", {"login": user.email})
    client.post(CODE_PAGE, {"code": sent_code(user.email)})
    client.post(f"{FACTOR}authenticate/", {"code": code})
    return client.get("/settings/").status_code == 200


def test_codes_are_stored_as_salted_slow_hashes_alone(mona: User) -> None:
    codes = make(mona)
    data = stored(mona).data
    assert len(set(codes)) == len(data["hashes"]) == 10
    assert all(re.fullmatch(r"\d{8}", code) for code in codes)
    assert not [code for code in codes if code in json.dumps(data)]
    assert len(bytes.fromhex(data["salt"])) >= 4  # 32 bits
    assert REAL_ITERATIONS >= 210_000  # ASVS 5.0, appendix C
    digest = hashlib.pbkdf2_hmac(
        "sha512", codes[0].encode(), bytes.fromhex(data["salt"]), data["iterations"]
    )
    assert digest.hex() in data["hashes"]


def test_the_same_codes_of_two_users_have_other_hashes(mona: User, alice: User) -> None:
    for user in (mona, alice):
        make(user)
    assert stored(mona).data["salt"] != stored(alice).data["salt"]


def test_a_code_works_once_however_it_is_written(mona: User) -> None:
    first, second, *_rest = make(mona)
    assert opens(mona, f" {first[:4]} {first[4:]}")
    assert not opens(mona, first)
    assert opens(mona, f"{second[:4]}-{second[4:]}")
    assert len(stored(mona).data["hashes"]) == 8


@pytest.mark.django_db(transaction=True)
def test_of_codes_entered_by_six_processes_at_once_each_works_once(mona: User) -> None:
    codes = make(mona)
    factor = stored(mona)

    def use(number: int) -> int:
        return int(services.recovery_code_use(factor=factor, code=codes[number % 2]))

    with forked(use, 6) as counts:
        assert sum(counts) == 2
    assert len(stored(mona).data["hashes"]) == 8


def test_what_the_database_holds_opens_nothing(mona: User) -> None:
    make(mona)
    data = stored(mona).data
    for word in (data["hashes"][0], data["salt"], "00000000", ""):
        assert not opens(mona, word)
    assert len(stored(mona).data["hashes"]) == 10


def test_codes_of_one_user_open_no_other_account(mona: User, alice: User) -> None:
    code, *_rest = make(mona)
    make(alice)
    assert not opens(alice, code)
    assert opens(mona, code)


def test_new_codes_replace_the_old_ones_and_are_shown_once(mona: User) -> None:
    old, *_rest = make(mona)
    code, *_rest = services.recovery_codes_make(user=mona)
    assert not opens(mona, old)
    client = Client()
    client.post("/accounts/login/", {"login": mona.email})
    client.post(CODE_PAGE, {"code": sent_code(mona.email)})
    client.post(f"{FACTOR}authenticate/", {"code": code})
    assert recovery_codes_on(text(client.get(GENERATE))) == []
    shown = recovery_codes_on(text(client.post(GENERATE)))
    assert len(shown) == 10
    assert "recovery_codes" in reported_changes()
    for path in ("", "recovery-codes/generate/"):
        assert not recovery_codes_on(text(client.get(FACTOR + path)))
    assert opens(mona, shown[0])


def test_without_an_app_there_are_no_codes(mona: User) -> None:
    with pytest.raises(services.ServiceError):
        services.recovery_codes_make(user=mona)
    assert not Authenticator.objects.exists()
