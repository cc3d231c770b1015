"""Run one command and leave nothing of it behind: `python -I -S guard.py … -- command …`.

A guard stands between the supervisor and each process. It asks the kernel to be told when its
parent is gone (so kill -9 of the supervisor stops everything), and to be given the orphans of its
command (so nothing can slip away by forking twice). It ends when all of them have ended. On
systems without these two it looks once a second whether its parent is still there and stops the
process group.

Standard library only, and no import of the project: it must start in milliseconds.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import select
import shutil
import signal
import sys
import time
from pathlib import Path

LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG, PR_SET_KEEPCAPS, PR_SET_CHILD_SUBREAPER, PR_CAP_AMBIENT = 1, 8, 36, 47
PR_CAP_AMBIENT_RAISE = 2
CAP_DAC_OVERRIDE = 1
CAPABILITY_VERSION_3 = 0x20080522
STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def prctl(option: int, *values: int) -> None:
    """prctl(2), with its refusal as an OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    words = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    if libc.prctl(option, *words) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option} was refused")


def become(uid: int, gid: int, reach: bool) -> None:
    """Go on as another account. `reach`: still enter folders that are closed to that account.

    PostgreSQL refuses to run as root, however private the folder that root's checkout lies in.
    """
    if reach:
        prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if reach:
        only = 1 << CAP_DAC_OVERRIDE
        header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
        data = (ctypes.c_uint32 * 6)(only, only, only, 0, 0, 0)  # effective, permitted, inherited
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.capset(header, data) != 0:
            raise OSError(ctypes.get_errno(), "capset was refused")
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_OVERRIDE)


def descendants() -> list[int]:
    """The direct children of this process; orphans of its command are among them."""
    me = str(os.getpid())
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # pid (name, which may hold anything) state parent …
            if stat.read_bytes().rpartition(b")")[2].split()[1].decode() == me:
                found.append(int(stat.parent.name))
    return found


def sweep(group: int) -> None:
    """Kill what the command left behind, again and again until the kernel knows of nothing."""
    if not LINUX:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    while True:
        for pid in descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def listen() -> tuple[set[int], int]:
    """(the signals that asked this guard to stop, a pipe that wakes it)."""
    asked: set[int] = set()
    pipe, wakeup = os.pipe()
    os.set_blocking(pipe, False)
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    for number in STOPS:
        signal.signal(number, lambda got, _: asked.add(got))
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return asked, pipe


def start(command: list[str], options: argparse.Namespace) -> int:
    """The pid of the command, in a session of its own, told to stop when this guard is killed."""
    guard = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        if options.account:
            become(options.account[0], options.account[1], options.reach)
        if LINUX:
            prctl(PR_SET_PDEATHSIG, options.stop)
            if os.getppid() != guard:
                os._exit(0)
        signal.set_wakeup_fd(-1)
        for number in (*STOPS, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.execvpe(command[0], command, os.environ)
    except OSError as error:
        print(f"{command[0]}: {error}", file=sys.stderr, flush=True)
        os._exit(127)


def watch(pid: int, asked: set[int], pipe: int, options: argparse.Namespace) -> int:
    """Wait for the command, stop it when told or orphaned; its exit status."""
    kill_at = float("inf")
    while True:
        while True:
            done, status = _reap()
            if done == pid:
                return os.waitstatus_to_exitcode(status)
            if not done:
                break
        if not LINUX and os.getppid() != options.parent:
            asked.add(signal.SIGTERM)
        if asked and kill_at == float("inf"):
            kill_at = time.monotonic() + options.grace
            os.kill(pid, options.stop)
        if time.monotonic() >= kill_at:
            os.kill(pid, signal.SIGKILL)
        if select.select([pipe], [], [], 1.0 if asked or not LINUX else 60.0)[0]:
            os.read(pipe, 4096)


def _reap() -> tuple[int, int]:
    try:
        return os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return 0, 0


def main() -> int:
    """Parse, guard, clean up."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--parent", type=int, required=True, help="pid that must stay alive")
    parser.add_argument("--stop", type=int, default=signal.SIGTERM, help="signal that asks to end")
    parser.add_argument("--grace", type=float, default=10.0, help="seconds until kill -9")
    parser.add_argument("--account", type=lambda s: tuple(map(int, s.split(":"))), help="uid:gid")
    parser.add_argument("--reach", action="store_true", help="enter folders closed to account")
    parser.add_argument("--hold", type=int, help="a file descriptor to keep open, and to itself")
    parser.add_argument("--remove", help="a folder to remove at the end")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if options.hold is not None:
        os.set_inheritable(options.hold, False)
    asked, pipe = listen()
    if LINUX:
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    pid = 0
    try:
        if os.getppid() != options.parent:
            return 0
        pid = start(options.command, options)
        return watch(pid, asked, pipe, options)
    finally:
        if pid:
            sweep(pid)
        if options.remove:
            shutil.rmtree(options.remove, ignore_errors=True)


if __name__ == "__main__":
    code = main()
    sys.exit(code if code >= 0 else 128 - code)
