"""`make fuzz-rules` continues where it was stopped, and fails if anything is wrong."""

from pathlib import Path

import pytest

from tests.programs import fuzz_rules
from tests.programs.fuzz_rules import Part
from tests.support import resumable


@pytest.fixture(autouse=True)
def _results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_rules, "RESULTS", tmp_path / "fuzz_rules.jsonl")


def run(
    monkeypatch: pytest.MonkeyPatch, *, wrong: tuple[int, ...] = (), minutes: str = "60"
) -> tuple[int, list[int]]:
    """The exit status of a run, and which of three blocks it compared."""
    compared: list[int] = []

    def compare(_game: str, block: int) -> int:
        compared.append(block)
        assert block not in wrong, "read as another move"
        return 7

    monkeypatch.setattr(fuzz_rules, "parts", lambda: iter([Part("x", "escape", 3, compare)]))
    monkeypatch.setattr("sys.argv", ["fuzz_rules", "--minutes", minutes])
    return fuzz_rules.main(), compared


def test_a_run_compares_what_earlier_runs_have_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, minutes="0") == (0, [])
    assert run(monkeypatch) == (0, [0, 1, 2])
    assert run(monkeypatch) == (0, [])
    assert "| x, escape | 3 of 3 | 21 |" in capsys.readouterr().out


def test_what_is_wrong_is_shown_and_compared_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, wrong=(1,)) == (1, [0, 1, 2])
    assert "x, escape, block 1: AssertionError: read as another move" in capsys.readouterr().out
    assert run(monkeypatch) == (0, [1])


def test_a_row_behind_one_that_was_cut_off_is_read(tmp_path: Path) -> None:
    file = tmp_path / "var" / "results.jsonl"
    resumable.add_row(file, {"block": 1})
    with file.open("a") as out:
        out.write('{"blo')
    resumable.add_row(file, {"block": 2})
    assert list(resumable.read_rows(file)) == [{"block": 1}, {"block": 2}]
