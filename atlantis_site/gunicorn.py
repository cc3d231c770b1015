"""How gunicorn serves the site: `gunicorn -c python:atlantis_site.gunicorn atlantis_site.wsgi`.

Sync workers behind whatever proxy there is; BIND (host:port, or fd://3 for a socket that
is handed down) and WEB_CONCURRENCY come from the environment.
"""

from __future__ import annotations

import os
from pathlib import Path

bind = os.environ.get("BIND", "127.0.0.1:8000")
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
preload_app = True  # imported once, shared by all workers
timeout = 30
graceful_timeout = 5
keepalive = 5
control_socket_disable = True
# The pulse of the workers is a file that is touched; on a disk it could stall with the disk.
_memory = Path("/dev") / "shm"
worker_tmp_dir = str(_memory) if os.access(_memory, os.W_OK) else None
