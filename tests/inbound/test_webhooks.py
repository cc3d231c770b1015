"""Replies that mail providers hand over, through anymail's own views, as each of them sends
them."""

import base64
import json
import threading
from collections.abc import Callable
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import urlencode

import pytest
from anymail.exceptions import (
    AnymailAPIError,
    AnymailConfigurationError,
    AnymailRequestsAPIError,
)
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import Settings

from games.inbound import intake, processor
from games.models import FOR_GOOD, Game, InboundMail, OutboxMail, User
from games.web import webhooks
from tests.factories import fresh
from tests.support.emails import Kind, written
from tests.support.moderators import moderating
from tests.support.pages import text
from tests.support.replies import Channel, Outcome, reply_email
from tests.support.webhooks import BASIC, KEY, SECRET, SHAPES, Hook

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("shared_table"),
    pytest.mark.filterwarnings("ignore::anymail.exceptions.AnymailNotSupportedWarning"),
]


def the_row() -> InboundMail:
    return InboundMail.objects.get()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_reply_is_kept_as_it_came_and_played_by_the_worker(
    shape: str, hook: Hook, game: Game
) -> None:
    send: Callable[[], int] = getattr(hook, shape)
    assert send() == 200
    row = the_row()
    assert (row.channel, row.state, row.recipient) == (Channel.WEBHOOK, "new", hook.to)
    assert b"<hook@mail.example.org>" in bytes(row.raw)
    assert fresh(game).to_act == [0]  # nothing was done while the provider waited
    assert processor.read_waiting() == 1
    assert (the_row().outcome, the_row().line) == (Outcome.PLAYED, hook.text)
    assert fresh(game).to_act == [1]


@pytest.mark.parametrize("shape", ["mailgun", "postmark", "sparkpost"])
def test_brought_twice_it_is_kept_once(shape: str, hook: Hook) -> None:
    send: Callable[[], int] = getattr(hook, shape)
    assert [send(), send()] == [200, 200]
    assert the_row().copies == 2


ASKS: dict[str, tuple[str, dict[str, Any]]] = {  # what is asked for, and what the provider sends
    "mailtrap": (
        "inbound/inboxes/42/messages/m1",
        {"events": [{"event": "inbound.message_received", "inbox_id": 42, "message_id": "m1"}]},
    ),
    "resend": (
        "emails/receiving/m%2F1",
        {"type": "email.received", "data": {"email_id": "m/1"}},
    ),
}


@pytest.mark.parametrize("provider", ASKS)
def test_a_provider_has_to_be_asked_for_the_email(
    provider: str, hook: Hook, hooks: Settings
) -> None:
    """A server of our own plays the provider's part: it is asked, and gives the raw email."""
    asked: list[tuple[str, str | None]] = []

    class Provider(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers["Authorization"]))
            body = hook.raw
            if self.path.startswith("/api/"):
                address = {"raw_message_url": f"{url}/raw", "raw": {"download_url": f"{url}/raw"}}
                body = json.dumps(address).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Provider)
    url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    path, event = ASKS[provider]
    try:
        hooks.ANYMAIL = {**hooks.ANYMAIL, f"{provider.upper()}_API_URL": f"{url}/api/"}
        assert hook.json(f"{provider}/inbound/", event) == 200
    finally:
        server.shutdown()
        server.server_close()
    assert asked == [(f"/api/{path}", f"Bearer {KEY}"), ("/raw", None)]
    assert processor.read_waiting() == 1
    assert the_row().outcome == Outcome.PLAYED


# -- the secret ------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_without_the_secret_nothing_is_kept(shape: str, hook: Hook) -> None:
    hook.client.defaults.clear()
    for wrong in ("", "Basic " + base64.b64encode(b"atlantis:guess").decode()):
        post = hook.post

        def with_wrong(
            provider: str, data: Any, _wrong: str = wrong, _post: Any = post, **more: Any
        ) -> int:
            status: int = _post(provider, data, **{**more, "HTTP_AUTHORIZATION": _wrong})
            return status

        hook.post = with_wrong  # type: ignore[method-assign]
        assert getattr(hook, shape)() == 400
        hook.post = post  # type: ignore[method-assign]
    assert not InboundMail.objects.exists()


