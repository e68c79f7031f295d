"""What kinds of things systems are called by: rack, server, card."""

from __future__ import annotations

from collections.abc import Mapping

KINDS: Mapping[str, str] = {
    "rack": "rack",
    "server": "server",
    "node": "server",
    "box": "server",
    "machine": "server",
    "card": "card",
    "board": "card",
    "blade": "blade",
    "workstation": "workstation",
    "desktop": "workstation",
    "laptop": "workstation",
    "chip": "chip",
    "gpu": "chip",
    "accelerator": "chip",
    "part": "chip",
    "cluster": "cluster",
    "pod": "cluster",
}
KIND_WORDS = frozenset(KINDS)
