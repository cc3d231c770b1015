"""The way from an empty machine to the first email, in docs/running-in-production.md."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HANDBOOK = (ROOT / "docs" / "running-in-production.md").read_text()
INSTALL = HANDBOOK.split("\n## Install\n")[1].split("\n### ")[0]
STEPS = re.split(r"^\d+\. ", INSTALL, flags=re.MULTILINE)[1:]


def test_the_installation_has_at_most_ten_steps() -> None:
    assert 8 <= len(STEPS) <= 10
    assert re.findall(r"^(\d+)\. ", INSTALL, re.MULTILINE) == [
        str(number) for number in range(1, len(STEPS) + 1)
    ]


def test_the_main_way_has_at_most_two_thousand_words() -> None:
    assert len(HANDBOOK.split()) <= 2000


def test_measurements_are_one_page_of_at_most_250_lines() -> None:
    assert len((ROOT / "docs" / "measurements.md").read_text().splitlines()) <= 250


def test_it_begins_with_what_is_needed_and_ends_with_the_checks() -> None:
    assert "apt install" in STEPS[0]
    assert "git clone" in STEPS[1]
    assert "the A record" in INSTALL
    assert "check_mail --to you@example.org --wait 120" in INSTALL
    assert "manage.py check_site" in STEPS[-1]
