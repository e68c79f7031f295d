"""One page as one post: a post that a user wants to keep an eye on for edits."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from watcher.domain import Get, Reading, Source
from watcher.errors import ParseError
from watcher.sources import options_of
from watcher.sources.articles import ACCEPT_HTML, post_of, selectors_of
from watcher.sources.articles import OPTIONS as ARTICLE_OPTIONS

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

OPTIONS = {name: option for name, option in ARTICLE_OPTIONS.items() if name != "articles_per_check"}


def read(source: Source, get: Get, cursor: Mapping[str, Any], now: datetime, catalog: Catalog) -> Reading:
    """Check the page once. The cursor keeps ``size``, the characters of its text.

    Raises FetchError as ``get`` does, ParseError where the page is no article or has shrunk to a third.
    """
    del now, catalog  # posts are named by the claims reader
    options = options_of(source)
    document = get(source.url, accept=ACCEPT_HTML, page=True)
    if document.unchanged:
        return Reading(cursor=dict(cursor), steps=("the page is unchanged",))
    from watcher.parse.article import read_article  # noqa: PLC0415 - only for a page whose bytes are new

    article = read_article(
        document.body, url=document.url, media_type=document.media_type, selectors=selectors_of(options)
    )
    before = int(cursor.get("size", 0))
    if len(article.text) < before / 3:
        raise ParseError(
            f"{document.url}: has shrunk from {before:,} to {len(article.text):,} characters; not taken for an edit"
        )
    return Reading(
        cursor={"size": len(article.text)},
        posts=(post_of(article, source.url, source),),
        steps=(f"the article has {len(article.text):,} characters",),
    )
