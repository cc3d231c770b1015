"""Tries one change after another: `tests.mutants` starts this file in its folder.

mutmut writes the changed modules and measures which tests reach which function. The tests are then
collected once, and each change is tried in a fork of this process: first by the quick tests, those
first that noticed another change of the same function. Changes that survive these are tried by the
slow tests when all others have been tried, and by new and rewritten tests in the next run. Each
result is written down at once.
"""

import argparse
import gc
import inspect
import json
import os
import resource
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
from mutmut import __main__ as mutmut
from mutmut.mutation import trampoline
from mutmut.mutation.data import SourceFileMutationData
from mutmut.state import state
from mutmut.utils.file_utils import walk_mutatable_files

SURVIVED, KILLED = 0, 1  # mutmut's exit codes
QUICK = 0.001  # of the time of all tests: what a quick test takes at most
SECONDS, MEMORY = 8, 4 << 30  # what a change may use beyond what its tests take
MEASURED = Path("mutants/mutmut-stats.json")
TRIED = Path("tried.json")  # tests, and for each survivor the bits of those that did not notice it


def prepare() -> None:
    """The changed modules, and which tests reach which function."""
    trampoline.set_mutant_under_test("mutant_generation")
    mutmut.copy_src_dir()
    mutmut.copy_also_copy_files()
    mutmut.setup_source_paths()
    mutmut.create_mutants(1)
    measured = json.loads(MEASURED.read_text())["function_hashes"] if MEASURED.exists() else {}
    if set(state().current_function_hashes) - set(measured):
        MEASURED.unlink(missing_ok=True)  # a function is new: mutmut would measure new tests alone
    mutmut.collect_or_load_stats(mutmut.get_mutant_runner(1), apply_config_invalidation=True)


class Changes:
    """A plugin of pytest: instead of running the tests, it tries the changes."""

    def __init__(self, until: float) -> None:
        self.until = until
        self.files = [SourceFileMutationData(path=path) for path in walk_mutatable_files()]
        for file in self.files:
            file.load()
        self.good: dict[str, list[str]] = defaultdict(list)  # tests that noticed, per function
        self.quick = QUICK * sum(state().duration_by_test.values())
        known = json.loads(TRIED.read_text()) if TRIED.exists() else {"tests": [], "changes": {}}
        self.numbers: dict[str, int] = {test: n for n, test in enumerate(known["tests"])}
        new = {
            key
            for file in self.files
            for key, code in file.exit_code_by_key.items()
            if code is None
        }
        self.tried: dict[str, int] = {
            k: bits for k, bits in known["changes"].items() if k not in new
        }

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        os.chdir("..")  # where mutmut keeps its results
        self.session = session
        self.items = {item.nodeid: item for item in session.items}
        self.bits = {item.nodeid: self.bit(item) for item in session.items}
        changes = [(key, file) for file in self.files for key in file.exit_code_by_key]
        gc.freeze()  # a collection in a fork would copy all memory
        done = 0
        for slow in (False, True):
            for key, file in sorted(changes, key=lambda change: self.time_of(change[0])):
                code = file.exit_code_by_key[key]
                tests = self.tests_of(key, slow=slow) if code in (None, SURVIVED) else []
                if code is not None and not tests:
                    continue
                if time.monotonic() > self.until:
                    return True
                file.exit_code_by_key[key] = self.try_change(key, tests)
                file.save()
                done += 1
                if not done % 100:
                    print(f"{done} changes tried", flush=True)
        return True

    def bit(self, item: pytest.Item) -> int:
        """A bit for this test as it is written now."""
        assert isinstance(item, pytest.Function), "all tests are functions"
        written = zlib.crc32(inspect.getsource(item.function).encode())
        return 1 << self.numbers.setdefault(f"{item.nodeid} {written}", len(self.numbers))

    def tests_of(self, key: str, *, slow: bool) -> list[str]:
        """The quick or slow tests that reach the function and have not been tried, the most
        promising first."""
        function, tried = mutmut.mangled_name_from_mutant_name(key), self.tried.get(key, 0)
        taken = state().duration_by_test
        return sorted(
            (
                test
                for test in state().tests_by_mangled_function_name.get(function, ())
                if test in self.items
                and (taken[test] > self.quick) == slow
                and not tried & self.bits[test]
            ),
            key=lambda test: (-self.good[function].count(test), taken[test]),
        )

    def time_of(self, key: str) -> float:
        function = mutmut.mangled_name_from_mutant_name(key)
        tests = state().tests_by_mangled_function_name.get(function, ())
        return float(sum(state().duration_by_test[test] for test in tests))

    def try_change(self, key: str, tests: Sequence[str]) -> int:
        """mutmut's exit code for this change."""
        if not tests:
            return SURVIVED
        read, write = os.pipe()
        pid = os.fork()
        if not pid:
            self.run(key, tests, write)
        os.close(write)
        with os.fdopen(read) as output:
            noticed = output.read()
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if noticed:
            self.good[mutmut.mangled_name_from_mutant_name(key)].append(noticed)
        if code == SURVIVED:
            for test in tests:
                self.tried[key] = self.tried.get(key, 0) | self.bits[test]
            TRIED.write_text(json.dumps({"tests": list(self.numbers), "changes": self.tried}))
        return code

    def run(self, key: str, tests: Sequence[str], write: int) -> None:
        """In the fork: KILLED at the first test that fails."""
        trampoline.set_mutant_under_test(key)
        trampoline.get_mutant_under_test = lambda: key
        limit = int(SECONDS + sum(state().duration_by_test[test] for test in tests))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        gc.disable()
        os.chdir("mutants")
        self.session.config.pluginmanager.unregister(name="terminalreporter")
        forget()
        items = [self.items[test] for test in tests]
        for item, after in zip(items, [*items[1:], None], strict=True):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=after)
            if self.session.testsfailed:
                os.write(write, item.nodeid.encode())
                os._exit(KILLED)
        os._exit(SURVIVED)


def forget() -> None:
    """Empty the caches of the rules: what was remembered before would hide the change."""
    for name, module in list(sys.modules.items()):
        if name.startswith("games."):
            for thing in vars(module).values():
                if hasattr(thing, "cache_clear"):
                    thing.cache_clear()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, required=True)
    until = time.monotonic() + parser.parse_args().seconds
    prepare()
    trampoline.set_mutant_under_test("")
    settings = mutmut.config()
    changes = Changes(until)
    options = [*settings.pytest_add_cli_args, *settings.pytest_add_cli_args_test_selection]
    os.chdir("mutants")
    plain = ["--rootdir=.", "-q", "--tb=native", "--assert=plain"]  # nobody reads the failures
    return int(pytest.main([*plain, *options], plugins=[changes]))


if __name__ == "__main__":
    sys.exit(main())
