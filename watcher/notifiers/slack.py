"""Slack, by slack-sdk: an incoming webhook, or a bot token with a channel.

A bot token can follow up in a thread and look for a message before it posts again (scopes ``chat:write`` and, for
looking, ``channels:history`` or ``groups:history``). The sdk's own retries are off, since one of them posts again after
a reset connection; so is its log, which would print the webhook's address.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http.client import HTTPResponse
from typing import Any, cast
from urllib.request import BaseHandler, Request, install_opener

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from watcher.domain import Notification, Receipt, Secret
from watcher.errors import (
    BrokenReceiverError,
    ConfigError,
    RefusedError,
    TryLaterError,
    UnknownOutcomeError,
)
from watcher.notifiers import slack_blocks
from watcher.notifiers.answers import AsAnswered, check, check_address, excerpt, is_loopback, told_apart
from watcher.notifiers.timed import Until, check_timeout, opener, within
from watcher.parse.strict import mapping, objects

API = "https://slack.com/api/"
_READ = 16 * 2**20  # bytes of one answer; 200 messages with their metadata have a few megabytes at most
_POSTED = re.compile(r"[0-9]{1,20}\.[0-9]{1,20}")  # how Slack names a message in its channel: its ``ts``
PAGES = 5  # of 200 messages each, looked through for an id
_SILENT = logging.getLogger("watcher.notifiers.slack.sdk")
_SILENT.disabled = True

# Slack's error words (docs.slack.dev, chat.postMessage): what a person must mend, and what passes by itself.
BROKEN = frozenset(
    {
        "account_inactive",
        "access_denied",
        "channel_not_found",
        "channel_is_archived",
        "ekm_access_denied",
        "enterprise_is_restricted",
        "invalid_auth",
        "is_archived",
        "is_inactive",
        "missing_scope",
        "no_permission",
        "not_allowed_token_type",
        "not_authed",
        "not_in_channel",
        "org_login_required",
        "restricted_action",
        "restricted_action_non_threadable_channel",
        "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
        "restricted_action_thread_only_channel",
        "team_access_not_granted",
        "team_not_found",
        "token_expired",
        "token_revoked",
        "two_factor_setup_required",
        "user_is_restricted",
    }
)
LATER = frozenset(
    {
        "accesslimited",
        "fatal_error",
        "internal_error",
        "message_limit_exceeded",
        "ratelimited",
        "rate_limited",
        "request_timeout",
        "service_unavailable",
        "team_added_to_org",
    }
)
UNLOOKED = frozenset({"missing_scope", "not_allowed_token_type", "channel_not_found", "not_in_channel"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack:
    """Posts to one channel. Either ``webhook_url``, or ``token`` and ``channel``."""

    name: str
    webhook_url: Secret | None = field(
        default=None, metadata={"help": "an incoming webhook's address", "plain": is_loopback}
    )
    token: Secret | None = field(
        default=None, metadata={"help": "a bot token (xoxb-…), instead of a webhook"}
    )
    channel: str | None = field(
        default=None, metadata={"help": "the channel's id (C…), or #name, which cannot be looked through"}
    )
    base_url: str = field(default=API, metadata={"help": "Slack's API; another one only for a stand-in"})
    timeout: float = field(default=20.0, metadata={"help": "seconds that one message may take, at most 300"})

    def __post_init__(self) -> None:
        """Raise ConfigError where the options contradict each other."""
        if (self.webhook_url is None) == (self.token is None):
            raise ConfigError(
                "give either webhook_url (as webhook_url_file or webhook_url_env) or token and channel"
            )
        if self.token is not None and not self.channel:
            raise ConfigError(
                "a bot token needs a channel (its id, shown at the end of the channel's details)"
            )
        if self.webhook_url is not None:
            if self.channel:
                raise ConfigError("a webhook has its channel built in; remove channel, or use a token")
            check_address(self.webhook_url.reveal(), "webhook_url")
        check_address(self.base_url, "base_url")
        check_timeout(self.timeout)

    @property
    def finds(self) -> bool:
        """Whether the channel can be looked through: by a bot token, and by the channel's id."""
        return self.token is not None and bool(re.fullmatch(r"[CDG][A-Z0-9]{2,}", self.channel or ""))

    def send(self, notification: Notification) -> Receipt:
        """Post it; the receipt's ``external_id`` is Slack's ``ts`` (a webhook gives none). Raises DeliveryError."""
        return self._post(slack_blocks.message(notification), notification, notification.thread)

    def send_plain(self, notification: Notification) -> Receipt:
        """Post the short version, outside any thread. Raises DeliveryError."""
        body = slack_blocks.plain(notification)
        if self.token is not None:
            body |= {"metadata": slack_blocks.metadata(notification), "mrkdwn": False}
        return self._post(body, notification, None)

    def find(self, notification_id: str, *, thread: str | None = None) -> Receipt | None:
        """Look for the id in the metadata of the channel's latest messages, and of the thread's if one is named.

        Raises UnknownOutcomeError where the token may not look, else the DeliveryError of the call. All calls together
        take no longer than ``timeout``.
        """
        until = within(self.timeout)
        calls = [("conversations.history", {"channel": self.channel})]
        if thread is not None:
            calls.insert(0, ("conversations.replies", {"channel": self.channel, "ts": thread}))
        for method, what in calls:
            found = self._look(method, what, notification_id, until)
            if found is not None:
                return Receipt(external_id=found)
        return None

    def _look(self, method: str, what: Mapping[str, Any], notification_id: str, until: Until) -> str | None:
        cursor = None
        for _ in range(PAGES):
            params = {
                **what,
                "limit": 200,
                "include_all_metadata": "true",
                **({"cursor": cursor} if cursor else {}),
            }
            try:
                answer = self._call(method, None, until, params=params)
            except _SlackSaysError as error:
                if error.word in UNLOOKED:
                    raise UnknownOutcomeError(
                        f"{self._who} may not look through the channel ({error.word})"
                    ) from None
                raise error.meaning from None
            except UnknownOutcomeError as error:  # of a look: nothing was sent by it, so look again later
                raise TryLaterError(f"{error}, while it was asked whether the message is there") from None
            for posted in objects(answer.get("messages")):
                payload = mapping(mapping(posted.get("metadata")).get("event_payload"))
                if payload.get("id") == notification_id:
                    return _ts(posted)
            cursor = mapping(answer.get("response_metadata")).get("next_cursor")
            if not cursor or not isinstance(cursor, str):
                return None
        return None

    def _post(self, body: dict[str, Any], notification: Notification, thread: str | None) -> Receipt:
        if thread is not None:
            body = {**body, "thread_ts": thread}
            if notification.prominent:
                body["reply_broadcast"] = True
        if self.webhook_url is not None:
            return self._post_to_webhook(self.webhook_url, body, notification.created_at)
        try:
            body = {"channel": self.channel, **body}
            answer = self._call("chat.postMessage", notification.created_at, within(self.timeout), json=body)
        except _SlackSaysError as error:
            raise error.meaning from None
        ts = _ts(answer)
        if ts is None:
            raise UnknownOutcomeError(f"{self._who} said ok without a message's ts, so it may not be there")
        return Receipt(external_id=ts, detail="posted")

    @property
    def _wait(self) -> int:
        return cast("int", self.timeout)  # the sdk says int and hands it to urllib, which takes a float

    @property
    def _who(self) -> str:
        return f"receiver {self.name!r}: Slack"

    def _post_to_webhook(self, url: Secret, body: dict[str, Any], sent_at: datetime) -> Receipt:
        client = WebhookClient(url.reveal(), timeout=self._wait, logger=_SILENT, retry_handlers=[])
        client.proxy = (
            None  # urllib itself heeds the environment's proxies, and NO_PROXY, which the sdk does not
        )
        with _opened_by(within(self.timeout)), told_apart(self._who):
            answer = client.send_dict(body)
        said = excerpt(answer.body or "", url)
        headers = dict(answer.headers.items())
        check(answer.status_code, who=self._who, excerpt=said, headers=headers, sent_at=sent_at)
        # Slack's own "ok" comes as text/html too; a proxy's or a login's page is what starts with a tag.
        if (answer.body or "").lstrip().startswith("<"):
            raise BrokenReceiverError(
                f"{self._who}: a web page answered, not Slack; check webhook_url and the proxy"
            )
        if (answer.body or "").strip() != "ok":
            raise UnknownOutcomeError(
                f'{self._who} answered {answer.status_code} without its "ok" ({said}); for another service use the kind webhook'
            )
        return Receipt(detail="posted")

    def _call(self, method: str, sent_at: datetime | None, until: Until, **body: Any) -> Mapping[str, Any]:
        """Return Slack's answer, whose ``ok`` is true; raises _SlackSaysError for ``ok: false``, else a DeliveryError."""
        assert self.token is not None  # noqa: S101 - __post_init__ has checked it
        client = WebClient(
            token=self.token.reveal(),
            base_url=self.base_url,
            timeout=self._wait,
            logger=_SILENT,
            retry_handlers=[],
        )
        client.proxy = None
        try:
            with _opened_by(until), told_apart(self._who):
                answer = client.api_call(method, **body)
        except SlackApiError as error:
            raise self._refusal(error, sent_at) from None
        except (AttributeError, TypeError):  # what the sdk comes to with JSON that is no object
            raise UnknownOutcomeError(f"{self._who} answered with JSON that is not its own") from None
        said = mapping(answer.data)
        if said.get("ok") is not True:  # the sdk takes any true value, and what is no JSON, for a yes
            raise UnknownOutcomeError(f"{self._who} answered 200 without saying ok: true")
        return said

    def _refusal(self, error: SlackApiError, sent_at: datetime | None) -> Exception:
        response: Any = error.response
        said = mapping(response.data).get("error", "")
        word = said if isinstance(said, str) else ""
        if mapping(response.data).get("ok", False) is not False and response.status_code == 200:
            return UnknownOutcomeError(f"{self._who} answered 200 without saying ok: true")
        if not re.fullmatch(r"[a-z_]{1,60}", word):  # no word of Slack's, so the status decides
            said = excerpt(word, self.token)
            if response.status_code == 200:
                return UnknownOutcomeError(f"{self._who} answered 200 with something else than JSON ({said})")
            word = ""
        try:
            status = response.status_code
            if status == 200 and word:
                status = 503 if word in LATER else 403 if word in BROKEN else 400
            check(status, who=self._who, excerpt=word, headers=response.headers, sent_at=sent_at)
        except (TryLaterError, BrokenReceiverError, RefusedError) as meaning:
            return _SlackSaysError(word, meaning)
        return UnknownOutcomeError(f"{self._who} answered {response.status_code} without saying ok")


