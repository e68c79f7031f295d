"""Notifications to send in tests: one as the product makes them, and one full of hostile text from outside."""

from __future__ import annotations

import struct
import zlib
from datetime import UTC, datetime
from typing import Any

from watcher.domain import Grid, Image, Link, Notification, Section

AT = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
HOSTILE = "<!channel> R&D <b>50 %</b> ```fence``` *bold* https://evil.example/x?a=1&b=2 www.evil.com @here \u202e\x1b[31m"


def picture(width: int = 4, height: int = 4) -> bytes:
    """Return a small valid PNG."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = b"".join(b"\x00" + b"\x40\x80\xc0" * width for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def rubin(**changes: Any) -> Notification:
    """Return the alert on Vera Rubin's first rows, shortened."""
    grid = Grid(
        caption="Qwen3-VL",
        columns=("Scenario", "VR", "GB300", "ratio"),
        rows=(("Interactive", "1,307", "349", "3.74x"), ("Server", "2,323", "1,210", "1.92x")),
        numeric=frozenset({1, 2, 3}),
        strong=frozenset({(0, 3)}),
    )
    sections = (
        Section(paragraphs=("NVIDIA, 72 accelerators, against its own GB300 NVL72.",), grid=grid),
        Section(
            heading="Handle with care",
            bullets=("Preview against available.", "mlperf-watcher alerts show A-0142"),
            links=(Link(text="Rows", url="https://github.com/mlcommons/inference_results_v6.1?a=1&b=2"),),
        ),
        Section(image=Image(name="ratios", png=picture(), alt="Ratios by scenario")),
    )
    values: dict[str, Any] = {
        "id": "n-0142-team",
        "kind": "alert",
        "title": "Vera Rubin: first per-scenario results",
        "severity": "high",
        "summary": "NVIDIA, closed, PREVIEW: Qwen3-VL Interactive 3.74x GB300, 1.92x in Server",
        "created_at": AT,
        "sections": sections,
        "alerts": ("A-0142",),
        "rules": ("vera-rubin-per-scenario",),
        "footer": "A-0142",
    }
    return Notification(**{**values, **changes})


def hostile(**changes: Any) -> Notification:
    """Return a notification whose every text comes from somebody who means harm."""
    section = Section(
        heading=HOSTILE,
        lead=HOSTILE,
        paragraphs=(HOSTILE,),
        grid=Grid(columns=(HOSTILE, "x"), rows=((HOSTILE, "1"),), numeric=frozenset({1}), caption=HOSTILE),
        image=Image(name=HOSTILE, png=picture(), alt=HOSTILE),
        bullets=(HOSTILE,),
        links=(
            Link(text=HOSTILE, url="https://ok.example/a|b>c <d>?e=1&f=2"),
            Link(text="odd", url="javascript:alert(1)"),
        ),
    )
    texts = {"title": HOSTILE, "summary": HOSTILE, "footer": HOSTILE, "sections": (section,)}
    return rubin(**{**texts, "rules": (HOSTILE,), **changes})


def digest(**changes: Any) -> Notification:
    """Return a long digest: many tables and lists, over every budget."""
    rows = tuple((f"Submitter {i}", f"{i * 1000:,}", f"{i}.00x") for i in range(400))
    grid = Grid(columns=("Submitter", "tokens/s", "ratio"), rows=rows, numeric=frozenset({1, 2}))
    many = tuple(
        Section(heading=f"Part {i}", paragraphs=("Words. " * 60,), bullets=("a bullet " * 20,) * 9)
        for i in range(40)
    )
    values = {
        "kind": "digest",
        "see_all": "mlperf-watcher digest --date 2026-09-16",
        "severity": "info",
        "title": "v6.1 is out",
        "sections": (Section(grid=grid), *many),
    }
    return rubin(**{**values, **changes})
