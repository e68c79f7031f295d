"""Index pages and sitemaps: which links are articles, and what a check of them brings back."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.site import NOW, Site, source
from watcher.catalog.names import load
from watcher.errors import ConfigError, FetchError, ParseError, SourceError
from watcher.parse.listing import MAX_LINKS, Choice, read_listing
from watcher.sources import read

PAGES = Path("tests/data/pages")
URL = "https://racks.example/blog"
ARTICLE = "<html><head><title>{0}</title></head><body><article><h1>{0}</h1><p>The page tells of {0} and MLPerf at some length.</p></article></body></html>"  # fmt: skip


def listed(body: str | bytes, url: str = URL, **choice) -> list[str]:
    raw = body.encode() if isinstance(body, str) else body
    return [link.url for link in read_listing(raw, url=url, choice=Choice(**choice)).links]


def site(*names: str) -> Site:
    index = "".join(f"<h2><a href='/blog/{name}'>The story of {name}</a></h2>" for name in names)
    pages = {f"{URL}/{name}": ARTICLE.format(name) for name in names}
    return Site({URL: f"<html><body><main>{index}</main></body></html>", **pages})


def check(pages: Site, cursor=None, now=NOW, url: str = URL, **options):
    return read(source("page", url, **options), pages, cursor or {}, now, load())


# ---------------------------------------------------------------------------------------------- listings


def test_articles_are_what_lies_below_the_listing_and_no_menu_tag_or_further_page():
    found = read_listing((PAGES / "listing.html").read_bytes(), url=URL).links

    assert [(link.url, link.title) for link in found] == [
        ("https://racks.example/blog/second/", "The second post"),
        ("https://racks.example/blog/first", "The first post"),
    ]


def test_a_link_that_only_says_read_more_takes_no_title_away():
    body = "<main><a href='/blog/a'>Read more</a><a href='/blog/a'>The title of a post</a></main>"

    assert read_listing(body.encode(), url=URL).links[0].title == "The title of a post"


def test_include_exclude_and_hosts_choose_the_links():
    body = (PAGES / "listing.html").read_bytes()

    assert listed(body, include=("/blog/f*",)) == ["https://racks.example/blog/first"]
    assert listed(body, exclude=("/blog/f*",)) == ["https://racks.example/blog/second/"]
    assert listed(body, include=("/blog/th*",), hosts=("elsewhere.example",), selector="main a") == [
        "https://elsewhere.example/blog/third"
    ]


def test_a_selector_may_name_links_or_what_is_around_them():
    body = "<div class=x><a href='/news/1'>One</a></div><a class=y href='/news/2'>Two</a><a href='/news/3'>Three</a>"

    assert listed(body, selector=".x, .y") == ["https://racks.example/news/1", "https://racks.example/news/2"]


def test_links_are_relative_to_the_pages_base():
    assert listed("<base href='/news/'><h2><a href='one'>One</a></h2>", url="https://racks.example/") == [
        "https://racks.example/news/one"
    ]


def test_a_sitemap_gives_its_locations_with_their_dates():
    found = read_listing((PAGES / "sitemap.xml").read_bytes(), url="https://racks.example/sitemap.xml", choice=Choice(include=("/blog/*",)))  # fmt: skip

    assert [(link.url, link.changed) for link in found.links] == [
        ("https://racks.example/blog/first", "2026-09-16"),
        ("https://racks.example/blog/second", "2026-09-17T08:00:00Z"),
    ]


def test_a_sitemap_may_be_packed_or_cut_off():
    body = (PAGES / "sitemap.xml").read_bytes()

    assert listed(gzip.compress(body)) == listed(body)
    assert listed(body[: body.index(b"</lastmod>")])[0] == "https://racks.example/blog/first"


def test_of_a_long_sitemap_the_newest_articles_count():
    rows = "".join(
        f"<url><loc>/blog/{n}</loc><lastmod>{2000 + n}-01-01</lastmod></url>" for n in range(MAX_LINKS + 3)
    )

    found = listed(f"<urlset>{rows}</urlset>")

    assert (len(found), found[0]) == (MAX_LINKS, f"https://racks.example/blog/{MAX_LINKS + 2}")


def test_a_long_sitemap_without_dates_must_be_narrowed():
    rows = "".join(f"<url><loc>/blog/{n}</loc></url>" for n in range(MAX_LINKS + 3))

    with pytest.raises(ParseError, match="has 503 links; narrow them by the option `include`"):
        listed(f"<urlset>{rows}</urlset>")


def test_a_sitemap_that_declares_entities_is_refused():
    with pytest.raises(ParseError, match="declares entities"):
        listed(
            '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><urlset><url><loc>&y;</loc></url></urlset>'
        )


def test_numbered_characters_that_do_not_exist_are_left_out_of_a_sitemap():
    assert listed("<urlset><url><loc>/blog/o&#xD800;ne</loc></url></urlset>") == [
        "https://racks.example/blog/one"
    ]


def test_an_empty_page_is_not_what_it_was():
    with pytest.raises(FetchError) as error:
        listed(" ")

    assert error.value.failure == "not-what-it-was"


# ---------------------------------------------------------------------------------------------- checks of a source


def test_articles_of_a_listing_are_posts_and_robots_are_asked():
    pages = site("one", "two")

    posts = check(pages).posts

    assert [(post.title, post.url, post.vendor) for post in posts] == [("one", f"{URL}/one", "Racks"), ("two", f"{URL}/two", "Racks")]  # fmt: skip
    assert all(page for _, page in pages.wanted)


def test_at_first_only_so_many_articles_are_read_and_the_others_never():
    pages = site("one", "two", "three")
    first = check(pages, articles_per_check=2)

    second = check(pages, first.cursor, articles_per_check=2)

    assert [post.title for post in first.posts] == ["one", "two"]
    assert (second.posts, pages.asked[3:]) == ((), [URL])


def test_new_articles_are_read_a_few_a_check_and_the_rest_later_even_if_the_listing_stands_still():
    cursor = check(site("old")).cursor
    pages = site("old", "one", "two", "three")

    second = check(pages, cursor, articles_per_check=2)
    third = check(pages, second.cursor, articles_per_check=2)

    assert [[post.title for post in reading.posts] for reading in (second, third)] == [
        ["one", "two"],
        ["three"],
    ]


def test_a_filter_looks_at_the_article():
    pages = site("one", "two")
    pages.pages[f"{URL}/two"] = ARTICLE.format("two").replace("MLPerf", "fans")

    assert [post.title for post in check(pages, filter=["mlperf"]).posts] == ["one"]


def test_an_article_is_read_again_after_a_week_though_it_left_the_listing():
    pages = site("one")
    first = check(pages)
    pages.pages[URL] = pages.pages[URL].replace("one", "other")
    pages.pages[f"{URL}/other"] = ARTICLE.format("other")
    pages.pages[f"{URL}/one"] = ARTICLE.format("one").replace("some length", "great length")

    later = check(pages, first.cursor, NOW + timedelta(days=7))

    assert [post.title for post in later.posts] == ["other", "one"]
    assert later.posts[1].identity == first.posts[0].identity


def test_a_new_date_in_the_sitemap_has_the_article_read_again():
    sitemap = "<urlset><url><loc>/blog/one</loc><lastmod>{}</lastmod></url></urlset>"
    pages = Site({URL: sitemap.format("2026-09-16"), f"{URL}/one": ARTICLE.format("one")})
    first = check(pages)
    pages.pages[URL] = sitemap.format("2026-09-17")
    pages.pages[f"{URL}/one"] = ARTICLE.format("one").replace("some length", "great length")

    (post,) = check(pages, first.cursor).posts

    assert (post.identity, "great length" in post.text) == (first.posts[0].identity, True)


def test_an_index_of_sitemaps_is_followed_on_its_own_host():
    top, one = "https://racks.example/sitemap.xml", "https://racks.example/posts.xml"
    pages = Site({
        top: f"<sitemapindex><sitemap><loc>{one}</loc></sitemap><sitemap><loc>https://evil.example/x</loc></sitemap></sitemapindex>",
        one: "<urlset><url><loc>/blog/one</loc></url></urlset>",
        f"{URL}/one": ARTICLE.format("one"),
    })  # fmt: skip

    assert [post.title for post in check(pages, url=top).posts] == ["one"]
    assert pages.asked == [top, one, f"{URL}/one"]


def test_an_article_that_cannot_be_read_is_told_by_its_title():
    cursor = check(site("old")).cursor
    pages = site("old", "one")
    pages.failing[f"{URL}/one"] = "blocked"

    reading = check(pages, cursor)

    assert [(post.title, post.text, post.url) for post in reading.posts] == [
        ("The story of one", "", f"{URL}/one")
    ]
    assert (reading.failure.failure, reading.steps[-2]) == (
        "blocked",
        f"article not read (blocked): {URL}/one: blocked",
    )


def test_a_site_in_trouble_is_left_alone_for_the_rest_of_the_check():
    pages = site("one", "two", "three")
    pages.failing.update({f"{URL}/{name}": "rate-limited" for name in ("one", "two", "three")})

    reading = check(pages)

    assert pages.asked == [URL, f"{URL}/one"]
    assert reading.failure.failure == "rate-limited"


def test_one_page_that_is_gone_is_no_trouble_of_the_site():
    pages = site("one", "two")
    del pages.pages[f"{URL}/one"]

    reading = check(pages)

    assert ([post.title for post in reading.posts], reading.failure) == (["two", "The story of one"], None)


def test_a_listing_that_lost_all_links_is_not_what_it_was():
    pages = site("one")
    cursor = check(pages).cursor
    pages.pages[URL] = "<html><body>Please sign in to read on.</body></html>"

    with pytest.raises(FetchError, match="no links to articles; there were 1") as error:
        check(pages, cursor)
    assert error.value.failure == "not-what-it-was"


def test_a_listing_that_never_had_links_names_the_options():
    with pytest.raises(
        ParseError, match="no links to articles; name them by the options `links` or `include`"
    ):
        check(Site({URL: "<html><body>Nothing</body></html>"}))


def test_a_wrong_selector_names_itself():
    with pytest.raises(ConfigError, match=r"'a\[\[' is no CSS selector"):
        check(site("one"), links="a[[")


def test_a_cursor_is_small_and_of_json():
    rows = "".join(
        f"<url><loc>/blog/{n}-a-rather-long-address</loc><lastmod>2026-01-01</lastmod></url>"
        for n in range(MAX_LINKS)
    )

    cursor = check(Site({URL: f"<urlset>{rows}</urlset>"})).cursor

    assert len(json.dumps(cursor)) < 25_000


def test_a_title_that_is_a_selector_of_the_source_is_used():
    pages = site("one")
    pages.pages[f"{URL}/one"] = ARTICLE.format("one").replace("<p>", "<h2 class=t>Another title</h2><p>")

    assert check(pages, title=".t").posts[0].title == "Another title"


# ---------------------------------------------------------------------------------------------- hostile listings

PIECES = st.one_of(
    st.sampled_from(["<a href='/blog/x'>", "<a href=", "</a>", "<main>", "<nav>", "<h2>", "<base href='//['>", "<urlset>", "<url>", "<loc>", "/blog/1", "</loc>", "</url>", "<lastmod>", "http://[", "&#xD800;"]),
    st.text(max_size=20),
)  # fmt: skip


@settings(max_examples=150)
@given(st.lists(PIECES, max_size=50).map("".join), st.sampled_from(["", "<urlset>", "<sitemapindex>"]))
def test_any_listing_gives_links_or_an_error_of_ours(body, start):
    try:
        links = listed(start + body)
    except SourceError:
        return
    assert all(link.startswith(("https://racks.example/", "http://racks.example/")) for link in links)


@pytest.mark.parametrize(
    "body",
    ["1" * 3_000_000, "<a href='/blog/x'>" * 50_000, "<urlset>" + "<url>" * 100_000, "<urlset>" + "1" * 3_000_000, "<nav>" * 3000 + "<a href=/blog/1>"],
    ids=["digits", "links", "deep sitemap", "digits in a sitemap", "deep page"],
)  # fmt: skip
def test_a_hostile_listing_ends_in_links_or_an_error_of_ours(body):
    try:
        assert len(listed(body)) <= MAX_LINKS
    except SourceError as error:
        assert str(error)  # noqa: PT017 - either outcome is right
