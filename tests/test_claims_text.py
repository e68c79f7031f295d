"""Posts into blocks: what a reader reads, without the page around it."""

from __future__ import annotations

from watcher.claims.blocks import MARK_CLOSES, MARK_OPENS
from watcher.claims.text import MAX_BLOCKS, read


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in read(text).blocks]


def cells(text: str) -> list[list[str]]:
    return [[cell.text for cell in row] for block in read(text).blocks for row in block.rows]


def test_navigation_comments_forms_and_scripts_are_not_read():
    page = (
        "<nav><a href='/'>B300 is 2x faster</a></nav><h1>A title</h1><p>The text.</p><script>var x = '3.7x';</script>"
        "<div id='comments'><p>I get 4.1x</p></div><footer>3x more readers</footer>"
    )
    assert kinds(page) == [("heading", "A title"), ("paragraph", "The text.")]


def test_the_only_article_of_a_page_is_read_and_nothing_beside_it():
    page = "<header><p>Most read: 4x</p></header><article><p>The text.</p></article><section><p>Poll: 71%</p></section>"
    assert kinds(page) == [("paragraph", "The text.")]


def test_a_block_that_is_one_link_is_a_teaser_but_a_linked_heading_is_none():
    page = "<h2><a href='/x'>A heading</a></h2><p><a href='/y'>GB300 is 2x faster than H200</a></p><p>With <a href='/z'>a link</a>.</p>"
    assert kinds(page) == [("heading", "A heading"), ("paragraph", "With a link.")]


def test_a_sentence_at_the_end_that_is_one_link_is_a_teaser():
    page = "<p>Join us at the booth. <a href='/x'>GB300 is 2x faster than H200</a></p>"
    assert kinds(page) == [("paragraph", "Join us at the booth.")]


def test_what_stands_under_related_or_comments_is_left_out_to_the_next_heading_of_its_rank():
    page = "<h2>Results</h2><p>One.</p><h3>Related posts</h3><p>Two.</p><h2>More results</h2><p>Three.</p>"
    assert [text for _, text in kinds(page)] == ["Results", "One.", "More results", "Three."]


def test_hidden_struck_and_alternative_texts_are_not_read():
    page = (
        "<p>Read <del>4.2x</del> 3.7x <span hidden>9x</span><img alt='8x'></p><p style='display: none'>7x</p>"
    )
    assert kinds(page) == [("paragraph", "Read 3.7x")]


def test_a_superscript_number_is_a_footnote_mark_and_an_exponent_is_text():
    page = "<p>size<sup>1</sup> and 10<sup>th</sup></p>"
    assert kinds(page) == [("paragraph", f"size{MARK_OPENS}1{MARK_CLOSES} and 10th")]


def test_notes_are_found_by_their_mark():
    page = "<p>3.7x<sup>1</sup></p><p><sup>1</sup> Interactive only.</p><p>[2] Closed division.</p><p>* Single Stream.</p>"
    assert read(page).notes == {"1": "Interactive only.", "2": "Closed division.", "*": "Single Stream."}


def test_a_spanned_cell_stands_in_each_place_that_it_covers():
    page = (
        "<table><tr><th rowspan=2>System</th><th colspan=2>Tokens/s</th></tr><tr><th>Offline</th><th>Server</th></tr>"
        "<tr><td>B300</td><td>1</td><td>2</td></tr></table>"
    )
    assert cells(page) == [
        ["System", "Tokens/s", "Tokens/s"],
        ["System", "Offline", "Server"],
        ["B300", "1", "2"],
    ]


def test_a_table_that_lays_out_a_page_is_no_table():
    assert kinds("<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>") == [
        ("grid", "")
    ]


def test_markdown_and_aligned_columns_are_tables():
    assert cells("| System | Offline |\n|---|---|\n| B300 | 1 |") == [["System", "Offline"], ["B300", "1"]]
    assert cells("System    Offline\nB300      1") == [["System", "Offline"], ["B300", "1"]]


def test_plain_text_has_headings_items_and_paragraphs():
    text = "# Title\n\nA paragraph.\n\n- one\n- two"
    assert kinds(text) == [
        ("heading", "Title"),
        ("paragraph", "A paragraph."),
        ("item", "one"),
        ("item", "two"),
    ]


def test_nested_unbalanced_and_empty_markup_ends():
    assert kinds("<table><tr><td>" * 5000) == []
    assert kinds("<p><b><i>text</b>") == [("paragraph", "text")]
    assert kinds("") == []


def test_a_post_longer_than_we_read_says_so():
    article = read("<p>x</p>" * (MAX_BLOCKS + 10))
    assert (len(article.blocks), article.cut) == (MAX_BLOCKS, True)
