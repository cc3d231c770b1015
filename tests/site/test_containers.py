"""Dockerfile and docker-compose.yml speak of things that exist.

Every command, file and variable in them is looked up here; test_compose_commands.py runs them.
"""

import ast
import hashlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from math import prod
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands
from django.template import engines

from atlantis_site import installer
from atlantis_site.healthcheck import PARTS
from atlantis_site.startup_checks import weak_key
from atlantis_site.supervisor import postgres
from atlantis_site.supervisor.stack import BASE_DIR, COLLECT, SETUP
from atlantis_site.supervisor.stack import COMMANDS as PLAY
from tests.support.compose_file import COMMANDS, COMPOSE, OURS, SERVICES

DOCKERFILE = re.sub(r"\\\n\s*", "", (BASE_DIR / "Dockerfile").read_text())
STAGES = [
    stage for stage in re.split(r"^(?=FROM )", DOCKERFILE, flags=re.MULTILINE) if "FROM" in stage
][-2:]


def instructions(stage: str, name: str) -> list[str]:
    return re.findall(rf"^{name} (.*)$", stage, re.MULTILINE)


def variables_read() -> set[str]:
    """Every name that settings.py, web.py or events.py asks the environment for."""

    def asked(source: str) -> Iterator[str]:
        for node in ast.walk(ast.parse((BASE_DIR / "atlantis_site" / source).read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                owner, first = ast.unparse(node.func.value), node.args[0]
                if owner in ("env", "os.environ") and isinstance(first, ast.Constant):
                    yield str(first.value)
                    yield f"{first.value!s}_FILE"

    return {name for source in ("settings.py", "web.py", "events.py") for name in asked(source)}


def assert_exists(words: list[str]) -> None:
    """Refuse a command whose program, module or manage.py command there is none of."""
    program, *rest = words
    if program == "python" and rest[0] == "manage.py":
        assert rest[1] in get_commands(), f"no such command: manage.py {rest[1]}"
    elif program == "python" and rest[0] == "-m":
        module = BASE_DIR / f"{rest[1].replace('.', '/')}.py"
        assert module.exists(), f"no such module: {rest[1]}"
    else:
        locked = (BASE_DIR / "requirements.lock").read_text()
        assert re.search(rf"^{program}==", locked, re.MULTILINE), f"{program} is not installed"


def test_the_services_are_those_of_a_whole_site() -> None:
    assert OURS == ["beat", "bots", "events", "listener", "migrate", "web", "worker"]
    assert set(SERVICES) - set(OURS) == {"postgres", "valkey"}


@pytest.mark.parametrize("name", OURS)
def test_every_command_exists(name: str) -> None:
    assert_exists(SERVICES[name]["command"])


@pytest.mark.parametrize("name", sorted(PLAY.keys() - {"worker"}))
def test_containers_run_what_make_play_runs(name: str) -> None:
    assert COMMANDS[name] == PLAY[name]


def test_the_worker_of_make_play_takes_the_work_of_worker_bots_and_beat() -> None:
    def queues(*words: str) -> set[str]:
        return set(words[words.index("--queues") + 1].split(","))

    assert queues(*PLAY["worker"]) == queues(*COMMANDS["worker"]) | queues(*COMMANDS["bots"])
    assert "--beat-thread" in PLAY["worker"]
    assert not [name for name, words in COMMANDS.items() if "--beat-thread" in words]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_no_container_can_take_all_memory_or_all_processes(name: str) -> None:
    assert SERVICES[name]["mem_limit"]
    assert SERVICES[name]["pids_limit"] <= 400


def test_migrate_prepares_what_make_play_prepares() -> None:
    assert SERVICES["migrate"]["command"] == list(SETUP)


@pytest.mark.parametrize("name", OURS)
def test_every_variable_is_one_that_settings_read(name: str) -> None:
    assert set(SERVICES[name]["environment"]) <= variables_read()


# What a container has no choice about, and what no real site has.
FIXED = {
    "DATABASE_APP_ROLE",
    "VAR_DIR",
    "STATIC_ROOT",
    "LOCAL_MODE",
    "DEBUG",
    "PUSH_ALLOW_LOOPBACK",
}


def test_every_documented_variable_reaches_the_containers() -> None:
    rows = re.findall(
        r"^\| (`[A-Z_`, ]+`) \|", (BASE_DIR / "docs" / "configuration.md").read_text(), re.MULTILINE
    )
    documented = {name for row in rows for name in re.findall(r"[A-Z_]+", row)}
    given = {
        name.removesuffix("_FILE") for service in OURS for name in SERVICES[service]["environment"]
    }
    assert len(documented) > 20
    assert documented - given == FIXED
    assert documented >= given


def test_what_is_not_set_is_what_settings_take_by_themselves() -> None:
    source = (BASE_DIR / "atlantis_site" / "settings.py").read_text()
    for name, default in re.findall(
        r"\$\{([A-Z_]+):-([^}]+)\}", (BASE_DIR / "docker-compose.yml").read_text()
    ):
        number = re.search(rf'"{name}",\s*default=([\d.]+(?: \* [\d.]+)*)[,)]', source)
        if number:
            product = prod(float(factor) for factor in number[1].split(" * "))
            assert float(default) == product, name


@pytest.mark.parametrize("name", OURS)
def test_containers_set_no_variable_twice_as_two_things(name: str) -> None:
    for variable, value in SERVICES[name]["environment"].items():
        assert isinstance(value, str), f"{variable} must be quoted: YAML reads {value!r}"


def test_the_service_does_not_run_as_the_owner_of_the_tables() -> None:
    roles = {
        name: re.match(r"postgresql://(\w+)@", SERVICES[name]["environment"]["DATABASE_URL"])
        for name in OURS
    }
    found = {name: match and match[1] for name, match in roles.items()}
    owner, app = postgres.OWNER, postgres.APP
    assert found == dict.fromkeys(OURS, app) | {"migrate": owner}


def test_each_service_gets_the_secrets_that_it_reads_and_no_others(tmp_path: Path) -> None:
    installer.make_secrets(tmp_path / "secrets")
    made = {path.name for path in (tmp_path / "secrets").iterdir()}
    assert {name: entry["file"] for name, entry in COMPOSE["secrets"].items()} == {
        name: f"./secrets/{name}" for name in made
    }
    assert all(
        SERVICES[name].get("secrets", []) == [] or set(SERVICES[name]["secrets"]) <= made
        for name in SERVICES
    )
    for name in OURS:
        read = re.findall(r"/run/secrets/(\w+)", str(SERVICES[name]["environment"]))
        assert sorted(read) == sorted(SERVICES[name]["secrets"]), name
    holders = {name for name in SERVICES if "owner_password" in SERVICES[name].get("secrets", ())}
    assert holders == {"postgres", "migrate"}


def test_the_listener_can_read_the_certificates_that_the_documents_put_into_its_folder() -> None:
    (mount,) = SERVICES["listener"]["volumes"]
    folder, inside, mode = mount.split(":")
    assert mode == "ro"
    page = (BASE_DIR / "docs" / "other-ways.md").read_text()
    assert f"`{folder.removeprefix('./')}/`" in page
    assert f"MAIL_LISTEN_CERTIFICATE={inside}/" in page


def test_no_secret_is_a_variable_of_a_container() -> None:
    for name, service in SERVICES.items():
        for variable in service.get("environment", {}):
            if variable != "MAIL_LISTEN_KEY":  # the path of a file
                assert not re.search(r"(SECRET|PASSWORD|_KEY|EMAIL_URL|BROKER_URL)$", variable), (
                    name
                )


def test_only_what_sends_or_is_published_has_a_way_out() -> None:
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert {name for name, service in SERVICES.items() if "outside" in service["networks"]} == {
        "worker",
        "beat",
        *(name for name, service in SERVICES.items() if "ports" in service),
    }


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_logs_of_containers_are_bounded_and_out_of_their_reach(name: str) -> None:
    assert SERVICES[name]["logging"]["options"] == {"max-size": "10m", "max-file": "5"}
    assert name not in OURS or SERVICES[name]["read_only"] is True
    kept = {
        "postgres": ["postgres:/var/lib/postgresql"],
        "web": ["events:/run/events"],
        "events": ["events:/run/events"],
        "listener": ["./secrets/listener:/run/certificates:ro"],
    }
    assert SERVICES[name].get("volumes", []) == kept.get(name, [])


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_logs_of_containers_can_go_to_another_machine_by_tls(name: str) -> None:
    elsewhere = yaml.safe_load((BASE_DIR / "docker-compose.logs.yml").read_text())["services"]
    assert elsewhere.keys() == SERVICES.keys()
    (key,) = elsewhere[name]
    assert key == "logging"
    assert elsewhere[name]["logging"]["driver"] == "syslog"
    options = elsewhere[name]["logging"]["options"]
    assert options["syslog-address"].startswith("tcp+tls://${LOG_SERVER:?")
    assert "syslog-tls-skip-verify" not in options  # its mere presence accepts any certificate


def test_secrets_are_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    assert {"secret_key", "data_key", "email_url"} <= set(installer.make_secrets(folder))
    first = {path.name: path.read_text() for path in folder.iterdir()}
    assert first["inbound_secret"] == "\n"
    assert installer.make_secrets(folder) == []
    assert {path.name: path.read_text() for path in folder.iterdir()} == first
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o644}
    (folder / "broker_url").write_text("redis://atlantis:new@valkey:6379/0\n")
    installer.make_secrets(folder)
    assert hashlib.sha256(b"new").hexdigest() in (folder / "broker_users").read_text()


def test_a_new_service_has_random_keys_that_differ(tmp_path: Path) -> None:
    installer.make_secrets(tmp_path / "secrets")
    keys = [
        (tmp_path / "secrets" / f"{name}_key").read_text().strip() for name in ("secret", "data")
    ]
    assert keys[0] != keys[1]
    assert [weak_key(key) for key in keys] == [None, None]


def test_postgresql_creates_both_roles_and_keeps_its_data_where_version_18_looks() -> None:
    service, roles = SERVICES["postgres"], COMPOSE["configs"]["roles"]["content"]
    assert service["image"].startswith(f"postgres:{postgres.MAJOR}.")
    assert service["volumes"] == ["postgres:/var/lib/postgresql"]
    assert service["configs"] == [
        {"source": "roles", "target": "/docker-entrypoint-initdb.d/roles.sql"}
    ]
    for role in (postgres.OWNER, postgres.APP):
        assert f"CREATE ROLE {role} LOGIN" in roles
    assert f"CREATE DATABASE {postgres.DATABASE} OWNER {postgres.OWNER}" in roles


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"migrate", "web"}))
def test_every_lasting_service_has_a_health_check(name: str) -> None:
    words = SERVICES[name]["healthcheck"]["test"]
    assert words[0] == "CMD"
    if name in OURS:
        assert_exists(words[1:])
        assert words[-1] in PARTS


