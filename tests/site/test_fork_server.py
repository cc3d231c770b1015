"""Programs that a fork server starts behave as if Python had started them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from atlantis_site.supervisor import fork_server, reaper
from atlantis_site.supervisor.children import ChildFailed
from atlantis_site.supervisor.fork_server import ForkedChild, ForkServer
from tests.support.process_tree import all_gone
from tests.support.processes import PATIENCE, wait_for
from tests.support.warm_processes import run_python

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not reaper.LINUX, reason="other systems start each program anew"),
]

SHOW = "import os, sys; print(os.environ['WHO'], os.getcwd(), *sys.argv[1:], 'json' in sys.modules)"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ForkServer]:
    made = ForkServer(["json"], folder=Path.cwd(), env=variables())
    yield made
    made.stop()


@pytest.fixture(scope="module")
def module_server() -> Iterator[ForkServer]:
    """For tests that leave it alive."""
    made = ForkServer(["json"], folder=Path.cwd(), env=variables())
    yield made
    made.stop()


def variables(**more: str) -> dict[str, str]:
    """Variables of a program; pytest changes one of ours with each step."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return {**kept, "WHO": "me", **more}


def child_of(server: ForkServer, folder: Path, code: str, *words: str, **env: str) -> ForkedChild:
    """A child that runs `code`, in a folder of its own."""
    program = folder / "program.py"
    program.write_text(code)
    return ForkedChild(
        server,
        "program",
        [sys.executable, str(program), *words],
        log=folder / "log",
        env=variables(**env),
        folder=folder,
    )


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_a_program_gets_its_words_variables_and_folder(server: ForkServer, tmp_path: Path) -> None:
    child = child_of(server, tmp_path, f"{SHOW}; sys.exit(3)", "one", "two")
    child.start()
    assert child.wait(PATIENCE) == 3
    assert child.log.read_text().split() == ["me", str(tmp_path), "one", "two", "True"]


def test_a_program_that_is_stopped_as_it_starts_ends_by_the_signal(
    module_server: ForkServer, tmp_path: Path
) -> None:
    child = child_of(module_server, tmp_path, "import time; time.sleep(600)")
    for _time in range(3):
        child.start()
        child.stop()
        assert child.status == 128 + signal.SIGTERM  # and not killed after a time of grace


def test_programs_with_other_variables_are_started_anew(server: ForkServer, tmp_path: Path) -> None:
    child = child_of(server, tmp_path, SHOW, WHO="you")
    child.start()
    assert child.wait(PATIENCE) == 0
    assert child.log.read_text().split()[0] == "you"
    assert "False" in child.log.read_text()


def test_a_killed_fork_server_takes_its_programs_along_and_the_next_start_has_another(
    server: ForkServer, tmp_path: Path
) -> None:
    child = child_of(server, tmp_path, "import time; print('up', flush=True); time.sleep(600)")
    child.start()
    wait_for(lambda: "up" in child.log.read_text(), "the start")
    first = parent_of(child.reaper_pid)
    pids = [child.reaper_pid, *reaper.children_of(child.reaper_pid)]
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: all_gone(pids), "the end of the program")
    wait_for(lambda: not child.running, "the report of its end")
    child.start()
    assert child.running
    assert parent_of(child.reaper_pid) != first
    child.stop()
    assert not child.running


def test_a_fork_server_that_hangs_is_replaced(
    server: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = child_of(server, tmp_path, "import time; print('up', flush=True); time.sleep(600)")
    child.start()
    wait_for(lambda: "up" in child.log.read_text(), "the start")
    first = parent_of(child.reaper_pid)
    pids = [child.reaper_pid, *reaper.children_of(child.reaper_pid)]
    os.kill(first, signal.SIGSTOP)
    monkeypatch.setattr(fork_server, "START_SECONDS", 0.2)
    monkeypatch.setattr(fork_server, "STOP_SECONDS", 0.2)
    with pytest.raises(ChildFailed, match="was not started: timed out"):
        child.start()
    wait_for(lambda: all_gone(pids), "the end of the program")
    wait_for(lambda: not child.running, "the report of its end")
    monkeypatch.undo()
    child.start()
    assert child.running
    assert parent_of(child.reaper_pid) != first
    child.stop()


@pytest.mark.parametrize(
    ("end", "status", "words"),
    [
        ("pass", 0, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit(7)", 7, ""),
        ("sys.exit('no')", 1, "no"),
        ("raise ValueError('no')", 1, "ValueError: no"),
        ("raise KeyboardInterrupt", 128 + signal.SIGINT, "KeyboardInterrupt"),
    ],
)
def test_a_program_ends_as_in_python(
    module_server: ForkServer, tmp_path: Path, end: str, status: int, words: str
) -> None:
    """With its status, after its threads and what it registered, and with all of its output."""
    code = (
        "import atexit, sys, threading\n"
        "atexit.register(print, 'registered')\n"
        "def wait():\n"
        "    threading.main_thread().join()\n"
        "    print('thread')\n"
        "threading.Thread(target=wait).start()\n"
        f"{end}\n"
    )
    child = child_of(module_server, tmp_path, code)
    child.start()
    assert child.wait(PATIENCE) == status
    output = child.log.read_text()
    assert output.rstrip().endswith("thread\nregistered")
    assert words in output


def test_descriptors_of_others_are_closed_in_a_program(tmp_path: Path) -> None:
    kept, other = os.memfd_create("kept"), os.memfd_create("other")
    server = ForkServer([], folder=Path.cwd(), pass_fds=[kept, other])
    code = (
        "import os\n"
        f"for number in ({kept}, {other}):\n"
        "    try:\n"
        "        print(os.readlink(f'/proc/self/fd/{number}').split(':')[-1].split(' ')[0])\n"
        "    except OSError:\n"
        "        print('closed')\n"
    )
    child = child_of(server, tmp_path, code)
    child.pass_fds = [kept]
    try:
        child.start()
        assert child.wait(PATIENCE) == 0
    finally:
        server.stop()
        os.close(kept)
        os.close(other)
    assert child.log.read_text().split() == ["kept", "closed"]


def test_waiting_has_an_end(server: ForkServer, tmp_path: Path) -> None:
    child = child_of(server, tmp_path, "import time; time.sleep(600)")
    child.start()
    assert child.wait(0.05) is None
    process = child._process
    assert process is not None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.05)
    child.stop()


def test_what_is_preloaded_starts_no_thread_and_leaves_to_each_program_what_is_its_own(
    tmp_path: Path,
) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import sys, tempfile, threading\n"
        f"sys.path.insert(0, {str(Path.cwd())!r})\n"
        "import atlantis_site.preload\n"
        "from django.db import connection\n"
        "print(threading.active_count(), connection.connection, tempfile.tempdir)\n"
    )
    done = run_python(str(script), env=variables())
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().splitlines()[-1] == "1 None None"
