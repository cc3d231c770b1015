"""What a mail is made of on the wire: headers that thread and unsubscribe, parts, pictures.

The same row gives the same bytes each time, so that a mail that is sent twice is one mail twice.
"""

from __future__ import annotations

import hashlib
from binascii import b2a_base64
from collections.abc import Mapping
from datetime import datetime
from email.header import Header
from email.message import Message
from email.mime.image import MIMEImage
from email.utils import format_datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives

from games.models import Game, OutboxMail


class Mail(EmailMultiAlternatives):
    """Text and HTML with the pictures of the HTML beside it (multipart/related)."""

    mixed_subtype = "related"

    def add_picture(self, name: str, png: bytes) -> None:
        """A PNG for `<img src="cid:name">`."""
        part = MIMEImage(png, "png", _encoder=_base64)
        part.add_header("Content-ID", f"<{name}>")
        part.add_header("Content-Disposition", "inline", filename=f"{name.partition('@')[0]}.png")
        self.attach(part)

    def message(self, **kwargs: Any) -> Any:
        """The MIME tree with boundaries that depend on the Message-ID alone (Python's are random)."""
        message: Any = super().message(**kwargs)
        seed = hashlib.sha256(str(message["Message-ID"]).encode()).hexdigest()[:20]
        for number, part in enumerate(p for p in message.walk() if _is_multipart(p)):
            part.set_boundary(f"=_{seed}_{number}")
        if message.get_content_type() == "multipart/related":
            message.set_param("type", "multipart/alternative")  # of its root, RFC 2387
        message.as_bytes = partial(_flat, message)
        return message


def _base64(part: Message) -> None:
    """What Python's own encoder does line by line, in a third of the time."""
    text = b2a_base64(bytes(part.get_payload(decode=True)), newline=False).decode()
    part.set_payload("\n".join([text[at : at + 76] for at in range(0, len(text), 76)]) + "\n")
    part["Content-Transfer-Encoding"] = "base64"


def _flat(message: Any, unixfrom: bool = False, linesep: str = "\n") -> bytes:
    """The message as bytes. Python's generator takes its time with each header and each line of a
    picture: the pictures, which are the last parts, are put in afterwards."""
    pictures = [part for part in message.walk() if part.get_content_maintype() == "image"]
    if not pictures:
        return bytes(type(message).as_bytes(message, unixfrom, linesep))
    parts = message.get_payload()
    message.set_payload([part for part in parts if part not in pictures])
    try:
        flat: bytes = type(message).as_bytes(message, unixfrom, linesep)
    finally:
        message.set_payload(parts)
    line = f"{linesep}--{message.get_boundary()}"
    end = f"{line}--{linesep}".encode()
    more = "".join(f"{line}{linesep}{_flat_picture(part, linesep)}" for part in pictures)
    before, _end, after = flat.rpartition(end)
    return b"".join((before, more.encode(), end, after))


def _flat_picture(part: Message, linesep: str) -> str:
    heads = [f"{name}: {value}{linesep}" for name, value in part.items()]
    lines = str(part.get_payload()).rstrip("\n").replace("\n", linesep)
    return f"{''.join(heads)}{linesep}{lines}"


def _is_multipart(part: Message) -> bool:
    return part.get_content_maintype() == "multipart"


def headers(
    row: OutboxMail, off_url: str | None, reply_to: str | None, at: datetime
) -> dict[str, str]:
    """Everything but From, To and Subject. at: the moment that the mail is of.

    In-Reply-To and References name a root that was never sent, so that the mails of a game make
    one thread whichever of them arrives; an answer names the mail that it answers as well.
    """
    asked = row.context.get("message_id") if row.kind == OutboxMail.Kind.ANSWER else None
    found = {
        "Message-ID": row.message_id,
        "Date": format_datetime(at),
        "Auto-Submitted": "auto-replied" if asked else "auto-generated",
        "X-Auto-Response-Suppress": "All",
    }
    if row.game is not None:
        root = thread_root(row.game)
        found |= {
            "In-Reply-To": asked or root,
            "References": f"{root} {asked}" if asked else root,
            "List-Id": _list_id(row),
        }
    elif asked:
        found |= {"In-Reply-To": asked, "References": asked}
    if reply_to is not None:
        found["Reply-To"] = f"{settings.SITE_NAME} <{reply_to}>"
    if off_url is not None:
        found |= {
            "List-Unsubscribe": f"<{off_url}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }
    return found


def thread_root(game: Game) -> str:
    """The Message-ID that all mails of a game refer to."""
    return f"<game-{game.public_id}@{settings.SITE_HOST}>"


def _list_id(row: OutboxMail) -> str:
    """RFC 2919: the table's name as a phrase, then a name that no other list has. The name stays
    out of invitations: those carry no words of their host."""
    game = row.game
    assert game is not None
    if row.kind == OutboxMail.Kind.INVITATION:
        return f"<{game.public_id}.invitations.{settings.SITE_HOST}>"
    phrase = (
        Header(game.name, "utf-8", 60).encode(linesep="")
        if not game.name.isascii()
        else ('"' + game.name.replace("\\", "").replace('"', "'") + '"')
    )
    return f"{phrase} <{game.public_id}.games.{settings.SITE_HOST}>"


def build(
    row: OutboxMail,
    *,
    subject: str,
    text: str,
    html: str,
    pictures: Mapping[str, bytes],
    off_url: str | None,
    at: datetime,
    reply_to: str | None = None,
) -> Mail:
    """The whole mail. pictures: Content-ID → PNG. at: for its Date."""
    mail = Mail(
        subject=subject,
        body=text,
        from_email=settings.MAIL_FROM,
        to=[row.to_address],
        headers=headers(row, off_url, reply_to, at),
    )
    mail.attach_alternative(html, "text/html")
    for name, png in pictures.items():
        mail.add_picture(name, png)
    return mail
