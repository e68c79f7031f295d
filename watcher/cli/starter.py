"""The files of a new set-up: watcher.toml with every key explained, and rules as a reader of one kind wants them.

What a key is for comes from the config and the notifiers themselves, so that it cannot be out of date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field

from watcher import config
from watcher.notifiers import NOTIFIERS, options
from watcher.notifiers.options import Option


class Preset(Struct, frozen=True, kw_only=True):
    """What one kind of reader starts with.

    ``groups`` of built-in sources; ``severity`` and ``off`` by rule id; ``kinds`` of receivers shown first, as
    comments; ``help`` in a sentence.
    """

    help: str
    groups: tuple[str, ...]
    severity: Mapping[str, str] = field(default_factory=dict)
    off: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


PRESETS: Mapping[str, Preset] = {
    "buyer": Preset(
        help="who plans and buys: what new systems do in every scenario, and what vendors' sentences are worth",
        groups=("mlcommons", "vendors"),
        severity={"claim-not-borne-out": "high", "third-party-over-vendor": "high", "third-party-rack-power": "critical"},
        off=("result-renamed", "record-beaten"),
        kinds=("slack", "mail"),
    ),
    "submitter": Preset(
        help="who submits: corrections and withdrawals at once, records, who does better on the same accelerator",
        groups=("mlcommons",),
        severity={
            "new-round": "critical", "result-withdrawn": "critical", "record-beaten": "high",
            "third-party-over-vendor": "high",
        },
        off=("claim-about-watched-system", "vendor-post-about-round"),
        kinds=("slack", "webhook"),
    ),
    "press": Preset(
        help="who writes: the minute a round is out, and every claim that its rows do not bear out",
        groups=("mlcommons", "vendors", "benchmarks", "press"),
        severity={"new-round": "critical", "claim-contradicted": "critical", "claim-not-borne-out": "high"},
        off=("server-scaling", "result-renamed"),
        kinds=("mail", "atom"),
    ),
}  # fmt: skip
PLAIN = Preset(help="everybody, all rules as shipped", groups=config.DEFAULT_GROUPS, kinds=("slack", "mail"))

_WATCHER_EXAMPLES: Mapping[str, str] = {
    "state": '"state/watcher.db"',
    "rules": '["rules"]',
    "catalog": '"catalog"',
    "contact": '"mlperf@example.org"',
    "base_url": '"https://reports.example.org/mlperf"',
    "default_receivers": '["you"]',
    "trouble_receivers": '["you"]',
    "keep_documents": '"256 MB"',
    "timeout": '"30s"',
    "deadline": '"4m"',
    "gap": '"0.5s"',
    "ping_url": '"PING_URL"',
    "http": '"127.0.0.1:9464"',
    "log_format": '"json"',
}
_SHOWN_FIRST = ("groups", "zone")
_RECEIVER_EXAMPLES: Mapping[str, str] = {
    "to": '["ann@example.org", "ben@example.org"]',
    "zone": '"America/New_York"',
    "min_severity": '"high"',
    "rules": '["new-round", "vera-rubin-*"]',
    "watches": '["result", "claim"]',
    "quiet_hours": '"22:00-07:00"',
    "digest_at": '"08:00"',
    "alerts": "false",
    "burst": "5",
}
_OPTION_EXAMPLES: Mapping[tuple[str, str], str] = {
    ("slack", "webhook_url"): '"slack-webhook"',
    ("slack", "token"): '"slack-token"',
    ("slack", "channel"): '"C0123456789"',
    ("mail", "host"): '"smtp.example.org"',
    ("mail", "sender"): '"mlperf@example.org"',
    ("mail", "to"): '["ann@example.org"]',
    ("mail", "port"): "587",
    ("mail", "ca"): '"company-ca.pem"',
    ("webhook", "url"): '"webhook-url"',
    ("atom", "path"): '"/var/www/mlperf.atom"',
    ("atom", "link"): '"https://example.org/mlperf.atom"',
    ("apprise", "url"): '"apprise-url"',
}
_NAMES = {
    "slack": "team-slack",
    "mail": "team-mail",
    "webhook": "our-service",
    "atom": "feed-file",
    "apprise": "phone",
}
_CHOSEN = {
    ("slack", "webhook_url")
}  # what stands in a block that works once its # are taken off, though it has a choice
_NO_EXAMPLE = '""'
_WIDTH = 44


def toml(preset: Preset, zone: str) -> str:
    """Return the text of watcher.toml; only groups, zone and a receiver on the terminal are in force."""
    lines = [
        "# mlperf-watcher: what is checked, and who is told. `mlperf-watcher config` shows what is in force.",
        "# A key behind # is off; the text at its end says what it is for.",
        "# Secrets never stand here: NAME_file names a file (chmod 600), NAME_env a variable that holds it.",
        f"# These sources and rules are for: {preset.help}.",
        "",
        "[watcher]",
        *_watcher(preset, zone),
        "",
        "# ------------------------------------------------------------------------------------------- who is told",
        "",
        "[receivers.you]",
        _line("kind", '"console"', NOTIFIERS["console"].help),
        _line("digest_at", '"08:00"', config.keys()["receivers.NAME"]["digest_at"]),
        *(
            f"# {_line(_name(option), _example('console', option), _help(option))}"
            for option in options("console")
        ),
        "",
        "# What any receiver may be told:",
        *(
            f"# {_line(key, _RECEIVER_EXAMPLES.get(key, _NO_EXAMPLE), words)}"
            for key, words in config.keys()["receivers.NAME"].items()
        ),
    ]
    lines += [
        "",
        "# Receivers to fill in: take one # off each line of a block. What stands behind two is only for those who want it.",
    ]
    for kind in (*preset.kinds, *(k for k in NOTIFIERS if k not in {*preset.kinds, "console"})):
        lines += ["", *_receiver(kind)]
    lines += [
        "",
        "# ------------------------------------------------------------------------------------------- what is checked",
        "",
        "# Without a token GitHub answers 60 requests an hour, which is enough for one suite; a token needs no permission.",
        "# [github]",
        '# token_env = "GITHUB_TOKEN"',
        "",
        "# Another interval for a built-in source, or one that is not wanted (`mlperf-watcher sources list --all`):",
        "# [sources.mlcommons-inference]",
        '# every = "10m"',
        "# [sources.mlcommons-tiny]",
        "# enabled = false",
        "",
        "# A source of your own (docs/sources.md has every kind and option):",
        "# [sources.our-vendor]",
        '# kind = "feed"',
        '# url = "https://blog.example.com/feed.xml"',
        '# vendor = "Example"',
        '# every = "30m"',
    ]
    return "\n".join(lines) + "\n"


def _watcher(preset: Preset, zone: str) -> Iterator[str]:
    helps = config.keys()["watcher"]
    groups = ", ".join(f'"{group}"' for group in preset.groups)
    yield _line("groups", f"[{groups}]", f"{helps['groups']}: mlcommons, vendors, benchmarks, press")
    yield _line("zone", f'"{zone}"', helps["zone"])
    for key, words in helps.items():
        if key not in _SHOWN_FIRST:
            name = f"{key}_env" if key == "ping_url" else key
            yield f"# {_line(name, _WATCHER_EXAMPLES.get(key, _NO_EXAMPLE), words)}"


def _receiver(kind: str) -> Iterator[str]:
    yield f"# [receivers.{_NAMES[kind]}]"
    yield f"# {_line('kind', f'{chr(34)}{kind}{chr(34)}', NOTIFIERS[kind].help)}"
    for option in options(kind):
        needed = option.required or (kind, option.name) in _CHOSEN
        yield f"{'# ' if needed else '# # '}{_line(_name(option), _example(kind, option), _help(option))}"


def _name(option: Option) -> str:
    return f"{option.name}_file" if option.secret else option.name


def _example(kind: str, option: Option) -> str:
    given = _OPTION_EXAMPLES.get((kind, option.name))
    if given is not None:
        return given
    if option.secret:
        return f'"{kind}-{option.name.replace("_", "-")}"'
    if option.type in {"a whole number", "a number"}:
        return option.default or "0"
    return f'"{option.default}"'


def _help(option: Option) -> str:
    return f"{option.help}{' (needed)' if option.required else ''}"


def _line(key: str, value: str, help: str) -> str:
    return f"{f'{key} = {value}':<{_WIDTH}}  # {help}"


# ------------------------------------------------------------------------------------------------ rules


def rules(folder: Path, preset: Preset) -> dict[str, str]:
    """Return file name → text of the shipped rules, with the preset's severities and switches; comments stay."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml"))}
    for rule, word in preset.severity.items():
        texts = _in_the_one_that_has(texts, rule, "severity", word)
    for rule in preset.off:
        texts = _in_the_one_that_has(texts, rule, "enabled", "false")
    return texts


def _in_the_one_that_has(texts: Mapping[str, str], rule: str, option: str, value: str) -> dict[str, str]:
    return {name: _with_option(text, rule, option, value) for name, text in texts.items()}


def _with_option(text: str, rule: str, option: str, value: str) -> str:
    """Return a rule file in which one rule has an option with this value; files without the rule stay as they are."""
    block = re.compile(rf"(?m)^(?P<indent> *)- id: {re.escape(rule)}[ \t]*(?:#.*)?\n(?:(?!\1- ).*\n?)*")
    found = block.search(text)
    if found is None:
        return text
    inner = f"{found['indent']}  "
    there = re.compile(rf"(?m)^{inner}{option}:.*$")
    line = f"{inner}{option}: {value}"
    body = found[0]
    if there.search(body):
        body = there.sub(line, body, count=1)
    else:
        first, _, rest = body.partition("\n")
        body = f"{first}\n{line}\n{rest}"
    return text[: found.start()] + body + text[found.end() :]
