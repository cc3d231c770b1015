"""Build the MIME message of an email: headers for threads and unsubscribing, parts, pictures.

The same row gives the same bytes each time, so an email that is sent twice is the same twice.
"""

import hashlib
from binascii import b2a_base64
from datetime import datetime
from email.generator import BytesGenerator
from email.header import Header
from email.message import Message
from email.mime.image import MIMEImage
from email.mime.multipart import MIMEMultipart
from email.utils import format_datetime
from io import BytesIO
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
        if message.get_content_type() == "multipart/related":
            message = _Related(message)
        seed = hashlib.sha256(str(message["Message-ID"]).encode()).hexdigest()[:20]
        for number, part in enumerate(p for p in message.walk() if p.is_multipart()):
            part.set_boundary(f"=_{seed}_{number}")
        if isinstance(message, _Related):
            message.set_param("type", "multipart/alternative")  # of its root (RFC 2387)
        return message


class _Related(MIMEMultipart):
    """A message with pictures as its last parts. Python's generator takes its time with each line
    of them, so they are put in afterwards."""

    def __init__(self, message: Message) -> None:
        super().__init__("related", policy=message.policy)
        for name, value in message.items():
            if name not in self:
                self[name] = value
        self.set_payload(message.get_payload())

    def as_bytes(self, unixfrom: bool = False, policy: Any = None, linesep: str = "\n") -> bytes:
        """As Django's messages: `linesep` ends each line, and "From " at its start stays."""
        parts: Any = self.get_payload()
        pictures = [part for part in parts if part.get_content_maintype() == "image"]
        self.set_payload([part for part in parts if part not in pictures])
        whole = BytesIO()
        try:
            BytesGenerator(whole, mangle_from_=False).flatten(self, unixfrom, linesep)
        finally:
            self.set_payload(parts)
        line = f"{linesep}--{self.get_boundary()}"
        end = f"{line}--{linesep}".encode()
        more = "".join(f"{line}{linesep}{_flat_picture(part, linesep)}" for part in pictures)
        before, _end, after = whole.getvalue().rpartition(end)
        return b"".join((before, more.encode(), end, after))


def _base64(part: Message) -> None:
    """As email.encoders.encode_base64, in a third of the time."""
    text = b2a_base64(bytes(part.get_payload(decode=True)), newline=False).decode()
    part.set_payload("\n".join([text[at : at + 76] for at in range(0, len(text), 76)]) + "\n")
    part["Content-Transfer-Encoding"] = "base64"


def _flat_picture(part: Message, linesep: str) -> str:
    heads = [f"{name}: {value}{linesep}" for name, value in part.items()]
    lines = str(part.get_payload()).replace("\n", linesep)
    return f"{''.join(heads)}{linesep}{lines}"


def headers(
    row: OutboxMail, off_url: str | None, reply_to: str | None, at: datetime, *, names_table: bool
) -> dict[str, str]:
    """All headers except From, To and Subject. at: the Date.

    In-Reply-To and References name a root that was never sent, so that the emails of a game make
    one thread whichever of them arrives; an answer names the message that it answers as well.
    """
    asked = row.context.get("message_id")
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
            "List-Id": _list_id(row.game, names_table=names_table),
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
    """The Message-ID that all emails about a game refer to."""
    return f"<game-{game.public_id}@{settings.SITE_HOST}>"


def _list_id(game: Game, *, names_table: bool) -> str:
    """RFC 2919: the name of the table as a phrase, then a name that no other list has. Invitations,
    which show nothing that the host wrote, have no phrase."""
    if not names_table:
        return f"<{game.public_id}.invitations.{settings.SITE_HOST}>"
    if game.name.isascii():
        phrase = '"' + game.name.replace("\\", "").replace('"', "'") + '"'
    else:
        phrase = Header(game.name, "utf-8", 60).encode(linesep="")
    return f"{phrase} <{game.public_id}.games.{settings.SITE_HOST}>"
