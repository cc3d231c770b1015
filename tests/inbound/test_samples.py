"""Replies of the usual mail programs: the first own line is found, the quoted move never is."""

import pytest

from games.inbound import mime, reply_parser
from tests.support.mail_programs import TRAP
from tests.support.reply_samples import FOLDER, Sample, samples

ALL = list(samples())
PROGRAMS = "gmail outlook apple iphone thunderbird k9 yahoo gmx mutt".split()  # noqa: SIM905


def read(sample: Sample) -> reply_parser.Reply:
    return reply_parser.read(mime.read((FOLDER / f"{sample.name}.eml").read_bytes()))


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_the_first_own_line_is_read_and_nothing_else(sample: Sample) -> None:
    found = read(sample)
    assert (found.line, found.problem) == (sample.line, None)
    assert not sample.below or tuple(found.text[1:]) == sample.below


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_no_line_that_was_quoted_counts_as_own(sample: Sample) -> None:
    found = read(sample)
    assert TRAP not in found.text
    assert not any("Atlantis" in line or "space 17" in line for line in found.text)


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_the_files_are_what_the_programs_are_said_to_write(sample: Sample) -> None:
    assert (FOLDER / f"{sample.name}.eml").read_bytes() == sample.raw


def test_every_program_and_language_is_there() -> None:
    names = {sample.name for sample in ALL}
    assert len(names) >= 40
    assert {path.stem for path in FOLDER.glob("*.eml")} == names
    for program in PROGRAMS:
        assert any(name.startswith(program) for name in names), program
    for language in ("en", "de", "fr"):
        assert sum(name.endswith(f"-{language}") for name in names) >= 14