def test_over_plain_http_a_webhook_is_refused_and_not_redirected(
    hook: Hook, hooks: Settings, client: Client
) -> None:
    hooks.SECURE_SSL_REDIRECT = True
    url = "/anymail/postmark/inbound/"
    refused = client.post(url, b"{}", "application/json", headers={"Authorization": BASIC})
    assert (refused.status_code, b"needs https" in refused.content) == (403, True)
    secure = {"secure": True, "headers": {"Authorization": BASIC}}
    assert client.post(url, b"{}", "application/json", **secure).status_code != 403  # type: ignore[arg-type]


def test_without_a_secret_in_the_settings_there_are_no_webhooks(
    hook: Hook, hooks: Settings
) -> None:
    hooks.INBOUND_SECRET = []
    assert hook.sparkpost() == 404
    hooks.INBOUND_SECRET, hooks.MAIL_REPLY_DOMAIN = [SECRET], ""
    assert hook.sparkpost() == 404
    assert not InboundMail.objects.exists()


def test_a_provider_that_signs_needs_its_own_key_as_well(hook: Hook, hooks: Settings) -> None:
    hooks.ANYMAIL = {**hooks.ANYMAIL, "MAILGUN_WEBHOOK_SIGNING_KEY": "another"}
    assert hook.mailgun() == 400
    assert not InboundMail.objects.exists()


# -- what goes wrong -------------------------------------------------------------------------


def test_an_email_for_somebody_else_is_received_and_forgotten(hook: Hook) -> None:
    hook.to = "postmaster@reply.example.org"
    hook.raw = reply_email("Hello", hook.to, hook.sender)
    assert hook.sparkpost() == 200
    assert not InboundMail.objects.exists()


def test_an_email_to_several_is_found_in_its_headers(hook: Hook) -> None:
    reply_address, hook.to = hook.to, "first@reply.example.org"
    assert hook.mailgun() == 200
    assert the_row().recipient == reply_address


@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_larger_than_is_stored_is_cut_and_the_answer_says_so(shape: str, hook: Hook) -> None:
    hook.text += "\n\n" + "x " * intake.KEPT_BYTES
    hook.raw = reply_email(hook.text, hook.to, hook.sender, message_id="<hook@mail.example.org>")
    hook.mime = hook.raw.decode()
    assert getattr(hook, shape)() == 200
    processor.read_waiting()
    assert (the_row().outcome, len(the_row().raw)) == (Outcome.LARGE, intake.KEPT_BYTES)


def test_a_bounce_by_webhook_is_known_by_its_null_sender(hook: Hook) -> None:
    hook.sender = ""
    assert hook.sparkpost() == 200
    processor.read_waiting()
    assert the_row().outcome == Outcome.BOUNCE


def test_headers_that_cannot_be_written_down_do_not_lose_the_email(hook: Hook) -> None:
    odd = "From: =?utf-8?b?/////w==?= <alice@example.org>\r\nX-Odd: \udcff\r\n"
    hook.mime = odd.encode("utf-8", "replace").decode() + hook.mime.partition("From:")[2]
    assert hook.mailgun() == 200
    assert InboundMail.objects.count() == 1


@pytest.mark.parametrize("shape", ["mailgun", "postmark"])
def test_an_email_with_two_from_fields_is_kept_and_not_believed(shape: str, hook: Hook) -> None:
    hook.mime = f"From: mallory@example.org\r\n{hook.mime}"
    assert getattr(hook, shape)() == 200
    processor.read_waiting()
    assert the_row().outcome == Outcome.FROM


@pytest.mark.parametrize("shape", ["mailgun", "postmark", "sparkpost"])
def test_an_email_that_a_provider_hands_over_as_it_came_is_kept_so(shape: str, hook: Hook) -> None:
    """Also without its parts being counted: half a million would keep a worker busy for minutes."""
    odd = b"X-Odd:  two  spaces\r\nContent-Type: multipart/mixed; boundary=a\r\n"
    hook.raw = odd + hook.raw + b"--a\n\n" * 100_000
    hook.mime = hook.raw.decode()
    assert getattr(hook, shape)() == 200
    assert bytes(the_row().raw) == hook.raw[: intake.KEPT_BYTES]


@pytest.mark.parametrize("shape", ["postal", "sparkpost"])
def test_an_email_in_another_charset_is_read(shape: str, hook: Hook, game: Game) -> None:
    text = f"{hook.text}\n\nà bientôt"
    utf_8 = reply_email(text, hook.to, hook.sender, message_id="<hook@mail.example.org>")
    hook.raw = utf_8.replace(b"=utf-8", b"=iso-8859-1").decode().encode("latin-1")
    assert getattr(hook, shape)() == 200
    assert bytes(the_row().raw) == hook.raw
    assert processor.read_waiting() == 1
    assert (the_row().outcome, fresh(game).to_act) == (Outcome.PLAYED, [1])


