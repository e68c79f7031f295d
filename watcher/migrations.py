"""The shape of the state: one append-only list of steps.

A new state takes them all at once; of an older one sqlite-utils keeps track, each step in one transaction. A state made by
a newer program than this one is refused; a step is never edited once released, only followed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from watcher.domain import Result

MACHINE_COLUMNS = (
    "suite", "round", "division", "availability", "submitter", "platform", "system_type", "organisations", "system_name",
    "system", "accelerator", "accelerators", "accelerator_published", "accelerator_count", "accelerators_per_node", "nodes",
    "processor", "processors_per_node", "processor_core_count", "software", "software_published", "precision",
    "operating_system", "accelerator_power_limit_watts", "notes",
)  # fmt: skip
"""The fields of a result that stand alike in all rows of a machine; they are in ``machines``, the others in ``results``."""

_JSON = ("tags", "power", "measures", "extra")
_APART = {*MACHINE_COLUMNS, *_JSON, "first_seen_at"}
RUN_COLUMNS = (*(name for name in Result.__struct_fields__ if name not in _APART), *_JSON)
"""The others; the last four hold JSON."""


class Connection(Protocol):
    """What a step needs: the standard library's connection and sqlite-utils' database both have it."""

    def execute(self, statement: str, /) -> object:
        """Run one statement."""


def m001_tables(db: Connection) -> None:
    """Sources, documents, tables, results, events, alerts, deliveries, posts and claims."""
    for statement in _TABLES.split(";"):
        if statement.strip():
            db.execute(statement)


def m002_views(db: Connection) -> None:
    """Views with plain names for people who open the state with Datasette or sqlite-utils."""
    for name, query in _VIEWS.items():
        db.execute(f"CREATE VIEW {name} AS {query}")


def m003_pins(db: Connection) -> None:
    """Rows that somebody cited, so that a later correction of one is told."""
    db.execute(_PINS)


def m004_row_digests(db: Connection) -> None:
    """Of each result the digest of the published row that it was read from, and of each table who read its rows."""
    db.execute("ALTER TABLE results ADD COLUMN row_digest BLOB")
    db.execute("ALTER TABLE tables ADD COLUMN reader TEXT")


def m005_entries(db: Connection) -> None:
    """Of each result the number of its entry in the table's current revision, as vendors' footnotes name it.

    Rows that were read before are read again for it. And a published column called "type" stands in values under its own
    name from here on: before, "~type" was written for it.
    """
    db.execute("ALTER TABLE results ADD COLUMN entry TEXT")
    db.execute("UPDATE tables SET reader = NULL")
    for table, column in _OF_VALUES:
        cell = f"replace(replace({column}, '\"~type\":', '\"type\":'), '\"~~type\":', '\"~type\":')"
        db.execute(f"UPDATE {table} SET {column} = {cell} WHERE instr({column}, '~type\":')")  # noqa: S608 - names from above


def m006_machines(db: Connection) -> None:
    """What stands alike in all rows of a machine is written once, and its rows name it."""
    facts, runs = (
        ", ".join(column.split()[0] for column in columns.split(", ")) for columns in (_OF_MACHINES, _OF_RUNS)
    )
    every = f"SELECT {facts} FROM rows_before GROUP BY {facts} ORDER BY min(id)"  # noqa: S608 - names from below
    same = " AND ".join(f"machines.{fact} IS rows_before.{fact}" for fact in facts.split(", "))
    its = f"(SELECT id FROM machines WHERE {same})"  # noqa: S608 - likewise
    db.execute("DROP VIEW current_results")
    db.execute("CREATE TABLE rows_before AS SELECT * FROM results")
    db.execute("DROP TABLE results")
    db.execute(f"CREATE TABLE machines (id INTEGER PRIMARY KEY, {_OF_MACHINES})")
    db.execute(f"INSERT INTO machines ({facts}) {every}")
    db.execute("CREATE INDEX machines_found ON machines (suite, round, submitter, platform)")
    db.execute(f"CREATE TABLE results ({_OF_RUNS}, machine INTEGER NOT NULL REFERENCES machines(id))")
    db.execute(f"INSERT INTO results SELECT {runs}, {its} FROM rows_before ORDER BY id")  # noqa: S608 - likewise
    db.execute("DROP INDEX machines_found")
    db.execute("DROP TABLE rows_before")
    for statement in (*_INDEXES, _CELL, _MACHINE, _CURRENT):
        db.execute(statement)


def m007_compared_rows(db: Connection) -> None:
    """A result has no digest of its own any more: a row that is read anew is compared with the one that is held.

    And what no look-up needs goes, as it took a tenth of the time to write a row: the scenario in the index of benchmarks, and
    the index and reference of machines, of which it is only asked whether any row is left.
    """
    columns = ", ".join(column for column in _OF_RUNS.split(", ") if column.split()[0] != "digest")
    kept = ", ".join(column.split()[0] for column in columns.split(", "))
    db.execute("DROP VIEW current_results")
    db.execute(f"CREATE TABLE rows_before AS SELECT {kept}, machine FROM results")  # noqa: S608 - names from below
    db.execute("DROP TABLE results")
    db.execute(f"CREATE TABLE results ({columns}, machine INTEGER NOT NULL)")
    db.execute("INSERT INTO results SELECT * FROM rows_before ORDER BY id")
    db.execute("DROP TABLE rows_before")
    for statement in (*_INDEXES, _BENCHMARK, _CURRENT):
        db.execute(statement)


STEPS: tuple[Callable[[Connection], None], ...] = (
    m001_tables,
    m002_views,
    m003_pins,
    m004_row_digests,
    m005_entries,
    m006_machines,
    m007_compared_rows,
)

_OF_MACHINES = (
    "suite TEXT, round TEXT, division TEXT, availability TEXT, submitter TEXT, platform TEXT, system_type TEXT, "
    "organisations TEXT, system_name TEXT, system TEXT, accelerator TEXT, accelerators TEXT, accelerator_published TEXT, "
    "accelerator_count INTEGER, accelerators_per_node INTEGER, nodes INTEGER, processor TEXT, "
    "processors_per_node INTEGER, processor_core_count INTEGER, software TEXT, software_published TEXT, precision TEXT, "
    "operating_system TEXT, accelerator_power_limit_watts REAL, notes TEXT"
)
_OF_RUNS = (
    "id INTEGER PRIMARY KEY, table_id INTEGER NOT NULL REFERENCES tables(id), key TEXT NOT NULL, digest TEXT NOT NULL, "
    "row_digest BLOB, snapshot INTEGER NOT NULL REFERENCES snapshots(id), ended INTEGER REFERENCES snapshots(id), "
    "ended_as TEXT, missing_since INTEGER, first_seen_at TEXT NOT NULL, benchmark_published TEXT, benchmark TEXT, "
    "scenario TEXT, value REAL, unit TEXT, better TEXT, accuracy_target TEXT, accuracy TEXT, unit_published TEXT, "
    "power TEXT, inferred INTEGER, url TEXT, tags TEXT, measures TEXT, extra TEXT, entry TEXT"
)
_INDEXES = (
    "CREATE UNIQUE INDEX results_current ON results (table_id, key) WHERE ended IS NULL",
    "CREATE INDEX results_removed ON results (table_id, key) WHERE ended_as = 'removed'",
    "CREATE INDEX results_missing ON results (table_id) WHERE missing_since IS NOT NULL",
)
_CELL = "CREATE INDEX results_cell ON results (benchmark, scenario) WHERE ended IS NULL"
_MACHINE = "CREATE INDEX results_machine ON results (machine)"
_BENCHMARK = "CREATE INDEX results_benchmark ON results (benchmark) WHERE ended IS NULL"
_CURRENT = """CREATE VIEW current_results AS
  SELECT suite, round, division, availability, submitter, platform, benchmark, accuracy_target, scenario, value,
  unit, better, accelerator, accelerator_count, system, software_published, precision, first_seen_at
  FROM results JOIN machines ON machines.id = machine WHERE ended IS NULL
