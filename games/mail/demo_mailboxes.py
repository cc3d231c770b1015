"""Mail servers that show emails to developers and deliver none, for which EMAIL_URL may be left."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

TEST_PROGRAMS = {
    *("mailpit", "mailhog", "maildev", "mailcatcher", "mailslurper", "inbucket", "greenmail"),
    *("smtp4dev", "papercut", "fakesmtp"),
}
TEST_HOSTS = {"sandbox.smtp.mailtrap.io", "smtp.ethereal.email"}
TEST_PORTS = {1025}  # of Mailpit, MailHog and MailDev


def found() -> str:
    """The fault of EMAIL_URL of a site that people use; "" where there is none."""
    backend = settings.EMAIL_BACKEND.rpartition(".")[2]
    if backend == "FolderBackend":
        return "EMAIL_URL saves emails to a folder, and nobody gets one"
    host, port = str(getattr(settings, "EMAIL_HOST", "")).lower(), settings.EMAIL_PORT
    is_smtp = not settings.EMAIL_BACKEND.startswith("anymail.")
    is_test = host.split(".")[0] in TEST_PROGRAMS or host in TEST_HOSTS or port in TEST_PORTS
    if is_smtp and is_test:
        return f"EMAIL_URL names a test mailbox ({host}:{port}), and nobody gets an email"
    return ""


def check_deployment(**_options: Any) -> list[CheckMessage]:
    """An error of `check --deploy` for a site with https."""
    if (wrong := found()) and settings.SITE_URL.startswith("https:"):
        hint = "Set it as in smtp+tls://user:password@mail.example.org:587."
        return [Error(f"{wrong}.", hint=hint, id="games.E001")]
    return []
