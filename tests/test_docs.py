"""The docs do not lie: every command shown is understood, those that are safe run, every rule and config shown is valid.

Whatever Markdown file there is is looked at: commands in code (fenced, indented or inline), rules, configs and JSON in code,
and links to files and headings. A new page needs nothing here.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.operation import acme, program, understood
from tests.rows import row
from watcher.catalog.names import load as load_catalog
from watcher.config import load as load_config
from watcher.demo.post import BODY
from watcher.demo.published import summary
from watcher.rules import load as load_rules
from watcher.wiring import make_notifier, sources_of

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "state").glob("*.md")])
PROGRAM = "mlperf-watcher"
# What a command of the docs may do in a test: ask, and write into its own folder. Others are only taken apart.
SAFE = frozenset(
    {
        "init", "ingest", "results", "compare", "scaling", "gains", "power", "records", "rank", "cost", "promises", "brief",
        "calendar", "cite", "claims list", "claims extract", "claims check", "rules list", "rules check", "rules fields",
        "rules schema", "rules explain", "rules backtest", "alerts list", "alerts show", "alerts silence", "sources list",
        "status", "config", "export", "backup", "report", "digest",
    }
)  # fmt: skip
OUT = frozenset({"--out", "--plot", "--preview", "--html", "--markdown"})
MAY_FAIL = {"claims check": {2}, "alerts show": {2}, "cite": {2}, "alerts silence": {2}}
"""Commands about what only a used state holds (a claim's number, an alert's id): there they may say that it is not there."""


def blocks(text: str) -> Iterator[str]:
    """Return every code block of a page, fenced or indented by four spaces."""
    yield from (found[1] for found in re.finditer(r"(?ms)^```[a-z]*\n(.*?)^```$", text))
    plain = re.sub(r"(?ms)^```.*?^```$", "", text)
    for found in re.finditer(r"(?m)(?:^(?:    .*|)\n)+", plain):
        lines = [line.removeprefix("    ") for line in found[0].splitlines()]
        if any(line.strip() for line in lines):
            yield "\n".join(lines).strip("\n") + "\n"


def commands(text: str) -> Iterator[str]:
    """Return every command of the program on a page: in blocks, and in backquotes if it has arguments that are given."""
    for block in blocks(text):
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            found = re.match(rf"(?:\$ |\S*/)?{PROGRAM} (.*?)(?:\s{{2,}}.*)?$", line.strip())
            if found:
                yield found[1]
    for found in re.finditer(rf"`{PROGRAM} ([^`]+)`", re.sub(r"(?ms)^```.*?^```$", "", text)):
        yield " ".join(found[1].split())


def words_of(command: str) -> list[str] | None:
    """Return a command's words without a shell's redirections, None where it is a pattern for a person to fill in."""
    command = re.split(r" [|>#] ?", command)[0].replace("…", " ").strip()
    words = shlex.split(command)
    pattern = any(re.fullmatch(r"\[?[A-Z][A-Z_]+\]?|\[.*", word) for word in words)
    return None if pattern or not words else words


def shown(page: Path) -> list[tuple[str, ...]]:
    """Return the words of each command of a page, once."""
    found = (words_of(command) for command in commands(page.read_text(encoding="utf-8")))
    return list(dict.fromkeys(tuple(words) for words in found if words is not None))


SHOWN = [
    pytest.param(page, words, id=f"{page.name}: {' '.join(words)}") for page in PAGES for words in shown(page)
]
SNIPPETS = [
    pytest.param(block, id=f"{page.name}: {block.splitlines()[0][:40]}")
    for page in PAGES
    for block in blocks(page.read_text(encoding="utf-8"))
]


@pytest.fixture(scope="module")
def used(tmp_path_factory) -> Path:
    """A folder with a config, a state that holds the archive, an alert, and the files that the docs speak of."""
    folder = tmp_path_factory.mktemp("docs")
    assert program("init", cwd=folder).returncode == 0
    text = (folder / "watcher.toml").read_text()
    (folder / "watcher.toml").write_text(re.sub(r"(?m)^groups = \[.*?\]", 'groups = ["mlcommons"]', text))
    for page in PAGES:  # the rules that a page shows are those that its commands speak of
        for number, block in enumerate(b for b in blocks(page.read_text(encoding="utf-8")) if is_rules(b)):
            _write_rules(block, folder / "rules" / f"{page.stem}-{number}.yaml")
    (folder / "news.json").write_bytes(summary(acme(3, round="v7.0")))
    assert program("ingest", "news.json", cwd=folder).returncode == 0
    return folder


def _write_rules(block: str, file: Path) -> list[str]:
    """Write the rules of a block as a file of their own, each with what a sketch may leave out; return their ids."""
    read = yaml.safe_load(block)
    rules = [{"watch": "result", **rule} for rule in (read["rules"] if isinstance(read, dict) else read)]
    held = file.parent.glob("*.yaml")
    taken = set(re.findall(r"(?m)^ *- id: (\S+)", "\n".join(path.read_text() for path in held)))
    mine = [{k: v for k, v in rule.items() if k != "receivers"} for rule in rules if rule["id"] not in taken]
    if mine:
        file.write_text(
            yaml.safe_dump({"rules": mine}, allow_unicode=True, sort_keys=False), encoding="utf-8"
        )
    return [rule["id"] for rule in rules]


def files_for(folder: Path, words: tuple[str, ...]) -> None:
    """Make the input files that a command names: tables, posts and drafts by their endings."""
    for number, word in enumerate(words):
        path = folder / word
        if number and words[number - 1] in OUT | {"backup"}:
            path.unlink(missing_ok=True)
        elif re.fullmatch(r"[\w./-]+\.json(\.gz)?", word) and "/" not in word and not path.exists():
            path.write_bytes(summary([row(round="v7.1", platform=f"rack-{n}") for n in range(3)]))
        elif re.fullmatch(r"[\w-]+\.(html|txt|md)", word) and not path.exists():
            path.write_text(BODY)


@pytest.mark.parametrize(("page", "words"), SHOWN)
def test_every_command_shown_is_understood_and_runs_where_it_is_safe(used, tmp_path, page, words):
    name = understood(words)
    if " ".join(words) == name and f"`{PROGRAM} {name}`" in page.read_text(encoding="utf-8"):
        return  # a mention of a command by its name
    if name not in SAFE or any(word.startswith("/") for word in words) or "-" in words:
        return
    folder = tmp_path / "place"
    shutil.copytree(used, folder)
    if name == "init":
        folder = tmp_path / "empty"
        folder.mkdir()
    files_for(folder, words)

    done = program(*words, cwd=folder)

    numbered = any(re.fullmatch(r"(A-)?\d+", word) for word in words)
    assert done.returncode in {0, 3, 4} | (MAY_FAIL.get(name, set()) if numbered else set()), done.stderr
    assert "Traceback" not in done.stderr


def test_there_are_commands_rules_and_configs_to_look_at():
    assert len(SHOWN) > 20
    assert len([block for block in SNIPPETS if is_rules(block.values[0])]) > 3
    assert len([block for block in SNIPPETS if is_config(block.values[0])]) > 3


# ------------------------------------------------------------------------------------------------ rules and configs


def is_rules(block: object) -> bool:
    return isinstance(block, str) and bool(re.match(r"(?m)(#.*\n)*(rules:|- id: |- \{id: )", block))


def is_config(block: object) -> bool:
    return isinstance(block, str) and bool(
        re.match(r"(?m)(#.*\n|\n)*\[(watcher|github|sources\.[\w-]+|receivers\.[\w-]+)\]", block)
    )


@pytest.mark.parametrize("block", [block for block in SNIPPETS if is_rules(block.values[0])])
def test_every_rule_shown_is_valid(tmp_path, block):
    named = _write_rules(block, tmp_path / "shown.yaml")

    assert [rule.id for rule in load_rules(tmp_path, load_catalog(), ()).rules] == named


@pytest.mark.parametrize("block", [block for block in SNIPPETS if is_config(block.values[0])])
def test_every_config_shown_is_valid_with_its_sources_and_receivers(tmp_path, block):
    values = tomllib.loads(block)
    environ = {}
    for table in (values.get("watcher", {}), values.get("github", {}), *values.get("receivers", {}).values()):
        for key, value in table.items():
            if key.endswith("_env"):
                environ[value] = _secret(key)
            elif key.endswith("_file"):
                (tmp_path / value).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / value).write_text(_secret(key))
                (tmp_path / value).chmod(0o600)
    named = {
        *values.get("watcher", {}).get("default_receivers", ()),
        *values.get("watcher", {}).get("trouble_receivers", ()),
    }
    missing = named - set(values.get("receivers", {}))
    more = "".join(f'\n[receivers.{name}]\nkind = "console"\n' for name in sorted(missing))
    (tmp_path / "watcher.toml").write_text(f"{block}{more}", encoding="utf-8")

    config = load_config(tmp_path / "watcher.toml", environ, cwd=tmp_path)

    assert sources_of(config) is not None
    for receiver in config.receivers:
        for recipient in receiver.to or ("",):
            assert make_notifier(receiver, recipient).name == receiver.name


def _secret(key: str) -> str:
    return "https://hooks.example.org/services/T/B/x" if "url" in key else "xoxb-not-a-secret"


def test_every_json_document_shown_is_json_unless_it_is_cut_short():
    for block in (each.values[0] for each in SNIPPETS):
        if re.match(r"\s*[{\[]\s*[\"{]", block) and "…" not in block and "..." not in block:
            json.loads(block)


# ------------------------------------------------------------------------------------------------ links


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"(?m)^#+ (.*)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", head.replace("`", "").casefold()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_every_link_to_a_file_or_heading_leads_somewhere(page):
    text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?://|mailto:", target):
            continue
        file, _, anchor = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        assert place.exists(), target
        if anchor:
            assert anchor in anchors(place), target


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_every_file_of_ours_that_is_named_is_there(page):
    for name in re.findall(
        r"`((?:deploy|docs|tests|watcher|rules)/[\w./-]+\.\w+)`", page.read_text(encoding="utf-8")
    ):
        assert (ROOT / name).exists(), name
