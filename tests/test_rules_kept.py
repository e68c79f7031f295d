"""Rules that the state keeps are those of their files, or are not used."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from watcher.catalog.names import load as load_catalog
from watcher.config import Config, packaged_rules
from watcher.errors import RuleError
from watcher.pipeline.one_pass import begin
from watcher.rules import RuleSet, load
from watcher.rules.kept import from_text, to_text
from watcher.store import Store
from watcher.wiring import wire

RULES = """rules:
  - id: dates-words-and-numbers
    watch: result
    on: [added, changed]
    title: "{submitter}: {value:,.0f}"
    until: 2026-12-01
    cooldown: 6h
    where:
      any:
        - {accelerator: VR200, scenario: [server, Interactive]}
        - none: [{notes: {matches: "(?i)cap"}}]
    when: {value: {between: [1, 2.5]}}
    against: NVIDIA/gb300x288@v6.1
  - {id: ranks, watch: rank}
"""


@pytest.fixture
def store(tmp_path: Path, now: datetime) -> Iterator[Store]:
    (tmp_path / "rules.yaml").write_text(RULES)
    with Store(tmp_path / "watcher.db", now=now) as made:
        yield made


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(rules=(tmp_path / "rules.yaml",))


def names(rules: RuleSet) -> list[str]:
    return [rule.id for rule in rules.rules]


@pytest.mark.parametrize("shipped", [True, False])
def test_rules_come_back_as_they_were_loaded(tmp_path: Path, shipped: bool) -> None:
    (tmp_path / "rules.yaml").write_text(RULES)
    rules = load(packaged_rules() if shipped else tmp_path, load_catalog())

    assert from_text(to_text(rules, "a"), "a") == rules


@pytest.mark.parametrize("text", [None, "", "{", '{"stamp":"a","rules":[{"id":3}],"digest":"","vendors":[]}'])
def test_what_cannot_be_read_as_rules_is_none(text: str | None) -> None:
    assert from_text(text, "a") is None


def test_rules_of_another_stamp_are_not_used() -> None:
    assert from_text(to_text(RuleSet(()), "a"), "b") is None


def test_rules_that_a_pass_has_kept_are_not_read_from_their_files_again(
    store: Store, config: Config, now: datetime
) -> None:
    first = wire(config, store)
    begin(first, now)
    again = wire(config, store)

    def refuse() -> RuleSet:
        raise AssertionError

    again.make_rules = refuse

    assert again.rules == first.rules


def test_kept_rules_serve_a_pass_in_another_working_directory(
    store: Store, config: Config, tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begin(wire(config, store), now)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = wire(config, store)
    again.make_rules = lambda: RuleSet(())

    assert names(again.rules) == ["dates-words-and-numbers", "ranks"]


def test_an_edit_of_rules_and_names_counts_at_once(store: Store, tmp_path: Path, now: datetime) -> None:
    config = Config(rules=(tmp_path / "rules.yaml",), catalog=tmp_path / "names")
    (tmp_path / "names").mkdir()
    begin(wire(config, store), now)
    (tmp_path / "names" / "submitters.yaml").write_text("Fir Labs: {aliases: [Firlabs]}\n")
    (tmp_path / "rules.yaml").write_text(
        RULES + "  - {id: fir, watch: result, where: {submitter: Firlabs}}\n"
    )

    again = wire(config, store)
    begin(again, now)

    assert names(again.rules) == ["dates-words-and-numbers", "ranks", "fir"]


def test_rules_that_are_wrong_are_told_and_not_kept(
    store: Store, config: Config, tmp_path: Path, now: datetime
) -> None:
    begin(wire(config, store), now)
    (tmp_path / "rules.yaml").write_text("rules:\n  - {id: a, watch: nothing}\n")

    for _ in range(2):
        with pytest.raises(RuleError, match="unknown watch 'nothing'"):
            begin(wire(config, store), now)


def test_rules_that_were_kept_with_other_names_are_not_used(
    store: Store, config: Config, tmp_path: Path, now: datetime
) -> None:
    begin(wire(config, store), now)
    (tmp_path / "names").mkdir()
    (tmp_path / "names" / "submitters.yaml").write_text("Fir Labs: {aliases: [Firlabs]}\n")
    again = wire(config, store)
    again.make_catalog = lambda: load_catalog(tmp_path / "names")  # as if our own files said more
    again.make_rules = lambda: RuleSet(())

    assert names(again.rules) == []


def test_an_edit_while_the_rules_are_loaded_counts_in_the_next_pass(
    store: Store, config: Config, tmp_path: Path, now: datetime
) -> None:
    first = wire(config, store)

    def loaded_before_an_edit() -> RuleSet:
        rules = load(tmp_path / "rules.yaml", load_catalog())
        (tmp_path / "rules.yaml").write_text(RULES + "  - {id: late, watch: result}\n")
        return rules

    first.make_rules = loaded_before_an_edit
    begin(first, now)
    again = wire(config, store)
    begin(again, now)

    assert names(again.rules) == ["dates-words-and-numbers", "ranks", "late"]


def test_another_release_reads_the_files_again(store: Store, config: Config, now: datetime) -> None:
    begin(wire(config, store), now)
    newer = wire(config, store)
    stamp = newer.rules_stamp()
    newer.rules_stamp = lambda: f"{stamp} of a newer program"
    newer.make_rules = lambda: RuleSet(())

    assert names(newer.rules) == []
