"""Mutation testing of the rules: `make mutants`. A run that was stopped continues.

mutmut changes one thing in a function, and runs the tests of the rules that reach it; a change that
no test notices has survived. Everything happens in a copy under var/mutants: no server, no Django.
Texts are not changed, as other tests read them. docs/mutants.md has the results.
"""

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from atlantis_site import environment

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "var" / "mutants"
TOOLS = WORK / "tools"
LOCK = ROOT / "requirements-mutants.lock"
FORKS = Path(__file__).with_name("forks.py")
ENOUGH = 0.9  # of the mutants that ran must be killed
# Exit codes: a change that made the tests run for ever was noticed as well.
KINDS: dict[int | None, str] = {
    None: "not run",
    0: "survived",
    **dict.fromkeys((1, -9, -24), "killed"),
}

COPIED = (
    *("games/__init__.py", "games/rules", "tests/__init__.py", "tests/rules"),
    *("tests/golden/atlantis", "tests/golden/escape", "tests/support/__init__.py"),
    *("tests/support/lengths.py", "tests/support/sentences.py"),
)
MODULES = {
    "atlantis": "box coins move_context moves path rules settlement view",
    "escape": (
        "action_tiles board creatures defence endings evolve hexes options placing rules "
        "settlement simulation sinking step_rules steps validation view"
    ),
}
TESTS = {
    "atlantis": (
        "bridges buying coins end events golden legal_commands moving notation passing paying secrets "
        "settlement setup taking_and_drawing worked_examples"
    ),
    "escape": (
        "board danger defence die end golden kept_tiles moving orders perft plans properties "
        "secrets setup sinking"
    ),
}
SLOW = "results_in_the_middle or round_trip_through_text or pictures or visible_leaves"
TEXTS = (
    r"\b_\(",
    r"ngettext\(",
    r'^\s*"',
    "raise IllegalMove",
    r"^\s*assert\b",
    r"=(place_name|explorer_name|isle_name|ITEM_NAMES|CREATURES|TERRAIN_NAMES|BACKS|letter|place)\b",
)
PYTEST = """[pytest]
addopts = -p no:django -p no:randomly -p no:xdist -p no:cacheprovider -p no:hypothesispytest
markers =
    long: has a longer form
"""
# The same examples each time, so that a mutant does not survive by luck.
CONFTEST = """import os
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

os.environ["TEST_FOLDER"] = str(Path(__file__).parents[1])
settings.register_profile(
    "mutants",
    deadline=None,
    max_examples=20,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("mutants")
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="how long this run may take")
    parser.add_argument("--report", action="store_true", help="only show what was found")
    args = parser.parse_args()
    if not args.report:
        install()
        copy()
        run(args.minutes * 60)
    return report()


def install() -> None:
    """mutmut and what it needs, beside .venv: nothing else uses them."""
    stamp, wanted = WORK / "tools.sha256", hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    shutil.rmtree(TOOLS, ignore_errors=True)
    TOOLS.mkdir(parents=True)
    command = [*environment.pip(), *environment.PIP_INSTALL, "--target", str(TOOLS)]
    subprocess.run([*command, "-r", str(LOCK)], check=True, timeout=600)
    stamp.write_text(wanted)


def copy() -> None:
    """What the tests of the rules need. Files keep their times: mutmut looks for newer ones."""
    for played in (WORK / "mutants").glob("*.pickle"):  # games that tests share
        played.unlink()
    for name in COPIED:
        source, place = ROOT / name, WORK / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, place, dirs_exist_ok=True, ignore=ignored)
        else:
            shutil.copy2(source, place)
    modules = [
        f"games/rules/{game}/{name}.py" for game, names in MODULES.items() for name in names.split()
    ]
    tests = [
        f"tests/rules/{game}/test_{name}.py"
        for game, names in TESTS.items()
        for name in names.split()
    ]
    settings = {
        "source_paths": ["games"],
        "only_mutate": [*modules, "games/rules/tuples.py"],
        "do_not_mutate_patterns": TEXTS,
        "also_copy": ["tests", "pytest.ini"],
        "pytest_add_cli_args_test_selection": tests,
        "pytest_add_cli_args": ["-k", f"not ({SLOW})"],
    }
    lines = ["[mutmut]", *(f"{key}=\n    " + "\n    ".join(all_) for key, all_ in settings.items())]
    (WORK / "setup.cfg").write_text("\n".join(lines) + "\n")
    (WORK / "pytest.ini").write_text(PYTEST)
    (WORK / "tests" / "conftest.py").write_text(CONFTEST)


def run(seconds: float) -> None:
    """Changes are tried until all are done or the time is over; each result is written at once."""
    start = (
        f"import sys, runpy; sys.path.append({str(TOOLS)!r})\n"
        f"runpy.run_path({str(FORKS)!r}, run_name='__main__')"
    )
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [sys.executable, "-c", start, "--seconds", str(seconds)]
    forks = subprocess.Popen(command, cwd=WORK, env=clean, start_new_session=True)
    try:
        forks.wait()
    finally:
        if forks.poll() is None:
            os.killpg(forks.pid, signal.SIGTERM)
            forks.wait()


def report() -> int:
    """A table, and the survivors. 1 where too many survived."""
    total: Counter[str] = Counter()
    alive: list[str] = []
    print("\n| module | changes | killed | survived | not run |")
    print("| --- | --- | --- | --- | --- |")
    for path in sorted((WORK / "mutants" / "games" / "rules").rglob("*.py.meta")):
        codes = json.loads(path.read_text())["exit_code_by_key"]
        if not codes:
            continue
        found = Counter(KINDS[code] for code in codes.values())
        alive += [key for key, code in codes.items() if KINDS[code] == "survived"]
        total += found
        name = path.relative_to(WORK / "mutants" / "games" / "rules").as_posix()
        print(_row(name.removesuffix(".py.meta"), found))
    print(_row("all", total))
    print("\nSurvivors:", *sorted(alive), sep="\n")
    ran = total.total() - total["not run"]
    print(f"\nkilled: {total['killed']} of {ran} that ran, of {total.total()}")
    return 0 if ran and total["killed"] >= ENOUGH * ran else 1


def _row(name: str, found: Counter[str]) -> str:
    kinds = ("killed", "survived", "not run")
    return f"| {name} | {found.total()} | " + " | ".join(str(found[kind]) for kind in kinds) + " |"


if __name__ == "__main__":
    sys.exit(main())
