"""urlwatch and webchanges in environments of their own, with the same pages and filters."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PACKAGES = {
    "urlwatch": ("urlwatch", "cssselect", "html2text", "lxml"),
    "webchanges": ("webchanges", "html2text", "cssselect"),
}


def environment(name: str, folder: Path) -> Path | None:
    """Return the folder of a rival's programs, installing it once; None where it cannot be installed."""
    place = folder / name
    if not (place / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        installed = subprocess.run(
            [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", *PACKAGES[name]], check=False
        )
        if installed.returncode:
            return None
        (place / "ready").touch()
    return place / "bin"


def jobs(name: str, addresses: Sequence[str], folder: Path) -> list[str]:
    """Write a rival's configuration; return the command of one run."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = []
    for number, address in enumerate(addresses):
        filters = (
            "  - format-json\n"
            if "/table/" in address
            else "  - css: article\n  - html2text: re\n  - strip\n"
        )
        if name == "webchanges" and "/post/" in address:
            filters = "  - css: article\n  - html2text: strip_tags\n  - strip\n"
        texts.append(f"name: job {number}\nurl: {address}\nfilter:\n{filters}")
    (folder / "jobs.yaml").write_text("---\n".join(texts))
    (folder / "config.yaml").write_text(
        "display:\n  new: true\nreport:\n  stdout:\n    enabled: true\n    color: false\n"
    )
    if name == "urlwatch":
        return [
            "--urls",
            "jobs.yaml",
            "--config",
            "config.yaml",
            "--cache",
            "cache.db",
            "--hooks",
            "hooks.py",
        ]
    return ["--jobs", "jobs.yaml", "--config", "config.yaml", "--database", "cache.db", "--hooks", "hooks.py"]
