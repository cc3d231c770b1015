"""No request gets a 5xx: every route, every role, every position, and parameters and bodies that
no page of ours would send.

The routes come from the URL resolver, so a new one is included by itself.
"""

import base64
from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from allauth.account.models import EmailAddress
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings
from pytest_django.plugin import DjangoDbBlocker

from games import services
from games.mail import signed_links
from games.models import Game, User
from games.web import absences, forms
from tests.factories import fresh, log_of, person, play_turns, table_of
from tests.support.escape_games import escape_table
from tests.support.lengths import by_length
from tests.support.moderators import moderating
from tests.support.shared_rows import shared_rows
from tests.support.url_walk import every_url

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore::anymail.exceptions.AnymailNotSupportedWarning"),
]

SECRET = "atlantis:open-sesame"
BASIC = "Basic " + base64.b64encode(SECRET.encode()).decode()
PROVIDER_KEYS = {
    "BREVO_API_KEY": "key",
    "MAILERSEND_INBOUND_SECRET": "key",
    "MAILERSEND_SIGNING_SECRET": "key",
    "MAILGUN_WEBHOOK_SIGNING_KEY": "key",
    "MAILTRAP_API_TOKEN": "key",
    "MANDRILL_WEBHOOK_KEY": "key",
    "UNISENDER_GO_API_KEY": "key",
}
ROLES = ("stranger", "player", "other player", "spectator", "host", "moderator", "administrator")


class Site:
    """Browsers of all roles, and games in all states."""

    def __init__(self) -> None:
        self.people = {
            "player": person("Pia"),
            "other player": person("Otto"),
            "spectator": person("Sven"),
            "host": person("Hedda"),
            "moderator": person("Mona", is_staff=True),
            "administrator": person("Ada", is_staff=True, is_superuser=True),
        }
        for user in self.people.values():
            EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        self.clients = {role: Client(raise_request_exception=False) for role in ROLES}
        for role, user in self.people.items():
            if user.is_staff:
                moderating(user, self.clients[role])
            else:
                self.clients[role].force_login(
                    user, backend="django.contrib.auth.backends.ModelBackend"
                )
        host, player, other = (self.people[role] for role in ("host", "player", "other player"))
        moderator = self.people["moderator"]
        gathering = table_of(host, player, seats=4)
        services.game_invite(game_id=gathering.pk, by=host, address="zoe@example.org")
        abandoned = table_of(host, seats=3)
        services.game_leave(game_id=abandoned.pk, user=host)
        paused = table_of(host, player)
        services.moderate_pause(game_id=paused.pk, ruling=services.Ruling(moderator, "A test."))
        over = table_of(host, player, resign_policy=Game.ResignPolicy.END)
        play_turns(over, 3)
        services.game_resign(game_id=over.pk, user=player)
        self.games = {
            "gathering": gathering,
            "running": play_turns(table_of(host, player, other), 4),
            "escape": escape_table(host, player, other),
            "paused": paused,
            "abandoned": abandoned,
            "over": over,
        }
        self.routes: list[str] = []
        self.games = {name: fresh(game) for name, game in self.games.items()}

    def request(
        self, role: str, method: str, path: str, *args: Any, **options: Any
    ) -> HttpResponse:
        """The response; whatever the request changes is undone."""
        client = self.clients[role]
        cookies = SimpleCookie(client.cookies)
        with transaction.atomic():
            response: HttpResponse = getattr(client, method)(path, *args, **options)
            transaction.set_rollback(True)
        client.cookies = cookies
        return response


