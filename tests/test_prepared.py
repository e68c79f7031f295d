"""Prepared forms say what the files say, and are passed over where they do not."""

from __future__ import annotations

import subprocess
import sys
from datetime import date

import pytest
from msgspec import Struct
from msgspec.structs import replace

from watcher.catalog import files, ours, prepared
from watcher.catalog.entries import Units
from watcher.catalog.names import load
from watcher.claims.gathered import gather
from watcher.claims.lexicon import lexicon
from watcher.claims.prepared import FILE, spelled_over, stamp_over
from watcher.claims.spellings import Spelled
from watcher.config import packaged_rules
from watcher.rules import kept, load_files, read_files

ANEW = "write the prepared forms anew: python -m watcher.prepare"


class Form(Struct, frozen=True):
    words: frozenset[str]
    day: date | None = None
    names: tuple[str, ...] = ()


FORM = Form(frozenset({"b", "a", "ü"}), date(2026, 9, 16), ("x", "y"))


def test_the_catalogs_form_is_of_its_files_and_says_what_they_say():
    assert prepared.read(ours.FILE, ours.Ours, ours.stamp_of_form()) == ours.gather(), ANEW


def test_the_form_of_the_words_is_of_their_files_and_says_what_they_say():
    assert prepared.read(FILE, Spelled, stamp_over(load())) == gather(load()), ANEW


def test_the_form_of_our_rules_is_of_their_files_and_says_what_they_say():
    files = read_files(packaged_rules())
    found = kept.shipped(files, load())

    assert found is not None, ANEW
    loaded = load_files(files, load(), ())
    assert [replace(rule, place="") for rule in found.rules] == [replace(r, place="") for r in loaded.rules]
    assert found.vendors == loaded.vendors


def test_unchanged_copies_of_our_rules_are_known_and_edited_ones_are_read(tmp_path):
    for file in packaged_rules().glob("*.yaml"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    assert kept.shipped(read_files(tmp_path), load()) is not None

    next(tmp_path.glob("*.yaml")).write_text("rules:\n  - {id: mine, watch: rank}\n")
    assert kept.shipped(read_files(tmp_path), load()) is None


def test_our_rules_are_read_over_names_of_ones_own(tmp_path):
    (tmp_path / "submitters.yaml").write_text("Fir Labs: {aliases: [Firlabs]}\n")

    assert kept.shipped(read_files(packaged_rules()), load(tmp_path)) is None


def test_the_calendar_and_the_units_are_those_of_the_files():
    rounds = files.read_rounds(files.OURS, {})

    assert (ours.rounds(), list(ours.rounds())) == (rounds, list(rounds))
    assert ours.units() == files.read_units(files.OURS, Units())


def test_entries_keep_the_files_order():
    assert {kind: list(ours.entries(kind)) for kind in files.FILES} == {
        kind: list(files.read_entries(files.OURS, kind, {})) for kind in files.FILES
    }


def test_a_catalog_with_names_of_ones_own_has_no_prepared_form(tmp_path):
    (tmp_path / "submitters.yaml").write_text("Fir Labs: {aliases: [Firlabs]}\n")
    names = load(tmp_path)

    assert prepared.read(FILE, Spelled, stamp_over(names)) is None
    assert spelled_over(names) == gather(names)
    assert lexicon(names).root["fir"]["labs"].meaning.names == {"submitter": "Fir Labs"}


def test_a_form_comes_back_as_it_was_written(tmp_path):
    prepared.write(tmp_path / "form.json", FORM, "one")

    assert prepared.read(tmp_path / "form.json", Form, "one") == FORM


@pytest.mark.parametrize("stamp", ["two", None])
def test_a_form_of_another_stamp_is_passed_over(tmp_path, stamp):
    prepared.write(tmp_path / "form.json", FORM, "one")

    assert prepared.read(tmp_path / "form.json", Form, stamp) is None


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff", b'{"stamp":"one"}', b'{"stamp":"one","form":{"words":3}}', b'{"stamp":"one","form":{"wo'],
)
def test_a_damaged_form_is_passed_over(tmp_path, body):
    (tmp_path / "form.json").write_bytes(body)

    assert prepared.read(tmp_path / "form.json", Form, "one") is None


def test_where_there_is_no_form_there_is_none(tmp_path):
    assert prepared.read(tmp_path / "form.json", Form, "one") is None


def test_a_stamp_is_of_the_bytes_and_of_where_one_file_ends(tmp_path):
    for name, text in (("a", "xy"), ("b", "z"), ("c", "x"), ("d", "yz")):
        (tmp_path / name).write_text(text)
    one, two, three, four = (tmp_path / name for name in "abcd")

    assert prepared.stamp_of((one, two)) == prepared.stamp_of((one, two))
    assert len({prepared.stamp_of(p, s) for p in ((one, two), (three, four)) for s in ("", "s")}) == 4
    assert prepared.stamp_of((one, tmp_path / "none")) is None


def test_reading_claims_needs_no_yaml():
    code = (
        "import sys; from watcher.catalog.names import load; from watcher.claims import extract;"
        "extract('GB300 does 3x the tokens/s of H200.', catalog=load()); print('yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False", ANEW
