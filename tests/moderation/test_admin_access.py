"""Only staff with a second factor that they have used get into the admin."""

import re
from collections.abc import Callable, Iterator

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from games.models import Game, User
from games.web import second_factor
from games.web.decorators import SESSION_KEY
from tests.factories import fresh
from tests.support.accounts import app_code, connected_app
from tests.support.lengths import by_length
from tests.support.moderators import give_factor, moderating, prove_code, prove_factor
from tests.support.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


def admin_paths() -> Iterator[str]:
    """A path of every URL of the admin."""
    (admin,) = (
        part
        for part in get_resolver().url_patterns
        if isinstance(part, URLResolver) and part.namespace == "admin"
    )
    return paths_of(admin, "/admin/")


def paths_of(resolver: URLResolver, before: str) -> Iterator[str]:
    for part in resolver.url_patterns:
        path = before + re.sub(r"<int:\w+>|<path:\w+>", "1", str(part.pattern))
        path = re.sub(r"<\w+:\w+>", "x", path)
        path = re.sub(r"\(\?P<\w+>(\w+)[^)]*\)", r"\1", path)  # the lists of each app
        path = re.sub(r"\(\?P<url>.*", "", re.sub(r"[\^$]", "", path))  # the rest
        if isinstance(part, URLPattern):
            yield path
        else:
            yield from paths_of(part, path)


def stranger(_user: User) -> Client:
    return Client()


def staff_without_factor(user: User) -> Client:
    return signed_in(user)


def staff_with_unused_factor(user: User) -> Client:
    give_factor(user)
    return signed_in(user)


def staff_with_recovery_codes_only(user: User) -> Client:
    client = moderating(user)
    Authenticator.objects.update(type=Authenticator.Type.RECOVERY_CODES)
    return client


def staff_whose_factor_was_replaced(user: User) -> Client:
    client = moderating(user)
    Authenticator.objects.all().delete()
    give_factor(user)
    return client


def staff_no_more(user: User) -> Client:
    client = moderating(user)
    user.is_staff = False
    user.save()
    return client


ENTERING = (
    stranger,
    staff_without_factor,
    staff_with_unused_factor,
    staff_with_recovery_codes_only,
    staff_whose_factor_was_replaced,
    staff_no_more,
)


@pytest.mark.long
@pytest.mark.parametrize("enter", ENTERING)
def test_no_page_of_the_admin_opens_without_a_used_second_factor(
    mona: User, enter: Callable[[User], Client]
) -> None:
    mona.is_superuser = True
    mona.save()
    client = enter(mona)
    paths = list(admin_paths())
    assert len(paths) > 30
    for number, path in enumerate(paths, ENTERING.index(enter)):
        # In the short form, half of them ask in one way, the others in the other.
        ways = (client.get, client.post)
        for way in by_length((ways[number % 2],), ways):
            answer = way(path)
            assert answer.status_code in (302, 403, 404), path
            there = answer.get("Location", "")
            assert "/admin/login/" in there or not there.startswith("/admin/games"), path


def test_every_list_opens_with_a_used_second_factor(mona: User) -> None:
    mona.is_superuser = True
    mona.save()
    client = moderating(mona)
    for model in ("game", "user", "outboxmail", "inboundmail", "invitation", "message"):
        assert client.get(reverse(f"admin:games_{model}_changelist")).status_code == 200


def test_the_second_factor_is_asked_for_again_after_twelve_hours(mona: User) -> None:
    client = moderating(mona)
    assert client.get("/admin/").status_code == 200
    with time_machine.travel(timezone.now().timestamp() + second_factor.MAX_AGE, tick=False):
        answer = client.get("/admin/games/game/", follow=True)
    assert answer.redirect_chain[-1][0] == "/accounts/2fa/reauthenticate/?next=/admin/games/game/"


@pytest.mark.parametrize(
    ("action", "page"),
    [
        ("games/report/7/act/decide/", "games/report/7/change/"),
        ("games/circle/7/act/close/", "games/circle/7/change/"),
        ("games/user/7/act/warn/", "games/user/7/conduct/"),
        ("games/game/7/reveal/", "games/game/7/change/"),
    ],
)
def test_a_form_that_comes_too_late_is_saved_for_the_page_of_its_object(
    mona: User, action: str, page: str
) -> None:
    client = moderating(mona)
    with time_machine.travel(timezone.now().timestamp() + second_factor.MAX_AGE, tick=False):
        client.post(f"/admin/{action}", {"reason": "He wrote rude words."})
    saved = client.session[SESSION_KEY]
    assert saved["page"] == f"/admin/{page}" and "rude" in saved["form"]


