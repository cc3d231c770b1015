"""Each command of docker-compose.yml runs as its container would: see support/containers.py.

Exactly its arguments, variables and user id, a root that cannot be written to, and the files of the
image alone. The programs are those of the wheels instead of the images of PostgreSQL and Valkey.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from atlantis_site import installer
from atlantis_site.supervisor import stack
from atlantis_site.supervisor.postgres import QUIET_SETTINGS, binaries
from atlantis_site.supervisor.stack import BASE_DIR
from tests.support.compose_file import COMPOSE, SERVICES
from tests.support.containers import Pod
from tests.support.lengths import LONG, by_length
from tests.support.processes import PATIENCE, wait_for

pytestmark = [pytest.mark.processes, pytest.mark.long]

# What .env would say. The rest is as docker-compose.yml has it.
DOT_ENV = {
    "SWEEP_SECONDS": "1",
    "MAIL_REPLY_DOMAIN": "reply.example.org",
}
# The short form leaves out whose programs `make play` starts in test_supervisor, with health checks
# of their own in test_health and tests/inbound/test_channels.py.
OURS = ("web", "events", "worker", *by_length((), ("beat", "bots", "listener")))
IMAGE_ENV = {"PATH": f"/venv/bin:{os.defpath}", "HOME": "/app"}
POSTGRES_ENV = {
    "PATH": f"{binaries().resolve()}:{os.defpath}",
    "LANG": "C.UTF-8",
    "HOME": "/var/lib",
}
APP_UID, POSTGRES_UID = 10001, 999
# What the entry point of the image does with the command of the service, "$@"; roles.sql is run
# over the socket, before others may connect. The short form has tables from prepared.sql.
ENTRYPOINT = r"""
set -eu
export PGDATA=/var/lib/postgresql/18/docker
mkdir -p "$PGDATA"
eval "initdb --username=postgres --pwfile=$POSTGRES_PASSWORD_FILE --no-sync $POSTGRES_INITDB_ARGS"
pg_ctl -w start -o "-c listen_addresses='' -c unix_socket_directories=/tmp"
run="psql -v ON_ERROR_STOP=1 --no-psqlrc --quiet -h /tmp"
$run -U postgres -f /var/lib/postgresql/roles.sql
if [ -e /var/lib/postgresql/prepared.sql ]; then
    $run -U atlantis_owner -d atlantis -f /var/lib/postgresql/prepared.sql
