"""The mailbox page of a local service: every mail that went out, as its reader would see it.

Reads the folder that mail.backends.FolderBackend writes, and answers a mail as a mail program
would, through the mail listener. Exists in local mode only: elsewhere all of it is "not found".
Shows mails of everybody, so it must never exist where people are.
"""

from __future__ import annotations

import base64
import re
import smtplib
from collections.abc import Callable
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import make_msgid, parseaddr
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST, require_safe

SHOWN = 100  # mails of the list, the newest
MOST_TEXT = 10_000  # characters of an answer

# For the HTML of a mail in its frame: its own inline styles and pictures, nothing else.
FRAME_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; "
    "sandbox allow-popups allow-top-navigation-by-user-activation"
)

View = Callable[..., HttpResponse]


@dataclass(frozen=True)
class Letter:
    """A mail of the folder. name: that of its file, without the ending."""

    name: str
    message: EmailMessage

    def __getattr__(self, header: str) -> str:
        """`letter.subject`, `letter.to`, `letter.date`: the header of that name."""
        if header.startswith("_"):
            raise AttributeError(header)
        return str(self.message.get(header.replace("_", "-"), ""))

    @property
    def text(self) -> str:
        """The plain part."""
        part = self.message.get_body(("plain",))
        return str(part.get_content()) if isinstance(part, EmailMessage) else ""

    @property
    def html(self) -> str:
        """The HTML part, its pictures put in, its links leading out of the frame; "" without one."""
        part = self.message.get_body(("html",))
        if not isinstance(part, EmailMessage):
            return ""
        pictures = {
            str(picture["Content-ID"]).strip("<>"): picture
            for picture in self.message.walk()
            if picture["Content-ID"]
        }

        def inline(found: re.Match[str]) -> str:
            picture = pictures.get(found[1])
            if picture is None:
                return found[0]
            data = base64.b64encode(picture.get_payload(decode=True)).decode()  # type: ignore[arg-type]
            return f'src="data:{picture.get_content_type()};base64,{data}"'

        html = re.sub(r'src="cid:([^"]+)"', inline, str(part.get_content()))
        return html.replace("<head>", '<head>\n<base target="_top">', 1)

    @property
    def headers(self) -> list[tuple[str, str]]:
        """All headers in order."""
        return [(name, str(value)) for name, value in self.message.items()]


def _folder() -> Path:
    return Path(getattr(settings, "EMAIL_FILE_PATH", settings.VAR_DIR / "mail"))


def letter_of(raw: bytes) -> Letter:
    """A mail that lies in no folder."""
    message = BytesParser(policy=policy.default).parsebytes(raw)
    assert isinstance(message, EmailMessage)
    return Letter("", message)


@lru_cache(maxsize=2 * SHOWN)
def _read(file: Path, changed: float) -> EmailMessage:
    message = BytesParser(policy=policy.default).parsebytes(file.read_bytes())
    assert isinstance(message, EmailMessage)
    return message


def letter(name: str) -> Letter:
    """The mail of this name; Http404 where there is none."""
    file = _folder() / f"{name}.eml"
    try:
        return Letter(name, _read(file, file.stat().st_mtime))
    except OSError as error:
        raise Http404("There is no such mail.") from error


def letters(to: str = "") -> list[Letter]:
    """The newest mails first, those to one address if it is given."""
    files = sorted(_folder().glob("*.eml"), reverse=True) if _folder().is_dir() else []
    found: list[Letter] = []
    for file in files:
        mail = letter(file.stem)
        if to in ("", str(mail.message["To"])):
            found.append(mail)
        if len(found) == SHOWN:
            break
    return found


def _local(view: View) -> View:
    """Not found unless the service says that it is a local one."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.LOCAL_MODE:
            raise Http404
        return view(request, *args, **kwargs)

    return wrapped


@_local
@never_cache
@require_safe
def mailbox(request: HttpRequest) -> HttpResponse:
    """All mails, newest first; ?to=address for one person's."""
    to = request.GET.get("to", "")
    return render(
        request,
        "games/mailbox.html",
        {"letters": letters(to), "to": to, "folder": _folder(), "shown": SHOWN},
    )


@_local
@never_cache
@require_safe
def mailbox_letter(request: HttpRequest, name: str) -> HttpResponse:
    """One mail: its HTML in a frame, its text, its headers."""
    return render(request, "games/mailbox_letter.html", {"letter": letter(name)})


@_local
@never_cache
@require_safe
@xframe_options_sameorigin
def mailbox_html(request: HttpRequest, name: str) -> HttpResponse:
    """The HTML of one mail, for the frame; it can run nothing and fetch nothing."""
    html = letter(name).html
    if not html:
        raise Http404("This mail has no HTML.")
    response = HttpResponse(html)
    response["Content-Security-Policy"] = FRAME_POLICY
    return response


@_local
@never_cache
@require_POST
def mailbox_answer(request: HttpRequest, name: str) -> HttpResponse:
    """Answer a mail: its reader's words above the mail itself, by SMTP to the mail listener."""
    found = letter(name)
    if not found.reply_to:
        raise Http404("This mail takes no answer.")
    reply = answer_to(found, request.POST.get("text", "")[:MOST_TEXT])
    host, _colon, port = settings.MAIL_LISTEN.rpartition(":")
    try:
        with smtplib.SMTP(host.strip("[]"), int(port), timeout=5) as door:
            door.send_message(reply)
    except (OSError, smtplib.SMTPException) as error:
        messages.error(
            request,
            _("The mail listener at %(where)s rejected the message: %(why)s")
            % {"where": settings.MAIL_LISTEN, "why": error},
        )
    else:
        messages.success(request, _("Your reply was sent. The answer will appear here shortly."))
    return redirect("mailbox_letter", name)


def answer_to(found: Letter, text: str) -> EmailMessage:
    """A reply as mail programs write it: own words, a line that introduces, the quoted mail."""
    reply = EmailMessage(policy=policy.SMTP)
    reply["From"] = found.to
    reply["To"] = parseaddr(found.reply_to)[1]
    reply["Subject"] = f"Re: {found.subject}"
    reply["Message-ID"] = make_msgid(domain="mailbox.localhost")
    reply["In-Reply-To"] = found.message_id
    reply["References"] = f"{found.references} {found.message_id}".strip()
    quoted = "\n".join(f"> {line}".rstrip() for line in found.text.splitlines())
    words = "\n".join(text.splitlines())
    reply.set_content(f"{words}\n\nOn {found.date}, {settings.SITE_NAME} wrote:\n{quoted}\n")
    return reply


urlpatterns = [
    path("mailbox/", mailbox, name="mailbox"),
    path("mailbox/<slug:name>/", mailbox_letter, name="mailbox_letter"),
    path("mailbox/<slug:name>/html", mailbox_html, name="mailbox_html"),
    path("mailbox/<slug:name>/answer", mailbox_answer, name="mailbox_answer"),
]
