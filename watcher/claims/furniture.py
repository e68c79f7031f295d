"""What on a page is not the article: navigation, teasers, comments, cookie banners, forms; told by tags and class words."""

from __future__ import annotations

import re
from typing import Any

from watcher.claims.vocabulary import words

SILENT_TAGS = words(
    "script style noscript template head nav aside footer form button select option textarea input iframe object"
    " svg canvas audio video picture img figure-icon map dialog del s strike title menu"
)
SILENT_ROLES = words(
    "navigation complementary banner contentinfo search dialog alertdialog menu menubar toolbar tablist"
)
# Words of class and id values. One of them as a whole word silences the element; those of MAYBE only where the
# element does not hold the bulk of the page's paragraphs.
SILENT_WORDS = words(
    "comment comments commentlist respond response responses reply replies disqus discussion nav navbar navigation menu submenu"
    " breadcrumb breadcrumbs sidebar aside footer foot colophon masthead topbar cookie cookies consent gdpr onetrust"
    " banner advert advertisement ads ad adbox sponsor sponsored promo promotion newsletter subscribe subscription"
    " signup paywall share sharing social related recommended recommendation recommendations readmore relation relations relate outbrain taboola readnext"
    " elsewhere trending popular mostread recent recents teaser teasers tile tiles card-list blogroll likes like"
    " votes poll quiz rating byline postmeta entry-meta tags taglist pagination pager prevnext prev postnav widget widgets"
    " skip screen-reader-text visually-hidden hidden modal popup toast toc byline-block author-bio"
)
TAIL_HEADINGS = (
    r"(?i)^(?:related|see also|read (?:more|next|also)|you (?:may|might) (?:also )?(?:like|enjoy|be interested)|more (?:from|on|stories|news|like)"
    r"|recommended|elsewhere|comments?|responses?|leave a (?:reply|comment)|\d+ (?:comments?|responses?|replies)|discussion"
    r"|recent (?:posts|articles|comments)|popular|trending|most read|further reading|about the authors?|share this|newsletter"
    r"|subscribe|reader poll|keep reading|don.t miss|also on)\b"
)
# A line that says how many comments follow; it is no heading, so what stands around it tells whether they do.
COMMENTS_LINE = re.compile(
    r"(?:\d+ )?(?:comments?|responses?|replies|reader comments|letters)(?: ?[(:] ?\d+ ?\)?| ?:)?"
    r"|(?:discussion|letters) ?[(:] ?\d+ ?\)?",
    re.IGNORECASE,
)
COMMENT_START = r"@?[\w.-]{2,24}(?: \w{1,20})?(?:, [\w ,.]{2,24})?: \S"
TEASER_LINE = re.compile(
    r"^(?:read (?:also|more|next)|see also|related(?: (?:story|stories|post|posts|article|articles|reading))?|also read|more on this|don.t miss"
    r"|up next|previously|recommended|prev(?:ious)?(?: (?:post|article|story))?|next(?: (?:post|article|story))?|older|newer)\s*[:–—»«]"
    r"|^the post\b.{1,300}\bappeared first on\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_HIDDEN = r"(?i)display\s*:\s*none|visibility\s*:\s*hidden"


def is_furniture(element: Any) -> bool:
    """Whether an element of a page, with all that it holds, is no part of the article."""
    if element.tag in SILENT_TAGS:
        return True
    get = element.get
    if get("hidden") is not None or get("aria-hidden") == "true" or (get("role") or "") in SILENT_ROLES:
        return True
    style = get("style")
    if style and re.search(_HIDDEN, style):
        return True
    named = f"{get('class') or ''} {get('id') or ''}"
    return named != " " and element.tag not in {"html", "body", "article", "main"} and _silenced(named)


def _silenced(named: str) -> bool:
    for whole in _WORDS.findall(named.casefold()):
        if whole in SILENT_WORDS:
            return True
        parts = whole.split("-")
        if len(parts) > 1 and (parts[0] in SILENT_WORDS or parts[-1] in SILENT_WORDS):
            return True
    return False


def article_root(root: Any) -> Any:
    """The element that holds the article: the only <article>, else <main>, else the whole."""
    articles = [e for e in root.iter("article") if not _inside_furniture(e)]
    if len(articles) == 1:
        return articles[0]
    if articles:
        return max(articles, key=lambda e: sum(len(content_of(p)) for p in e.iter("p")))
    main = next(root.iter("main"), None)
    return main if main is not None else root


def content_of(element: Any) -> str:
    """All text inside an element."""
    return "".join(element.itertext())


def _inside_furniture(element: Any) -> bool:
    parent = element.getparent()
    while parent is not None:
        if is_furniture(parent):
            return True
        parent = parent.getparent()
    return False
