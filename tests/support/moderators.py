"""Staff: their second factor, their browsers, and what they do in the admin."""

import re
from collections.abc import Callable
from io import StringIO

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.management import call_command
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse

from games import services
from games.models import Game, User
from tests.factories import log_of

SECRET = "JBSWY3DPEHPK3PXP"


def give_factor(user: User) -> Authenticator:
    """The user's authenticator app; a new one where there is none."""
    factor, _made = Authenticator.objects.get_or_create(
        user=user, type=Authenticator.Type.TOTP, defaults={"data": {"secret": SECRET}}
    )
    return factor


def prove_factor(client: Client, user: User) -> None:
    """The session of this signed-in browser has just entered the code of the user's app."""
    factor = give_factor(user)
    request = HttpRequest()
    request.session = client.session
    record_authentication(
        request, user, "mfa", id=factor.pk, type=factor.type, reauthenticated=True
    )
    request.session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = str(request.session.session_key)


def prove_code(client: Client, user: User) -> None:
    """The session of this signed-in browser has just entered a code that came by email."""
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, user, "code", email=user.email)
    request.session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = str(request.session.session_key)


def moderating(user: User, client: Client | None = None) -> Client:
    """A browser in which this member of staff can use the admin."""
    client = client or Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    prove_factor(client, user)
    return client


def admin_page(moderator: Client, game: Game) -> str:
    """The page of a game in the admin."""
    answer = moderator.get(reverse("admin:games_game_change", args=[game.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def press(moderator: Client, kind: str, pk: int, action: str, **fields: object) -> str:
    """Press the button of an action on a row of this kind, once; the page that follows."""
    shared = ("reason", "rule", "confirmed", "next")
    data = {n if n in shared else f"{action}-{n}": value for n, value in fields.items()}
    url = reverse(f"admin:games_{kind}_act", args=[pk, action])
    answer = moderator.post(url, data, follow=True)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def confirm(moderator: Client, kind: str, pk: int, action: str, said: str, **fields: object) -> str:
    """Press the button of the page that says what will happen; the page that follows."""
    asked = re.search(r'name="confirmed" value="(\d+)"', said)
    assert asked, said
    return press(moderator, kind, pk, action, **fields, confirmed=asked[1])


def act(moderator: Client, kind: str, pk: int, action: str, **fields: object) -> str:
    """Press the button of an action, and confirm it if a page asks; the page that follows."""
    said = press(moderator, kind, pk, action, **fields)
    if 'name="confirmed"' not in said:
        return said
    return confirm(moderator, kind, pk, action, said, **fields)


def moderate(moderator: Client, game: Game, action: str, **fields: object) -> str:
    """Carry out an action at a table; the page that follows."""
    return act(moderator, "game", game.pk, action, **fields)


def reveal(moderator: Client, game: Game, reason: str = "A complaint") -> str:
    """Reveal the hidden information of a game; the page that follows."""
    url = reverse("admin:games_game_reveal", args=[game.pk])
    return moderator.post(url, {"reveal-reason": reason}).content.decode()


# What a moderator can do to a game: act(game, by, reason).
ACTS: dict[str, Callable[[Game, User, str], object]] = {
    "pause": lambda g, by, why: services.moderate_pause(
        game_id=g.pk, ruling=services.Ruling(by, why)
    ),
    "resume": lambda g, by, why: services.moderate_resume(
        game_id=g.pk, ruling=services.Ruling(by, why)
    ),
    "extend": lambda g, by, why: services.moderate_extend(
        game_id=g.pk, days=2, ruling=services.Ruling(by, why)
    ),
    "play_bot": lambda g, by, why: services.moderate_play_bot(
        game_id=g.pk, seat=0, ruling=services.Ruling(by, why)
    ),
    "hand_seat": lambda g, by, why: services.moderate_hand_seat(
        game_id=g.pk, seat=0, ruling=services.Ruling(by, why)
    ),
    "rollback": lambda g, by, why: services.moderate_rollback(
        game_id=g.pk, to_seq=log_of(g).moves[0][-1].seq, ruling=services.Ruling(by, why)
    ),
    "abort": lambda g, by, why: services.moderate_abort(
        game_id=g.pk, ruling=services.Ruling(by, why)
    ),
}


def make_admin(*arguments: str) -> str:
    """Return the output of `manage.py make_admin`."""
    out = StringIO()
    call_command("make_admin", *arguments, stdout=out)
    return out.getvalue()


def enrolment_link(words: str) -> str:
    """The path of the link that the command printed."""
    link = re.search(r"http\S+?(/enrol/\S+)", words)
    assert link, words
    return link[1]
