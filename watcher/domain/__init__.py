"""The nouns of the product as frozen values; imports nothing of ours but errors.

Times are aware datetimes in UTC. Text fields that are blank in a published table are None. Words are those of
docs/architecture.md: one per idea, the same in code, tables, commands and docs. Everybody imports them from here.
"""

from __future__ import annotations

from watcher.domain.changes import Change, NewName, SourceTrouble
from watcher.domain.claims import CheckedClaim, Claim, Evidence, Verdict
from watcher.domain.events import SEVERITIES, Alert, Event, Subject
from watcher.domain.figures import Comparison, Gain, NotComparable, Promise, Rank, Record, Scaling
from watcher.domain.messages import Grid, Image, Link, Notification, Receipt, Section
from watcher.domain.published import (
    EMBARGO,
    SCENARIOS,
    Aside,
    Held,
    KnownRows,
    Post,
    Power,
    PublishedRound,
    Result,
    ResultKey,
    Table,
)
from watcher.domain.sources import Document, Get, PublishedTable, Reading, Secret, Source, Unread, Validators
from watcher.domain.value import Value

__all__ = [
    "EMBARGO",
    "SCENARIOS",
    "SEVERITIES",
    "Alert",
    "Aside",
    "Change",
    "CheckedClaim",
    "Claim",
    "Comparison",
    "Document",
    "Event",
    "Evidence",
    "Gain",
    "Get",
    "Grid",
    "Held",
    "Image",
    "KnownRows",
    "Link",
    "NewName",
    "NotComparable",
    "Notification",
    "Post",
    "Power",
    "Promise",
    "PublishedRound",
    "PublishedTable",
    "Rank",
    "Reading",
    "Receipt",
    "Record",
    "Result",
    "ResultKey",
    "Scaling",
    "Secret",
    "Section",
    "Source",
    "SourceTrouble",
    "Subject",
    "Table",
    "Unread",
    "Validators",
    "Value",
    "Verdict",
]