@pytest.fixture(scope="module")
def played_site(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    """One for all tests, since `Site.request` undoes what it changes."""
    with shared_rows(django_db_blocker, Site) as site:
        yield site


@pytest.fixture
def site(settings: Settings, replies: Settings, played_site: Site) -> Site:
    settings.INBOUND_SECRET = [SECRET]
    settings.ANYMAIL = {**settings.ANYMAIL, "WEBHOOK_SECRET": [SECRET]}
    return played_site


def samples(game: Game, seq: int | None = None) -> dict[str, str]:
    """Parameters of routes that lead to this game and to what belongs to it."""
    seat = game.seats.first()
    user = User.objects.get(display_name="Pia")
    token = game.invite_token
    if seat is not None and seat.user is not None:
        path = signed_links.turn_path(game.public_id, seat.number, seat.asked_seq or 1, seat.user)
        token = path.strip("/").rpartition("/")[2]
    return {
        "public_id": game.public_id,
        "seq": str(game.version if seq is None else seq),
        "pk": str(game.pk),
        "object_id": str(game.pk),
        "kind": game.kind,
        "name": "pause",
        "app_label": "games",
        "token": token,
        "user": str(user.pk),
    }


# -- routes and roles ---------------------------------------------------------------------------

ANYMAIL = "/anymail/"
# Who may open what, and who may do what, differs most between these.
MOST_DIFFERENT = ("stranger", "player", "host", "moderator")
IS_UNREADY = {"/readyz"}  # 503 is its answer while no worker runs


def paths_of(game: Game, *, everything: bool) -> list[str]:
    """The URLs of this game; with `everything`, those that belong to no game as well."""
    paths = sorted(set(every_url(samples(game))))
    return [path for path in paths if everything or game.public_id in path]


def assert_no_error(response: HttpResponse, what: object) -> None:
    allowed = response.status_code == 503 and response.wsgi_request.path in IS_UNREADY  # type: ignore[attr-defined]
    assert response.status_code < 500 or allowed, f"{response.status_code} for {what}"


def assert_all_answer(site: Site, state: str, *, everything: bool) -> None:
    game = site.games[state]
    for number, path in enumerate(paths_of(game, everything=everything)):
        roles = roles_of(state, number) if game.public_id in path else roles_beside_games(path)
        for at, role in enumerate(roles):
            # In the short form, half of several roles post, at the next route the other half.
            posts = by_length(len(roles) == 1 or (number + at) % 2 == 0, True)
            for method in ("get", "post") if posts else ("get",):
                assert_no_error(site.request(role, method, path), (state, method, path, role))


def roles_of(state: str, number: int) -> tuple[str, ...]:
    """In the short form, strangers, players and one other role in turn meet each route in the state
    with most of them, and in each other state one of those most different, in turn."""
    if state == "running":
        others = ("spectator", "host", "moderator", "administrator")
        return by_length(("stranger", "player", others[number % len(others)]), ROLES)
    return by_length((MOST_DIFFERENT[(number + len(state)) % len(MOST_DIFFERENT)],), ROLES)


def roles_beside_games(path: str) -> tuple[str, ...]:
    """Apart from games, all people who are no staff are alike. In the short form, administrators
    stand for moderators, who may open less."""
    if ANYMAIL in path:
        return ("stranger",)
    return ("stranger", "player", *by_length(ROLES[-1:], ROLES[-2:]))


@pytest.mark.long
def test_every_route_answers_every_role(site: Site) -> None:
    assert_all_answer(site, "running", everything=True)


@pytest.mark.long
def test_no_route_echoes_a_trace(site: Site) -> None:
    roles = ("stranger", "administrator")
    for number, path in enumerate(paths_of(site.games["running"], everything=True)):
        for role in by_length((roles[number % 2],), roles):
            response = site.request(role, "trace", path, HTTP_X_SECRET="hush-hush")
            assert_no_error(response, ("trace", path, role))
            assert b"hush-hush" not in response.content, path


@pytest.mark.long
def test_every_route_of_a_game_answers_in_every_state(site: Site) -> None:
    for state in site.games.keys() - {"running"}:
        assert_all_answer(site, state, everything=False)


@pytest.mark.long
def test_every_event_number_has_a_page_or_is_not_found(site: Site) -> None:
    for state, game in site.games.items():
        log = log_of(game)
        seqs = [*range(game.version + 3), 2**31, 2**63, 10**30]
        some = seqs if state == "over" else by_length(seqs[:6] + seqs[-5:], seqs)
        for number, seq in enumerate(some):
            is_position = 1 <= seq <= game.version and bool(log.until(seq).effective)
            for role in by_length((("stranger", "player")[number % 2],), ROLES):
                path = f"/g/{game.public_id}/at/{seq}/"
                response = site.request(role, "get", path)
                assert response.status_code == (200 if is_position else 404), (state, path, role)


# -- what no page of ours would send ----------------------------------------------------------

WORDS = [
    "",
    " ",
    "0",
    "-1",
    "1",
    "2",
    "99999999999999999999",
    "1.5",
    "½",
    "٣",
    "NaN",
    "True",
    "\x00",
    "a\x00b",
    "\ud800",
    "‮",
    "😀" * 30,
    "e\u0301",
    "\r\nX-A: b",
    "../../etc/passwd",
    "%00",
    "%",
    "<script>",
    "' OR 1=1 --",
    "{{ 7 }}",
    "%s",
    "{0}",
    "x" * 300,
    "y" * 70_000,
    "zoe@example.org",
    "a" * 60 + "@" + "b." * 120 + "org",
    "a" * 250 + "@example.org",
    "z@xn--",
    "@",
    "é@é.é",
    "a@b\x00.org",
    "B flag",
    "A flag helmet",
    "pass",
    "bridge 1 2 3",
    "atlantis",
    "escape",
    "Europe/Berlin",
    "de",
    "bot",
    "end",
    "open",
    "on",
    "2026-11-22",
    "http://[",
    "//[evil.example/",
    "http://evil.example:x/",
]
FORMS = (
    absences.AbsenceForm,
    absences.EndForm,
    forms.InviteForm,
    forms.NameForm,
    forms.NewGameForm,
    forms.PlayForm,
    forms.SettingsForm,
    forms.TableFilterForm,
)
NAMES = [
    *sorted({name for form in FORMS for name in form.base_fields}),
    "login",
    "email",
    "code",
    "action",
    "next",
    "action_add",
    "action_remove",
    "action_primary",
    "option_order",
    "option_hours",
    "level_0",
    "preset",
    "place",
    "seat",
    "line",
    "version",
    "note",
    "typed",
    "off",
    "on",
    "sure",
    "do",
    "reason",
    "decline",
    "to",
    "text",
    "game",
    "details",
    "public",
    "log",
    "level",
    "hint",
    "hand",
    "confirmed",
    "secret",
    "send",
    "sessions",
    "q",
    "o",
    "p",
    "e",
    "all",
    "_popup",
    "status__exact",
    "kind",
    "limit",
    "_selected_action",
    "index",
    "select_across",
    "quiet",
    "quiet_from",
    "quiet_until",
    "digest_at",
    "mode_turn",
    "reason",
    "rollback-seq",
    "extend-days",
    "hand-seat",
    "_to_field",
]


def encoded(fields: list[tuple[str, str]]) -> str:
    return "&".join(f"{name}={quote_plus(value, errors='surrogatepass')}" for name, value in fields)


FIELDS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(WORDS)), max_size=12)
EXAMPLES = hypothesis_settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=by_length(6, 50),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # shrinking takes minutes
)


