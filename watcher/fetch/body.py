"""An answer's bytes: read piece by piece under two caps, decompressed on the way."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, NoReturn

from requests import Response
from urllib3.exceptions import HTTPError

from watcher.errors import FetchError
from watcher.fetch.wire import unreachable

_PIECE = 65_536
_COMPRESSED = ("gzip", "x-gzip", "deflate")
_GZIP, _ZLIB, _RAW = 31, 15, -15  # zlib's names for the three ways deflate is wrapped


def read_body(response: Response, *, max_bytes: int, max_decoded_bytes: int, url: str) -> bytes:
    """Return the whole body, decompressed if the answer says so.

    Raises FetchError: "too-large" beyond ``max_bytes`` on the wire or ``max_decoded_bytes`` after decompression (as
    soon as that shows, so a bomb is never held), "network" for a body that ends early or does not decompress,
    "not-what-it-was" for an encoding that we did not ask for. The connection is kept only after a complete body.
    """
    try:
        return _whole(response, max_bytes, max_decoded_bytes, url)
    except BaseException as error:
        response.raw.close()  # what is left unread must not become the start of the next answer
        if isinstance(error, HTTPError):
            raise unreachable(url, error) from None
        raise


def read_beginning(response: Response, size: int, *, url: str) -> bytes:
    """Return at most the first ``size`` bytes of a body, decompressed; what is beyond is left unread.

    Raises FetchError: "network" for a body that ends early or does not decompress, "not-what-it-was" for an encoding
    that we did not ask for. The connection is kept only after a complete body.
    """
    encoding = response.headers.get("Content-Encoding", "").strip().casefold()
    beginning = bytearray()
    decoder: Any = None
    try:
        if encoding not in ("", "identity", *_COMPRESSED):
            raise _not_asked_for(url, encoding)
        while piece := response.raw.read(_PIECE, decode_content=False):
            if encoding in _COMPRESSED:
                decoder = decoder or zlib.decompressobj(_wrapping(piece) if encoding == "deflate" else _GZIP)
                piece = decoder.decompress(piece, size + 1 - len(beginning))
            beginning += piece
            if len(beginning) > size:
                response.raw.close()
                break
    except (HTTPError, zlib.error, FetchError) as error:
        response.raw.close()
        if isinstance(error, HTTPError):
            raise unreachable(url, error) from None
        if isinstance(error, zlib.error):
            _broken(url, f"does not decompress ({error})")
        raise
    return bytes(beginning[:size])


def read_start(response: Response, size: int) -> bytes:
    """Return the first bytes of a body that only serves to say what went wrong; never raises for its content.

    The connection is kept if that was all of it.
    """
    start = b""
    try:
        start = response.raw.read(size, decode_content=False) or b""
        if response.raw.read(1, decode_content=False):
            response.raw.close()
        if response.headers.get("Content-Encoding", "").casefold() in ("gzip", "x-gzip"):
            return zlib.decompressobj(_GZIP).decompress(start, size)
    except (HTTPError, FetchError, zlib.error, OSError):
        response.raw.close()
    return start


def finish(response: Response) -> None:
    """Give the connection of an answer without a body back; close it if there is a body, or something like one."""
    try:
        if not response.raw.read(1, decode_content=False):
            return
    except (HTTPError, FetchError, OSError):
        pass
    response.raw.close()


def _whole(response: Response, max_bytes: int, max_decoded_bytes: int, url: str) -> bytes:
    """Do the reading of `read_body`."""
    announced = response.headers.get("Content-Length", "")
    if announced.isdecimal() and (len(announced) > 18 or int(announced) > max_bytes):
        raise _too_large(url, f"announces {announced[:18]} bytes, {max_bytes} are allowed")
    size = max(int(announced), _PIECE) if announced.isdecimal() else _PIECE
    pieces = _pieces(response, size, max_bytes, url)
    encoding = response.headers.get("Content-Encoding", "").strip().casefold()
    if encoding in ("", "identity"):
        return b"".join(pieces)
    if encoding in _COMPRESSED:
        return _inflated(pieces, gzip=encoding != "deflate", cap=max_decoded_bytes, url=url)
    raise _not_asked_for(url, encoding)


def _pieces(response: Response, size: int, max_bytes: int, url: str) -> Iterator[bytes]:
    """Yield the body in pieces of ``size``, all of it in one where it was announced; raise once it is too large."""
    count = 0
    while piece := response.raw.read(size, decode_content=False):
        count += len(piece)
        if count > max_bytes:
            raise _too_large(url, f"more than the {max_bytes:,} bytes allowed")
        yield piece


def _inflated(pieces: Iterator[bytes], *, gzip: bool, cap: int, url: str) -> bytes:
    """Decompress; several gzip members in a row and zero padding after the last are part of the format."""
    whole = bytearray()
    decoder: Any = None
    try:
        for piece in pieces:
            rest = piece
            while rest:
                if decoder is None or decoder.eof:
                    if decoder is not None and (not gzip or not rest.strip(b"\0")):
                        break
                    decoder = zlib.decompressobj(_GZIP if gzip else _wrapping(rest))
                whole += decoder.decompress(rest, cap - len(whole) + 1)
                if len(whole) > cap:
                    raise _too_large(url, f"more than {cap:,} bytes when decompressed")
                rest = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    except zlib.error as error:
        _broken(url, f"does not decompress ({error})")
    if decoder is not None and not decoder.eof:
        _broken(url, "ends in the middle of its compressed body")
    return bytes(whole)


def _wrapping(start: bytes) -> int:
    """Tell zlib's wrapping of "deflate" (RFC 9110) from the raw stream that some servers send."""
    wrapped = len(start) > 1 and start[0] & 0x0F == 8 and (start[0] << 8 | start[1]) % 31 == 0
    return _ZLIB if wrapped else _RAW


def _not_asked_for(url: str, encoding: str) -> FetchError:
    return FetchError(f"{url} came as {encoding!r}, not asked for", url=url, failure="not-what-it-was")


def _too_large(url: str, reason: str) -> FetchError:
    return FetchError(f"{url} is too large: {reason}", url=url, failure="too-large")


def _broken(url: str, reason: str) -> NoReturn:
    raise FetchError(f"{url} {reason}", url=url, failure="network")
