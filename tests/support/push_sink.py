"""A push service over TLS on loopback, and browsers that subscribe to it."""

import base64
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import http_ece
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from cryptography.x509.oid import NameOID
from pytest_django import Settings

AUTH = b"sixteen bytes ok"
HOST = "push.example.org"  # which the certificate names besides 127.0.0.1


class Browser:
    """A browser that has subscribed: its address and its keys."""

    def __init__(self, sink: "PushSink", name: str, host: str = "127.0.0.1") -> None:
        self.endpoint = f"https://{host}:{sink.port}/push/{name}"
        self.path = f"/push/{name}"
        self._key = ec.generate_private_key(ec.SECP256R1())
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.p256dh, self.auth = (
            base64.urlsafe_b64encode(data).rstrip(b"=").decode() for data in (point, AUTH)
        )

    @property
    def fields(self) -> dict[str, str]:
        return {"endpoint": self.endpoint, "p256dh": self.p256dh, "auth": self.auth}

    def read(self, body: bytes) -> bytes:
        """Decrypt a message as RFC 8291 says."""
        decrypted: bytes = http_ece.decrypt(
            body, private_key=self._key, auth_secret=AUTH, version="aes128gcm"
        )
        return decrypted


@dataclass
class PushSink:
    """The messages that arrived: (path, headers, body). status: of every answer; "drip" answers
    byte by byte."""

    port: int = 0
    status: int | str = 201
    arrived: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    end: threading.Event = field(default_factory=threading.Event)

    def browser(self, name: str = "one", host: str = "127.0.0.1") -> Browser:
        return Browser(self, name, host)


def certificate(folder: Path) -> Path:
    """A certificate for 127.0.0.1 and HOST with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a server of the tests")])
    now = datetime.now(UTC)
    hosts = [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName(HOST)]
    names = x509.SubjectAlternativeName(hosts)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    path.write_bytes(
        made.public_bytes(Encoding.PEM)
        + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    return path


@pytest.fixture
def push_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> Iterator[PushSink]:
    """A push service that this process trusts and may reach."""
    sink, pem = PushSink(), certificate(tmp_path)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sink.arrived.append((self.path, dict(self.headers.items()), body))
            with suppress(OSError):
                if sink.status == "drip":
                    for letter in b"HTTP/1.1 201 Created":
                        self.wfile.write(bytes([letter]))
                        sink.end.wait(0.2)
                    return
                self.send_response(int(sink.status))
                self.send_header("Location", f"https://127.0.0.1:{sink.port}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

        def log_message(self, *_words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    sink.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=[0.05])
    thread.start()
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    settings.PUSH_ALLOW_LOOPBACK = True
    yield sink
    sink.end.set()
    server.shutdown()
    thread.join()
    server.server_close()