"""

# Cells with values that hold results.
_OF_VALUES = (
    ("events", "before"),
    ("events", "after"),
    ("alerts", "figures"),
    ("claims", "checked"),
    ("claim_history", "checked"),
)
_PINS = """
CREATE TABLE pins (
  key TEXT PRIMARY KEY, pinned_at TEXT NOT NULL, value REAL NOT NULL, unit TEXT NOT NULL, footnote TEXT NOT NULL
) WITHOUT ROWID
"""

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT);

CREATE TABLE sources (
  name TEXT PRIMARY KEY, kind TEXT NOT NULL, url TEXT, cursor TEXT NOT NULL DEFAULT '{}',
  health TEXT NOT NULL, next_check_at TEXT, baseline_at TEXT, checks INTEGER NOT NULL DEFAULT 0);
CREATE TABLE validators (
  source TEXT NOT NULL, url TEXT NOT NULL, etag TEXT, last_modified TEXT, digest TEXT, full_at TEXT,
  PRIMARY KEY (source, url)) WITHOUT ROWID;
CREATE TABLE documents (
  digest TEXT PRIMARY KEY, url TEXT NOT NULL, source TEXT, fetched_at TEXT NOT NULL, media_type TEXT,
  size INTEGER NOT NULL, body BLOB NOT NULL);

CREATE TABLE tables (
  id INTEGER PRIMARY KEY, suite TEXT NOT NULL, round TEXT NOT NULL, source TEXT, url TEXT, digest TEXT,
  columns TEXT NOT NULL DEFAULT '[]', polls INTEGER NOT NULL DEFAULT 0, first_seen_at TEXT NOT NULL,
  polled_at TEXT, baseline INTEGER NOT NULL DEFAULT 0, private INTEGER NOT NULL DEFAULT 0,
  held_back_at TEXT, held_back_reason TEXT, UNIQUE (suite, round));
CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY, table_id INTEGER NOT NULL REFERENCES tables(id), recorded_at TEXT NOT NULL, source TEXT,
  url TEXT, digest TEXT REFERENCES documents(digest), results INTEGER NOT NULL, batch TEXT NOT NULL);
CREATE TABLE results (
  id INTEGER PRIMARY KEY, table_id INTEGER NOT NULL REFERENCES tables(id), key TEXT NOT NULL, digest TEXT NOT NULL,
  snapshot INTEGER NOT NULL REFERENCES snapshots(id), ended INTEGER REFERENCES snapshots(id), ended_as TEXT,
  missing_since INTEGER, first_seen_at TEXT NOT NULL,
  suite TEXT, round TEXT, division TEXT, availability TEXT, submitter TEXT, platform TEXT, benchmark_published TEXT,
  benchmark TEXT, scenario TEXT, value REAL, unit TEXT, better TEXT, system_type TEXT, organisations TEXT,
  system_name TEXT, system TEXT, accelerator TEXT, accelerators TEXT, accelerator_published TEXT,
  accelerator_count INTEGER, accelerators_per_node INTEGER, nodes INTEGER, processor TEXT,
  processors_per_node INTEGER, processor_core_count INTEGER, accuracy_target TEXT, accuracy TEXT,
  unit_published TEXT, software TEXT, software_published TEXT, precision TEXT, operating_system TEXT, power TEXT,
  accelerator_power_limit_watts REAL, inferred INTEGER, notes TEXT, url TEXT, tags TEXT, measures TEXT, extra TEXT);
CREATE UNIQUE INDEX results_current ON results (table_id, key) WHERE ended IS NULL;
CREATE INDEX results_removed ON results (table_id, key) WHERE ended_as = 'removed';
CREATE INDEX results_missing ON results (table_id) WHERE missing_since IS NOT NULL;
CREATE INDEX results_cell ON results (benchmark, scenario) WHERE ended IS NULL;
CREATE TABLE names (
  kind TEXT NOT NULL, name TEXT NOT NULL, suite TEXT, round TEXT, first_seen_at TEXT NOT NULL,
  PRIMARY KEY (kind, name)) WITHOUT ROWID;

CREATE TABLE events (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, batch TEXT NOT NULL,
  occurred_at TEXT NOT NULL, source TEXT, before_result INTEGER REFERENCES results(id),
  after_result INTEGER REFERENCES results(id), before TEXT, after TEXT, fields TEXT,
  private INTEGER NOT NULL DEFAULT 0, evaluated_at TEXT);
CREATE INDEX events_waiting ON events (number) WHERE evaluated_at IS NULL;
CREATE INDEX events_batch ON events (batch);

CREATE TABLE rules (
  id TEXT PRIMARY KEY, added_at TEXT NOT NULL, added_after INTEGER NOT NULL, last_fired_at TEXT,
  deadline_told_at TEXT);
CREATE TABLE alerts (
  number INTEGER PRIMARY KEY, rule TEXT NOT NULL, batch TEXT NOT NULL, "group" TEXT NOT NULL, title TEXT NOT NULL,
  severity TEXT NOT NULL, created_at TEXT NOT NULL, figures TEXT NOT NULL DEFAULT '[]',
  not_comparable TEXT NOT NULL DEFAULT '[]', digest_only INTEGER NOT NULL DEFAULT 0, suppressed TEXT,
  UNIQUE (rule, batch, "group"));
CREATE TABLE alert_events (
  alert INTEGER NOT NULL REFERENCES alerts(number), event INTEGER NOT NULL REFERENCES events(number),
  rule TEXT NOT NULL, PRIMARY KEY (alert, event), UNIQUE (rule, event)) WITHOUT ROWID;

CREATE TABLE digests (
  id INTEGER PRIMARY KEY, receiver TEXT NOT NULL, local_date TEXT NOT NULL, created_at TEXT NOT NULL,
  notification TEXT NOT NULL, UNIQUE (receiver, local_date));
CREATE TABLE deliveries (
  number INTEGER PRIMARY KEY, alert INTEGER REFERENCES alerts(number), digest INTEGER REFERENCES digests(id),
  receiver TEXT NOT NULL, state TEXT NOT NULL, created_at TEXT NOT NULL, next_attempt_at TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, owner TEXT, lease_until TEXT, message TEXT, unknown INTEGER NOT NULL DEFAULT 0,
  plain INTEGER NOT NULL DEFAULT 0, sent_at TEXT, gave_up_at TEXT, external_id TEXT, last_error TEXT, reason TEXT,
  UNIQUE (alert, receiver), UNIQUE (digest, receiver));
CREATE INDEX deliveries_open ON deliveries (receiver, next_attempt_at)
  WHERE state IN ('pending', 'sending', 'waiting', 'unknown');
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY, delivery INTEGER NOT NULL REFERENCES deliveries(number), at TEXT NOT NULL,
  attempt INTEGER NOT NULL, outcome TEXT NOT NULL, detail TEXT);
CREATE INDEX attempts_delivery ON attempts (delivery);
CREATE TABLE receivers (
  name TEXT PRIMARY KEY, failures INTEGER NOT NULL DEFAULT 0, retry_at TEXT, broken_since TEXT, reason TEXT);
CREATE TABLE silences (
  id INTEGER PRIMARY KEY, matcher TEXT NOT NULL, author TEXT NOT NULL, comment TEXT NOT NULL,
  created_at TEXT NOT NULL, expires_at TEXT NOT NULL);

CREATE TABLE posts (
  id INTEGER PRIMARY KEY, source TEXT NOT NULL, identity TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL,
  author TEXT, vendor TEXT, published_at TEXT, published_raw TEXT, first_seen_at TEXT NOT NULL, digest TEXT NOT NULL,
  UNIQUE (source, identity));
CREATE INDEX posts_url ON posts (url);
CREATE TABLE post_versions (
  post INTEGER NOT NULL REFERENCES posts(id), digest TEXT NOT NULL, recorded_at TEXT NOT NULL, title TEXT NOT NULL,
  html BLOB NOT NULL, PRIMARY KEY (post, digest)) WITHOUT ROWID;
CREATE TABLE claims (
  number INTEGER PRIMARY KEY, post INTEGER NOT NULL REFERENCES posts(id), fingerprint TEXT NOT NULL,
  claim TEXT NOT NULL, made_at TEXT NOT NULL, gone_at TEXT, verdict TEXT NOT NULL, checked TEXT NOT NULL,
  checked_at TEXT NOT NULL, UNIQUE (post, fingerprint));
CREATE TABLE claim_history (
  id INTEGER PRIMARY KEY, claim INTEGER NOT NULL REFERENCES claims(number), at TEXT NOT NULL, what TEXT NOT NULL,
  checked TEXT NOT NULL, cause TEXT NOT NULL)
"""