@EXAMPLES
@given(data=st.data())
def test_no_query_and_no_form_is_an_error(site: Site, data: st.DataObject) -> None:
    every = routes(site)
    for _request in range(by_length(15, 25)):
        path = data.draw(st.sampled_from(every))
        role = data.draw(st.sampled_from(ROLES))
        query, body = encoded(data.draw(FIELDS)), encoded(data.draw(FIELDS))
        if data.draw(st.booleans()):
            response = site.request(role, "get", f"{path}?{query}")
        else:
            form = "application/x-www-form-urlencoded"
            response = site.request(role, "post", f"{path}?{query}", body, content_type=form)
        assert_no_error(response, (role, path, query, body))


def routes(site: Site) -> list[str]:
    """All routes but the webhooks, which have their own test."""
    found = site.routes
    if not found:
        for state, game in site.games.items():
            found += paths_of(game, everything=state == "running")
        found[:] = [path for path in found if ANYMAIL not in path]
    return found


@EXAMPLES
@given(data=st.data())
def test_no_parameter_of_a_route_is_an_error(site: Site, data: st.DataObject) -> None:
    for _request in range(by_length(15, 25)):
        parameters = samples(site.games[data.draw(st.sampled_from(sorted(site.games)))])
        for name in data.draw(
            st.lists(st.sampled_from(sorted(parameters)), min_size=1, max_size=3)
        ):
            word = data.draw(st.sampled_from(WORDS))[:2000]
            parameters[name] = quote(word, safe="", errors="surrogatepass")
        path = data.draw(st.sampled_from(every_url(parameters)))
        role, method = (
            data.draw(st.sampled_from(ROLES)),
            data.draw(st.sampled_from(["get", "post"])),
        )
        assert_no_error(site.request(role, method, path), (role, method, path))


