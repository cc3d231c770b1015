"""The environment is created once from its lock, and created anew when it is incomplete."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from atlantis_site.supervisor.stack import BASE_DIR
from tests.support.lengths import LONG
from tests.support.processes import PATIENCE, wait_for

pytestmark = pytest.mark.processes


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that needs no packages at all."""
    root = tmp_path / "a checkout"
    (root / "atlantis_site").mkdir(parents=True)
    shutil.copy(BASE_DIR / "atlantis_site" / "environment.py", root / "atlantis_site")
    for name in ("local", "test"):
        (root / f"requirements-{name}.lock").write_text("# nothing\n")
    return root


@pytest.fixture
def python_env(tmp_path: Path) -> dict[str, str]:
    """Variables of a Python. In the short form it has no ensurepip, as on Debian, unless there is
    no other pip: ensurepip compiles pip, which takes five seconds of processor."""
    if LONG or find_spec("pip") is None:
        return {**os.environ}
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "ensurepip.py").write_text("raise SystemExit(1)\n")
    return {**os.environ, "PYTHONPATH": str(tmp_path / "without")}


def make(checkout: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "atlantis_site/environment.py", "local"],
        cwd=checkout,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def _ctrl_c() -> Iterator[None]:
    """Programs that run in the background ignore SIGINT, and so does what they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.long
@pytest.mark.usefixtures("_ctrl_c")
def test_an_environment_is_made_once_and_what_is_half_made_is_made_anew(
    checkout: Path, python_env: dict[str, str]
) -> None:
    assert "The environment is ready" in make(checkout, python_env).stdout
    found = subprocess.run(
        [checkout / ".venv/bin/python", "-c", "import sys; print(sys.path)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(checkout) in found.stdout  # its programs find the project
    assert make(checkout, python_env).stdout == ""

    (checkout / ".venv" / "made-from").unlink()  # as if killed before the end
    leaving = checkout / ".venv" / "leaving"
    leaving.touch()
    again = subprocess.Popen(
        [sys.executable, "atlantis_site/environment.py", "local"],
        cwd=checkout,
        env=python_env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    wait_for(lambda: not leaving.exists(), "the removal of what was half made")
    os.killpg(again.pid, signal.SIGINT)  # Ctrl-C
    words, _errors = again.communicate(timeout=PATIENCE)
    assert "Creating .venv" in words
    assert "The next start creates the environment anew." in words


def test_an_environment_for_tests_serves_for_play_but_not_the_other_way_round(
    checkout: Path,
) -> None:
    (checkout / ".venv").mkdir()
    stamp = checkout / ".venv" / "made-from"
    stamps = {
        kind: run_in(checkout, f"print(environment.stamp_of({kind!r}), end='')").stdout
        for kind in ("local", "test")
    }
    for made, wanted, serves in (("test", "local", True), ("local", "test", False)):
        stamp.write_text(stamps[made])
        code = f"environment.run = print; environment.pip = exit; environment.make({wanted!r})"
        assert (run_in(checkout, code).stdout == "") is serves


def run_in(checkout: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run code beside the environment.py of a checkout."""
    command = [sys.executable, "-c", f"import environment; {code}"]
    env = {**os.environ, "PYTHONPATH": str(checkout / "atlantis_site")}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("without", "words"),
    [
        ("ensurepip pip", "`apt-get install python3-venv` provides them."),
        ("python", "Python 3.11, 3.12 or 3.13 is required;"),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(
    checkout: Path, tmp_path: Path, without: str, words: str
) -> None:
    """By Debian without ensurepip, and by a Python that is too old."""
    script = checkout / "atlantis_site" / "environment.py"
    if without == "python":
        script.write_text(script.read_text().replace("(3, 11), (3, 13)", "(4, 0), (4, 1)"))
    (tmp_path / "without").mkdir()
    for module in without.split():
        (tmp_path / "without" / f"{module}.py").write_text("raise SystemExit(1)\n")
    done = make(checkout, {**os.environ, "PYTHONPATH": str(tmp_path / "without")})
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_the_locks_name_no_index_and_no_place_and_hash_everything() -> None:
    for lock in sorted(BASE_DIR.glob("requirements*.lock")):
        text = lock.read_text()
        assert "://" not in text, f"{lock.name} holds an address"
        assert "--index" not in text
        assert "file:" not in text
        packages = text.replace("\\\n", "").splitlines()
        assert all("--hash=sha256:" in line for line in packages if line and line[0] != "#")


def test_each_lock_holds_what_the_smaller_ones_hold() -> None:
    pins = [
        {
            line.split(" ")[0]
            for line in (BASE_DIR / name).read_text().splitlines()
            if "==" in line[:60]
        }
        for name in ("requirements.lock", "requirements-local.lock", "requirements-test.lock")
    ]
    assert pins[0] < pins[1] < pins[2]


def test_known_vulnerabilities_are_asked_for_each_week_and_at_each_change_of_a_lock() -> None:
    workflow = yaml.safe_load((BASE_DIR / ".github" / "workflows" / "audit.yml").read_text())
    when = workflow[True]  # YAML 1.1 reads "on" as a boolean
    assert [entry["cron"].split()[2:] for entry in when["schedule"]] == [["*", "*", "1"]]
    assert {"requirements*.lock", "Dockerfile", "docker-compose.yml"} <= {*when["push"]["paths"]}
    (job,) = workflow["jobs"].values()
    assert job["steps"][-2:] == [{"run": "make audit"}, {"run": "make audit-images"}]
