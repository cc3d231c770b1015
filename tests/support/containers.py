"""Runs commands as containers would, without a container engine: in namespaces of the kernel.

A pod is a user, network and PID namespace, so ports are as in docker-compose.yml whatever else runs
here, and everything in it ends with the process that holds it. A container of a pod has a user id
of its own, no capabilities, a root that cannot be written to, an empty /tmp, the files of the image
in /app and /venv, and nothing of this checkout. All of it works for root and for ordinary users,
where the kernel permits user namespaces.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from atlantis_site.supervisor.reaper import children_of
from atlantis_site.supervisor.stack import BASE_DIR

from .processes import PATIENCE, wait_for

PROGRAMS = ("unshare", "nsenter", "setpriv", "pivot_root", "mount")
SBIN = "/usr/sbin:/sbin"  # where pivot_root is, and where the PATH of ordinary users does not lead
VENV = Path(sys.prefix).resolve()
HOSTS = ("postgres", "valkey", "web")
HOLD = ("--user", "--map-root-user", "--net", "--pid", "--fork", "--mount", "--mount-proc")

# sh -c SCRIPT sh <new root> <uid> <workdir> <checkouts> <binds> <command …>
SCRIPT = """
set -eu
new=$1 uid=$2 workdir=$3 checkouts=$4 binds=$5
shift 5
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$new"
for entry in /*; do
    if [ -L "$entry" ]; then cp -P "$entry" "$new$entry"
    elif [ "$entry" = /tmp ] || [ "$entry" = /run ]; then :
    elif [ "$entry" = /app ] || [ "$entry" = /venv ]; then :
    elif [ -d "$entry" ]; then mkdir "$new$entry"; mount --rbind "$entry" "$new$entry"
    fi
done
mkdir "$new/tmp" "$new/app" "$new/venv" "$new/run"
mount -t tmpfs -o mode=1777 tmpfs "$new/tmp"
for checkout in $checkouts; do
    mkdir -p "$new$checkout"
    mount -t tmpfs tmpfs "$new$checkout"
done
mkdir -p "$new$VENV"
mount --rbind "$VENV" "$new$VENV"
mount --bind "$VENV" "$new/venv"
for bind in $binds; do
    [ -e "$new${bind#*:}" ] || mkdir -p "$new${bind#*:}"
    mount --bind "${bind%%:*}" "$new${bind#*:}"
done
cd "$new"
mkdir old
PATH=$PATH:/usr/sbin:/sbin pivot_root . old
umount -l old
rmdir old
while read -r _ _ _ _ place options _; do
    kept=
    for option in nosuid nodev noexec noatime nodiratime relatime; do
        case ",$options," in *",$option,"*) kept="$kept,$option" ;; esac
    done
    case $place in /proc*|/sys*|/dev*|/tmp) ;; *)
        writable=
        for path in $WRITABLE; do [ "$place" != "$path" ] || writable=1; done
        [ "$writable" ] || mount -o "remount,bind,ro$kept" "$place"
    esac
done < /proc/self/mountinfo
cd "$workdir"
exec unshare --user "--map-user=$uid" "--map-group=$uid" -- \\
    setpriv --no-new-privs --bounding-set=-all -- "$@"
"""


@cache
def can_isolate() -> str | None:
    """Return the path of a program that this needs, or None if namespaces are not permitted."""
    path = f"{os.environ['PATH']}:{SBIN}"
    if not all(shutil.which(program, path=path) for program in PROGRAMS):
        return None
    tried = subprocess.run(
        ["unshare", *HOLD, "unshare", "--user", "--map-user=1", "mount", "--version"],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return shutil.which("unshare") if tried.returncode == 0 else None


class Pod:
    """Starts containers. `folder` is for its files; `app` is what the image has in /app."""

    def __init__(self, folder: Path, app: Path) -> None:
        self.folder, self.app = folder, app
        (folder / "root").mkdir()
        names = " ".join(HOSTS)
        (folder / "hosts").write_text(f"127.0.0.1 localhost {names}\n")
        people = Path("/etc/passwd").read_text()
        own = "".join(
            f"{name}:x:{uid}:{uid}::/app:/usr/sbin/nologin\n"
            for name, uid in (("atlantis", 10001), ("container999", 999))
            if f":{uid}:" not in people
        )
        (folder / "passwd").write_text(people + own)
        # Ends with this process; the kernel kills all others when it ends.
        self._holder = subprocess.Popen(["unshare", *HOLD, "--kill-child", "sleep", "3000"])
        wait_for(lambda: children_of(self._holder.pid), "the pod")
        (self._init,) = children_of(self._holder.pid)
        wait_for(self._is_ready, "the namespaces")
        self._enter(["ip", "link", "set", "lo", "up"])
        self._running: list[subprocess.Popen[bytes]] = []

    def _is_ready(self) -> bool:
        return Path(f"/proc/{self._init}/comm").read_text().strip() == "sleep"

    def _nsenter(self) -> list[str]:
        spaces = ("--user", "--net", "--pid", "--mount")
        return ["nsenter", f"--target={self._init}", *spaces, "--preserve-credentials"]

    def _enter(self, command: Sequence[str]) -> None:
        subprocess.run([*self._nsenter(), *command], check=True, timeout=PATIENCE)

    def start(
        self,
        name: str,
        command: Sequence[str],
        env: Mapping[str, str],
        *,
        uid: int,
        workdir: str = "/app",
        volumes: Mapping[Path, str] | None = None,
        secrets: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a container with exactly these variables; its output is in `log(name)`.

        volumes: folders of ours and where the container may write to them. secrets: the folder that
        it can read at /run/secrets.
        """
        volumes = volumes or {}
        binds = {
            self.app: "/app",
            self.folder / "hosts": "/etc/hosts",
            self.folder / "passwd": "/etc/passwd",
            **volumes,
            **({secrets: "/run/secrets"} if secrets is not None else {}),
        }
        variables = {"VENV": str(VENV), "WRITABLE": " ".join(volumes.values())}
        inner = ["env", "-i", *(f"{key}={value}" for key, value in env.items()), *command]
        words = [
            *self._nsenter(),
            "unshare",
            "--mount",
            "--propagation",
            "unchanged",
            "env",
            *(f"{key}={value}" for key, value in variables.items()),
            "sh",
            "-c",
            SCRIPT,
            "sh",
            str(self.folder / "root"),
            str(uid),
            workdir,
            " ".join({str(BASE_DIR), str(VENV.parent)}),
            " ".join(f"{ours}:{theirs}" for ours, theirs in binds.items()),
            *inner,
        ]
        with self.log(name).open("ab") as log:
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/"
            )
        self._running.append(process)
        return process

    def run(self, name: str, command: Sequence[str], env: Mapping[str, str], **how: object) -> str:
        """Run a container to its end and return its output; it must succeed."""
        begin = self.log(name).stat().st_size if self.log(name).exists() else 0
        process = self.start(name, command, env, **how)  # type: ignore[arg-type]  # as start takes
        code = process.wait(PATIENCE)
        output = self.log(name).read_bytes()[begin:].decode(errors="replace")
        assert code == 0, f"{shlex.join(command)} ended with {code}:\n{output[-3000:]}"
        return output

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def stop(self) -> None:
        """End everything at once."""
        with suppress(ProcessLookupError):
            self._holder.send_signal(signal.SIGKILL)
        self._holder.wait(PATIENCE)
        for process in self._running:
            process.wait(PATIENCE)
