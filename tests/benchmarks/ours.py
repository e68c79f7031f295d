"""The same pages as sources of ours."""

from __future__ import annotations

import compileall
from collections.abc import Sequence
from pathlib import Path


def config(addresses: Sequence[str], folder: Path) -> list[str]:
    """Write a config with these pages alone; return the command of one pass over all of them, due or not."""
    compileall.compile_dir(Path(__file__).parents[2] / "watcher", quiet=2)  # as pip does for what it installs
    folder.mkdir(parents=True, exist_ok=True)
    parts = ['[watcher]\ngroups = []\ngap = "0.001s"\n']
    names = []
    for number, address in enumerate(addresses):
        name = f"page-{number:03d}"
        names.append(name)
        if "/table/" in address:
            index, _, copy = address.partition("/table/")[2].partition("/")
            kind = f'kind = "table"\nsuite = "inference"\nround = "v{int(index) + 1}.{copy}"\n'
        else:
            kind = 'kind = "article"\n'
        parts.append(f'[sources.{name}]\nurl = "{address}"\nallow_hosts = ["127.0.0.1"]\n{kind}')
    (folder / "watcher.toml").write_text("\n".join(parts))
    return ["run", *names]
