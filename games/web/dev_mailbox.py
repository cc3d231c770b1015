"""The mailbox page of a local service: every email it sent, as its reader would see it.

Reads the folder that mail.backends.FolderBackend writes, and replies through the mail listener.
Shows everybody's email, so it exists in local mode only and is "not found" elsewhere.
"""

import base64
import re
import smtplib
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

from .decorators import View

MAX_LISTED = 100  # the newest
MAX_REPLY = 10_000  # characters

# For the HTML of an email in its frame: its own inline styles and pictures, nothing else.
FRAME_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; "
    "sandbox allow-popups allow-top-navigation-by-user-activation"
)


@dataclass(frozen=True)
class SentEmail:
    """An email for display. name: that of its file, without the suffix."""

    name: str
    message: EmailMessage

    def __getattr__(self, header: str) -> str:
        """A header: `email.subject`, `email.reply_to`; "" where there is none."""
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
        """The HTML part with inline pictures, its links leading out of the frame; "" without
        one."""
        part = self.message.get_body(("html",))
        if not isinstance(part, EmailMessage):
            return ""
        pictures = {
            str(picture["Content-ID"]).strip("<>"): picture
            for picture in self.message.walk()
            if picture["Content-ID"]
        }

        def inline(match: re.Match[str]) -> str:
            picture = pictures.get(match[1])
            if picture is None:
                return match[0]
            data = base64.b64encode(bytes(picture.get_payload(decode=True))).decode()
            return f'src="data:{picture.get_content_type()};base64,{data}"'

        html = re.sub(r'src="cid:([^"]+)"', inline, str(part.get_content()))
        return html.replace("<head>", '<head>\n<base target="_top">', 1)

    @property
    def headers(self) -> list[tuple[str, str]]:
        """All headers in order."""
        return [(name, str(value)) for name, value in self.message.items()]


def parse_email(raw: bytes, name: str = "") -> SentEmail:
    """An email from its bytes."""
    message = BytesParser(policy=policy.default).parsebytes(raw)
    assert isinstance(message, EmailMessage)
    return SentEmail(name, message)


def html_response(email: SentEmail | None) -> HttpResponse:
    """The HTML of an email, for a frame in which it can run and fetch nothing."""
    if email is None or not email.html:
        raise Http404("This email has no HTML.")
    response = HttpResponse(email.html)
    response["Content-Security-Policy"] = FRAME_POLICY
    return response


# -- the folder --------------------------------------------------------------------------


def _folder() -> Path:
    return Path(getattr(settings, "EMAIL_FILE_PATH", settings.VAR_DIR / "mail"))


@lru_cache(maxsize=2 * MAX_LISTED)
def _read(file: Path, _modified: float) -> SentEmail:
    return parse_email(file.read_bytes(), file.stem)


def sent_email(name: str) -> SentEmail:
    """The email with this name; Http404 where there is none."""
    file = _folder() / f"{name}.eml"
    try:
        return _read(file, file.stat().st_mtime)
    except OSError as error:
        raise Http404("There is no such email.") from error


def sent_emails(to: str = "") -> list[SentEmail]:
    """The newest emails first, optionally to one address only."""
    found: list[SentEmail] = []
    for file in sorted(_folder().glob("*.eml"), reverse=True):
        email = sent_email(file.stem)
        if to in ("", email.to):
            found.append(email)
        if len(found) == MAX_LISTED:
            break
    return found


# -- pages -------------------------------------------------------------------------------


def _local_only(view: View) -> View:
    @never_cache
    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.LOCAL_MODE:
            raise Http404
        return view(request, *args, **kwargs)

    return wrapped


@_local_only
@require_safe
def mailbox(request: HttpRequest) -> HttpResponse:
    """All emails, newest first; ?to=address for those to one person."""
    to = request.GET.get("to", "")
    context = {"emails": sent_emails(to), "to": to, "folder": _folder()}
    return render(request, "games/mailbox.html", context)


@_local_only
@require_safe
def mailbox_message(request: HttpRequest, name: str) -> HttpResponse:
    """Show an email: its HTML in a frame, its text, its headers."""
    return render(request, "games/mailbox_message.html", {"email": sent_email(name)})


@_local_only
@require_safe
@xframe_options_sameorigin
def mailbox_html(request: HttpRequest, name: str) -> HttpResponse:
    """The HTML of one email, for the frame."""
    return html_response(sent_email(name))


@_local_only
@require_POST
def mailbox_reply(request: HttpRequest, name: str) -> HttpResponse:
    """Reply to an email by SMTP, as its reader's mail program would."""
    email = sent_email(name)
    if not email.reply_to:
        raise Http404("This email takes no reply.")
    reply = reply_to(email, request.POST.get("text", "")[:MAX_REPLY])
    host, _colon, port = settings.MAIL_LISTEN.rpartition(":")
    try:
        with smtplib.SMTP(host.strip("[]"), int(port), timeout=5) as smtp:
            smtp.send_message(reply)
    except (OSError, smtplib.SMTPException) as error:
        messages.error(
            request,
            _("The mail listener at %(where)s rejected the message: %(why)s")
            % {"where": settings.MAIL_LISTEN, "why": error},
        )
    else:
        messages.success(request, _("Your reply was sent. The answer will appear here shortly."))
    return redirect("mailbox_message", name)


def reply_to(email: SentEmail, text: str) -> EmailMessage:
    """A reply as mail programs write it: own text, an introducing line, the quoted email."""
    reply = EmailMessage(policy=policy.SMTP)
    reply["From"] = email.to
    reply["To"] = parseaddr(email.reply_to)[1]
    reply["Subject"] = f"Re: {email.subject}"
    reply["Message-ID"] = make_msgid(domain="mailbox.localhost")
    reply["In-Reply-To"] = email.message_id
    reply["References"] = f"{email.references} {email.message_id}".strip()
    quoted = "\n".join(f"> {line}".rstrip() for line in email.text.splitlines())
    own = "\n".join(text.splitlines())
    reply.set_content(f"{own}\n\nOn {email.date}, {settings.SITE_NAME} wrote:\n{quoted}\n")
    return reply


urlpatterns = [
    path("mailbox/", mailbox, name="mailbox"),
    path("mailbox/<slug:name>/", mailbox_message, name="mailbox_message"),
    path("mailbox/<slug:name>/html", mailbox_html, name="mailbox_html"),
    path("mailbox/<slug:name>/answer", mailbox_reply, name="mailbox_reply"),
]
