"""Programs of Debian that tests need, unpacked into .venv/debian where this machine lacks them.

`python -m tests.support.debian_programs` gets what is missing. apt downloads and verifies the
packages and dpkg-deb unpacks them, so this needs no root, starts no service and changes nothing
outside .venv. Without apt or without a network the tests of a missing program do not run, and the
run says so. A program that a later test needs takes a line in PROGRAMS.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(sys.prefix) / "debian"
SECONDS = 300  # for each call of apt
FETCH = ("-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=15")
START = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
for folder in "$here"/lib/*-linux-* "$here"/usr/lib/*-linux-*; do
    LD_LIBRARY_PATH="$folder${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
done
export LD_LIBRARY_PATH
exec "$here/{}" "$@"
"""
# Perl finds its modules by options, because it ignores PERL5LIB under -T. The machine's own Perl
# serves where it is as new as the modules.
START_SPAMASSASSIN = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH=$(echo "$here"/usr/lib/*-linux-*)
export LD_LIBRARY_PATH
set -- -C "$here/usr/share/spamassassin" --siteconfigpath="$here/etc/spamassassin" "$@"
set -- "$here/{}" "$@"
for folder in "$here"/usr/lib/*-linux-*/perl-base "$here"/usr/lib/*-linux-*/perl/5.* \\
    "$here"/usr/share/perl/5.* "$here"/usr/lib/*-linux-*/perl5/5.* "$here"/usr/share/perl5; do
    [ -d "$folder" ] && set -- "-I$folder" "$@"
done
perl=perl
[ -x "$here/usr/bin/perl" ] && perl="$here/usr/bin/perl"
exec "$perl" -T "$@"
"""


@dataclass(frozen=True)
class Program:
    """path: the program inside its package. beside: packages it must have of the same version.

    requires: a program whose package has the libraries that this one needs as well; without it
    nothing is unpacked. start: the script that starts the unpacked program.
    """

    name: str
    variable: str  # names another one
    path: str
    beside: tuple[str, ...] = ()
    requires: str = ""
    start: str = START

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    def find(self) -> str | None:
        """Return what the variable names; without it, the machine's or the unpacked program."""
        if self.variable in os.environ:
            return shutil.which(os.environ[self.variable])
        machine = shutil.which(self.name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        return machine or shutil.which(self.folder / "run")


HEADLESS_SHELL = Program(
    "chromium-headless-shell",
    "CHROMIUM",
    "usr/lib/chromium/chromium-headless-shell",
    beside=("chromium-common",),
    requires="chromium",
)
PGBOUNCER = Program("pgbouncer", "PGBOUNCER_PROGRAM", "usr/sbin/pgbouncer")
# The program itself is not used: tests/load preloads its library.
FAKETIME = Program("faketime", "FAKETIME_PROGRAM", "usr/bin/faketime", beside=("libfaketime",))
PROMETHEUS = Program("prometheus", "PROMETHEUS_PROGRAM", "usr/bin/prometheus")
SPAMASSASSIN = Program(
    "spamassassin", "SPAMASSASSIN_PROGRAM", "usr/bin/spamassassin", start=START_SPAMASSASSIN
)
NGINX = Program("nginx", "NGINX_PROGRAM", "usr/sbin/nginx")
FIREFOX = Program("firefox-esr", "FIREFOX", "usr/lib/firefox-esr/firefox-esr")
PROGRAMS = (HEADLESS_SHELL, FIREFOX, PGBOUNCER, FAKETIME, NGINX, PROMETHEUS, SPAMASSASSIN)


def unpack(program: Program) -> bool:
    """Unpack the program's packages and the libraries this machine lacks; whether it succeeded."""
    apt = shutil.which("apt-get")
    if apt is None or not shutil.which("dpkg-deb"):
        return False
    if program.requires and not shutil.which(program.requires):
        return False
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as name:
        work = Path(name)
        for part in ("lists/partial", "cache/archives/partial", "packages", "root"):
            (work / part).mkdir(parents=True)
        # The machine's package lists may be missing or too old: then with our own.
        own = ("-o", f"Dir::State::Lists={work}/lists", "-o", f"Dir::Cache={work}/cache")
        alone = (*own, "-o", "APT::Sandbox::User=root", "-o", "Debug::NoLocking=true")
        if not _download([apt, *FETCH], program, work / "packages"):
            _run([apt, *FETCH, *alone, "update", "-qq"])
            if not _download([apt, *FETCH, *alone], program, work / "packages"):
                return False
        for package in (work / "packages").glob("*.deb"):
            if _run(["dpkg-deb", "-x", package, work / "root"]) is None:
                return False
        start = work / "root" / "run"
        start.write_text(program.start.format(program.path))
        start.chmod(0o755)
        shutil.rmtree(program.folder, ignore_errors=True)
        (work / "root").rename(program.folder)
    return True


def _download(apt: list[str], program: Program, folder: Path) -> bool:
    plan = _run([*apt, "install", "--simulate", "-qq", "--no-install-recommends", program.name])
    if plan is None:
        return False
    # Inst name [old version] (new version …)
    needed = {line.split()[1] for line in plan.splitlines() if line.startswith("Inst ")}
    packages = sorted({program.name, *program.beside, *needed})
    return _run([*apt, "download", "-qq", *packages], folder) is not None


def _run(command: list[str | Path], folder: Path | None = None) -> str | None:
    """Return what the command prints, or None where it fails."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def main() -> None:
    for program in PROGRAMS:
        if program.find() is None:
            print(f"Unpacking Debian's {program.name} for the tests …", flush=True)
            unpack(program)
        print(f"{program.name}: {program.find() or 'none'}")


if __name__ == "__main__":
    main()
