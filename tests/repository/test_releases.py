"""Versions: in the code once, in the changelog with a date, and what is published for each."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import games

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
VERSION = re.escape(games.__version__)


def jobs_of(name: str) -> list[dict[str, Any]]:
    path = ROOT / ".github" / "workflows" / name
    return list(yaml.safe_load(path.read_text())["jobs"].values())


def commands_of(name: str) -> str:
    (job,) = jobs_of(name)
    return "\n".join(step["run"] for step in job["steps"])


def test_each_version_has_a_date_and_the_steps_of_its_update() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text().splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("## [")]
    assert re.fullmatch(rf"## \[{VERSION}\] - 20\d\d-\d\d-\d\d", lines[heads[0]])
    for start, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        assert any(line.startswith("Your steps:") for line in lines[start:end]), lines[start]


def test_the_version_stands_in_one_place() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    assert 'dynamic = ["version"]' in project
    assert 'version = {attr = "games.__version__"}' in project
    for path in (ROOT / "Dockerfile", ROOT / "docker-compose.yml", ROOT / "Makefile"):
        assert games.__version__ not in path.read_text().replace("@sha256", "")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_our_own_commands_with_a_time_limit(path: Path) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for job in jobs_of(path.name):
        assert job["timeout-minutes"] <= 60
        assert all("uses" not in step for step in job["steps"])  # an action can change
    assert set(re.findall(r"make ([\w-]+)", commands_of(path.name))) <= set(targets)


def test_each_push_is_tested() -> None:
    assert commands_of("test.yml").endswith("make test")


def test_what_is_published_was_tested_as_an_image() -> None:
    commands = commands_of("release.yml")
    assert commands.index("make test-containers") < commands.index("docker push")
    assert '"$ATLANTIS_IMAGE:$ATLANTIS_VERSION"' in commands
    compose = (ROOT / "docker-compose.yml").read_text()
    assert "image: ${ATLANTIS_IMAGE:-" in compose
    assert "${ATLANTIS_VERSION:-}" in compose


def test_whatever_the_handbook_starts_before_a_restore_is_waited_for() -> None:
    handbook = (ROOT / "docs" / "running-in-production.md").read_text()
    assert handbook.count("up --detach --wait postgres") == 2
    assert "up --detach postgres" not in handbook
