"""Which addresses may be asked at all: a strict reading of URLs and a policy on IP addresses.

The reading is strict so that no two parsers can see two hosts in one address: what passes is taken apart, and only
the parts are used from then on. The policy is asked again for the very address that a connection is made to, see
`watcher.fetch.wire`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from watcher.errors import FetchError

DEFAULT_PORTS = {"http": 80, "https": 443}

_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
_SECRETS = r"(?i)([^&=]*(?:token|key|secret|sig|pass|auth(?!or)|credential|code)[^&=]*=)[^&]*"

_SHARED = IPv4Network("100.64.0.0/10")  # carrier-grade NAT, RFC 6598
_PROTOCOLS = IPv4Network(
    "192.0.0.0/24"
)  # RFC 6890; a cloud's metadata stands here too, older Pythons know a part
_METADATA = (
    ip_address("169.254.169.254"),  # most clouds
    ip_address("fd00:ec2::254"),  # Amazon, over IPv6
    ip_address("168.63.129.16"),  # Azure's own services, a public address by its number
    ip_address("100.100.100.200"),  # Alibaba
    ip_address("192.0.0.192"),  # Oracle
)
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address
_TUNNELS = (
    IPv6Network("64:ff9b:1::/48"),  # RFC 8215, local translation
    IPv6Network("2002::/16"),  # 6to4
    IPv6Network("2001::/32"),  # Teredo
    IPv6Network("::/96"),  # IPv4-compatible
    IPv6Network("fec0::/10"),  # site-local
)


class Target(NamedTuple):
    """An address that passed: ``host`` in lower case without brackets, ``path`` with its query, ready to send."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: what credentials are bound to."""
        return self.scheme, self.host, self.port

    @property
    def base(self) -> str:
        """The origin as people write it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    @property
    def url(self) -> str:
        """The whole address, normalised."""
        return self.base + self.path


@lru_cache(maxsize=1024)
def target_of(url: str) -> Target:
    """Take an address apart. Raises FetchError ("refused") for anything but a plain http or https address."""
    if _UNSAFE.search(url):
        raise refused(url, "it holds a blank, a control character or a backslash")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise refused(url, str(error)) from None
    scheme = parts.scheme
    if scheme not in DEFAULT_PORTS:
        raise refused(url, "only http and https are fetched")
    if "@" in parts.netloc:
        raise refused(url, "names and passwords do not belong in an address; give the source a token instead")
    if port == 0:
        raise refused(url, "there is no port 0")
    host = _host(url, parts.hostname or "", bracketed="[" in parts.netloc)
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = "?" + quote(parts.query, safe="/?%:@!$&'()*+,;=~-._[]|") if parts.query else ""
    return Target(scheme, host, port or DEFAULT_PORTS[scheme], path + query)


def redirected(target: Target, location: str) -> Target:
    """Return where a Location header leads from ``target``; checked like any other address."""
    with suppress(UnicodeError):  # headers are read as Latin-1, and often are UTF-8
        location = location.encode("latin-1").decode("utf-8")
    location = location.strip(" \t").replace(" ", "%20")
    if _UNSAFE.search(location):
        raise refused(location, "it holds a control character or a backslash")
    try:
        joined = urljoin(target.url, location)
    except ValueError as error:
        raise refused(location, str(error)) from None
    return target_of(joined)


def forbidden(address: str) -> str | None:
    """Return why an IP address must not be asked (one word or two), or None for a public one.

    An IPv6 address that carries an IPv4 one (mapped, or by NAT64) is judged by that.
    """
    ip = ip_address(address.partition("%")[0])
    if ip in _METADATA:
        return "a cloud's metadata"
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is not None:
            return forbidden(str(ip.ipv4_mapped))
        if ip in _NAT64:
            return forbidden(str(IPv4Address(int(ip) & 0xFFFFFFFF)))
        if not (ip.is_loopback or ip.is_unspecified) and any(ip in network for network in _TUNNELS):
            return "tunnelled"
    elif ip in _SHARED:
        return "shared (carrier-grade NAT)"
    elif ip in _PROTOCOLS:
        return "reserved"
    for word, applies in (
        ("unspecified", ip.is_unspecified),
        ("loopback", ip.is_loopback),
        ("link-local", ip.is_link_local),
        ("multicast", ip.is_multicast),
        ("private", ip.is_private),
        ("reserved", ip.is_reserved or not ip.is_global),
    ):
        if applies:
            return word
    return None


def check_addresses(host: str, addresses: Sequence[str], url: str) -> None:
    """Raise FetchError ("refused") if any address that ``host`` stands for is not public.

    One private record among public ones is refused too: which one is connected to would be chance.
    """
    for address in addresses:
        reason = forbidden(address)
        if reason is not None:
            where = "its address" if address == host else f"{host} is at {address}, which"
            raise refused(url, f"{where} is {reason}; list the host in allow_hosts if that is meant")


def as_hosts(allow_hosts: Iterable[str]) -> frozenset[str]:
    """Return hosts from a config in the form that `Target.host` has."""
    return frozenset(host.strip("[]").rstrip(".").casefold() for host in allow_hosts)


@lru_cache(maxsize=1024)
def plain(url: str) -> str:
    """Return an address fit to show: no user, no password, and no value of a query that may be a secret."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "(unreadable address)"
    query = re.sub(_SECRETS, r"\1…", parts.query) if parts.query else ""
    shown = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, query, ""))
    return shown if shown.isprintable() else "".join(c if c.isprintable() else "�" for c in shown)


def refused(url: str, reason: str) -> FetchError:
    """Return the error for an address that we do not ask."""
    return FetchError(f"{plain(url)} is not fetched: {reason}", url=plain(url), failure="refused")


def _host(url: str, host: str, *, bracketed: bool) -> str:
    """Return a host in its one form: an IP address, or a name in ASCII."""
    if bracketed:
        try:
            return str(IPv6Address(host if "%" not in host else "zone"))
        except ValueError:
            raise refused(url, f"[{host}] is no IPv6 address") from None
    if not host.isascii():
        host = _ascii(url, host)
    host = host.rstrip(".")
    if len(host) > 253 or not _HOST.fullmatch(host):
        raise refused(url, "its host is not a host's name")
    if _NUMBER.fullmatch(
        host.rpartition(".")[2]
    ):  # decimal, octal, hexadecimal and short forms of an address
        try:
            return str(IPv4Address(host))
        except ValueError:
            raise refused(url, f"{host} is no plain IPv4 address") from None
    return host


def _ascii(url: str, host: str) -> str:
    """Return an international name in ASCII (IDNA 2008 with the usual mapping)."""
    import idna  # noqa: PLC0415 - only for names that need it

    try:
        return idna.encode(host, uts46=True).decode("ascii").casefold()
    except UnicodeError as error:  # idna's own errors are of this kind
        raise refused(url, f"its host is not a host's name ({error})") from None
