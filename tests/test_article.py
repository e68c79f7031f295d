"""Articles out of pages, readable text, and what counts as an edit."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.site import letters
from watcher.domain import Post
from watcher.errors import ConfigError, ParseError, SourceError
from watcher.parse.article import Selectors, clean, digest, read_article, text_of
from watcher.parse.css import Css
from watcher.parse.markup import MAX_TAGS, from_plain, printable, size_of, strings, tree

PAGES = Path("tests/data/pages")
PARAGRAPH = "<p>Sixteen cards reach 47,434 tokens/s on Whisper, which is plenty.</p>"
URL = "https://racks.example/blog/x"


def strings_of(element):
    return "".join(strings(element))


def page(body: str, head: str = "<title>A title | Racks</title>") -> bytes:
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode()


def article():
    return read_article((PAGES / "article.html").read_bytes(), url="https://racks.example/blog/sixteen-cards")


# ---------------------------------------------------------------------------------------------- the real posts


@pytest.mark.parametrize("name", ["amd-partners-v6-0", "deepseek-debut-v5-1", "qwen3-vl-racks"])
def test_a_real_page_gives_its_title_time_author_and_address(real, name):
    expected = json.loads((real / "posts" / f"{name}.expected.json").read_text())["posts"][0]

    found = read_article((real / "posts" / f"{name}.html").read_bytes(), url=expected["url"])

    published = datetime.fromisoformat(expected["published"])
    assert (found.title, found.published_at, found.author, found.url) == (
        expected["title"],
        published,
        expected["author"],
        expected["url"],
    )


@pytest.mark.parametrize("name", ["amd-partners-v6-0", "deepseek-debut-v5-1", "qwen3-vl-racks"])
def test_a_real_page_holds_every_claims_evidence(real, name):
    expected = json.loads((real / "posts" / f"{name}.expected.json").read_text())["posts"][0]

    found = read_article((real / "posts" / f"{name}.html").read_bytes())

    missing = [
        claim["evidence"]
        for claim in expected["claims"]
        if letters(claim["evidence"]) not in letters(found.text)
    ]
    assert len(expected["claims"]) > 6
    assert missing == []


OUTSIDE = ("comment", "teaser", "furniture", "script", "related", "header strap", "poll", "cookie", "price")


@pytest.mark.parametrize("name", ["amd-partners-v6-0", "deepseek-debut-v5-1", "qwen3-vl-racks"])
def test_a_real_page_lets_nothing_in_from_outside_the_article(real, name):
    expected = json.loads((real / "posts" / f"{name}.expected.json").read_text())["posts"][0]
    traps = [trap["text"] for trap in expected["not_claims"] if any(word in trap["why"] for word in OUTSIDE)]

    found = read_article((real / "posts" / f"{name}.html").read_bytes())

    assert len(traps) >= 4
    assert [trap for trap in traps if letters(trap) in letters(found.text + found.html)] == []


# ---------------------------------------------------------------------------------------------- our own page


def test_json_ld_resolves_the_author_and_a_canonical_address_of_the_site_counts():
    found = article()

    assert (found.title, found.author, found.url) == (
        "Sixteen cards on Whisper",
        "Ada Quill",
        "https://www.racks.example/blog/sixteen-cards/",
    )
    assert found.published_at == datetime(2026, 9, 16, 15, 10, tzinfo=UTC)


def test_the_body_is_the_article_alone():
    assert article().text.split("\n") == [
        "Sixteen cards reach 47,434 tokens/s on Whisper Offline.",
        "Tokens/s, higher is better",
        "Cards | Tokens/s",
        "8 | 23,800",
        "16 | 47,434",
        "Share",
        "Each card has a share of 2,964 tokens/s.",
        "1 MLPerf v6.1 Inference Closed, entry 6.1-0042.",
    ]


def test_html_keeps_tables_and_footnote_marks_and_no_script_or_comment():
    html = article().html

    assert "<sup>1</sup>" in html
    assert "<tr><td>16</td><td>47,434</td></tr>" in html
    assert not any(word in html for word in ("script", "style", "onclick", "99x", "<!--"))


def test_a_canonical_address_on_another_site_is_not_believed():
    head = '<title>A title</title><link rel="canonical" href="https://evil.example/x">'

    assert read_article(page(PARAGRAPH, head), url=URL).url == URL


def test_tracking_is_no_part_of_an_address():
    assert read_article(page(PARAGRAPH), url=f"{URL}?utm_source=feed&id=7#comments").url == f"{URL}?id=7"


def test_selectors_of_a_source_go_before_everything_else():
    body = f"""<h1>Wrong</h1><div id=t>Right</div><i id=a>Bo</i><b id=d title=x>2026-09-16T08:00Z</b>
    <div id=b>{PARAGRAPH}<p class=x>Not this.</p></div><p>Nor this.</p>"""
    selectors = Selectors(title="#t", author="#a", published="#d", body="#b", drop=(".x",))

    found = read_article(page(body), url=URL, selectors=selectors)

    assert (found.title, found.author, found.published_at) == (
        "Right",
        "Bo",
        datetime(2026, 9, 16, 8, tzinfo=UTC),
    )
    assert found.text == "Sixteen cards reach 47,434 tokens/s on Whisper, which is plenty."


def test_a_selector_that_is_no_css_names_itself():
    with pytest.raises(ConfigError, match=r"'div\[' is no CSS selector"):
        read_article(page(PARAGRAPH), selectors=Selectors(body="div["))


def test_a_selector_finds_elements_in_the_pages_order_whatever_stands_between_them():
    page_ = tree(
        "<p>a</p><!-- c --><div class='x y'><p id=two>b<script>s</script></p>c</div></html><p>late</p>",
        "a page",
    )
    assert [strings_of(found) for found in Css(page_).select("p")] == ["a", "b", "late"]
    assert [found.get("id") for found in Css(page_).select(".y > p:first-child, [id]")] == ["two"]


def test_a_body_selector_that_finds_nothing_says_so():
    with pytest.raises(ParseError, match=r"option `body`, '\.gone', finds nothing"):
        read_article(page(PARAGRAPH), selectors=Selectors(body=".gone"))


@pytest.mark.parametrize(
    ("head", "at", "raw"),
    [
        ('<meta property="article:published_time" content="2026-09-16T08:00:00-07:00">', datetime(2026, 9, 16, 15, tzinfo=UTC), "2026-09-16T08:00:00-07:00"),
        ('<meta name="date" content="2026-09-16T08:00:00">', None, "2026-09-16T08:00:00"),
        ('<meta name="date" content="soon"><meta name="dc.date" content="2026-09-16">', datetime(2026, 9, 16, tzinfo=UTC), "2026-09-16"),
        ("", None, None),
    ],
)  # fmt: skip
def test_a_time_is_taken_where_it_can_be_read_and_kept_as_written_where_not(head, at, raw):
    found = read_article(page(PARAGRAPH, f"<title>A title</title>{head}"))

    assert (found.published_at, found.published_raw) == (at, raw)


def test_a_date_of_an_update_is_no_date_of_publication():
    body = f"<h1>A title</h1><p class=meta>Updated on 20 September 2026</p>{PARAGRAPH}"

    assert read_article(page(body)).published_at is None


@pytest.mark.parametrize(
    ("byline", "author"),
    [
        ("<p class=byline>By Jane Doe and John R. Roe | 16 Sep 2026</p>", "Jane Doe and John R. Roe"),
        ("<div class=postmeta>April 8th, 2026 in mlperf. Written by zk.</div>", "zk"),
        ("<address>Callum Idris</address>", "Callum Idris"),
        ("<span class=author>Ada Quill</span>", "Ada Quill"),
        ("<p>Performance is driven by Blackwell Ultra.</p>", None),
    ],
)
def test_an_author_is_found_in_the_byline_only(byline, author):
    assert read_article(page(f"<h1>A title</h1>{byline}{PARAGRAPH}")).author == author


def test_a_heading_of_the_site_is_not_the_title():
    body = f"<h1>Racks, the site about racks</h1><h1>Cards &amp; rows</h1>{PARAGRAPH}"

    assert read_article(page(body, "<title>Cards &amp; rows | Racks</title>")).title == "Cards & rows"


def test_a_page_that_a_script_fills_is_read_from_its_json_ld():
    data = json.dumps(
        {
            "@type": "Article",
            "headline": "A title",
            "articleBody": "Row one of it all.\n\nRow <two> of it all, told at length.",
        }
    )
    head = f'<title>A title</title><script type="application/ld+json">{data}</script>'

    assert (
        read_article(page("<div id=root></div>", head)).text
        == "Row one of it all.\nRow <two> of it all, told at length."
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (page("<p>404</p>"), "has no article text"),
        (page(PARAGRAPH, ""), "has no title"),
        (b"", "has no title"),
        (b"\xff\xfe\x00\xdc\x41\x00", "is not utf-16-le text"),
        (b'<meta charset="latin-9000"><p>x', "character set 'latin-9000' is not one that we read"),
        ('<meta charset="utf-8"><p>Zürich'.encode("latin-1"), "is not utf-8 text as it says"),
    ],
)
def test_what_is_no_article_is_a_parse_error(body, message):
    with pytest.raises(ParseError, match=message):
        read_article(body)


def test_utf8_is_read_as_utf8_where_a_server_claims_a_western_set():
    body = page("<p>Zürich’s sixteen cards reach 47,434 tokens/s on Whisper.</p>")

    assert "Zürich’s" in read_article(body, media_type="text/html; charset=ISO-8859-1").text


def test_a_declared_set_is_obeyed():
    body = page("<p>Zürich’s sixteen cards reach 47,434 tokens/s on Whisper.</p>").decode().encode("cp1252")

    assert "Zürich’s" in read_article(body, media_type="text/html; charset=windows-1252").text


# ---------------------------------------------------------------------------------------------- text


def test_a_cleaned_pieces_text_is_that_of_its_html():
    html, text = clean(
        "<nav>menu</nav><p>One<sup>1</sup></p><table><tr><td>a</td><td>b</td></tr></table>", ""
    )

    assert (text, text_of(html)) == ("One\na | b", "One\na | b")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One<br>two</p>three<ul><li>four <b>f</b>ive</li><li>six</li></ul>", "One\ntwo\nthree\nfour five\nsix"),
        ("<table><tr><th></th><th>A</th></tr><tr><td>x<p>y</p></td><td>&nbsp;</td></tr></table>", "| A\nx y |"),
        ("<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td><td>d</td></tr></table>", "a\nb | c\nd"),
        ("<pre>\nOffline    2011\nServer      794\n</pre>", "Offline    2011\nServer      794"),
        ("size<sup>1</sup>, v5.1<sup>2</sup>, 3.7x<sup>[3]</sup>, 99 %<sup>*</sup>, 5<sup>th</sup>", "size, v5.1, 3.7x, 99 %, 5th"),
        ("10<sup>6</sup> tokens, 10<sup>-3</sup> s, 110<sup>2</sup>", "10^6 tokens, 10^-3 s, 110"),
        ("80&#150;85 %, so&shy;ft, zero\u200bwidth, \u202eturned", "80–85 %, soft, zerowidth, turned"),
        ("<img alt='8x'><svg><text>9x</text></svg><script>7x</script><template>6x</template>", ""),
        ("1 &lt; 2 &amp;amp; 3", "1 < 2 &amp; 3"),
        ("", ""),
    ],
)  # fmt: skip
def test_readable_text_keeps_lines_cells_and_figures_apart(html, text):
    assert text_of(html) == text


def test_plain_text_becomes_paragraphs_and_comes_back():
    assert from_plain("a <b>\nc\n\n\nd & e") == "<p>a &lt;b&gt;<br/>c</p><p>d &amp; e</p>"
    assert text_of(from_plain("a <b>\nc\n\n\nd & e")) == "a <b>\nc\nd & e"


def test_cleaning_takes_out_what_can_act_and_makes_links_whole():
    html = """<p onclick="x()">Hi <a href="../b?utm_source=z" onmouseover=x style=y>there</a> <a href="javascript:x">no</a>
    <img src="data:x" alt="A &quot;bar&quot;"><a href="#note-1">1</a></p><form><input></form><iframe src=x></iframe>"""

    assert clean(html, "https://racks.example/a/c")[0] == (
        '<p>Hi <a href="https://racks.example/b">there</a> <a>no</a>\n'
        '<img alt="A &quot;bar&quot;"/><a href="#note-1">1</a></p>'
    )


# ---------------------------------------------------------------------------------------------- edits

POST = Post(
    source="s",
    identity="i",
    url=URL,
    title="Up to 3.7x",
    html="",
    text="It is up to 3.7x.\n3 comments\n1 hour ago",
)


@pytest.mark.parametrize(
    "text",
    [
        "It is  up to\u00a03.7x.\n\n17 comments\n2 hours ago",
        "It is up to 3.7x.\nNo comments\njust now",
        "It is up to 3.7x.\n1.2k views\nan hour ago\n4 min read",
    ],
)
def test_white_space_and_what_changes_by_itself_is_no_edit(text):
    assert digest(replace(POST, text=text)) == digest(POST)


def test_kinds_of_quotes_and_dashes_are_no_edit():
    assert digest(replace(POST, text="AMD’s – “so”…")) == digest(replace(POST, text='AMD\'s - "so"...'))


@pytest.mark.parametrize("change", [{"text": "It is up to 3.8x."}, {"title": "Up to 3.8x"}])
def test_one_changed_figure_is_an_edit(change):
    assert digest(replace(POST, **change)) != digest(POST)


def test_html_around_the_same_words_is_no_edit():
    assert digest(replace(POST, html="<p>other</p>")) == digest(POST)


def test_what_follows_the_end_of_a_page_is_still_read():
    assert text_of("<p>One.</p></body></html><p>And the rest of it.</p>") == "One.\nAnd the rest of it."


def test_words_of_a_script_are_no_byline():
    found = read_article(page(f"<h1>A title</h1><script>By Nobody At All</script>{PARAGRAPH}"), url=URL)
    assert found.author is None


def test_a_frame_named_like_furniture_that_holds_the_article_is_none():
    inner = f"<div class=sidebar><p>Elsewhere</p></div>{PARAGRAPH * 3}"
    found = read_article(page(f"<h1>A title</h1><div class='with-sidebar'>{inner}</div>"), url=URL)
    assert "Elsewhere" not in found.text
    assert found.text.count("\n") == 2


def test_an_item_within_an_item_that_only_asks_to_share_is_left_out():
    found = read_article(
        page(f"<h1>A title</h1>{PARAGRAPH}<ul><li>One<ul><li>Share this post</li></ul></li></ul>"), url=URL
    )
    assert found.text.splitlines()[-1] == "One"


# ---------------------------------------------------------------------------------------------- hostile pages

HOSTILE = {
    "digits": "1" * 3_000_000,
    "nested tables": "<table><tr><td>" * 5000,
    "nested elements": "<div>" * 5000 + "x",
    "too many tags": "<p>x" * (MAX_TAGS + 1),
    "no end": "<p" + " a" * 200_000,
    "only openings": "<" * 1_000_000,
    "open comment": "<!--" * 100_000,
    "attributes": "<a " + " ".join(f"x{n}=1" for n in range(20_000)) + ">",
    "many attributes": "<a " + " ".join(f"x{n}=1" for n in range(500_000)) + ">",
    "attributes everywhere": ("<a " + " ".join(f"x{n}" for n in range(190)) + ">") * 8000,
    "unbalanced": "</div><b><i>3x </p>" * 19_000,
    "items within items": "<ul><li>" * 100 + "<b></b>" * 50_000,
    "furniture within furniture": "<div class=share>" * 240 + "<b>word </b>" * 50_000,
    "json-ld": '<script type="application/ld+json">' + "[" * 100_000,
    "self-named author": '<script type="application/ld+json">{"@type":"Article","headline":"x","author":{"name":{"name":[[]]}}}</script>',
    "surrogates": "<p>&#xD800;&#0;&#x110000;</p>" * 100,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_ends_in_an_article_or_an_error_of_ours(name):
    try:
        found = read_article(page(f"<h1>A title</h1>{PARAGRAPH}{HOSTILE[name]}"), url=URL)
    except SourceError as error:
        assert str(error)  # noqa: PT017 - either outcome is right
    else:
        assert found.title == "A title"
        assert found.text.encode()


@pytest.mark.parametrize("attribute", ["{}", "{}=1", "{}='>'", '{}= ">"', "{}=x'y", '<{}=">"', "{}/"])
def test_a_crowd_of_attributes_is_seen_however_they_are_written(attribute):
    crowd = " ".join(attribute.format(f"x{n}") for n in range(300))
    with pytest.raises(ParseError, match="attributes"):
        tree(f"<p>word</p><a {crowd}>b</a>", "a page")


TAGS = ["p", "div", "table", "tr", "td", "ul", "li", "h1", "sup", "pre", "article", "main", "header", "form", "script", "time", "br", "a"]  # fmt: skip
PIECES = st.one_of(
    st.sampled_from(TAGS).map(lambda tag: f"<{tag}>"),
    st.sampled_from(TAGS).map(lambda tag: f"</{tag}>"),
    st.sampled_from(["<p class=byline>By ", "<div id=comments>", "<div hidden>", "&nbsp;", "&#xD800;", "<!--", "-->", "<![CDATA[", "]]>", "<?x", "\x00"]),
    st.text(max_size=20),
)  # fmt: skip


@settings(max_examples=150)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_markup_is_an_article_or_an_error_of_ours(markup):
    try:
        found = read_article(page(f"<h1>A title</h1>{PARAGRAPH}{markup}"), url=URL)
    except SourceError:
        return
    assert text_of(found.html).encode()
    assert found.title.encode()


def test_what_no_reader_sees_is_gone_beside_letters_of_any_script():
    gone = [
        0x7F,
        0xAD,
        0x200B,
        0x200E,
        0x200F,
        0x2060,
        0xFEFF,
        *range(0xD800, 0xE000),
        *range(0x202A, 0x202F),
    ]
    gone += [*range(0x2066, 0x206A), 0x81, 0x8D, 0x8F, 0x90, 0x9D]
    blank = [code for code in range(0x20) if chr(code) not in "\t\n\r"]
    western = {code: bytes([code]).decode("cp1252") for code in range(0x80, 0xA0) if code not in gone}
    expected = dict.fromkeys(gone, "") | dict.fromkeys(blank, " ") | western | {0x0D: "\n"}

    assert {
        code: found for code in range(0x110000) if (found := printable(f"ä{chr(code)}")[1:]) != chr(code)
    } == expected


HIDING = [*TAGS, "style", "template", "ruby", "rt", "rp", "!--", "svg"]


@settings(max_examples=150)
@given(
    st.lists(
        st.sampled_from([*(f"<{tag}>" for tag in HIDING), *(f"</{tag}>" for tag in HIDING), "-->"])
        | st.sampled_from([" a ", "b\n", "\xa0c", "  ", "&amp; d", "<![CDATA[ e ]]>", "<?f g?>"]),
        max_size=40,
    ).map("".join)
)
def test_the_size_of_an_element_is_that_of_the_texts_that_a_reader_could_see(markup):
    for element in tree(markup, "a page").iter("*"):
        assert size_of(element) == sum(len(text.strip()) for text in strings(element))


@settings(max_examples=100)
@given(
    st.binary(max_size=300),
    st.sampled_from(
        ["", "text/html; charset=utf-16", "text/html; charset=shift_jis", "text/html; charset=gb2312"]
    ),
)
def test_any_bytes_are_an_article_or_an_error_of_ours(body, media_type):
    with pytest.raises(SourceError):
        read_article(b"<title>x</title>" + body[:30], url=URL, media_type=media_type)