fi
pg_ctl -w -m fast stop
echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/tmp -c fsync=off
"""


def filled_in(text: str) -> str:
    """Replace ${NAME:-default} and ${NAME:?message} as compose does."""

    def value(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        if default.startswith(":?"):
            default = ""
        return DOT_ENV.get(name, default.removeprefix(":").removeprefix("-"))

    return re.sub(r"\$\{(\w+)([^}]*)\}", value, text)


def dockerfile() -> str:
    return (BASE_DIR / "Dockerfile").read_text()


def env_of(name: str) -> dict[str, str]:
    """The variables of a service of ours, with those of its image."""
    image = re.findall(r"^ENV (PATH=.*)$", dockerfile(), re.MULTILINE)[-1]
    defaults = dict(word.split("=", 1) for word in image.split() if not word.startswith("PATH="))
    own = {key: filled_in(value) for key, value in SERVICES[name]["environment"].items()}
    return IMAGE_ENV | defaults | own


def copy_of_image(target: Path, static: Path) -> None:
    """Copy what `COPY` and .dockerignore let into the image, compiled as there."""
    left_out = {
        line
        for line in (BASE_DIR / ".dockerignore").read_text().split()
        if "atlantis_site/" in line
    }
    for name in ("atlantis_site", "games", "templates"):
        # With what is compiled here, so that only the rest must be.
        shutil.copytree(BASE_DIR / name, target / name)
    shutil.copy(BASE_DIR / "manage.py", target)
    for path in left_out:
        if path.startswith("atlantis_site/"):
            place = target / path
            shutil.rmtree(place) if place.is_dir() else place.unlink()
    shutil.copytree(static, target / "staticfiles")
    compiling = re.search(r"^RUN python (-m compileall .*)$", dockerfile(), re.MULTILINE)
    assert compiling
    subprocess.run([sys.executable, *compiling[1].split()], cwd=target, check=True)


class Compose:
    """The services of docker-compose.yml, started in the order of their conditions."""

    def __init__(self, pod: Pod, data: Path) -> None:
        self.pod = pod
        self.made = data.with_name("made")
        installer.make_secrets(self.made)
        (self.made / "email_url").write_text("smtp://mail.example.org:25\n")
        self.volumes = {data: "/var/lib/postgresql"}
        self.events = {data.with_name("events"): "/run/events"}
        data.with_name("events").mkdir(mode=0o700)
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.healthy: set[str] = set()

    def start_postgres(self, data: Path) -> None:
        own = {key: filled_in(v) for key, v in SERVICES["postgres"]["environment"].items()}
        (data / "roles.sql").write_text(filled_in(COMPOSE["configs"]["roles"]["content"]))
        self.running["postgres"] = self.pod.start(
            "postgres",
            ["sh", "-c", ENTRYPOINT, "sh", *SERVICES["postgres"]["command"]],
            POSTGRES_ENV | own,
            uid=POSTGRES_UID,
            workdir="/",
            volumes=self.volumes,
            secrets=self.secrets_of("postgres"),
        )
        self.wait_until_healthy("postgres")

    def start_valkey(self) -> None:
        folder = str(Path(stack.binary()).resolve().parent)
        self.running["valkey"] = self.pod.start(
            "valkey",
            SERVICES["valkey"]["command"],
            {"PATH": f"{folder}:{os.defpath}"},
            uid=POSTGRES_UID,
            workdir="/tmp",
            secrets=self.secrets_of("valkey"),
        )

    def run_ours(self, name: str, command: Sequence[str], *, like: str) -> str:
        """Run a command in a container of the service `like` to its end; return its output."""
        secrets = self.secrets_of(like)
        return self.pod.run(name, command, env_of(like), uid=APP_UID, secrets=secrets)

    def start_ours(self, name: str) -> None:
        self.running[name] = self.pod.start(
            name,
            SERVICES[name]["command"],
            env_of(name),
            uid=APP_UID,
            volumes=self.volumes_of(name),
            secrets=self.secrets_of(name),
        )

    def secrets_of(self, name: str) -> Path:
        """A folder with the secrets that docker-compose.yml gives this service, and no others."""
        folder = self.made.with_name(f"secrets of {name}".replace(" ", "-"))
        if not folder.exists():  # a container that reads them already must not find them empty
            folder.mkdir()
            for secret in SERVICES[name].get("secrets", ()):
                shutil.copy(self.made / secret, folder)
        return folder

    def volumes_of(self, name: str) -> dict[Path, str]:
        return self.events if SERVICES[name].get("volumes") == ["events:/run/events"] else {}

    def check(self, name: str) -> subprocess.Popen[bytes]:
        """Start the health check of a service."""
        if name == "postgres":
            env, uid, workdir = POSTGRES_ENV, POSTGRES_UID, "/"
        else:
            env, uid, workdir = env_of(name), APP_UID, "/app"
        words, volumes = health_check(name), self.volumes_of(name)
        return self.pod.start(
            f"{name}-check",
            words,
            env,
            uid=uid,
            workdir=workdir,
            volumes=volumes,
            secrets=self.secrets_of(name),
        )

    def wait_until_healthy(self, name: str) -> None:
        """Wait for a health check that succeeds, unless one did before."""

        def healthy() -> bool:
            assert self.running[name].poll() is None, self.pod.log(name).read_text()[-3000:]
            return self.check(name).wait(PATIENCE) == 0

        if name not in self.healthy:
            wait_for(healthy, f"the health of {name}", pause=1)
            self.healthy.add(name)


def health_check(name: str) -> list[str]:
    if name == "web":  # that of the image
        found = re.search(r"^    CMD (\[.*healthcheck.*\])$", dockerfile(), re.MULTILINE)
        assert found
        return [word.strip('" ') for word in found[1].strip("[]").split(",")]
    words: list[str] = SERVICES[name]["healthcheck"]["test"][1:]
    return words


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory, collected_static: Path) -> Iterator[Pod]:
    """A pod without any container; tests that need it do not run where it is not permitted."""
    folder = tmp_path_factory.mktemp("pod")
    app = folder / "app"
    app.mkdir()
    copy_of_image(app, collected_static)
    pod = Pod(folder, app)
    yield pod
    pod.stop()


@pytest.fixture(scope="module")
def compose(pod: Pod, prepared_dump: Path) -> Compose:
    """All services, in the order of docker-compose.yml; the long form migrates an empty
    database."""
    data = pod.folder / "data"
    data.mkdir()
    if not LONG:
        shutil.copy(prepared_dump, data / "prepared.sql")
    compose = Compose(pod, data)
    compose.start_postgres(data)
    compose.start_valkey()
    compose.run_ours("migrate", SERVICES["migrate"]["command"], like="migrate")
    for name in OURS:
        compose.start_ours(name)
    compose.wait_until_healthy("web")  # the cheapest check; by then the others are nearly there
    return compose


@pytest.mark.parametrize("name", OURS)
def test_every_service_starts_and_its_health_check_agrees(compose: Compose, name: str) -> None:
    compose.wait_until_healthy(name)


# A program of the worker, which prints what it finds as JSON.
QUESTIONS = """
import json, urllib.error, urllib.request
import redis
from django.conf import settings
from django.db import connection
from games.services.deadlines import _site_status


