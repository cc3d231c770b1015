"""A real service in a temporary folder, for the duration of a bench."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

from atlantis_site.supervisor.stack import COLLECT, ServiceStack, run_command
from tests.support.smtp_sink import free_port

from .report import Table, progress


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


def apart(part: str, *numbers: int) -> Table:
    """The table of a part, measured in a process and a service of its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_bench, part, *numbers).result()


def _bench(part: str, *numbers: int) -> Table:
    folder = Path(tempfile.mkdtemp(prefix="atlantis-bench-"))
    try:
        with service(folder) as stack:
            table: Table = import_module(f"{__package__}.{part}").bench(stack, *numbers)
            return table
    finally:
        shutil.rmtree(folder, ignore_errors=True)
