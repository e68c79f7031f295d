"""Can the hosts of sources and receivers be reached: names, connections and certificates; nothing is ever sent."""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct

from watcher.domain import Secret

if TYPE_CHECKING:
    from watcher.domain import Source

SIDE_BY_SIDE = 8
PATIENCE = 10.0  # seconds for one connection
_SMTP_PORTS = {"implicit": 465, "starttls": 587, "none": 25}


class Host(Struct, frozen=True):
    """Where a receiver's messages go. ``tls``: implicit, starttls or none; ``ca``: a file of its own authority."""

    name: str
    port: int
    tls: str
    ca: str | None = None


def trouble_of_hosts(hosts: Iterable[str], allowed: Iterable[str] = ()) -> dict[str, str]:
    """Return host → what is wrong with it, for those that cannot be asked; names are looked up side by side.

    A host at a private address may be asked only if it is ``allowed`` by name.
    """
    wanted = sorted(set(hosts))
    meant = frozenset(allowed)
    with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="lookup") as pool:
        said = pool.map(lambda host: _lookup(host, private=host in meant), wanted)
        return {host: words for host, words in zip(wanted, said, strict=True) if words is not None}


def _lookup(host: str, *, private: bool) -> str | None:
    from watcher.fetch.guard import forbidden  # noqa: PLC0415 - only where the network is asked

    try:
        addresses = {str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except OSError as error:
        return f"its name cannot be looked up ({error.strerror or type(error).__name__})"
    for address in sorted(addresses):
        reason = None if private else forbidden(address)
        if reason is not None:
            return f"is at {address}, which is {reason}; it would be refused"
    return None


def hosts_of(sources: Iterable[Source]) -> dict[str, list[str]]:
    """Return host → the names of the sources that ask it first."""
    found: dict[str, list[str]] = {}
    for source in sources:
        host = urlsplit(source.url).hostname
        if host is not None:
            found.setdefault(host, []).append(source.name)
    return found


def host_of(kind: str, options: Mapping[str, Any]) -> Host | None:
    """Return where a receiver of this kind sends to, None where that is no host or cannot be told."""
    if kind == "mail":
        tls = str(options.get("tls", "starttls"))
        return Host(
            str(options["host"]), int(options.get("port") or _SMTP_PORTS[tls]), tls, options.get("ca")
        )
    if kind == "slack":
        from watcher.notifiers.slack import API  # noqa: PLC0415 - only for a receiver of this kind

        return _of_address(options.get("webhook_url") or options.get("base_url") or API)
    return _of_address(options.get("url")) if kind == "webhook" else None


def _of_address(given: object) -> Host | None:
    address = given.reveal() if isinstance(given, Secret) else given
    parts = urlsplit(str(address))
    if parts.hostname is None:
        return None
    secure = parts.scheme == "https"
    return Host(parts.hostname, parts.port or (443 if secure else 80), "implicit" if secure else "none")


def trouble_of(host: Host, *, patience: float = PATIENCE) -> str | None:
    """Connect (with TLS as the receiver would), say goodbye; return what is wrong, None if nothing is."""
    attempts: Mapping[str, Callable[[Host, float], None]] = {
        "none": _plain,
        "implicit": _tls,
        "starttls": _starttls,
    }
    try:
        attempts[host.tls](host, patience)
    except ssl.SSLCertVerificationError as error:
        return f"{host.name}:{host.port}: its certificate does not check ({error.verify_message})"
    except smtplib.SMTPException as error:
        return f"{host.name}:{host.port}: {type(error).__name__} before any message; check tls and port"
    except (TimeoutError, ssl.SSLError) as error:
        return f"{host.name}:{host.port}: no answer as expected ({type(error).__name__}); check tls and port"
    except OSError as error:
        return f"{host.name}:{host.port}: cannot be reached ({error.strerror or type(error).__name__})"
    return None


def _plain(host: Host, patience: float) -> None:
    socket.create_connection((host.name, host.port), timeout=patience).close()


def _tls(host: Host, patience: float) -> None:
    context = ssl.create_default_context(cafile=host.ca)
    with (
        socket.create_connection((host.name, host.port), timeout=patience) as sock,
        context.wrap_socket(sock, server_hostname=host.name),
    ):
        return


def _starttls(host: Host, patience: float) -> None:
    from watcher.notifiers.timed import TimedSMTP, tls_context, within  # noqa: PLC0415 - only for a mail receiver

    until = within(patience)
    with TimedSMTP(host.name, host.port, local_hostname="localhost", until=until) as server:
        server.ehlo()
        server.starttls(context=tls_context(until, host.ca))
        server.ehlo()
