"""Rules for the layout of the code that no linter checks."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from games.rules import GAMES

ROOT = Path(__file__).parents[2]
CODE = {
    path.relative_to(ROOT): path.read_text(encoding="utf-8")
    for folder in ("games", "atlantis_site")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "migrations" not in path.parts
}
# Not the service worker: it passes requests of pages on, whose timeouts end its requests as well.
SCRIPTS = {path.stem: path for path in (ROOT / "games/static/games").glob("*.js")}
SCRIPTS.pop("service-worker")
LOG = re.compile(r"games_(gameevent|gameorder)|\b(GameEvent|GameOrder)\b")
IMPORT = re.compile(r"^ *(?:from (?=\S+ import )|import (?=\S+$))([a-z]\w*)", re.MULTILINE)
IMPORT_STATEMENT = re.compile(r"^ *(?:from \S+ )?import (?:\([^)]*\)|[^(\n]*)", re.MULTILINE)
OF_TESTS = re.compile(r"\btest_")
# Cheap to find, so that few modules are parsed.
STARRED = re.compile(r"\*[(\[{]")
FRAGMENT = re.compile(
    r'"""((?:About|As|At|Before|Below|Between|By|For|From|In|Of|On|Over|Per|To|Until|While|With|'
    r"Within|Without) .*)"
)
DEFINED = re.compile(r"^ *(?:async )?(?:def|class) (\w+)", re.MULTILINE)
PRESENT = re.compile(r"\b(now|utcnow|today)\(")
PRIVATE = re.compile(r"(?<!\bself)(?<!\bcls)\._[a-z]|__dict__")


def private_writes(code: str) -> list[str]:
    """The private attributes of other objects, and the __dict__, that this code writes to."""
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)]
    return [
        ast.unparse(node)
        for node in nodes
        if node.attr == "__dict__"
        or (
            isinstance(node.ctx, ast.Store | ast.Del)
            and node.attr.startswith("_")
            and ast.unparse(node.value) not in ("self", "cls")
        )
    ]


def test_only_games_log_names_the_tables_of_the_log() -> None:
    """The models define them, and nothing else speaks of them."""
    own = (Path("games/log"), Path("games/models"))
    named = {str(p) for p, code in CODE.items() if LOG.search(code) and p.parent not in own}
    assert named == set()


def test_nothing_writes_to_private_attributes_of_others() -> None:
    found = {str(p): private_writes(code) for p, code in CODE.items() if PRIVATE.search(code)}
    assert {name: writes for name, writes in found.items() if writes} == {}


def starred_displays(code: str) -> list[str]:
    """The displays of a tuple, list or set that this code unpacks into a call or another
    display, where their elements could stand."""
    holders = [
        node
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call | ast.Tuple | ast.List | ast.Set)
    ]
    members = [
        member
        for node in holders
        for member in (node.args if isinstance(node, ast.Call) else node.elts)
    ]
    return [
        ast.unparse(member)
        for member in members
        if isinstance(member, ast.Starred)
        and isinstance(member.value, ast.Tuple | ast.List | ast.Set)
    ]


def test_elements_stand_in_their_call_or_display_without_a_starred_one() -> None:
    """A starred display only makes the formatter put more elements on a line."""
    folders = ("atlantis_site", "games", "tests")
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    sources = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths}
    found = {name: starred_displays(code) for name, code in sources.items() if STARRED.search(code)}
    assert {name: displays for name, displays in found.items() if displays} == {}


def test_docstrings_begin_with_no_preposition() -> None:
    """One that does is a fragment: "Without replies of others" instead of what it does."""
    found = {str(path): FRAGMENT.findall(code) for path, code in CODE.items()}
    assert {name: beginnings for name, beginnings in found.items() if beginnings} == {}


def test_the_rules_know_dates_and_no_present() -> None:
    rules = [path for path in CODE if path.parts[:2] == ("games", "rules")]
    assert [str(path) for path in rules if PRESENT.search(CODE[path])] == []


def test_no_two_names_differ_only_in_the_order_of_their_words() -> None:
    """Nobody could know which of `vote_open` and `open_vote` locks the game."""
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for path in CODE:
        for name in DEFINED.findall(CODE[path]):
            words = tuple(name.strip("_").split("_"))
            found.setdefault(tuple(sorted(words)), set()).add(words)
    assert [orders for orders in found.values() if len(orders) > 1] == []


def test_pictures_and_drawings_are_data_for_which_no_expression_searches() -> None:
    drawing = Path("games/rules/drawing.py")
    readers = [p for p in CODE if p.parent == Path("games/pictures") or p == drawing]
    assert [str(p) for p in readers if re.search(r"^import re$", CODE[p], re.MULTILINE)] == []


def imports_of_tests(code: str) -> list[str]:
    """The statements of this code that import a test module, or something from one."""
    return [found for found in IMPORT_STATEMENT.findall(code) if OF_TESTS.search(found)]


def test_no_test_module_imports_another() -> None:
    """Shared helpers are in tests/support, or in a module of their own in the same folder."""
    paths = sorted((ROOT / "tests").rglob("*.py"))
    found = {str(p.relative_to(ROOT)): imports_of_tests(p.read_text("utf-8")) for p in paths}
    assert {name: imports for name, imports in found.items() if imports} == {}


def test_the_overview_of_the_helpers_names_every_module() -> None:
    folder = ROOT / "tests/support"
    overview = (folder / "__init__.py").read_text(encoding="utf-8")
    named = re.findall(r"\w+", " ".join(re.findall(r"^    (.+)$", overview, re.MULTILINE)))
    modules = {path.parent.name for path in folder.glob("*/__init__.py")}
    modules |= {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert sorted(named) == sorted(modules)


def test_all_games_are_forbidden_to_import_each_other() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (independent,) = (c["modules"] for c in contracts if c["type"] == "independence")
    assert sorted(independent) == sorted(f"games.rules.{kind}" for kind in GAMES)


def test_the_service_imports_only_what_make_play_installs() -> None:
    """With all commands, such as `manage.py messages`; error reports are an extra."""
    lock = (ROOT / "requirements-local.lock").read_text(encoding="utf-8")
    locked = {canonical(name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
    imported = {name for code in CODE.values() for name in IMPORT.findall(code)}
    known = packages_distributions()
    foreign = imported - sys.stdlib_module_names - {"games", "atlantis_site", "sentry_sdk"}
    assert {"babel", "django"} <= foreign
    assert {n for n in foreign if not locked & {canonical(d) for d in known.get(n, ())}} == set()


def canonical(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


@pytest.mark.parametrize("script", sorted(SCRIPTS))
def test_every_request_of_a_script_has_a_timeout(script: str) -> None:
    code = SCRIPTS[script].read_text(encoding="utf-8")
    assert code.count(" fetch(") == code.count("signal: AbortSignal.timeout(")
