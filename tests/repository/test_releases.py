"""Versions: in the code once, in the changelog with a date, and what is published for each."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import games

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def jobs_of(name: str) -> list[dict[str, Any]]:
    path = ROOT / ".github" / "workflows" / name
    return list(yaml.safe_load(path.read_text())["jobs"].values())


def commands_of(name: str) -> str:
    (job,) = jobs_of(name)
    return "\n".join(step["run"] for step in job["steps"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_take_the_pushed_commit_also_of_a_private_repository(path: Path) -> None:
    (job,) = jobs_of(path.name)
    first = job["steps"][0]
    assert '"$GITHUB_SHA"' in first["run"]
    assert first["env"] == {"TOKEN": "${{ github.token }}"}
    assert "git clone" not in path.read_text()


def test_the_changelog_begins_with_this_version_and_each_has_the_steps_of_its_update() -> None:
    """A version that is not released is “Unreleased” there, and ends with .dev0 in the code."""
    lines = (ROOT / "CHANGELOG.md").read_text().splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("## [")]
    released = [line for line in lines if re.match(r"## \[\d", line)]
    if games.__version__.endswith(".dev0"):
        assert lines[heads[0]] == "## [Unreleased]"
    else:
        assert lines[heads[0]] == released[0]
        assert f"[{games.__version__}]" in released[0]
    assert all(re.fullmatch(r"## \[\d+\.\d+\.\d+\] - 20\d\d-\d\d-\d\d", line) for line in released)
    for start, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        assert any(line.startswith("Your steps:") for line in lines[start:end]), lines[start]


def test_code_after_a_tag_does_not_call_itself_that_version() -> None:
    """The tag may be missing, as in a copy without its history."""
    tag = git("rev-parse", "--verify", "--quiet", f"refs/tags/v{games.__version__}^{{commit}}")
    assert tag in ("", git("rev-parse", "HEAD"))
    changelog = (ROOT / "CHANGELOG.md").read_text()
    if "## [Unreleased]" in changelog:
        assert f"## [{games.__version__}]" not in changelog


def git(*words: str) -> str:
    """What git prints; "" where there is no git or no repository."""
    if shutil.which("git") is None:
        return ""
    done = subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, timeout=30, check=False
    )
    return done.stdout.strip()


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
    assert 'if [ "$newest" = "$ATLANTIS_VERSION" ]; then docker push "$ATLANTIS_IMAGE"' in commands
    compose = (ROOT / "docker-compose.yml").read_text()
    assert "image: ${ATLANTIS_IMAGE:-" in compose
    assert "${ATLANTIS_VERSION:-}" in compose


def test_whatever_the_handbook_starts_before_a_restore_is_waited_for() -> None:
    pages = ("running-in-production.md", "other-ways.md")
    handbook = "".join((ROOT / "docs" / page).read_text() for page in pages)
    assert handbook.count("up --detach --wait postgres") == 2
    assert "up --detach postgres" not in handbook
