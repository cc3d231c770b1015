"""Send and read while no name server answers.

`python -m tests.support.children.silent_name_server <reply>` runs with the variables of
a service, in namespaces of its own, where the only name server is a UDP socket that reads and stays
silent, and where the resolver of the C library would wait for two and a half minutes. It reads the
stored reply with this key and sends what is due; then, at the same time, it connects to PostgreSQL
and the broker by their names, checks deliverability, and calls a push service. It prints a JSON
object: what became of each, the number of questions that the name server got for the reply and
for the emails, and how often it was asked for each name.
"""

import ctypes
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dns.message
import psycopg
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

CLONE_NEWNS, CLONE_NEWUTS = 0x00020000, 0x04000000
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
RESOLVER = "nameserver 127.0.0.1\noptions timeout:30 attempts:5\n"
HOST = "mail.example.org"
EMAIL_SECONDS = 1.0


class SilentNameServer:
    """Counts the questions, by name, and answers none."""

    def __init__(self) -> None:
        self.asked = Counter[str]()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 53))
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            question = dns.message.from_wire(self._socket.recv(4096)).question[0]
            self.asked[question.name.to_text(omit_final_dot=True)] += 1


def isolate() -> None:
    """Enter the namespaces; the machine has another name there, which nothing knows."""
    uid, gid = os.getuid(), os.getgid()
    library = ctypes.CDLL(None, use_errno=True)
    spaces = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS
    if library.unshare(spaces | (CLONE_NEWUSER if uid else 0)):
        raise OSError(ctypes.get_errno(), "unshare")
    if uid:  # root may do what follows as it is, and PostgreSQL's socket is then another user's
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
        Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
    socket.sethostname("nowhere")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(RESOLVER)
        file.flush()
        subprocess.run(["mount", "--bind", file.name, "/etc/resolv.conf"], check=True)


def main(reply: int) -> None:
    isolate()
    server = SilentNameServer()
    import django

    django.setup()
    from django.conf import settings

    from games.inbound import processor
    from games.mail import dns_lookup, guarded_post, outbox
    from games.operations import sender

    def error_of(call: Callable[[], object]) -> str:
        try:
            return repr(call())
        except Exception as error:  # noqa: BLE001 (the test reads it)
            return f"{type(error).__name__}: {error}"

    settings.EMAIL_TIMEOUT = EMAIL_SECONDS
    lookup = dns_lookup.lookup_at()
    found: dict[str, Any] = {"read": processor.read_one(reply)}
    found["asked for the reply"] = server.asked.total()
    found["outbox"] = error_of(outbox.drain)
    found["asked for the email"] = server.asked.total() - found["asked for the reply"]
    calls: dict[str, Callable[[], object]] = {
        "database": lambda: psycopg.connect("host=postgres.example.org"),
        "broker": redis.Redis(host="valkey.example.org", retry=Retry(NoBackoff(), 0)).ping,
        "deliverability": lambda: list(sender.check_dns(lookup, [])),
        "push": lambda: guarded_post._post(HOST, 443, "/", {}, b""),
    }
    with ThreadPoolExecutor(len(calls)) as pool:  # all of them do nothing but wait
        found |= zip(calls, pool.map(error_of, calls.values()), strict=True)
    print(json.dumps(found | {"asked": server.asked}))
    sys.stdout.flush()
    os._exit(0)  # without waiting for the C library


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")
    main(int(sys.argv[1]))
