"""Configuration of gunicorn: `gunicorn -c python:atlantis_site.gunicorn atlantis_site.wsgi`.

Sync workers, behind a proxy. BIND (host:port, or fd://3 for an inherited socket) and
WEB_CONCURRENCY come from the environment.
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
# Workers touch a file as a sign of life; on a disk, they could block with the disk.
_shm = Path("/dev") / "shm"
worker_tmp_dir = str(_shm) if os.access(_shm, os.W_OK) else None
