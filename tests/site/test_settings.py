"""Settings: what they ask of the environment, and what every answer of the site carries."""

import json
import os
import secrets
import ssl
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.test import Client
from kombu import Connection

from atlantis_site import healthcheck, web
from atlantis_site.startup_checks import reasons_not_to_start
from atlantis_site.supervisor.stack import BASE_DIR
from atlantis_site.variables import Env
from tests.support.warm_processes import run_python

REAL = {  # a site on the net behind a proxy
    "SECRET_KEY": secrets.token_urlsafe(60),
    "DATABASE_URL": "postgresql://atlantis_app:pass%40word@db.example.org:5433/atlantis",
    "BROKER_URL": "redis://broker.example.org:6379/0",
    "SITE_URL": "https://games.example.org",
    "EMAIL_URL": "smtp+tls://user:secret@mail.example.org",
    "TRUST_PROXY": "1",
}


def manage(*words: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """manage.py with these variables and no others of ours."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return run_python("manage.py", *words, env=kept | env)


def settings_with(*names: str, **env: str) -> dict[str, Any]:
    """These settings as a process with these variables has them."""
    code = f"from django.conf import settings as s; import json; print(json.dumps({{n: getattr(s, n) for n in {names}}}))"
    done = manage("shell", "--no-imports", "-c", code, **env)
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_key_alone_hides_the_settings_of_the_service_that_runs_here() -> None:
    said = manage("check", SECRET_KEY=REAL["SECRET_KEY"]).stderr.decode()
    assert "so var/play.env is not read: set DATABASE_URL and BROKER_URL as well" in said


def test_django_finds_nothing_to_warn_of_in_a_real_site() -> None:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    deprecations = ("-W", "error::DeprecationWarning:games")
    done = subprocess.run(
        [
            sys.executable,
            *deprecations,
            "manage.py",
            "check",
            "--deploy",
            "--fail-level",
            "WARNING",
        ],
        cwd=BASE_DIR,
        env=kept | REAL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_no_migration_is_missing() -> None:
    done = manage(
        "makemigrations", "--check", "--dry-run", **REAL | {"DATABASE_URL": "postgres:///none"}
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("env", "word"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY is empty"),
        ({"LOCAL_MODE": "1"}, "LOCAL_MODE=0"),
        ({"DEBUG": "1"}, "DEBUG=0"),
        ({"SITE_CHECK_URL": "web:8000"}, "SITE_CHECK_URL must begin with"),
        ({"TRUST_PROXY": "maybe"}, "TRUST_PROXY is 'maybe': it must be 1 or 0."),
        ({"TIME_ZONE": "Europe/Berln"}, "TIME_ZONE is 'Europe/Berln'"),
        ({"BOT_PLAYOUTS": "nogame=5"}, "BOT_PLAYOUTS names an unknown game: nogame"),
        ({"PUSH_HOSTS": "https://x"}, "PUSH_HOSTS"),
    ],
)
def test_a_dangerous_setting_prevents_a_start(env: dict[str, str], word: str) -> None:
    done = manage("check", **REAL | env)
    assert done.returncode != 0
    assert word in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


@pytest.mark.parametrize(
    ("read", "wrong", "word"),
    [
        (lambda env: env.switch("SETTING"), "maybe", "1 or 0"),
        (lambda env: env.whole_number("SETTING", default=3), "many", "whole number"),
        (lambda env: env.whole_number("SETTING", default=3), "-1", "at least 0"),
        (lambda env: env.whole_number("SETTING", default=3, at_least=1), "0", "at least 1"),
        (lambda env: env.seconds("SETTING", default=1.5), "soon", "greater than 0"),
        (lambda env: env.seconds("SETTING", default=1.5), "0", "greater than 0"),
        (lambda env: env.seconds("SETTING", default=1.5), "nan", "greater than 0"),
        (lambda env: env.choice("SETTING", ["en", "de"], default="en"), "xx", "en, de"),
        (lambda env: env.networks("SETTING", default=["::1"]), "home", "127.0.0.0/8"),
        (lambda env: env.pairs("SETTING"), "word", "name=x"),
        (lambda env: env.numbers("SETTING"), "name=many", "name=5,other=7"),
        (lambda env: env.numbers("SETTING"), "name=-1", "name must be at least 0"),
        (lambda env: env.numbers("SETTING", at_least=1), "name=0", "name must be at least 1"),
        (lambda env: env.host("SETTING"), "https://games.example.org", "games.example.org"),
        (lambda env: env.host("SETTING"), "games@example.org", "games.example.org"),
        (lambda env: env.host("SETTING"), "games.example.org:25", "games.example.org"),
        (lambda env: env.host("SETTING"), "games..example.org", "games.example.org"),
        (lambda env: env.hosts("SETTING"), "push.example.org,https://x", "push.example.org"),
        (lambda env: env.hosts("SETTING"), "*.example.org", ".example.org"),
        (lambda env: env.hosts("SETTING"), "push.example.org other.example.org", "comma"),
        (lambda env: env.http_url("SETTING"), "monitor.example.org", "https://"),
        (lambda env: env.http_url("SETTING"), "https://", "a host"),
        (lambda env: env.http_url("SETTING"), "https://monitor.example.org:port/x", "a host"),
    ],
)
def test_a_wrong_value_is_refused_with_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[Env], Any], wrong: str, word: str
) -> None:
    monkeypatch.setenv("SETTING", wrong)
    with pytest.raises(ImproperlyConfigured, match=f"SETTING.*{word}"):
        read(Env())
    monkeypatch.setenv("SETTING", "")
    unset = read(Env())
    monkeypatch.delenv("SETTING")
    assert read(Env()) == unset


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"database_url": "db.example.org"}, "DATABASE_URL must look"),
        ({"database_url": "mysql://db.example.org/atlantis"}, "DATABASE_URL must look"),
        ({"broker_url": "broker:6379"}, "BROKER_URL must look"),
        ({"hosts": ["https://games.example.org"]}, "ALLOWED_HOSTS names hosts alone"),
        ({"hosts": ["games.example.org:8000"]}, "ALLOWED_HOSTS names hosts alone"),
        ({"hosts": ["::1"]}, "ALLOWED_HOSTS names hosts alone"),
        ({"database_url": "postgresql://db.example.org:port/atlantis"}, "DATABASE_URL must look"),
        ({"broker_url": "redis://broker.example.org:port/0"}, "BROKER_URL must look"),
    ],
)
def test_an_address_of_the_wrong_form_prevents_a_start(changed: dict[str, Any], word: str) -> None:
    (reason,) = reasons(**changed)
    assert reason.startswith(word)


@pytest.mark.parametrize(
    "changed",
    [
        {"hosts": ["[::1]", ".example.org", "*"]},
        {"broker_url": "sentinel://one.example.org:26379;sentinel://two.example.org:26379"},
        {"broker_url": "redis+socket:///run/valkey.sock?virtual_host=0"},
        {"database_url": "postgresql://atlantis_app@%2Frun%2Fpg/atlantis"},
    ],
)
def test_an_address_of_another_right_form_does_not(changed: dict[str, Any]) -> None:
    assert reasons(**changed) == []


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("Push.Example.org, .example.net", ["push.example.org", ".example.net"]),
        ("localhost", ["localhost"]),
        ("10.0.0.5", ["10.0.0.5"]),
    ],
)
def test_names_of_hosts_are_read(
    monkeypatch: pytest.MonkeyPatch, text: str, hosts: list[str]
) -> None:
    monkeypatch.setenv("SETTING", text)
    assert Env().hosts("SETTING") == hosts


@pytest.mark.parametrize(
    ("variable", "wrong"),
    [
        ("BIND", "8000"),
        ("BIND", "127.0.0.1:http"),
        ("WEB_CONCURRENCY", "0"),
        ("WEB_CONCURRENCY", "two"),
        ("WEB_METRICS_BIND", "9101"),
    ],
)
def test_the_web_server_names_a_wrong_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str, wrong: str
) -> None:
    monkeypatch.setenv(variable, wrong)
    with pytest.raises(SystemExit, match=variable):
        web.worker_count()
        web.metrics_address()
        web.open_listener(os.environ.get("BIND", "127.0.0.1:0")).close()


@pytest.mark.parametrize(
    ("variable", "env"),
    [
        ("EVENTS_SOCKET", {}),
        ("EVENTS_DATABASE_URL", {"EVENTS_SOCKET": "/run/events", "PGBOUNCER": "1"}),
        ("TRUST_PROXY", {"EVENTS_SOCKET": "/run/events", "TRUST_PROXY": "maybe"}),
    ],
)
def test_the_event_process_names_a_wrong_variable(variable: str, env: dict[str, str]) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = run_python("-m", "atlantis_site.events", env=kept | REAL | env)
    said = done.stderr.decode()
    assert done.returncode == 1
    assert said.startswith(f"The event process is not configured correctly. {variable}"), said


@pytest.mark.parametrize(
    ("words", "env", "said"),
    [
        ([], {}, "Name one part: web, events"),
        (["webs"], {}, "Name one part: web, events"),
        (["web"], {"BIND": "127.0.0.1:http"}, "/healthz: "),
        (["events"], {}, "EVENTS_SOCKET=: "),
        (["listener"], {"MAIL_LISTEN": "127.0.0.1:smtp"}, "port smtp: "),
    ],
)
def test_a_health_check_with_a_wrong_word_or_variable_says_so(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    env: dict[str, str],
    said: str,
) -> None:
    monkeypatch.delenv("EVENTS_SOCKET", raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert healthcheck.main(words) == 1
    assert capsys.readouterr().out.startswith(said)


@pytest.mark.parametrize(
    ("url", "is_right"),
    [
        ("", True),
        ("http://web:8000", True),
        ("https://games.example.org", True),
        ("http://[::1]:8000", True),
        ("http://web:8000/", True),
        ("http://web:8000/healthz", False),
        ("http://user@web:8000", False),
        ("http://web:eight", False),
        ("http://:8000", False),
        ("file:///etc/passwd", False),
    ],
)
def test_the_address_of_the_web_server_is_nothing_else(
    monkeypatch: pytest.MonkeyPatch, url: str, is_right: bool
) -> None:
    monkeypatch.setenv("SITE_CHECK_URL", url)
    with nullcontext() if is_right else pytest.raises(ImproperlyConfigured, match="SITE_CHECK_URL"):
        assert Env().http_server("SITE_CHECK_URL") == url.removesuffix("/")


def reasons(**changed: Any) -> list[str]:
    usual: dict[str, Any] = {
        "secret_key": secrets.token_hex(32),
        "database_url": REAL["DATABASE_URL"],
        "broker_url": REAL["BROKER_URL"],
        "email_url": REAL["EMAIL_URL"],
        "site_url": "https://games.example.org",
        "hosts": ["games.example.org"],
        "local_mode": False,
        "debug": False,
    }
    return reasons_not_to_start(**usual | changed)


@pytest.mark.parametrize("url", ["", "folder:///var/mail"])
def test_a_site_for_others_needs_a_mail_server(url: str) -> None:
    (reason,) = reasons(email_url=url)
    assert "EMAIL_URL names no mail server" in reason


@pytest.mark.parametrize(
    "key",
    [
        secrets.token_hex(32),
        secrets.token_hex(16),
        secrets.token_urlsafe(32),
    ],
    ids=["openssl", "short", "urlsafe"],
)
def test_a_random_key_is_good(key: str) -> None:
    assert reasons(secret_key=key) == []


@pytest.mark.parametrize(
    "key",
    [
        "",
        "unused",
        "x" * 64,
        "abcdefgh" * 8,
        "ChangeMe" + secrets.token_hex(32),
        secrets.token_hex(8),
    ],
    ids=["empty", "unused", "one letter", "pattern", "placeholder", "short"],
)
def test_a_weak_key_is_refused(key: str) -> None:
    (reason,) = reasons(secret_key=key)
    assert reason.startswith("SECRET_KEY ")
    assert not key or key not in reason


@pytest.mark.parametrize("name", ["SECRET_KEY_FALLBACKS", "DATA_KEY"])
def test_a_weak_other_key_is_refused(name: str) -> None:
    weak: dict[str, Any] = {"data_key": "x" * 64, "fallbacks": []}
    if name == "SECRET_KEY_FALLBACKS":
        weak = {"data_key": secrets.token_hex(32), "fallbacks": [secrets.token_hex(32), ""]}
    (reason,) = reasons(**weak)
    assert reason.startswith(f"{name} ")


def test_former_keys_need_a_key_for_what_is_stored() -> None:
    (reason,) = reasons(fallbacks=[secrets.token_hex(32)])
    assert "needs DATA_KEY" in reason
    assert reasons(fallbacks=[secrets.token_hex(32)], data_key=secrets.token_hex(32)) == []


def test_secrets_are_read_from_files(tmp_path: Path) -> None:
    env = {name: value for name, value in REAL.items() if name not in ("SECRET_KEY", "BROKER_URL")}
    contents = {
        "SECRET_KEY": f"{REAL['SECRET_KEY']}\n",
        "SECRET_KEY_FALLBACKS": f"{secrets.token_hex(32)},{secrets.token_hex(32)}\r\n",
        "DATA_KEY": secrets.token_hex(32),
        "DATABASE_PASSWORD": "wörd/@:\n",
        "BROKER_URL": "rediss://atlantis:word@broker.example.org:6379/0?ssl_cert_reqs=required\n",
        "DKIM_PRIVATE_KEY": "\n",
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
        env[f"{name}_FILE"] = str(tmp_path / name)
    names = ("SECRET_KEY", "SECRET_KEY_FALLBACKS", "DATA_KEY", "DATABASES", "CELERY_BROKER_URL")
    found = settings_with(*names, "DKIM_PRIVATE_KEY", **env)
    assert found["SECRET_KEY"] == REAL["SECRET_KEY"]
    assert found["SECRET_KEY_FALLBACKS"] == contents["SECRET_KEY_FALLBACKS"].strip().split(",")
    assert found["DATA_KEY"] == contents["DATA_KEY"]
    database = found["DATABASES"]["default"]
    assert (database["USER"], database["PASSWORD"]) == ("atlantis_app", "wörd/@:")
    assert found["CELERY_BROKER_URL"] == contents["BROKER_URL"].strip()
    assert found["DKIM_PRIVATE_KEY"] == ""


def test_tls_to_the_broker_needs_its_certificate_checked() -> None:
    (reason,) = reasons(broker_url="rediss://atlantis:word@broker.example.org:6379/0")
    assert "ssl_cert_reqs=required" in reason
    assert "word" not in reason
    url = "rediss://broker.example.org:6379/0?ssl_cert_reqs=required"
    assert reasons(broker_url=url) == []
    assert Connection(url).ssl == {"ssl_cert_reqs": ssl.CERT_REQUIRED}


def test_tls_to_postgresql_is_asked_for_in_its_url() -> None:
    url = f"{REAL['DATABASE_URL']}?sslmode=verify-full&sslrootcert=/etc/ssl/ours.pem"
    options = settings_with("DATABASES", **REAL | {"DATABASE_URL": url})["DATABASES"]["default"]
    assert options["OPTIONS"]["sslmode"] == "verify-full"
    assert options["OPTIONS"]["sslrootcert"] == "/etc/ssl/ours.pem"


def test_behind_pgbouncer_nothing_is_kept_in_a_session() -> None:
    database = settings_with("DATABASES", **REAL | {"PGBOUNCER": "1"})["DATABASES"]["default"]
    assert database["DISABLE_SERVER_SIDE_CURSORS"] is True
    assert database["OPTIONS"]["prepare_threshold"] is None
    database = settings_with("DATABASES", **REAL)["DATABASES"]["default"]
    assert database["OPTIONS"]["prepare_threshold"] is not None


def test_several_numbers_are_separated_by_commas_as_documented() -> None:
    env = {
        "QUOTAS": "invitations_person_day=50,tables_person_day=10",
        "BOT_PLAYOUTS": "atlantis=500,escape=700",
    }
    assert settings_with("QUOTAS", "BOT_PLAYOUTS", **REAL | env) == {
        "QUOTAS": {"invitations_person_day": 50, "tables_person_day": 10},
        "BOT_PLAYOUTS": {"atlantis": 500, "escape": 700},
    }
    assert settings_with("QUOTAS", **REAL | {"QUOTAS": ""}) == {"QUOTAS": {}}
    done = manage("check", **REAL | {"QUOTAS": "invitations_person_day"})
    assert done.returncode != 0
    assert "QUOTAS must look like this" in done.stderr.decode()


def test_a_file_that_cannot_be_read_prevents_a_start(tmp_path: Path) -> None:
    done = manage("check", **REAL | {"EMAIL_URL_FILE": str(tmp_path / "absent")})
    assert done.returncode != 0
    assert "EMAIL_URL_FILE cannot be read" in done.stderr.decode()


def test_commands_that_connect_to_no_server_need_no_key() -> None:
    assert reasons(secret_key="unused", database_url="postgresql:///unused") == []


@pytest.mark.parametrize("setting", ["local_mode", "debug"])
@pytest.mark.parametrize(
    ("site_url", "hosts", "allowed"),
    [
        ("http://127.0.0.1:8000", ["127.0.0.1", "localhost"], True),
        ("http://[::1]:8000", ["[::1]"], True),
        ("http://192.168.1.5:8000", ["192.168.1.5"], True),
        ("http://games.localhost", ["games.localhost"], True),
        ("http://raspberry.local", ["raspberry.local"], True),
        ("http://games.example.org", ["games.example.org"], False),
        ("http://8.8.8.8:8000", ["8.8.8.8"], False),
        ("http://localhost:8000", ["localhost", "games.example.org"], False),
        ("http://localhost:8000", ["*"], False),
        ("http://localhost:8000", [".example.org"], False),
    ],
)
def test_settings_for_ones_own_machine_are_refused_where_others_can_reach_it(
    setting: str, site_url: str, hosts: list[str], allowed: bool
) -> None:
    found = reasons(site_url=site_url, hosts=hosts, **{setting: True})
    assert (found == []) is allowed


def test_local_mode_is_refused_behind_https_even_at_home() -> None:
    assert reasons(site_url="https://localhost", hosts=["localhost"], local_mode=True)
    assert not reasons(site_url="https://localhost", hosts=["localhost"], debug=True)


def test_https_makes_cookies_secure_and_browsers_insist() -> None:
    found = settings_with(
        "SESSION_COOKIE_SECURE",
        "CSRF_COOKIE_SECURE",
        "SECURE_SSL_REDIRECT",
        "SECURE_HSTS_SECONDS",
        **REAL,
    )
    assert found.pop("SECURE_HSTS_SECONDS") >= 30 * 24 * 3600
    assert all(found.values())


def test_behind_https_no_other_host_of_the_domain_can_set_the_cookies() -> None:
    names = settings_with("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", **REAL)
    assert names == {
        "SESSION_COOKIE_NAME": "__Host-sessionid",
        "CSRF_COOKIE_NAME": "__Host-csrftoken",
    }


def test_a_password_in_the_database_url_may_hold_any_sign() -> None:
    database = settings_with("DATABASES", **REAL)["DATABASES"]["default"]
    assert (database["PASSWORD"], database["HOST"], database["PORT"]) == (
        "pass@word",
        "db.example.org",
        5433,
    )


def test_a_database_may_be_a_folder_with_a_socket() -> None:
    env = {**REAL, "DATABASE_URL": "postgresql://atlantis_app@%2Frun%2Fpg/atlantis"}
    assert settings_with("DATABASES", **env)["DATABASES"]["default"]["HOST"] == "/run/pg"


def test_two_sites_on_one_machine_keep_their_cookies_apart() -> None:
    names = {
        settings_with("SESSION_COOKIE_NAME", **{**REAL, "SITE_URL": f"http://127.0.0.1:{port}"})[
            "SESSION_COOKIE_NAME"
        ]
        for port in (8000, 8001)
    }
    assert len(names) == 2


def test_people_stay_signed_in_for_180_days(settings: Any) -> None:
    assert settings.SESSION_COOKIE_AGE == 180 * 24 * 3600


@pytest.mark.django_db
def test_the_tests_speak_to_a_real_postgresql_18() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        assert cursor.fetchone()[0] >= "180000"


@pytest.mark.django_db
def test_no_page_may_run_or_style_anything_inline(client: Client) -> None:
    policy = client.get("/accounts/login/")["Content-Security-Policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";") if part.strip())
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == directives["style-src"] == "'self'"
    assert "unsafe" not in policy


@pytest.mark.django_db
def test_every_page_asks_browsers_to_give_nothing_away(client: Client) -> None:
    answer = client.get("/accounts/login/")
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert "camera=()" in answer["Permissions-Policy"]


@pytest.mark.django_db
def test_the_admin_has_no_sign_in_of_its_own(client: Client) -> None:
    answer = client.get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0].startswith("/accounts/login/")