_VIEWS = {
    "current_results": (
        "SELECT suite, round, division, availability, submitter, platform, benchmark, accuracy_target, scenario, value, "
        "unit, better, accelerator, accelerator_count, system, software_published, precision, first_seen_at "
        "FROM results WHERE ended IS NULL"
    ),
    "source_health": (
        "SELECT name, kind, url, json_extract(health, '$.succeeded_at') AS succeeded_at, "
        "json_extract(health, '$.failures') AS failures, json_extract(health, '$.failure') AS failure, "
        "json_extract(health, '$.last_error') AS last_error, next_check_at FROM sources"
    ),
    "waiting_deliveries": (
        "SELECT deliveries.number, receiver, alert, alerts.title, state, attempts, next_attempt_at, last_error "
        "FROM deliveries LEFT JOIN alerts ON alerts.number = deliveries.alert "
        "WHERE state IN ('pending', 'sending', 'waiting', 'unknown')"
    ),
    "alert_log": (
        "SELECT 'A-' || printf('%04d', number) AS alert, created_at, severity, rule, title, suppressed, "
        "(SELECT count(*) FROM alert_events WHERE alert = number) AS events, "
        "(SELECT count(*) FROM deliveries WHERE alert = number AND sent_at IS NOT NULL) AS sent FROM alerts"
    ),
    "claim_ledger": (
        "SELECT claims.number, posts.vendor, posts.title, posts.url, json_extract(claim, '$.quote') AS quote, verdict, "
        "made_at, checked_at, gone_at FROM claims JOIN posts ON posts.id = claims.post"
    ),
}
