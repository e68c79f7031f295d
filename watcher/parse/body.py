"""Bytes as fetched → those of a table's text: unpacked if they are gzip, within bounds, and certainly UTF-8."""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8

from watcher.errors import ParseError

MAX_BYTES = 64 * 2**20
"""Largest table that is read, unpacked; the largest ever published has about two megabytes."""

_GZIP = b"\x1f\x8b"
_START = 800  # bytes of a text that nearly always have a character that is no space


def unpacked(body: bytes, name: str, limit: int = MAX_BYTES) -> bytes:
    """Unpack gzip (told by its first bytes, several members in a row too); other bytes come back as they are.

    Raises ParseError for a damaged or cut-off archive, and for one that holds more than ``limit`` bytes.
    """
    if not body.startswith(_GZIP):
        if len(body) > limit:
            raise ParseError(f"{name}: has {len(body):,} bytes, more than the {limit:,} that are read")
        return body
    found = bytearray()
    rest = body
    while rest.startswith(_GZIP):
        member = zlib.decompressobj(wbits=31)
        try:
            found += member.decompress(rest, limit + 1 - len(found))
        except zlib.error as error:
            raise ParseError(f"{name}: damaged gzip data ({error}); fetch it again") from error
        if len(found) > limit:
            raise ParseError(f"{name}: unpacks to more than the {limit:,} bytes that are read")
        if not member.eof:
            raise ParseError(f"{name}: cut-off gzip data; fetch it again")
        rest = member.unused_data.lstrip(b"\0")  # archives may be padded with zeros
    if rest:
        raise ParseError(f"{name}: {len(rest):,} bytes that are not gzip follow the gzip data")
    return bytes(found)


def utf8_of(body: bytes, name: str) -> bytes:
    """Unpack a table; return its text in UTF-8, without a byte order mark.

    It is not decoded, as what reads JSON takes bytes. Raises ParseError if it is empty, not UTF-8, or a web page instead.
    """
    data = unpacked(body, name).removeprefix(BOM_UTF8)
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        raise ParseError(f"{name}: not UTF-8 text ({error.reason} at byte {error.start})") from error
    start = first_of(data)
    if not start:
        raise ParseError(f"{name}: empty; an empty file is never taken as a table without rows")
    if start == "<":
        raise ParseError(f"{name}: a web page or XML, not a table; check the address (the raw one is needed)")
    return data


def first_of(data: bytes) -> str:
    """Return the first character of a text in UTF-8 that is no space, "" if it has none."""
    return (data[:_START].decode(errors="ignore").lstrip() or data.decode().lstrip())[:1]