def test_a_session_that_used_a_removed_factor_has_used_none(mona: User) -> None:
    """Somebody else may have it. The moderator has another one by now."""
    client = moderating(mona)
    Authenticator.objects.filter(user=mona).delete()
    give_factor(mona)
    answer = client.get("/admin/games/game/", follow=True)
    assert answer.redirect_chain[-1][0] == "/accounts/2fa/reauthenticate/?next=/admin/games/game/"


@pytest.mark.usefixtures("still_clock")
def test_staff_without_a_second_factor_are_sent_to_enrol_and_enter_with_its_code(
    mona: User,
) -> None:
    client = signed_in(mona)
    prove_code(client, mona)
    answer = client.get("/admin/games/game/", follow=True)
    assert answer.redirect_chain[-1][0] == "/accounts/2fa/totp/activate/"
    assert "Moderators need a second factor." in text(answer)
    secret = connected_app(client)
    answer = client.get("/admin/games/game/", follow=True)
    assert "Confirm it’s you" in text(answer)
    confirm = answer.redirect_chain[-1][0]
    answer = client.post(confirm, {"code": app_code(secret)}, follow=True)
    assert answer.redirect_chain[-1][0] == "/admin/games/game/"
    assert answer.status_code == 200


def test_a_player_is_refused_and_not_asked_to_enrol(
    alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    client = signed_in(alice)
    assert client.get("/admin/", follow=True).status_code == 403
    assert "Forbidden" in caplog.text
    assert "Traceback" not in caplog.text
    prove_factor(client, alice)
    assert client.get("/admin/", follow=True).status_code == 403


def test_the_sign_in_of_the_admin_leads_nowhere_else(mona: User) -> None:
    client = moderating(mona)
    answer = client.get("/admin/login/?next=https://evil.example/")
    assert answer["Location"] == "/admin/"


# -- no passwords ----------------------------------------------------------------------


def test_the_admin_has_no_page_about_passwords(mona: User) -> None:
    mona.is_superuser = True
    mona.set_password("a password from a command of Django")
    mona.save()
    client = moderating(mona)
    assert "password" not in text(client.get("/admin/")).casefold()
    assert not [path for path in admin_paths() if "password" in path]
    for path in ("password_change/", "password_change/done/", f"games/user/{mona.pk}/password/"):
        assert client.get(f"/admin/{path}").status_code in (302, 404)
        assert client.get(f"/admin/{path}", follow=True).status_code in (200, 404)


def test_a_password_opens_nothing(mona: User) -> None:
    mona.set_password("secret")
    mona.save()
    assert not mona.has_usable_password()
    assert not Client().login(username=mona.email, password="secret")
    client = signed_in(mona)
    client.post("/accounts/reauthenticate/", {"password": "secret"})
    page = text(client.post("/accounts/reauthenticate/", {"password": "secret"}))
    assert "password" not in page and "We have sent a code" in page


# -- addresses of pages that are not there -----------------------------------------------


@pytest.mark.parametrize("number", ["abc", "0", "1_5F2", "9" * 30, "-1", "%00"])
def test_a_game_that_is_not_there_is_not_found(mona: User, number: str) -> None:
    client = moderating(mona)
    for page in ("change", "history", "delete", "reveal", "act/pause"):
        answer = client.get(f"/admin/games/game/{number}/{page}/", follow=True)
        assert answer.status_code in (200, 403, 404)
    assert client.get(f"/admin/games/game/{number}/change/").status_code == 404


# -- a form that was submitted too late -----------------------------------------------------


def test_a_typed_reason_survives_the_end_of_the_session(
    mona: User, game: Game, client: Client
) -> None:
    act = reverse("admin:games_game_act", args=[game.pk, "extend"])
    typed = {"reason": "Alice is on an island", "extend-days": "9", "extend-seat": ""}
    answer = client.post(act, typed)  # the session has ended
    assert answer.status_code == 302
    assert fresh(game).version == game.version
    moderating(mona, client)
    page = text(client.get(reverse("admin:games_game_change", args=[game.pk])))
    assert 'value="Alice is on an island"' in page
    assert 'value="9"' in page
