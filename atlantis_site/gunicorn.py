"""Configuration of gunicorn, the backend of `atlantis_site.web`.

Sync workers, because requests arrive complete. BACKEND is the path of the Unix socket;
WEB_CONCURRENCY comes from the environment.
"""

import os
import sys
from pathlib import Path
from typing import Any

from atlantis_site import scrubbed_logs
from games import __version__

if "BACKEND" not in os.environ:
    sys.exit("Run `python -m atlantis_site.web`, which starts gunicorn behind the web server.")
bind = f"unix:{os.environ['BACKEND']}"
umask = 0o077
workers = int(os.environ.get("WEB_CONCURRENCY") or "2")
preload_app = True  # imported once, shared by all workers
timeout = 30
graceful_timeout = 2  # the front has waited for the requests before
control_socket_disable = True
# gunicorn trusts every client of a Unix socket. The front writes the client's address as a
# PROXY line, and passes on headers as they come: none of them may set the scheme or the path.
proxy_protocol = "v1"
secure_scheme_headers: dict[str, str] = {}
forwarder_headers = ""
# The front has limited the head as a whole.
limit_request_line = 8190
limit_request_field_size = 16 * 1024
# Workers touch a file as a sign of life; on a disk, they could block with the disk.
_shm = Path("/dev") / "shm"
worker_tmp_dir = str(_shm) if os.access(_shm, os.W_OK) else None


def on_starting(server: Any) -> None:
    """Scrub tokens from URLs that gunicorn logs through its own handlers."""
    for handler in server.log.error_log.handlers:
        handler.setFormatter(scrubbed_logs.formatter())
    server.log.info("Version %s is running.", __version__)
