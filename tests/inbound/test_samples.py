"""Replies of the usual mail programs: the first own line is found, the quoted move never is."""

import pytest

from games.inbound import mime, reply_parser
from tests.support.samples import FOLDER, TRAP, Sample, emails

ALL = emails()


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_the_first_own_line_is_read_and_nothing_else(sample: Sample) -> None:
    found = reply_parser.read(mime.read(sample.raw))
    if sample.problem:
        assert found.problem == reply_parser.Problem[sample.problem]
    else:
        assert (found.line, found.problem) == (sample.line, None)
        assert not sample.below or found.text[1:] == sample.below


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_no_line_that_was_quoted_counts_as_own(sample: Sample) -> None:
    found = reply_parser.read(mime.read(sample.raw))
    assert TRAP not in found.text
    assert not any("Atlantis" in line or "space 17" in line for line in found.text)


def test_it_is_said_of_every_email_what_is_read() -> None:
    assert {path.stem for path in FOLDER.glob("*.eml")} == {sample.name for sample in ALL}