def error_of(call, *words):
    try:
        return repr(call(*words))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def show(name):
    return connection.cursor().execute(f"SHOW {name}").fetchone()[0]


stream = "http://127.0.0.1:8000/events/?ticket=forged"
ours = redis.Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=5)
print(json.dumps({
    "stream": error_of(urllib.request.urlopen, stream, None, 20),
    "broker": ours.ping(),
    "broker, all settings": error_of(ours.execute_command, "CONFIG", "GET", "*"),
    "broker, nobody": error_of(redis.Redis("valkey").ping),
    "site": [settings.SITE_CHECK_URL, _site_status()],
    "settings": {name: show(name) for name in (*%s, "server_encoding", "lock_timeout")},
    "delete": error_of(connection.cursor().execute, "DELETE FROM games_gameevent"),
}))
"""


@pytest.fixture(scope="module")
def found(compose: Compose) -> dict[str, Any]:
    """Return the findings of one program in the container of the worker; only one, because Django
    takes a while to start."""
    compose.wait_until_healthy("events")
    program = QUESTIONS % repr(tuple(QUIET_SETTINGS))
    words = ["python", "manage.py", "shell", "--no-imports", "-c", program]
    output = compose.run_ours("questions", words, like="worker")
    answers: dict[str, Any] = json.loads(output.splitlines()[-1])
    return answers


def test_the_web_server_passes_connections_to_the_event_process(found: dict[str, Any]) -> None:
    assert found["stream"].startswith("HTTPError: HTTP Error 403")


def test_the_broker_answers_our_user_and_nobody_else(found: dict[str, Any]) -> None:
    assert found["broker"] is True
    assert found["broker, all settings"].startswith("NoPermissionError: ")
    assert found["broker, nobody"].startswith("AuthenticationError: ")


def test_postgresql_runs_with_the_settings_of_its_command(found: dict[str, Any]) -> None:
    assert found["settings"].items() >= QUIET_SETTINGS.items()


def test_the_worker_reaches_the_site_at_the_address_it_is_given(found: dict[str, Any]) -> None:
    assert found["site"] == ["http://web:8000", 200]


def test_the_service_may_not_change_the_log(found: dict[str, Any]) -> None:
    assert found["settings"]["server_encoding"] == "UTF8"
    assert found["settings"]["lock_timeout"] == "10s"
    assert "permission denied for table games_gameevent" in found["delete"]


def test_containers_are_as_closed_as_in_compose(pod: Pod) -> None:
    script = (
        "id -u; grep CapEff /proc/self/status; "
        "for path in / /app /etc /usr /venv /var; do touch $path/probe 2>&1; done; touch /tmp/probe"
    )
    output = pod.run("closed", ["sh", "-c", script], env_of("web"), uid=APP_UID)
    assert output.splitlines()[0] == str(APP_UID)
    assert re.search(r"CapEff:\s+0+$", output, re.MULTILINE)
    assert output.count("Read-only file system") == 6


def test_containers_have_the_files_of_the_image_alone(pod: Pod) -> None:
    code = (
        "import sys, importlib.util as u; print(u.find_spec('atlantis_site').origin, "
        "u.find_spec('tests'), u.find_spec('atlantis_site.supervisor'))"
    )
    output = pod.run("files", ["python", "-c", code], env_of("web"), uid=APP_UID)
    assert output.split() == ["/app/atlantis_site/__init__.py", "None", "None"]
