"""The layout of the templates, as far as djade and djlint do not look at it."""

from pathlib import Path

import pytest

from atlantis_site.supervisor.stack import BASE_DIR

LONGEST_LINE = 120
TEMPLATES = sorted(
    path for path in (BASE_DIR / "templates").rglob("*.*") if path.suffix in (".html", ".txt")
)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_line_of_a_template_is_too_long(path: Path) -> None:
    lines = path.read_text().splitlines()
    too_long = [number for number, line in enumerate(lines, 1) if len(line) > LONGEST_LINE]
    assert too_long == []