@pytest.mark.parametrize("name", OURS)
def test_containers_wait_for_services_that_exist_and_are_well(name: str) -> None:
    for other, how in SERVICES[name]["depends_on"].items():
        condition = "service_completed_successfully" if other == "migrate" else "service_healthy"
        assert how == {"condition": condition}
        assert other in SERVICES


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_ports_are_open_to_this_machine_alone(name: str) -> None:
    for port in SERVICES[name].get("ports", ()):
        assert port.startswith("127.0.0.1:")


def test_the_image_is_built_in_stages_and_runs_as_nobody_special() -> None:
    assert len(STAGES) == 2
    assert instructions(STAGES[1], "USER") == ["atlantis"]
    assert re.search(r"useradd .*--uid 10001 .*atlantis", STAGES[1])
    assert "pip" not in STAGES[1]


def test_the_image_has_a_python_that_the_project_supports() -> None:
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11,<3.14"
    assert set(re.findall(r"^FROM python:(3\.\d+)-slim", DOCKERFILE, re.MULTILINE)) == {"3.13"}


def images_of_others() -> set[str]:
    """Every image that Dockerfile and docker-compose.yml fetch."""
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    return {*bases, *(SERVICES[name]["image"] for name in set(SERVICES) - set(OURS))}


def test_every_image_is_pinned_audited_and_in_the_inventory() -> None:
    inventory = (BASE_DIR / "docs" / "security.md").read_text()
    makefile = (BASE_DIR / "Makefile").read_text()
    pattern = re.search(r"grep -hoE '([^']+)' Dockerfile docker-compose.yml", makefile)
    assert pattern
    assert len(images_of_others()) == 3
    for image in images_of_others():
        assert re.fullmatch(pattern[1], image), f"{image} has no digest, or no weekly audit"
        assert f"`{image.split('@')[0]}`" in inventory


