"""What is kept packed: either packer's bytes are read by both, and what is no such thing is told."""

from __future__ import annotations

import subprocess
import sys
import zlib

import pytest

from tests.rows import rows
from watcher.demo.published import summary_results
from watcher.errors import StateError
from watcher.store.packing import pack, unpack

WITHOUT = """
import sys
sys.modules["isal"] = None
from watcher.store.packing import pack, unpack
sys.stdout.buffer.write(pack(sys.stdin.buffer.read()))
"""


@pytest.mark.parametrize(
    "data", [b"", b"x", b'{"Submitter": "Acme", "Result": 1000.5}' * 40_000, bytes(range(256)) * 9]
)
def test_what_was_packed_is_read_back_and_by_zlib_alone_as_well(data):
    packed = pack(data)

    assert unpack(packed) == data
    assert zlib.decompress(packed) == data
    assert unpack(zlib.compress(data, 3)) == data  # of an older program


def test_a_machine_without_isa_l_packs_with_zlib():
    data = b'{"Submitter": "Acme"}' * 1000

    packed = subprocess.run(
        [sys.executable, "-c", WITHOUT], input=data, capture_output=True, check=True
    ).stdout

    assert unpack(packed) == data


def test_a_table_is_kept_in_a_fifth_of_its_size_at_most():
    data = summary_results(rows(300))

    assert len(pack(data)) * 5 < len(data)


@pytest.mark.parametrize("packed", [b"", b"plain", pack(b"cut off" * 50)[:-9], "text", 7])
def test_what_is_no_packed_bytes_is_named_as_damage(packed):
    with pytest.raises(StateError, match=r"does not unpack.*restore a backup") as caught:
        unpack(packed)
    assert caught.value.damaged
