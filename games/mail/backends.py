"""An email backend for machines without a mail server: each email is a file in a folder.

The file is named after the Message-ID, so an email that is sent twice is there once. The
development mailbox reads this folder.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

FOLDER_KEEP_DAYS = 30  # for files of a local service


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
