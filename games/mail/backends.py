"""Where emails of developers end: in a folder, or on a server that shows them and delivers none.

The folder is the email backend for machines without a mail server. The file is named after the
Message-ID, so an email that is sent twice is there once. The development mailbox reads this folder.
A site that people use is told if its EMAIL_URL names such a place.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.utils.translation import gettext as _

FOLDER_KEEP_DAYS = 30  # for files of a local service

# They show emails to developers, and deliver none.
TEST_PROGRAMS = {
    "mailpit",
    "mailhog",
    "maildev",
    "mailcatcher",
    "mailslurper",
    "inbucket",
    "greenmail",
    "smtp4dev",
    "papercut",
    "fakesmtp",
}
TEST_HOSTS = {"sandbox.smtp.mailtrap.io", "smtp.ethereal.email"}
TEST_PORTS = {1025}  # of Mailpit, MailHog and MailDev


class FolderBackend(BaseEmailBackend):
    """Writes `<date>-<Message-ID>.eml` into EMAIL_FILE_PATH, complete or not at all."""

    def __init__(self, fail_silently: bool = False, **kwargs: Any) -> None:
        super().__init__(fail_silently=fail_silently)
        folder = getattr(settings, "EMAIL_FILE_PATH", None)
        if not folder:
            raise ImproperlyConfigured("EMAIL_URL names no folder: folder:///path/to/var/mail")
        self.folder = Path(folder)

    def open(self) -> bool:
        """Create the folder if needed. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return False

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write the emails; returns their number."""
        self.open()
        for mail in email_messages:
            message: Any = mail.message()  # Django's, which knows line ends
            path = self.folder / file_name(str(message["Date"]), str(message["Message-ID"]))
            unfinished = path.with_suffix(".part")
            unfinished.write_bytes(message.as_bytes(linesep="\r\n"))
            unfinished.replace(path)
        return len(email_messages)


def file_name(date: str, message_id: str) -> str:
    """A name that sorts by time and is safe in a path."""
    local = re.sub(r"[^A-Za-z0-9]+", "-", message_id.strip("<>").partition("@")[0])
    return f"{parsedate_to_datetime(date):%Y%m%d-%H%M%S}-{local[:80]}.eml"


def purge_old_files(now: datetime) -> int:
    """Delete the emails that a local service wrote more than FOLDER_KEEP_DAYS ago; their number.

    On other services the folder is the operator's archive.
    """
    folder = getattr(settings, "EMAIL_FILE_PATH", None)
    if not (settings.LOCAL_MODE and folder and Path(folder).is_dir()):
        return 0
    before = (now - timedelta(days=FOLDER_KEEP_DAYS)).timestamp()
    count = 0
    for file in Path(folder).glob("*-*.*"):
        with suppress(FileNotFoundError):  # another worker was faster
            if file.suffix in (".eml", ".part") and file.stat().st_mtime < before:
                file.unlink()
                count += 1
    return count


def email_url_fault() -> str:
    """The fault of EMAIL_URL of a site that people use; "" where there is none."""
    backend = settings.EMAIL_BACKEND.rpartition(".")[2]
    if backend == "FolderBackend":
        return _("EMAIL_URL saves emails to a folder, so nobody gets them")
    host, port = str(getattr(settings, "EMAIL_HOST", "")).lower(), settings.EMAIL_PORT
    is_smtp = not settings.EMAIL_BACKEND.startswith("anymail.")
    is_test = host.split(".")[0] in TEST_PROGRAMS or host in TEST_HOSTS or port in TEST_PORTS
    if is_smtp and is_test:
        server = f"{host}:{port}"
        return _("EMAIL_URL names a test mailbox (%(server)s), so nobody gets any email") % {
            "server": server
        }
    return ""


def check_deployment(**_options: Any) -> list[CheckMessage]:
    """An error of `check --deploy` for a site with https."""
    if (wrong := email_url_fault()) and settings.SITE_URL.startswith("https:"):
        hint = "Set it as in smtp+tls://user:password@mail.example.org:587."
        return [Error(f"{wrong}.", hint=hint, id="games.E001")]
    return []
