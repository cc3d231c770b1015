"""The files of forms. Only providers of email send any: attachments, which nobody reads."""

from io import BytesIO
from typing import Any

from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile

from games.inbound import mime, provider_emails


class BeginningsOnly(FileUploadHandler):
    """Keeps the beginnings of the first files of a form, in memory, and skips the others."""

    count = 0

    def new_file(self, *args: Any, **options: Any) -> None:
        super().new_file(*args, **options)
        self.count += 1
        if self.count > mime.MOST_PARTS:
            raise SkipFile
        self.beginning = bytearray()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.beginning += raw_data[: provider_emails.ATTACHMENT_BYTES - len(self.beginning)]

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        return InMemoryUploadedFile(
            file=BytesIO(self.beginning),
            field_name=self.field_name,
            name=self.file_name,
            content_type=self.content_type,
            size=len(self.beginning),
            charset=self.charset,
            content_type_extra=self.content_type_extra,
        )