def test_the_image_installs_from_the_hashed_lock() -> None:
    (pip,) = [line for line in instructions(STAGES[0], "RUN") if "pip install" in line]
    assert "--require-hashes" in pip
    assert pip.endswith("-r /app/requirements.lock")


def test_what_the_image_copies_exists_and_is_not_ignored() -> None:
    sources = [
        source
        for line in instructions(STAGES[0], "COPY")
        for source in shlex.split(line)[:-1]
        if not source.startswith("--")
    ]
    kept = (BASE_DIR / ".dockerignore").read_text().splitlines()
    assert "games" in sources
    for source in sources:
        assert (BASE_DIR / source).exists(), f"there is no {source}"
        assert f"!{source}" in kept, f".dockerignore hides {source}"
    (engine,) = engines.all()
    for folder in engine.dirs:
        assert Path(folder).name in sources, f"the image lacks {folder}"


def test_the_image_lacks_what_only_a_checkout_needs() -> None:
    lines = (BASE_DIR / ".dockerignore").read_text().splitlines()
    shown = {line[1:] for line in lines if line.startswith("!")}
    assert lines[0] == "*"
    assert shown == {"requirements.lock", "manage.py", "atlantis_site", "games", "templates"}
    assert {
        f"atlantis_site/{name}"
        for name in (
            "supervisor",
            "environment.py",
            "installer.py",
            "preflight.py",
        )
    } <= set(lines)


