"""`make play` as a person at a terminal meets it: it starts, goes on, ends, and says why not."""

import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import cast

import pytest

from atlantis_site.preflight import StartError, make_folder
from atlantis_site.supervisor import paths, postgres
from atlantis_site.supervisor.children import Child, ChildFailed
from atlantis_site.supervisor.play import Play, start_patiently
from atlantis_site.supervisor.postgres import Postgres
from atlantis_site.supervisor.reaper import children_of
from atlantis_site.supervisor.stack import BASE_DIR, ServiceStack
from tests.support.process_tree import all_gone, descendants_of, is_alive
from tests.support.processes import PATIENCE, as_nobody, wait_for

pytestmark = pytest.mark.processes


class Player:
    """A running `make play` (its Python part) over a folder; everything it printed in `words`.

    libraries: the files that the supervisor itself had loaded when it was asked, see `look`.
    """

    libraries = ""

    def __init__(self, folder: Path, **env: str) -> None:
        # Not the variables of the test run: those of somebody who has just checked out.
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.output = Path(tempfile.mkdtemp(prefix="atlantis-words-")) / "words"
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "atlantis_site.supervisor"],
                cwd=BASE_DIR,
                env={**kept, "VAR_DIR": str(folder), **env},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def words(self) -> str:
        return self.output.read_text()

    @property
    def url(self) -> str:
        found = re.search(r"Open +(http://127\.0\.0\.1:\d+)/", self.words)
        assert found, self.words
        return found[1]

    def until_ready(self) -> "Player":
        wait_for(lambda: "Ready after" in self.words or self.process.poll() is not None, "a start")
        assert "Stop       Ctrl-C" in self.words, self.words
        return self

    def look(self) -> None:
        self.libraries = Path(f"/proc/{self.process.pid}/maps").read_text()

    def family(self) -> list[int]:
        return descendants_of(self.process.pid)

    def end(self, number: signal.Signals) -> int:
        """Send the signal and wait; the exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@pytest.fixture
def play(request: pytest.FixtureRequest) -> Iterator[Callable[..., Player]]:
    with ExitStack() as after:

        def start(folder: Path, **env: str) -> Player:
            player = Player(folder, **env)
            after.callback(shutil.rmtree, player.output.parent)
            after.callback(player.process.wait, PATIENCE)
            after.callback(player.process.terminate)
            return player

        yield start


@pytest.fixture(scope="module")
def played_once() -> Iterator[tuple[Path, Player]]:
    """A folder after a first start, which found the leavings of one that was killed, its first
    email and its end."""
    with tempfile.TemporaryDirectory(prefix="atlantis-play-") as name:
        folder = Path(name) / "var"
        leavings = folder / "postgres.new"
        leavings.mkdir(parents=True)
        (leavings / "PG_VERSION").write_text("18\n")
        player = Player(folder)
        try:
            player.until_ready()
            player.look()
            mails = folder / "mail"
            wait_for(lambda: list(mails.glob("*.eml")), "the email about the demo game")
            family = player.family()
            assert player.end(signal.SIGTERM) == 0
            assert all_gone(family)
            yield folder, player
        finally:
            player.process.kill()
            shutil.rmtree(player.output.parent)


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return str(answer.read().decode())


def test_the_first_start_says_where_it_is_how_to_sign_in_and_where_the_emails_are(
    played_once: tuple[Path, Player],
) -> None:
    folder, player = played_once
    words = player.words
    assert "PostgreSQL … " in words  # progress, step by step
    assert re.search(r"Open +http://127\.0\.0\.1:\d+/\n", words)
    assert re.search(r"Sign in +as \S+@\S+: ask for a code, it arrives by email\n", words)
    assert f"Emails     {player.url}/mailbox/   (files in {folder}/mail)" in words
    assert re.search(rf"Demo game  {player.url}/g/\w+/ ", words)
    assert re.search(rf"Moderate   {player.url}/admin/   after: .*make_admin", words)
    assert words.rstrip().endswith(f"Everything has stopped. The data stays in {folder}")


def test_the_supervisor_does_without_the_database_client(
    played_once: tuple[Path, Player],
) -> None:
    """psycopg and asyncio, which it imports, would add 10 MB for as long as the service runs."""
    libraries = played_once[1].libraries.splitlines()
    assert libraries
    assert not [file for file in libraries if "psycopg" in file]


def name_of(pid: int) -> str:
    """The name that the fork server gave a process; none for one that has just ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def test_two_run_side_by_side_what_dies_is_started_again_and_kill_9_leaves_no_process(
    played_once: tuple[Path, Player], play: Callable[..., Player], tmp_path: Path
) -> None:
    folder, first = played_once
    other = tmp_path / "other checkout" / "var"
    other.parent.mkdir()
    subprocess.run(["cp", "-a", folder, other], check=True)
    one, two = play(folder), play(other)
    one.until_ready()
    two.until_ready()
    table = re.search(r"/g/\w+/", first.words)
    assert table and table[0] in one.words and table[0] in two.words  # both start a second time
    assert one.url != two.url
    assert get(f"{one.url}/healthz") == get(f"{two.url}/healthz") == "ok\n"
    assert f"SITE_CHECK_URL={one.url}\n" in (folder / "play.env").read_text()
    assert get(f"{one.url}/healthz/pages") == "ok\n"  # what its workers ask for

    web = next(pid for pid in one.family() if name_of(pid) == "web")  # the reaper
    os.kill(min(children_of(web)), signal.SIGKILL)
    wait_for(lambda: "web ended unexpectedly" in one.words, "the notice")
    wait_for(lambda: _answers(f"{one.url}/healthz"), "the site's return")

    family = one.family()
    assert one.end(signal.SIGINT) == 0
    assert all_gone(family)
    family = two.family()
    assert len(family) > 10
    two.end(signal.SIGKILL)
    wait_for(lambda: all_gone(family), "the end of everything")


