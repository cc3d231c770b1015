"""Build the MIME message of an email: headers for threads and unsubscribing, parts, pictures.

The same row gives the same bytes each time, so an email that is sent twice is the same twice.
"""

import hashlib
from binascii import b2a_base64, b2a_qp
from datetime import datetime
from email.header import Header, decode_header, make_header
from email.mime.nonmultipart import MIMENonMultipart
from email.utils import format_datetime
from functools import cache, lru_cache
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.core.mail.message import SafeMIMEMultipart

from games.models import Game, OutboxMail

LONGEST_LINE = 76  # characters; longer lines are encoded


class Mail(EmailMultiAlternatives):
    """Text and HTML with the pictures of the HTML beside it (multipart/related)."""

    def add_picture(self, name: str, png: bytes) -> None:
        """A PNG for `<img src="cid:name">`."""
        self.attach(_picture(name, png))

    def message(self, **kwargs: Any) -> Any:
        """The MIME tree, with parts that no mail server needs to recode, so that a signature holds,
        and with boundaries that depend on the Message-ID alone (Python's are random)."""
        whole = words = _Multipart("alternative", _subparts=[_text_part(str(self.body), "plain")])
        for content, kind in self.alternatives:
            words.attach(_text_part(str(content), kind.partition("/")[2]))
        if self.attachments:
            whole = _Multipart("related", type=words.get_content_type())  # of its root (RFC 2387)
            for part in (words, *self.attachments):
                whole.attach(part)
        whole["Subject"], whole["From"] = str(self.subject), self.from_email
        whole["To"] = ", ".join(self.to)
        for name, value in self.extra_headers.items():
            whole[name] = value
        seed = hashlib.sha256(self.extra_headers["Message-ID"].encode()).hexdigest()[:20]
        for number, part in enumerate(dict.fromkeys((whole, words))):
            part.set_boundary(f"=_{seed}_{number}")
        return whole


class _Multipart(SafeMIMEMultipart):
    """Parts whose text is ASCII. Python's generator would look at each of its lines again."""

    def as_bytes(self, unixfrom: bool = False, linesep: str = "\n") -> bytes:  # type: ignore[override]  # of EmailMessage
        """Like Django's messages: `linesep` ends each line, and "From " at its start stays."""
        return _flat(self, linesep).encode("ascii")


class _Picture(MIMENonMultipart):
    """A PNG that is a part of one email or of several, written once for all of them."""

    def __init__(self, name: str, png: bytes) -> None:
        super().__init__("image", "png")
        text = b2a_base64(png, newline=False).decode()
        lines = [text[at : at + LONGEST_LINE] for at in range(0, len(text), LONGEST_LINE)]
        self["Content-Transfer-Encoding"] = "base64"
        self["Content-ID"] = f"<{name}>"
        self.add_header("Content-Disposition", "inline", filename=f"{name.partition('@')[0]}.png")
        self.set_payload("\n".join(lines) + "\n")
        self._written: dict[str, str] = {}

    def flat(self, linesep: str) -> str:
        """The part, with `linesep` at the end of each line."""
        if linesep not in self._written:
            self._written[linesep] = _written(self, linesep)
        return self._written[linesep]


# The icons of a hand are in most emails; a board is in several if nobody sees more than the others.
_picture = lru_cache(maxsize=32)(_Picture)


def _flat(part: Any, linesep: str) -> str:
    """A part with all parts in it, and `linesep` at the end of each line."""
    if not part.is_multipart():
        return part.flat(linesep) if isinstance(part, _Picture) else _written(part, linesep)
    line = f"{linesep}--{part.get_boundary()}"
    inner = "".join(f"{line}{linesep}{_flat(one, linesep)}" for one in part.get_payload())
    return f"{_heads(part, linesep)}{inner}{line}--{linesep}"


def _written(part: Any, linesep: str) -> str:
    text = part.get_payload().replace("\n", linesep)
    return f"{_heads(part, linesep)}{linesep}{text}"


def _heads(part: Any, linesep: str) -> str:
    policy = part.policy.clone(linesep=linesep)
    return "".join(
        # Folding would not change it, and would take a while.
        f"{name}: {value}{linesep}" if _is_short(name, value) else _folded(policy, name, value)
        for name, value in part.raw_items()
    )


def _folded(policy: Any, name: str, value: Any) -> str:
    """The header in lines, of which the first holds a part of its value: Python leaves it empty
    where the first encoded word, which knows nothing of the name, is too long to stand beside it.
    """
    folded: str = policy.fold(name, value)
    if folded.startswith(f"{name}: {policy.linesep}"):
        words = make_header(decode_header(value), header_name=name)
        return f"{name}: {words.encode(linesep=policy.linesep)}{policy.linesep}"
    return folded


def _is_short(name: str, value: Any) -> bool:
    """Whether this header is one line of printable ASCII."""
    return (
        isinstance(value, str)
        and len(name) + len(value) < LONGEST_LINE
        and value.isascii()
        and value.isprintable()
    )


def _text_part(text: str, subtype: str) -> MIMENonMultipart:
    """Text as 7bit if it is ASCII in short lines, else as quoted-printable.

    Mail servers recode 8bit, and some of them put ">" before "From " at the start of a line.
    """
    part = MIMENonMultipart("text", subtype, charset="utf-8")
    is_plain = text.isascii() and max(map(len, text.splitlines()), default=0) <= LONGEST_LINE
    if is_plain and "\nFrom " not in f"\n{text}":
        part["Content-Transfer-Encoding"] = "7bit"
        part.set_payload(text)
        return part
    part["Content-Transfer-Encoding"] = "quoted-printable"
    encoded = "\n" + b2a_qp(text.encode(), istext=True).decode("ascii")
    part.set_payload(encoded.replace("\nFrom ", "\n=46rom ")[1:])
    return part


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
        "List-Id": _list_id(row, names_table=names_table),
        "Feedback-ID": f"{row.kind}:{_sender_id(settings.SITE_HOST)}",
    }
    if row.game is not None:
        root = thread_root(row.game)
        found |= {
            "In-Reply-To": asked or root,
            "References": f"{root} {asked}" if asked else root,
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


def _list_id(row: OutboxMail, *, names_table: bool) -> str:
    """RFC 2919: the name of the table as a phrase, then a name that no other list has. Invitations,
    which show nothing that the host wrote, and emails about no table have no phrase."""
    game = row.game
    if game is None:
        return f"<{row.kind}.{settings.SITE_HOST}>"
    if not names_table:
        return f"<{game.public_id}.invitations.{settings.SITE_HOST}>"
    if game.name.isascii():
        phrase = '"' + game.name.replace("\\", "").replace('"', "'") + '"'
    else:
        phrase = Header(game.name, "utf-8", 60).encode(linesep="")
    return f"{phrase} <{game.public_id}.games.{settings.SITE_HOST}>"


@cache
def _sender_id(host: str) -> str:
    """The last part of a Feedback-ID: 5 to 15 characters that name this service at all times.
    Providers count complaints by it and by the kind of email before it."""
    return hashlib.sha256(host.encode()).hexdigest()[:12]
