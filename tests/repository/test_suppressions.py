"""A line that silences a checker gives the reason."""

import re

from atlantis_site.supervisor.stack import BASE_DIR

BARE = re.compile(r"# (noqa|type: ignore)(: ?[A-Z0-9, ]+|\[[a-z, -]+\])?$")


def test_every_suppression_outside_of_the_tests_has_a_reason() -> None:
    bare = [
        f"{path.relative_to(BASE_DIR)}:{number}"
        for folder in ("atlantis_site", "games")
        for path in sorted((BASE_DIR / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if BARE.search(line)
    ]
    assert bare == []
