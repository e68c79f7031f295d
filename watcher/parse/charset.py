"""Bytes of a page or feed → text, or an error: a wrong character set never becomes new content.

Order, as browsers do it: byte order mark, the HTTP header, what the document declares, else UTF-8. Western single-byte
sets decode any bytes, so a declaration of one is not believed where the bytes are valid UTF-8 with letters beyond ASCII:
that is how servers with a default header lie, and no Western text is UTF-8 by accident.
"""

from __future__ import annotations

import codecs
import re

from watcher.errors import ParseError

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_DECLARED = rb"(?i)<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})|<meta[^>]{0,300}?charset\s*=\s*[\"']?([\w.:-]{1,40})"
_DECLARATION_WITHIN = 4096  # bytes; HTML asks for it in the first 1024, feeds in the first line
_WESTERN = frozenset({"ascii", "iso8859-1", "iso8859-15", "cp1252"})
_TEXT = re.compile(
    r"(utf-8|utf-16(-[lb]e)?|ascii|iso8859-\d+|cp125\d|koi8-[ru]|mac-roman|gb2312|gbk|gb18030|big5|shift_jis|cp932|"
    r"euc_jp|iso2022_jp|euc_kr|cp949)$"
)
_AS_BROWSERS_READ = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}  # fmt: skip


def decode(body: bytes, media_type: str, what: str) -> str:
    """Return the text of ``body``; ``media_type`` is the Content-Type header, ``what`` names the document in messages.

    Raises ParseError for an unknown character set or bytes that are not in it. A sequence cut at the very end is left
    out: what is missing there is the rest of a cut-off document, which its reader must notice.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return _strict(body[len(mark) :], name, what)
    declared = _declared(body, media_type, what)
    if declared is None or (declared in _WESTERN and _is_utf8_beyond_ascii(body)):
        declared = "utf-8"
    return _strict(body, _AS_BROWSERS_READ.get(declared, declared), what)


def _declared(body: bytes, media_type: str, what: str) -> str | None:
    """Return the codec's name that header or document declare, null if neither does."""
    if header := _HEADER.search(media_type):
        label = header[1]
    elif inside := re.search(_DECLARED, body[:_DECLARATION_WITHIN]):
        label = (inside[1] or inside[2]).decode("ascii")
        if label.lower().startswith("utf-16"):  # it was read as ASCII, so it is not that
            return "utf-8"
    else:
        return None
    try:
        name = codecs.lookup(label).name
    except LookupError:
        name = ""
    if not _TEXT.match(name):
        raise ParseError(f"{what}: its character set {label!r} is not one that we read")
    return name


def _is_utf8_beyond_ascii(body: bytes) -> bool:
    if body.isascii():
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return False
    return True


def _strict(body: bytes, name: str, what: str) -> str:
    try:
        return codecs.getincrementaldecoder(name)().decode(body)
    except UnicodeDecodeError as error:
        raise ParseError(
            f"{what}: is not {name} text as it says ({error.reason} at byte {error.start:,})"
        ) from error
    except UnicodeError as error:  # UTF-16 and UTF-32 without a byte order mark
        raise ParseError(f"{what}: is not {name} text as it says ({error})") from error