def test_nothing_in_the_image_imports_what_it_lacks() -> None:
    sources = [
        path
        for folder in ("atlantis_site", "games")
        for path in (BASE_DIR / folder).rglob("*.py")
        if "supervisor" not in path.parts
        and path.name not in ("environment.py", "installer.py", "preflight.py")
    ]
    assert len(sources) > 100
    for path in sources:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert not re.search(
                    r"\b(supervisor|environment|installer|preflight|tests)\b",
                    ast.unparse(node),
                ), path


def test_the_commands_of_the_image_exist() -> None:
    (command,) = instructions(STAGES[1], "CMD")
    (check,) = instructions(STAGES[1], "HEALTHCHECK")
    assert yaml.safe_load(command) == list(COMMANDS["web"])
    assert_exists(yaml.safe_load(check.partition("CMD ")[2]))
    (collect,) = [line for line in instructions(STAGES[0], "RUN") if "manage.py" in line]
    assert collect.endswith(" ".join(COLLECT))
    for name in re.findall(r"([A-Z_]+)=", collect):
        assert name in variables_read()


# -- systemd -------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", COMMANDS)
def test_the_units_of_systemd_run_the_same_commands(part: str) -> None:
    unit = (BASE_DIR / "docs" / "systemd" / f"atlantis-{part}.service").read_text()
    found = re.search(r"^ExecStart=/srv/atlantis/\.venv/bin/(.*)$", unit, re.MULTILINE)
    assert found is not None
    assert tuple(shlex.split(found[1].replace("%%", "%"))) == COMMANDS[part]
