"""docs/architecture.md says what is so: every module, the layers, the points of death, the columns of a result."""

import re
import sqlite3
import tomllib
from pathlib import Path

from watcher.cli import COMMANDS
from watcher.domain import Result
from watcher.migrations import MACHINE_COLUMNS, RUN_COLUMNS, STEPS

ROOT = Path(__file__).parent.parent
WATCHER = ROOT / "watcher"
DOCUMENT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def _section(title):
    return DOCUMENT.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def _fence(title):
    return _section(title).split("```")[1].strip().splitlines()


def _listed():
    folder, found = "", []
    for line in _fence("Where code lives"):
        if line.startswith("watcher/"):
            folder = line.strip()
        elif line.strip():
            found.append(folder + line.split()[0])
    return found


def test_every_module_stands_in_the_tree_once_and_none_that_does_not_exist():
    there = [path.relative_to(ROOT).as_posix() for path in WATCHER.rglob("*.py")]

    assert sorted(_listed()) == sorted(there)


def test_every_module_of_the_tree_is_told_in_words():
    lines = [line.split(maxsplit=1) for line in _fence("Where code lives") if line.startswith("  ")]

    assert [line for line in lines if len(line) < 2] == []


def test_the_layers_drawn_are_those_that_the_machine_checks():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = config["tool"]["importlinter"]["contracts"]

    assert [line.split("   ")[0] for line in _fence("Imports point down")] == contract["layers"]


def test_every_point_at_which_a_process_may_die_is_told():
    code = "".join(path.read_text(encoding="utf-8") for path in (WATCHER / "pipeline").glob("*.py"))
    reached = set(re.findall(r'reach\("(\w+)"\)', code))
    rows = [line for line in _section("The way of the data").splitlines() if line.startswith("| `")]

    assert {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])} == reached


def test_every_file_and_module_named_in_the_text_exists():
    files = re.findall(r"`((?:watcher|tests|docs|rules|deploy)/[\w./]+\.\w+)`", DOCUMENT)
    modules = re.findall(r"`(watcher(?:\.[a-z_]+)+)`", DOCUMENT)

    assert [name for name in files if not (ROOT / name).is_file()] == []
    assert [
        name
        for name in modules
        if not (ROOT / name.replace(".", "/")).is_dir()
        and not (ROOT / f"{name.replace('.', '/')}.py").is_file()
    ] == []


def test_every_command_is_a_module_of_the_tree():
    modules = {f"{place.split(':')[0].replace('.', '/')}.py" for place in COMMANDS.values()}

    assert modules <= set(_listed())


def test_the_steps_of_the_state_give_a_column_to_every_fact_of_a_result():
    state = sqlite3.connect(":memory:")
    for step in STEPS:
        step(state)

    columns = {
        table: {row[1] for row in state.execute(f"PRAGMA table_info({table})")}
        for table in ("machines", "results")
    }
    state.close()

    assert set(MACHINE_COLUMNS) - columns["machines"] == set(RUN_COLUMNS) - columns["results"] == set()
    assert {*MACHINE_COLUMNS, *RUN_COLUMNS, "first_seen_at"} == set(Result.__struct_fields__)
