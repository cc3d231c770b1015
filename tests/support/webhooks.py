"""Replies as email providers hand them over by webhook: fixtures `hooks` and `hook`."""

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from django.test import Client
from pytest_django import Settings

from games.models import Game, User

from .replies import address_of, line_of, reply_email

SECRET = "atlantis:open-sesame"
BASIC = "Basic " + base64.b64encode(SECRET.encode()).decode()
KEY = "a-key-of-the-provider"
POSTAL = rsa.generate_private_key(public_exponent=65537, key_size=1024)
POSTAL_PUBLIC = "".join(
    POSTAL.public_key()
    .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    .decode()
    .splitlines()[1:-1]
)


@pytest.fixture
def hooks(replies: Settings) -> Settings:
    """Webhooks with a secret, and the keys that some providers sign with."""
    replies.INBOUND_SECRET = [SECRET]
    replies.ANYMAIL = {
        "WEBHOOK_SECRET": [SECRET],
        "MAILERSEND_INBOUND_SECRET": KEY,
        "MAILGUN_WEBHOOK_SIGNING_KEY": KEY,
        "MAILTRAP_API_TOKEN": KEY,
        "MANDRILL_WEBHOOK_KEY": KEY,
        "POSTAL_WEBHOOK_KEY": POSTAL_PUBLIC,
        "RESEND_API_KEY": KEY,
    }
    return replies


# -- what each provider sends ----------------------------------------------------------------


class Hook:
    """One reply, as the providers wrap it."""

    def __init__(self, game: Game, user: User, client: Client) -> None:
        self.client = client
        self.to = address_of(game, user)
        self.text = line_of(game)
        self.raw = reply_email(self.text, self.to, user.email, message_id="<hook@mail.example.org>")
        self.mime = self.raw.decode()
        self.sender = user.email

    def post(self, provider: str, data: Any, **more: Any) -> int:
        """The status of the answer to this request, with the secret."""
        response = self.client.post(
            f"/anymail/{provider}", data, **{"HTTP_AUTHORIZATION": BASIC, **more}
        )
        return response.status_code

    def json(self, provider: str, data: Any, **more: Any) -> int:
        body = json.dumps(data)
        return self.post(provider, body, content_type="application/json", **more)

    def signed(self, body: str | bytes) -> str:
        data = body if isinstance(body, bytes) else body.encode()
        return hmac.new(KEY.encode(), data, hashlib.sha256).hexdigest()

    # one function per provider and form of its requests

    def mailersend(self) -> int:
        body = json.dumps(
            {
                "type": "inbound.message",
                "inbound_id": "abc",
                "created_at": "2026-11-06T12:00:00.000Z",
                "data": {
                    "object": "message",
                    "id": "632c",
                    "recipients": {"rcptTo": [{"email": self.to}]},
                    "sender": {"email": self.sender},
                    "raw": self.mime,
                    "spf_check": {"code": "+", "value": None},
                    "dkim_check": False,
                    "created_at": "2026-11-06T12:00:00.000Z",
                },
            }
        )
        return self.post(
            "mailersend/inbound/",
            body,
            content_type="application/json",
            HTTP_SIGNATURE=self.signed(body),
        )

    def mailgun_signature(self) -> dict[str, str]:
        token, at = "06c96bafc3f42a66b9edd546347a2fe18dc23461fe80dc52f0", "1478276400"
        return {"timestamp": at, "token": token, "signature": self.signed(at + token)}

    def mailgun(self) -> int:
        return self.post(
            "mailgun/inbound_mime/",
            {
                **self.mailgun_signature(),
                "recipient": self.to,
                "sender": self.sender,
                "body-mime": self.mime,
            },
        )

    def mandrill(self) -> int:
        events = json.dumps(
            [
                {
                    "event": "inbound",
                    "ts": 1478276400,
                    "msg": {"raw_msg": self.mime, "email": self.to, "spam_report": {"score": 1.7}},
                }
            ]
        )
        words = f"http://testserver/anymail/mandrill/mandrill_events{events}"
        user, _colon, word = SECRET.partition(":")
        words = words.replace("http://", f"http://{user}:{word}@")
        signature = base64.b64encode(hmac.new(KEY.encode(), words.encode(), "sha1").digest())
        return self.post(
            "mandrill/", {"mandrill_events": events}, HTTP_X_MANDRILL_SIGNATURE=signature.decode()
        )

    def postal(self) -> int:
        body = json.dumps(
            {
                "id": 233980,
                "rcpt_to": self.to,
                "mail_from": self.sender,
                "message": base64.b64encode(self.raw).decode(),
                "base64": True,
                "size": len(self.raw),
            }
        )
        signature = POSTAL.sign(body.encode(), padding.PKCS1v15(), hashes.SHA1())
        return self.post(
            "postal/inbound/",
            body,
            content_type="application/json",
            HTTP_X_POSTAL_SIGNATURE=base64.b64encode(signature).decode(),
        )

    def postmark(self) -> int:
        return self.json(
            "postmark/inbound/",
            {
                "OriginalRecipient": self.to,
                "MessageID": "22c74902-a0c1-4511-804f2-341342852c90",
                "Headers": [{"Name": "Return-Path", "Value": f"<{self.sender}>"}],
                "RawEmail": self.mime,
            },
        )

    def sendgrid(self) -> int:
        envelope = json.dumps({"to": [self.to], "from": self.sender})
        return self.post("sendgrid/inbound/", {"email": self.mime, "envelope": envelope})

    def sparkpost(self) -> int:
        relay = {
            "rcpt_to": self.to,
            "friendly_from": self.sender,
            "msg_from": self.sender,
            "protocol": "smtp",
            "content": {
                "email_rfc822": base64.b64encode(self.raw).decode(),
                "email_rfc822_is_base64": True,
            },
        }
        return self.json("sparkpost/inbound/", [{"msys": {"relay_message": relay}}])


SHAPES = ("mailersend", "mailgun", "mandrill", "postal", "postmark", "sendgrid", "sparkpost")


@pytest.fixture
def hook(hooks: Settings, game: Game, alice: User, client: Client) -> Hook:
    return Hook(game, alice, client)