def _answers(url: str) -> bool:
    try:
        return get(url) == "ok\n"
    except OSError:
        return False


# -- reasons not to start ------------------------------------------------------------


def test_a_port_that_was_asked_for_and_is_in_use_is_named(
    play: Callable[..., Player], tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        player = play(tmp_path / "var", PORT=str(port))
        assert player.process.wait(PATIENCE) == 1
    assert f"Port {port} is in use by another program" in player.words
    assert "make play PORT=" in player.words
    assert "Traceback" not in player.words


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A fresh checkout, in which an environment could not even be built."""
    root = tmp_path / "checkout"
    (root / "atlantis_site").mkdir(parents=True)
    for name in ("Makefile", "atlantis_site/preflight.py"):
        shutil.copy(BASE_DIR / name, root / name)
    return root


def make_play(checkout: Path, *words: str, **env: str) -> str:
    done = subprocess.run(
        ["make", "play", f"PYTHON={sys.executable}", *words],
        cwd=checkout,
        env={"PATH": os.environ["PATH"], **env},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode != 0
    assert "environment.py" not in done.stdout + done.stderr  # it did not come to that
    return done.stdout


def test_a_port_in_use_is_named_before_an_environment_is_built(checkout: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"Port {port} is in use" in make_play(checkout, f"PORT={port}")


def test_a_folder_that_cannot_be_written_is_named_before_an_environment_is_built(
    checkout: Path,
) -> None:
    (checkout / "file").touch()
    folder = checkout / "file" / "var"
    assert f"{folder} cannot be written to" in make_play(checkout, VAR_DIR=str(folder))


def test_a_service_that_runs_already_is_named_before_an_environment_is_built(
    checkout: Path,
) -> None:
    (checkout / "var").mkdir()
    with (checkout / "var" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(f"{os.getpid()} http://127.0.0.1:8000")
        lock.flush()
        assert f"already runs from this folder (process {os.getpid()}" in make_play(checkout)


# -- processes that end ------------------------------------------------------------------------


class Parts:
    """Stands for a stack: two processes, of which one ends `failures` times before it stays."""

    def __init__(self, folder: Path, failures: int) -> None:
        (folder / "failures").write_text("x" * failures)
        script = 'if [ -s failures ]; then sed -i "s/x//" failures; exit 3; fi; exec sleep 600'
        self.children = {
            name: Child(name, command, log=folder / "log", folder=folder)
            for name, command in (("good", ["sleep", "600"]), ("bad", ["sh", "-c", script]))
        }
        self.parts = self.children

    def start(self, name: str) -> None:
        child = self.children[name]
        child.start()
        if name == "bad":
            wait_for(lambda: not child.running or stays(child), "the end of the script")
            if not child.running:
                raise ChildFailed("bad ended unexpectedly.")

    def stop(self) -> None:
        for child in self.children.values():
            child.stop()


def stays(child: Child) -> bool:
    """Return whether the script of "bad" has come to its end."""
    return "sleep" in map(name_of, children_of(child.reaper_pid))


@pytest.fixture
def parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[int], ServiceStack]]:
    monkeypatch.setattr("atlantis_site.supervisor.play.BACK_OFF", (0.0, 0.01, 0.02, 0.02, 0.02))
    with ExitStack() as after:

        def make(failures: int) -> ServiceStack:
            made = Parts(tmp_path, failures)
            after.callback(made.stop)
            return cast("ServiceStack", made)

        yield make


def test_a_server_that_dies_during_the_start_is_tried_again_with_growing_pauses(
    parts: Callable[[int], ServiceStack], capsys: pytest.CaptureFixture[str]
) -> None:
    stack = parts(3)
    start_patiently(stack, "bad")
    assert stack.children["bad"].running
    assert capsys.readouterr().out.count("Trying again in") == 3


def test_a_server_that_dies_again_and_again_is_given_up(
    parts: Callable[[int], ServiceStack],
) -> None:
    with pytest.raises(StartError, match="bad ended"):
        start_patiently(parts(9), "bad")


def test_a_process_that_ends_is_restarted_until_it_stays(
    parts: Callable[[int], ServiceStack], tmp_path: Path
) -> None:
    stack, play = parts(3), Play(tmp_path, None)
    stack.start("good")

    def runs() -> bool:
        play.restart_failed(stack)
        return stack.children["bad"].running

    wait_for(runs, "a start that stays")
    assert stack.children["good"].running


def test_a_process_that_ends_again_and_again_ends_the_service(
    parts: Callable[[int], ServiceStack], tmp_path: Path
) -> None:
    stack, play = parts(9), Play(tmp_path, None)
    stack.start("good")
    with pytest.raises(StartError, match="bad has ended 5 times within a minute"):
        while True:
            play.restart_failed(stack)


def test_a_port_must_be_a_number(play: Callable[..., Player], tmp_path: Path) -> None:
    player = play(tmp_path / "var", PORT="eight")
    assert player.process.wait(PATIENCE) == 1
    assert "PORT=eight is not a port" in player.words


def test_a_read_only_folder_is_named() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o555)
        with as_nobody(), pytest.raises(StartError, match="cannot be written to"):
            make_folder(Path(name) / "var")
        Path(name).chmod(0o755)


def test_a_file_where_the_folder_should_be_is_named(
    play: Callable[..., Player], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    player = play(tmp_path / "file" / "var")
    assert player.process.wait(PATIENCE) == 1
    assert f"{tmp_path}/file/var cannot be written to" in player.words


def test_a_second_supervisor_of_the_same_folder_steps_back(
    play: Callable[..., Player], tmp_path: Path
) -> None:
    folder = tmp_path / "var"
    folder.mkdir()
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(f"{os.getpid()} http://127.0.0.1:8000")
        lock.flush()
        player = play(folder)
        assert player.process.wait(PATIENCE) == 1
    assert f"already runs from this folder (process {os.getpid()}, http://127" in player.words


def test_a_start_waits_for_the_processes_of_a_killed_one(
    play: Callable[..., Player], tmp_path: Path
) -> None:
    folder = tmp_path / "var"
    folder.mkdir()
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("999999999 http://127.0.0.1:8000")  # no such process: it was killed
        lock.flush()
        player = play(folder)
        wait_for(lambda: "an earlier start is still ending" in player.words, "the notice")
        assert is_alive(player.process.pid)


@pytest.mark.parametrize("version", [None, "16"])
def test_a_folder_that_is_no_postgresql_18_is_left_alone(
    version: str | None, tmp_path: Path
) -> None:
    data = tmp_path / "postgres"
    data.mkdir(mode=0o700)
    if version:
        (data / "PG_VERSION").write_text(f"{version}\n")
    if os.geteuid() == 0:
        shutil.chown(data, "nobody")
    with tempfile.TemporaryDirectory() as sockets:
        server = Postgres(data, Path(sockets), tmp_path / "log")
        with pytest.raises(StartError, match="does not hold data of PostgreSQL 18"):
            server.start()


def test_a_statement_that_postgresql_does_not_answer_ends_the_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sockets = paths.socket_folder(Path(os.environ["TEST_FOLDER"]) / "run")
    server = Postgres(tmp_path / "postgres", sockets, tmp_path / "log")
    monkeypatch.setattr(postgres, "STATEMENT_SECONDS", 1.0)
    with server.connect("postgres", "postgres") as other, other.transaction():
        other.execute("COMMENT ON DATABASE atlantis IS 'not committed'")
        with pytest.raises(StartError, match="did not answer within 1 seconds"):
            server.set_database_comment("waits for the other transaction")


def test_a_checkout_deep_down_has_its_sockets_in_a_short_place(tmp_path: Path) -> None:
    deep = tmp_path / ("deep" * 30) / "run"
    folder = paths.socket_folder(deep)
    assert len(str(folder / paths.LONGEST_NAME)) <= 107
    assert folder == paths.socket_folder(deep)  # the same one at the next start
    assert folder != paths.socket_folder(deep.with_name("run2"))
    folder.rmdir()
    paths.socket_folder(deep.with_name("run2")).rmdir()