BODIES: list[tuple[bytes, str]] = [
    *(
        (body, "application/json")
        for body in (
            b"",
            b"{",
            b"null",
            b"[]",
            b"1",
            b'"x"',
            b"[[]]",
            b"[null]",
            b"{}",
            b'{"event": 1}',
            b"\xff\xfe",
            b"[" * 100_000,
            b'{"a":' * 100_000,
            b'{"items": [1]}',
            b'{"event-data": []}',
            b'["\\ud800"]',
            b'[{"event": "bounce", "email": "\\u0000"}]',
            b'{"Type": "Notification", "Message": "{"}',
            b'{"RecordType": "Bounce", "Email": "a\\u0000@b.c"}',
            b"1" * 10_000,
        )
    ),
    (b"--x\r\n", "multipart/form-data"),
    (b"--x\r\nnothing", "multipart/form-data; boundary=x"),
    (b"mandrill_events=[", "application/x-www-form-urlencoded"),
    (
        b"mandrill_events=[1]&event=delivered&timestamp=x&recipient=%00",
        "application/x-www-form-urlencoded",
    ),
    (b"email=%ff&headers=%00&envelope={&charsets={", "application/x-www-form-urlencoded"),
    (b"<xml/>", "text/xml"),
]


@pytest.mark.long
def test_no_webhook_is_an_error_whatever_it_is_sent(site: Site, settings: Settings) -> None:
    """Neither with the keys of providers nor without. In the short form, each webhook gets a part
    of the bodies, and each body goes to a part of the webhooks."""
    send_bodies(site, by_length(12, 1))
    settings.ANYMAIL = {**settings.ANYMAIL, **PROVIDER_KEYS}
    send_bodies(site, by_length(3, 1))


def send_bodies(site: Site, step: int) -> None:
    """Every body of this many, beginning with another one at each webhook."""
    paths = [path for path in paths_of(site.games["running"], everything=True) if ANYMAIL in path]
    for number, path in enumerate(paths):
        for body, kind in BODIES[number % step :: step]:
            response = site.request(
                "stranger", "post", path, body, content_type=kind, HTTP_AUTHORIZATION=BASIC
            )
            assert_no_error(response, (path, body[:100]))


def test_no_form_takes_an_address_that_is_too_long(site: Site) -> None:
    for length in (255, 300, 5000):
        assert_refused(site, length)


def assert_refused(site: Site, length: int) -> None:
    domain = f"{'b' * 60}." * ((length - 100) // 61) + "example.org"
    address = "a" * (length - len(domain) - 1) + "@" + domain
    assert len(address) == length
    forms = (
        ("stranger", "/accounts/login/", {"login": address}),
        ("player", "/accounts/email/", {"email": address, "action_add": ""}),
        ("host", f"/g/{site.games['gathering'].public_id}/invite", {"address": address}),
    )
    for role, path, fields in forms:
        response = site.request(role, "post", path, fields)
        assert response.status_code in (200, 302), path


def test_a_webhook_of_a_provider_that_is_not_configured_is_not_found(site: Site) -> None:
    for method in ("get", "post"):
        response = site.request(
            "stranger", method, "/anymail/mailgun/tracking/", HTTP_AUTHORIZATION=BASIC
        )
        assert response.status_code == 404
