"""A real service in a temporary folder, for the duration of a bench."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from atlantis_site.supervisor.stack import COLLECT, ServiceStack, run_command
from tests.support.smtp_sink import free_port

from .report import progress


@contextmanager
def service(folder: Path) -> Iterator[ServiceStack]:
    """Start PostgreSQL (with durable settings) and the broker, and set up Django in this process.

    Each bench starts web or worker itself. SITE_URL and EMAIL_URL of `stack.env` have free ports.
    """
    env = {
        "SECRET_KEY": secrets.token_urlsafe(50),
        "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
        "SITE_URL": f"http://127.0.0.1:{(web := free_port())}",
        "BIND": f"127.0.0.1:{web}",
        "WEB_CONCURRENCY": "1",
        "EMAIL_URL": f"smtp://127.0.0.1:{free_port()}",
        "STATIC_ROOT": str(folder / "static"),
        "LOG_LEVEL": "WARNING",
    }
    progress("PostgreSQL, broker and tables")
    stack = ServiceStack(folder, env)
    try:
        stack.start("postgres")
        stack.start("broker")
        stack.prepare()
        run_command(COLLECT, stack.env, stack.logs / "collect.log")
        os.environ.update(stack.env)
        import django

        django.setup()
        yield stack
    finally:
        stack.stop()
