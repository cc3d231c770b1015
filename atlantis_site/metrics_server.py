"""Serve the metrics of this process to Prometheus, at an address that is closed by default.

The address must not be reachable from outside: figures are no secrets of players, but show how busy
the service is.
"""

import logging
import threading
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app

TIMEOUT_SECONDS = 10  # for a client that stops sending or reading

logger = logging.getLogger(__name__)


class _Handler(WSGIRequestHandler):
    timeout = TIMEOUT_SECONDS

    def log_message(self, *_args: Any) -> None:
        """Log nothing: there is no access log."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def parse_bind(text: str) -> tuple[str, int] | None:
    """Return host and port of "host:port", and None for "". Raises ValueError."""
    if not text:
        return None
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"{text!r} must be host:port, for example 127.0.0.1:9100")
    return host.strip("[]"), int(port)


def serve(bind: tuple[str, int], registry: CollectorRegistry) -> WSGIServer | None:
    """Serve in a daemon thread; return the server, or None, with a line in the log, where the
    address cannot be used."""
    try:
        server = make_server(*bind, make_wsgi_app(registry), _Server, _Handler)
    except OSError as error:
        logger.error("No metrics at %s:%s: %s", *bind, error)
        return None
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return server
