"""The documentation: links lead somewhere, and named commands exist."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands
from django.forms import Form

from games.web.absences import AbsenceForm, EndForm
from games.web.forms import (
    InviteForm,
    NameForm,
    NewGameForm,
    PlayForm,
    SettingsForm,
    TableFilterForm,
)

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LONGEST_README = 150  # lines


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_that_exist(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_files_exist(page: Path) -> None:
    named = re.findall(
        r"`((?:games|atlantis_site|tests|templates|docs)/[\w./-]*)`", page.read_text()
    )
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_functions_that_the_architecture_names_exist() -> None:
    """Names with an underscore in backticks, such as `deadline_check`, occur in the code."""
    code = "".join(path.read_text() for path in (ROOT / "games").rglob("*.py"))
    page = (ROOT / "docs" / "architecture.md").read_text()
    names = re.findall(r"`(?:\w+\.)?([A-Za-z]*_\w+)`", page)
    assert [name for name in names if not re.search(rf"\b{name}\b", code)] == []


def anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_headings_lead_to_headings_that_exist(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s:]*)#([^)]+)\)", page.read_text())
    missing = []
    for name, wanted in links:
        target = page.parent / name if name else page
        headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
        if wanted not in map(anchor, headings):
            missing.append((name, wanted))
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_commands_and_targets_exist(page: Path) -> None:
    text = page.read_text()
    commands = set(re.findall(r"manage\.py ([a-z_]+)", text)) - {"shell", "migrate"}
    assert commands <= set(get_commands())
    targets = set(re.findall(r"`make ([a-z-]+)", text))
    assert targets <= set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= LONGEST_README


# -- docs/security.md ----------------------------------------------------------------------------

ASVS = (ROOT / "docs" / "security.md").read_text()
REQUIREMENTS = 253  # of ASVS 5.0.0 at levels 1 and 2
ROW = re.compile(r"^\| (\d+\.\d+\.\d+) \| ([^|]+) \| (met|not met) \| ([^|]+) \|$", re.MULTILINE)
NOT_APPLICABLE = [
    number
    for line in re.findall(r"^Not applicable: (.*)$", ASVS, re.MULTILINE)
    for number in re.findall(r"\b\d+\.\d+\.\d+\b", line)
]


def test_each_requirement_of_the_standard_is_answered_once() -> None:
    rows = ROW.findall(ASVS)
    numbers = [tuple(map(int, number.split("."))) for number, *_rest in rows]
    assert numbers == sorted(set(numbers))
    assert len(re.findall(r"^\| \d", ASVS, re.MULTILINE)) == len(rows)
    answered = {number for number, *_rest in rows} | set(NOT_APPLICABLE)
    assert len(answered) == len(rows) + len(NOT_APPLICABLE) == REQUIREMENTS


def test_what_is_met_names_the_files_that_show_it() -> None:
    missing = [
        (number, path)
        for number, _text, status, shown in ROW.findall(ASVS)
        for path in (re.findall(r"`([^`]+)`\]", shown) if status == "met" else ())
        if not (ROOT / path).is_file()
    ]
    assert missing == []
    bare = [
        n for n, _text, status, shown in ROW.findall(ASVS) if status == "met" and "[`" not in shown
    ]
    assert bare == []


def test_files_that_a_reason_names_exist() -> None:
    named = re.findall(r"\b((?:tests|docs)/[\w/-]+\.(?:py|md))\b", ASVS)
    assert [path for path in named if not (ROOT / path).is_file()] == []


def test_the_counts_of_the_assessment_are_those_of_its_rows() -> None:
    statuses = [status for _number, _text, status, _shown in ROW.findall(ASVS)]
    said = re.search(
        r"Of (\d+) requirements, (\d+) are met, (\d+) do not apply, and (\d+) are not met", ASVS
    )
    assert said is not None
    counted = [statuses.count("met"), len(NOT_APPLICABLE), statuses.count("not met")]
    assert [int(number) for number in said.groups()] == [REQUIREMENTS, *counted]


FORMS: tuple[type[Form], ...] = (
    SettingsForm,
    NameForm,
    NewGameForm,
    InviteForm,
    PlayForm,
    AbsenceForm,
    EndForm,
    TableFilterForm,
)


@pytest.mark.parametrize("form", FORMS)
def test_the_page_about_input_names_each_field(form: type[Form]) -> None:
    page = (ROOT / "docs/specifications/input.md").read_text()
    assert [name for name in form.base_fields if f"`{name}`" not in page] == []