UNREADABLE_BODIES = {
    "no JSON": b"<html>",
    "no object": b"[]",
    "deep": b'{"Headers": ' + b"[" * 100_000,
    "no headers": b'{"Headers": [{}], "FromFull": 5}',
    "no UTF-8": b"\xff\xfe",
}


@pytest.mark.parametrize("name", UNREADABLE_BODIES)
def test_what_anymail_cannot_read_is_kept_and_not_asked_for_again(
    name: str, hook: Hook, caplog: pytest.LogCaptureFixture
) -> None:
    body = UNREADABLE_BODIES[name]
    assert hook.post("postmark/inbound/", body, content_type="application/json") == 200
    row = the_row()
    assert (row.state, row.outcome) == (InboundMail.State.FAILED, Outcome.BROKEN)
    assert bytes(row.raw) == body
    assert row.error.startswith("Postmark: ")
    assert f"Incoming email {row.pk} of Postmark cannot be read." in caplog.text
    assert processor.read_waiting() == 0
    assert hook.post("postmark/inbound/", body, content_type="application/json") == 200
    assert the_row().copies == 2


def test_moderators_see_that_an_email_of_a_provider_could_not_be_read(
    hook: Hook, mona: User
) -> None:
    hook.post("postmark/inbound/", b"<html>", content_type="application/json")
    client = moderating(mona)
    listed = text(client.get("/admin/games/inboundmail/?state__exact=failed"))
    assert "email provider webhook" in listed
    assert "malformed message" in listed
    why = client.post(
        reverse("admin:games_inboundmail_reveal", args=[the_row().pk]), {"reveal-reason": "Why?"}
    )
    assert "Postmark: JSONDecodeError" in text(why)


@pytest.mark.parametrize("provider", ["brevo", "mailjet"])
def test_providers_without_raw_emails_have_no_webhook_for_them(provider: str, hook: Hook) -> None:
    assert hook.json(f"{provider}/inbound/", {"Headers": {"To": hook.to}}) == 404
    assert not InboundMail.objects.exists()


def test_an_email_that_a_provider_has_taken_apart_is_answered_and_not_read(
    hook: Hook, alice: User
) -> None:
    """Where nobody has ticked the option of the provider for raw emails."""
    parts = {"From": hook.sender, "OriginalRecipient": hook.to, "TextBody": hook.text}
    assert hook.json("postmark/inbound/", {**parts, "Headers": []}) == 200
    processor.read_waiting()
    assert (the_row().outcome, the_row().error) == (Outcome.BROKEN, "Postmark: KeyError")
    (answer,) = OutboxMail.objects.filter(kind=Kind.ANSWER)
    assert answer.to_address == alice.email


def test_the_envelope_of_a_raw_email_need_not_be_text(hook: Hook) -> None:
    hook.sender = 5  # type: ignore[assignment]
    assert hook.sparkpost() == 200
    assert the_row().sender == "5"


UNREADABLE_FORMS: dict[str, dict[str, Any]] = {
    "without a raw email": {},
    "with a file": {"a": SimpleUploadedFile("p.png", b"", "image/png")},
    "more fields than a form may have": {f"field-{number}": "" for number in range(1001)},
}


@pytest.mark.parametrize("name", UNREADABLE_FORMS)
@pytest.mark.parametrize("is_multipart", [True, False])
def test_a_form_that_cannot_be_read_is_kept_and_answered_once(
    name: str, is_multipart: bool, hook: Hook, alice: User
) -> None:
    form = {**hook.mailgun_signature(), "recipient": hook.to, "from": hook.sender}
    form |= UNREADABLE_FORMS[name]
    kind = {} if is_multipart else {"content_type": "application/x-www-form-urlencoded"}
    body = form if is_multipart else urlencode(form)
    for _time in range(2):
        assert hook.post("mailgun/inbound/", body, **kind) == 200
    row = the_row()
    assert (row.outcome, row.copies, row.error.partition(": ")[0]) == (Outcome.BROKEN, 2, "Mailgun")
    processor.read_waiting()
    processor.read_waiting()
    assert (the_row().state, the_row().outcome) == (InboundMail.State.FAILED, Outcome.BROKEN)
    (answer,) = OutboxMail.objects.filter(kind=Kind.ANSWER)
    assert answer.to_address == alice.email
    assert "kept us from reading your email" in written(answer).text


