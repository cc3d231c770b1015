"""Run one command and leave no process behind: `python -I -S reaper.py … -- command …`.

A reaper stands between the supervisor and each process. The kernel signals it when its parent
dies, so kill -9 of the supervisor stops everything, and makes it the parent of orphans, so no
daemon escapes by forking twice. It exits when all of them have ended. Systems other than Linux
lack both: there, it checks for its parent once a second and kills the process group.

Only the standard library, and no import of the project: it must start within milliseconds.
"""

import argparse
import contextlib
import ctypes
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

LINUX = sys.platform == "linux"
# Constants of prctl(2) and capset(2).
PR_SET_PDEATHSIG, PR_SET_KEEPCAPS, PR_SET_CHILD_SUBREAPER, PR_CAP_AMBIENT = 1, 8, 36, 47
PR_CAP_AMBIENT_RAISE = 2
CAP_DAC_OVERRIDE = 1
PR_SET_SECUREBITS = 28
SECBIT_NO_SETUID_FIXUP = 1 << 2
CAPABILITY_VERSION_3 = 0x20080522
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def prctl(option: int, *values: int) -> None:
    """Call prctl(2). Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, *(ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4])):
        raise OSError(ctypes.get_errno(), f"prctl {option} failed")


def switch_account(uid: int, gid: int, dac_override: bool) -> None:
    """Change to another account; with dac_override, keep access to all files.

    PostgreSQL refuses to run as root, even if the checkout lies in a private folder of root.
    """
    if dac_override:
        prctl(PR_SET_KEEPCAPS, 1)
        # Without it, access(2) ignores the capability, and initdb asks access(2).
        prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP)
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if dac_override:
        mask = 1 << CAP_DAC_OVERRIDE
        header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
        data = (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)  # effective, permitted, inherited
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.capset(header, data):
            raise OSError(ctypes.get_errno(), "capset failed")
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_OVERRIDE)


def children_of(pid: int) -> list[int]:
    """Return the pids of the direct children of `pid` that still run, by /proc."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # "pid (name) state parent …"; the name may contain anything.
            state, parent = stat.read_bytes().rpartition(b")")[2].split()[:2]
            if int(parent) == pid and state != b"Z":
                found.append(int(stat.parent.name))
    return found


def kill_rest(group: int) -> None:
    """Kill what the command left behind, until this process has no children."""
    if not LINUX:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    while True:
        for pid in children_of(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def catch_signals() -> tuple[set[int], int]:
    """Return (the set of stop signals received so far, a pipe that wakes select())."""
    received: set[int] = set()
    pipe, wakeup = os.pipe()
    os.set_blocking(pipe, False)
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    for number in STOP_SIGNALS:
        signal.signal(number, lambda got, _: received.add(got))
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return received, pipe


def start(
    options: argparse.Namespace,
    execute: Callable[[str, list[str], Mapping[str, str]], NoReturn] = os.execvpe,
) -> int:
    """Start the command in a session of its own; the kernel stops it if this reaper is killed."""
    reaper = os.getpid()
    # Until the command has handlers of its own, the copies of ours would swallow a signal to stop.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        return pid
    program = options.command[0]
    try:
        os.setsid()
        if options.account:
            uid, gid = options.account
            switch_account(uid, gid, options.dac_override)
        if LINUX:
            prctl(PR_SET_PDEATHSIG, options.stop)
            if os.getppid() != reaper:
                os._exit(0)
        signal.set_wakeup_fd(-1)
        for number in (*STOP_SIGNALS, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        execute(program, options.command, os.environ)
    except OSError as error:
        print(f"{program}: {error}", file=sys.stderr, flush=True)
        os._exit(127)


def supervise(pid: int, received: set[int], pipe: int, options: argparse.Namespace) -> int:
    """Wait for the command and return its exit status; stop it on a signal or without a parent."""
    kill_at = float("inf")
    while True:
        with contextlib.suppress(ChildProcessError):
            while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
                if reaped[0] == pid:
                    return os.waitstatus_to_exitcode(reaped[1])
        if not LINUX and os.getppid() != options.parent:
            received.add(signal.SIGTERM)
        if received and kill_at == float("inf"):
            kill_at = time.monotonic() + options.grace
            os.kill(pid, options.stop)
        if time.monotonic() >= kill_at:
            os.kill(pid, signal.SIGKILL)
        if select.select([pipe], [], [], 1.0 if received or not LINUX else 60.0)[0]:
            os.read(pipe, 4096)


def main() -> int:
    """Run the command of the command line and return its exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--parent", type=int, required=True, help="pid of the supervisor")
    parser.add_argument("--stop", type=int, default=signal.SIGTERM, help="signal to stop with")
    parser.add_argument("--grace", type=float, default=10.0, help="seconds until SIGKILL")
    parser.add_argument("--account", type=lambda s: tuple(map(int, s.split(":"))), help="uid:gid")
    parser.add_argument("--dac-override", action="store_true", help="keep access to all files")
    parser.add_argument("--lock-fd", type=int, help="file descriptor to keep open until the end")
    parser.add_argument("--remove", help="folder to remove at the end")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if options.lock_fd is not None:
        os.set_inheritable(options.lock_fd, False)
    received, pipe = catch_signals()
    if LINUX:
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    pid = 0
    try:
        if os.getppid() != options.parent:
            return 0
        pid = start(options)
        return supervise(pid, received, pipe, options)
    finally:
        if pid:
            kill_rest(pid)
        if options.remove:
            shutil.rmtree(options.remove, ignore_errors=True)


if __name__ == "__main__":
    code = main()
    sys.exit(code if code >= 0 else 128 - code)
