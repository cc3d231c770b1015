"""A command under a reaper leaves no process behind, however it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from atlantis_site.supervisor.children import Child
from tests.support.process_tree import all_gone, descendants_of
from tests.support.processes import kill, pid_of, wait_for

pytestmark = pytest.mark.processes

# A daemon of the old school: forks twice, into a session of its own; nobody knows its parents.
ESCAPES = "(setsid sh -c 'echo $$ >> {pids}; exec sleep 600' &) ; echo $$ >> {pids}; exec sleep 600"


PARENT = """
import sys, time
from pathlib import Path
from atlantis_site.supervisor.children import Child
folder, words = Path(sys.argv[1]), sys.argv[2]
Child("shell", ["sh", "-c", words], log=folder / "log").start()
time.sleep(600)
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Child]]:
    """start("shell words", …): a shell under a reaper."""
    children: list[Child] = []

    def begin(words: str, **options: object) -> Child:
        command = ["sh", "-c", words]
        child = Child("shell", command, log=tmp_path / "log", **options)  # type: ignore[arg-type]
        children.append(child)
        child.start()
        return child

    yield begin
    for child in children:
        child.stop()


def pids_in(file: Path) -> list[int]:
    return [int(word) for word in file.read_text().split()] if file.exists() else []


def test_stopping_a_command_ends_the_daemon_it_forked(
    start: Callable[..., Child], tmp_path: Path
) -> None:
    file = tmp_path / "pids"
    child = start(ESCAPES.format(pids=file))
    wait_for(lambda: len(pids_in(file)) == 2, "the daemon's start")
    child.stop()
    assert all_gone(pids_in(file))


def test_killing_a_command_ends_the_daemon_it_forked(
    start: Callable[..., Child], tmp_path: Path
) -> None:
    file = tmp_path / "pids"
    child = start(ESCAPES.format(pids=file))
    wait_for(lambda: len(pids_in(file)) == 2, "the daemon's start")
    kill(child)
    assert (all_gone(pids_in(file)), child.status) == (True, 128 + signal.SIGKILL)


def test_kill_9_of_the_parent_ends_everything(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            PARENT,
            str(tmp_path),
            ESCAPES.format(pids=file),
        ]
    )
    wait_for(lambda: len(pids_in(file)) == 2, "the daemon's start")
    family = descendants_of(parent.pid)
    parent.kill()
    parent.wait()
    assert (
        len(family) == 3
    )  # the reaper, the shell, and the daemon, which became a child of the reaper
    wait_for(lambda: all_gone(family), "the end of all three")


def test_kill_9_of_the_reaper_ends_its_command(start: Callable[..., Child]) -> None:
    child = start("exec sleep 600")
    wait_for(lambda: descendants_of(child.reaper_pid), "the command's start")
    pid = pid_of(child)
    os.kill(child.reaper_pid, signal.SIGKILL)
    wait_for(lambda: all_gone([pid]), "the command's end")


def test_a_command_that_will_not_end_is_killed_after_its_grace(
    start: Callable[..., Child], tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    child = start(f"trap '' TERM; touch {ready}; while :; do sleep 0.1; done", grace=0.3)
    wait_for(ready.exists, "the trap")
    child.stop()
    assert child.status == 128 + signal.SIGKILL


def test_a_command_gets_the_signal_it_understands(
    start: Callable[..., Child], tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    words = f"trap 'exit 7' INT; touch {ready}; while :; do sleep 0.05; done"
    child = start(words, stop_signal=signal.SIGINT)
    wait_for(ready.exists, "the trap")
    child.stop()
    assert child.status == 7


def test_the_exit_status_is_the_commands(start: Callable[..., Child]) -> None:
    assert start("exit 3").wait() == 3


def test_a_missing_program_is_named_in_the_log(tmp_path: Path) -> None:
    child = Child("nothing", [tmp_path / "no-such-program"], log=tmp_path / "log")
    child.start()
    assert (child.wait(), "no-such-program" in child.last_output()) == (127, True)


def test_the_folder_goes_with_the_command(start: Callable[..., Child], tmp_path: Path) -> None:
    folder = tmp_path / "fleeting"
    folder.mkdir()
    start("exit 0", remove=folder).wait()
    assert not folder.exists()


def test_another_account_keeps_access_to_a_private_folder_of_root(
    start: Callable[..., Child], tmp_path: Path
) -> None:
    """initdb asks access(2), which ignores capabilities of accounts other than root by default."""
    program = tmp_path / "private" / "program"
    program.parent.mkdir(mode=0o700)
    program.touch(mode=0o700)
    ask = (
        f"{sys.executable} -I -c 'import os, sys; sys.exit(not os.access(\"{program}\", os.X_OK))'"
    )
    if os.geteuid() == 0:
        child = start(ask, account=(65534, 65534), dac_override=True)
    else:
        child = start(ask)  # the account stays the same, and the folder is its own
    assert child.wait(20) == 0