@pytest.mark.parametrize("provider", ["mailgun/inbound/", "mandrill/"])
def test_a_form_that_cannot_be_read_is_kept_only_with_the_secret(provider: str, hook: Hook) -> None:
    """The secret is checked before a signature, for which anymail reads the form."""
    form = {**hook.mailgun_signature(), **UNREADABLE_FORMS["more fields than a form may have"]}
    signs = {"HTTP_X_MANDRILL_SIGNATURE": "of another"}
    assert hook.post(provider, form, HTTP_AUTHORIZATION="", **signs) == 400
    assert not InboundMail.objects.exists()


@pytest.mark.parametrize(
    "signs",
    [
        {"from": "eve@example.net"},
        {"from": "alice@example.org", "Auto-Submitted": "auto-replied"},
        {"from": "MAILER-DAEMON@example.org", "body": "alice@example.org"},
    ],
)
def test_what_cannot_be_read_is_not_answered_to_machines_and_others(
    signs: dict[str, str], hook: Hook
) -> None:
    form = {**hook.mailgun_signature(), "recipient": hook.to, **signs}
    assert hook.post("mailgun/inbound/", form) == 200
    processor.read_waiting()
    assert (the_row().state, the_row().outcome) == (InboundMail.State.FAILED, Outcome.BROKEN)
    assert not OutboxMail.objects.filter(kind=Kind.ANSWER).exists()


def test_what_cannot_be_read_is_not_answered_to_a_closed_account(hook: Hook, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(suspended_until=FOR_GOOD)
    form = {**hook.mailgun_signature(), "recipient": hook.to}
    assert hook.post("mailgun/inbound/", {**form, "from": hook.sender}) == 200
    processor.read_waiting()
    assert not OutboxMail.objects.filter(kind=Kind.ANSWER).exists()


def test_an_email_that_cannot_be_read_keeps_no_other_of_its_request_from_being_read(
    hook: Hook,
) -> None:
    bad = {"msys": {"relay_message": {"content": 5}}}
    content = {"email_rfc822": hook.mime, "email_rfc822_is_base64": False}
    good = {"msys": {"relay_message": {"content": content, "rcpt_to": hook.to}}}
    assert hook.json("sparkpost/inbound/", [bad, good]) == 200
    broken, read = InboundMail.objects.order_by("pk")
    assert (broken.outcome, json.loads(bytes(broken.raw))) == (Outcome.BROKEN, bad)
    assert (read.state, read.recipient) == ("new", hook.to)


@pytest.mark.parametrize(
    ("error", "is_kept"),
    [
        (AnymailAPIError("Unparsable SNS Message"), True),  # what Amazon SES sent
        (AnymailRequestsAPIError("its API is down"), False),
        (AnymailConfigurationError("no key"), False),
    ],
)
def test_only_what_the_request_says_is_kept_and_not_asked_for_again(
    error: Exception, is_kept: bool
) -> None:
    class Provider:
        esp_name = "Provider"

        def parse_events(self, _request: HttpRequest) -> list[Any]:
            raise error

    class View(webhooks.StoresEmails, Provider):
        pass

    request = RequestFactory().post("/", b"<html>", content_type="text/plain")
    with nullcontext() if is_kept else pytest.raises(type(error)):
        assert View().parse_events(request) == []
    assert InboundMail.objects.exists() is is_kept


def test_what_a_stranger_sends_or_reports_say_is_not_kept(hook: Hook) -> None:
    odd: dict[str, Any] = {"data": b"<html>", "content_type": "application/json"}
    assert hook.post("postmark/inbound/", **odd, HTTP_AUTHORIZATION="") == 400
    assert hook.post("postmark/tracking/", **odd) == 400
    assert hook.json("postmark/inbound/", {"RecordType": "Bounce"}) == 404  # the wrong URL
    assert not InboundMail.objects.exists()


def test_a_get_does_nothing(hook: Hook) -> None:
    assert hook.client.get("/anymail/postmark/inbound/").status_code == 405
    assert hook.client.head("/anymail/postmark/inbound/").status_code == 200


@pytest.fixture(autouse=True)
def _plain_client(client: Client) -> None:
    """Providers send no cookies and no CSRF token."""
    client.handler.enforce_csrf_checks = True
