"""watcher.toml: strict, frozen, and every error says where, what and what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from watcher.config import Config, load, packaged_rules
from watcher.credentials import demand
from watcher.domain import Secret
from watcher.durations import seconds
from watcher.errors import ConfigError, SecretError
from watcher.wiring import sources_of

GOOD = """
[watcher]
zone = "Europe/Berlin"
groups = ["mlcommons", "vendors"]
default_receivers = ["team"]

[github]
token_env = "GH"

[receivers.team]
kind = "slack"
webhook_url_file = "hook"
min_severity = "high"
quiet_hours = "22:00-07:00"

[receivers.mail]
kind = "mail"
to = ["a@example.org", "b@example.org"]
digest_at = "08:00"
alerts = false

[sources.mine]
kind = "feed"
url = "https://example.org/feed"
every = "30m"
"""


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "watcher.toml"
    file.write_text(text)
    (tmp_path / "hook").write_text("https://hooks.example/planted\n")
    (tmp_path / "hook").chmod(0o600)
    return file


def wrong(tmp_path: Path, text: str) -> str:
    with pytest.raises(ConfigError) as raised:
        demand(load(written(tmp_path, text), {"GH": "planted-token"}, cwd=tmp_path).secrets)
    return str(raised.value).replace(str(tmp_path), "")


def test_a_whole_config_is_read_with_its_secrets_from_environment_and_file(tmp_path):
    config = load(written(tmp_path, GOOD), {"GH": "planted-token"}, cwd=tmp_path)

    team, mail = config.receivers
    assert (team.kind, team.options, team.quiet_hours, team.zone) == (
        "slack",
        {"webhook_url": Secret("https://hooks.example/planted")},
        ("22:00", "07:00"),
        "Europe/Berlin",
    )
    assert (mail.to, mail.digest_at, mail.alerts) == (("a@example.org", "b@example.org"), "08:00", False)
    assert config.github == {"token": Secret("planted-token")}
    assert config.state == tmp_path / "state" / "watcher.db"


def test_no_secret_is_printed_by_the_config(tmp_path):
    config = load(written(tmp_path, GOOD), {"GH": "planted-token"}, cwd=tmp_path)

    assert "planted" not in repr(config)
    assert "<secret>" in repr(config)


def test_without_a_file_the_built_in_defaults_hold(tmp_path):
    config = load(None, {}, cwd=tmp_path)

    assert (config.file, config.rules, config.groups) == (None, (packaged_rules(),), ("mlcommons",))
    assert config.origins["zone"] == "built in"


def test_a_folder_of_rules_beside_the_config_goes_before_the_shipped_ones(tmp_path):
    (tmp_path / "rules").mkdir()

    assert load(None, {}, cwd=tmp_path).rules == (tmp_path / "rules",)


def test_alerts_go_to_every_receiver_that_takes_them_unless_named(tmp_path):
    text = GOOD.replace('default_receivers = ["team"]\n', "")

    assert load(written(tmp_path, text), {"GH": "x"}, cwd=tmp_path).default_receivers == ("team",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("zone =", "zoen =", "/watcher.toml: watcher.zoen: unknown key 'zoen'; did you mean 'zone'?"),
        ("Europe/Berlin", "Europe/Berlim", "watcher.zone: 'Europe/Berlim' is no time zone"),
        ('["team"]', '["taem"]', "watcher.default_receivers: there is no receiver 'taem'; did you mean 'team'?"),
        ('token_env = "GH"', 'token_env = "GX"', "github.token_env: the environment has no GX"),
        ('token_env = "GH"', 'tocken = "x"', "github.tocken: unknown key 'tocken'; did you mean 'token'?"),
        ('"hook"', '"hok"', "receivers.team.webhook_url_file: there is no file /hok; put the secret there"),
        ('min_severity = "high"', 'min_severity = "hihg"', "must be one of info, high, critical, not 'hihg'; did you mean 'high'?"),
        ("22:00-07:00", "22-7", "receivers.team.quiet_hours: must be a time of day such as 08:00, not '22'"),
        ("08:00", "8 am", "receivers.mail.digest_at: must be a time of day such as 08:00, not '8 am'"),
        ("alerts = false", 'alerts = "no"', "receivers.mail.alerts: must be true or false, not 'no'"),
        ('kind = "slack"\n', "", 'receivers.team: needs a kind, for example kind = "slack"'),
        ("[receivers.team]", "[reciever.team]", "reciever: unknown key 'reciever'; did you mean 'receivers'?"),
        ("[watcher]", "[watcher", "is not valid TOML"),
        ("[watcher]", '[watcher]\ndeadline = "99999999d"', "at most ten years, not '99999999d'"),
        ("[watcher]", "[watcher]\ndeadline = inf", "at most ten years, not inf"),
        ("[watcher]", "[watcher]\ndeadline = nan", "at most ten years, not nan"),
    ],
)  # fmt: skip
def test_a_wrong_config_is_refused_with_file_key_and_what_was_meant(tmp_path, old, new, message):
    assert message in wrong(tmp_path, GOOD.replace(old, new))


def test_a_secret_that_cannot_be_had_stops_only_who_needs_it_and_all_that_lack_are_named(tmp_path):
    file = written(tmp_path, GOOD)
    (tmp_path / "hook").unlink()

    config = load(file, {}, cwd=tmp_path)

    assert [(each.unread.name, each.unread.how) for each in config.secrets] == [
        ("GH", "not set"),
        ("hook", "not there"),
    ]
    assert repr(config.github) == "{'token': <secret>}"
    with pytest.raises(
        SecretError, match=r"the environment has no GH; .*; .*webhook_url_file: there is no file .*hook; put"
    ):
        demand(config.secrets)
    with pytest.raises(
        SecretError, match=r"github.token_env: the environment has no GH; set it, or remove this key"
    ):
        config.github["token"].reveal()


def test_a_secret_file_that_others_can_read_is_refused_with_the_fix(tmp_path):
    file = written(tmp_path, GOOD)
    (tmp_path / "hook").chmod(0o644)

    with pytest.raises(ConfigError, match="can be read or written by others; run `chmod 600"):
        demand(load(file, {"GH": "x"}, cwd=tmp_path).secrets)


@pytest.mark.parametrize("held", ["planted\nHost: other.example", "planted\x00", "planted\x1b[31m"])
def test_a_secret_that_no_header_can_hold_is_refused_unseen(tmp_path, held):
    file = written(tmp_path, GOOD)
    with pytest.raises(ConfigError, match=r"github.token_env: the secret in GH holds a line end") as caught:
        demand(load(file, {"GH": held}, cwd=tmp_path).secrets)

    assert "planted" not in str(caught.value)
    (tmp_path / "hook").write_text(held)
    with pytest.raises(ConfigError, match="webhook_url_file: the secret in hook holds a line end"):
        demand(load(file, {"GH": "x"}, cwd=tmp_path).secrets)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("url = 5", "sources.mine.url: must be a text, not 5"),
        ("vendor = ['x']", r"sources.mine.vendor: must be a text, not \['x'\]"),
        ("allow_hosts = ['a', 5]", "sources.mine.allow_hosts: must be a text, not 5"),
        ("every = inf", "sources.mine.every: must be a duration .* at most ten years, not inf"),
        ("every = nan", "sources.mine.every: must be a duration .* at most ten years, not nan"),
        ("stale_after = '99999999d'", "sources.mine.stale_after: must be a duration"),
    ],
)
def test_a_source_of_wrong_types_is_refused_with_its_key(tmp_path, key, message):
    url = "" if key.startswith("url") else 'url = "https://example.org/feed"\n'
    text = f'[sources.mine]\nkind = "feed"\n{url}{key}\n'

    with pytest.raises(ConfigError, match=message):
        sources_of(load(written(tmp_path, text), {}, cwd=tmp_path))


def test_a_credential_of_systemd_is_found_by_its_bare_name(tmp_path):
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    (credentials / "hook").write_text("from-systemd")
    (credentials / "hook").chmod(0o400)

    config = load(
        written(tmp_path, GOOD), {"GH": "x", "CREDENTIALS_DIRECTORY": str(credentials)}, cwd=tmp_path
    )

    assert config.receivers[0].options["webhook_url"].reveal() == "from-systemd"


def test_a_config_that_is_not_there_is_named_with_the_fix(tmp_path):
    with pytest.raises(
        ConfigError, match=r"nowhere.toml: there is no such file; `mlperf-watcher init` writes one"
    ):
        load(Path("nowhere.toml"), {}, cwd=tmp_path)


def test_durations_are_read_in_seconds_minutes_hours_and_days():
    assert [seconds(text) for text in ("90s", "15m", "1.5h", "7d", "soon", "5")] == [
        90,
        900,
        5400,
        604_800,
        None,
        None,
    ]


def test_every_default_of_the_config_is_a_plain_frozen_value():
    assert hash(Config().state)
    with pytest.raises(AttributeError):
        Config().zone = "UTC"
