"""Mail to one address by SMTP, step by step, so that each answer says what happens next.

The message has arrived when the server answers 250 to the final dot (RFC 5321, section 4.2.5). Whatever fails before
the dot was sent cannot have arrived; a connection that ends while we wait for that answer leaves it unknown.
"""

from __future__ import annotations

import contextlib
import re
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from watcher.domain import Notification, Receipt, Secret
from watcher.errors import (
    BrokenReceiverError,
    ConfigError,
    DeliveryError,
    RefusedError,
    TryLaterError,
    UnknownOutcomeError,
)
from watcher.notifiers import mail_message
from watcher.notifiers.answers import excerpt, is_loopback_host
from watcher.notifiers.timed import TimedSMTP, TimedSMTPOverTLS, Until, check_timeout, tls_context, within

PORTS = {"implicit": 465, "starttls": 587, "none": 25}
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_LOST = (smtplib.SMTPServerDisconnected, OSError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """Sends to ``to``, exactly one address: a receiver with several has one delivery, and one Mail, for each."""

    name: str
    host: str = field(metadata={"help": "the SMTP server"})
    sender: str = field(metadata={"help": "the address that it comes from"})
    to: str = field(metadata={"help": "the address that it goes to"})
    tls: Literal["implicit", "starttls", "none"] = field(
        default="starttls", metadata={"help": "implicit, starttls, or none (to this machine only)"}
    )
    port: int | None = field(default=None, metadata={"help": "left out: 465 implicit, 587 starttls, 25 none"})
    username: Secret | None = field(
        default=None, metadata={"help": "for a server that asks for it", "plain": True}
    )
    password: Secret | None = field(default=None, metadata={"help": "goes with username; sent over TLS only"})
    ca: str | None = field(default=None, metadata={"help": "a PEM file of your own authority's certificates"})
    timeout: float = field(default=60.0, metadata={"help": "seconds that one mail may take, at most 300"})

    def __post_init__(self) -> None:
        """Raise ConfigError for addresses, ports and TLS that cannot work or are not safe."""
        for option in ("sender", "to"):
            if not _ADDRESS.fullmatch(getattr(self, option)):
                raise ConfigError(
                    f"{option} must be one plain address such as ann@example.org (a domain with other letters as xn--…)"
                )
        if self.tls == "none" and not is_loopback_host(self.host):
            raise ConfigError("tls = none is for this machine only; use starttls or implicit")
        if (self.username is None) != (self.password is None):
            raise ConfigError("username and password go together")
        if self.port is not None and not 0 < self.port < 65536:
            raise ConfigError("port must be between 1 and 65535")
        check_timeout(self.timeout)

    def send(self, notification: Notification) -> Receipt:
        """Send it; the receipt's ``external_id`` is the Message-ID. Raises DeliveryError."""
        return self._send(mail_message.full(notification, sender=self.sender, to=self.to))

    def send_plain(self, notification: Notification) -> Receipt:
        """Send the short version as text alone, under the same Message-ID. Raises DeliveryError."""
        return self._send(mail_message.brief(notification, sender=self.sender, to=self.to))

    def _send(self, message: mail_message.Made) -> Receipt:
        until = within(self.timeout)
        with self._connected(until) as server:
            with self._step("greeting"):
                server.ehlo_or_helo_if_needed()
                if self.tls == "starttls":
                    self._start_tls(server, until)
                if self.username is not None and self.password is not None:
                    server.login(self.username.reveal(), self.password.reveal())
            with self._step("sending"):
                self._expect(server.mail(self.sender, self._mail_options(server, message.raw)), "the sender")
                self._expect(server.rcpt(self.to), "the recipient")
                self._expect(server.docmd("DATA"), "the message", wanted=354)
                server.send(_stuffed(message.raw))
            self._accepted(server)
        return Receipt(external_id=message.message_id, detail="accepted by the mail server")

    @property
    def _who(self) -> str:
        return f"receiver {self.name!r}: the mail server {self.host}"

    @contextmanager
    def _connected(self, until: Until) -> Iterator[smtplib.SMTP]:
        """Connect (checking the certificate) and say goodbye whatever happens; the goodbye changes no outcome."""
        port = self.port or PORTS[self.tls]
        own_name = self.sender.rpartition("@")[2]  # asking the system for it may wait for a name server
        with self._step("connecting"):
            if self.tls == "implicit":
                server: smtplib.SMTP = TimedSMTPOverTLS(
                    self.host, port, local_hostname=own_name, context=self._context(until), until=until
                )
            else:
                server = TimedSMTP(self.host, port, local_hostname=own_name, until=until)
        try:
            yield server
        finally:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                server.quit()
            server.close()

    def _context(self, until: Until) -> ssl.SSLContext:
        try:
            return tls_context(until, self.ca)
        except (OSError, ssl.SSLError):
            raise BrokenReceiverError(
                f"receiver {self.name!r}: ca = {self.ca!r} cannot be read as certificates"
            ) from None

    def _start_tls(self, server: smtplib.SMTP, until: Until) -> None:
        if not server.has_extn("starttls"):
            raise BrokenReceiverError(
                f"{self._who} offers no STARTTLS, so nothing was sent; check tls and port"
            )
        server.starttls(context=self._context(until))
        server.ehlo()

    @contextmanager
    def _step(self, doing: str) -> Iterator[None]:
        """Turn what goes wrong before the message is complete into what happens next; nothing has arrived then."""
        try:
            yield
        except DeliveryError:
            raise
        except ssl.SSLCertVerificationError as error:
            raise BrokenReceiverError(
                f"{self._who}'s certificate does not check ({error.verify_message})"
            ) from None
        except smtplib.SMTPResponseException as error:
            self._raise_for(error.smtp_code, error.smtp_error, "us")
        except smtplib.SMTPNotSupportedError:
            raise BrokenReceiverError(f"{self._who} does not offer what username and password need") from None
        except _LOST as error:
            raise TryLaterError(
                f"{self._who}: the connection failed while {doing} ({type(error).__name__})"
            ) from None
        except smtplib.SMTPException as error:
            raise BrokenReceiverError(f"{self._who}: {type(error).__name__} while {doing}") from None

    def _expect(self, answer: tuple[int, bytes], what: str, wanted: int = 250) -> None:
        code, said = answer
        if code != wanted and not (wanted == 250 and code == 251):
            self._raise_for(code, said, what)

    def _raise_for(self, code: int, said: bytes | str, what: str) -> NoReturn:
        """Raise what a refusal means: 4xx is for now; 5xx of content or size is this message, any other is the receiver."""
        spoken = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
        text = f"{self._who} refused {what}: {code} {excerpt(spoken, self.password, self.username)}".rstrip()
        if code < 500:
            raise TryLaterError(text)
        if what == "the message" or code == 552:
            raise RefusedError(text)
        raise BrokenReceiverError(text)

    def _accepted(self, server: smtplib.SMTP) -> None:
        try:
            code, said = server.getreply()
        except _LOST as error:
            raise UnknownOutcomeError(
                f"{self._who} took the whole message and the connection ended without an answer ({type(error).__name__})"
            ) from None
        self._expect((code, said), "the message")

    @staticmethod
    def _mail_options(server: smtplib.SMTP, raw: bytes) -> list[str]:
        return [f"SIZE={len(raw)}"] if server.has_extn("size") else []


def _stuffed(raw: bytes) -> bytes:
    """Return the message as it goes over the wire: dots at line starts doubled, the final dot added."""
    body = re.sub(rb"(?m)^\.", b"..", raw)
    return (body if body.endswith(b"\r\n") else body + b"\r\n") + b".\r\n"