class _Bounded(BaseHandler):
    """Reads no more of an answer than one of Slack's can have; the sdk would read one without end."""

    def http_response(self, _: Request, answer: HTTPResponse) -> HTTPResponse:
        """Bound what ``read()`` returns, and close the connection with it, however it ends."""
        whole = answer.read

        def read(_: int | None = None) -> bytes:
            with answer:
                return whole(_READ)

        answer.read = read  # type: ignore[assignment, method-assign]
        return answer

    https_response = http_response


@contextmanager
def _opened_by(until: Until) -> Iterator[None]:
    """Let urllib follow no redirect: it would carry the token along, and take any page's 200 for a message sent.

    The sdk opens by urllib's own opener and takes no other. Each conversation has one that ends in time.
    """
    install_opener(opener(until, AsAnswered(), _Bounded()))
    try:
        yield
    finally:
        install_opener(cast("Any", None))  # urllib then makes its own again


def _ts(message: Mapping[str, Any]) -> str | None:
    """Return how Slack names a message, null where it does not."""
    ts = message.get("ts")
    return ts if isinstance(ts, str) and _POSTED.fullmatch(ts) else None


class _SlackSaysError(Exception):
    """Slack's ``ok: false`` with its word, and the DeliveryError it means."""

    def __init__(self, word: str, meaning: TryLaterError | BrokenReceiverError | RefusedError) -> None:
        super().__init__(word)
        self.word = word
        self.meaning = meaning
