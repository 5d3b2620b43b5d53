"""HTML: what a reader sees, under its headings; what no reader sees stays out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.documents import Passage, ReadDocument, html_blocks, html_page, read_document


def read(html: str, characters: int = 1500) -> ReadDocument:
    return read_document(html.encode(), "rules.html", passage_characters=characters)


def only(html: str) -> str:
    (passage,) = read(html).passages
    return passage.text


def test_headings_make_the_path() -> None:
    made = read("<p>intro<h1>A <i>b</i></h1><p>one<h3>C</h3><p>two<h2>D</h2>three").passages
    assert made == (
        Passage("intro"),
        Passage("one", ("A b",)),
        Passage("two", ("A b", "C")),
        Passage("three", ("A b", "D")),
    )


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a\n  b&nbsp;c &amp; d &lt;e&gt; &#8364;", "a b\u00a0c & d <e> €"),
        ("<p>one<br>two<br/>three", "one\ntwo\nthree"),
        ("one<div>two<p>three</p>four</div>five", "one\n\ntwo\n\nthree\n\nfour\n\nfive"),
        ("<p>CO<sub>2</sub> <b>bo</b>ld", "CO2 bold"),
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "- a\n- b\n  - c\n- d"),
        ("<ol start=3><li>a<li><p>b</p><p>c</p></ol>", "3. a\n4. b\n  c"),
        ("<ul><li><nav>x</nav></ul><p>a", "a"),
        ("<pre>  x = 1\n\n    y</pre>", "  x = 1\n\n    y"),
        ("<blockquote>said</blockquote>", "said"),
        ("<dl><dt>Term<dd>Meaning</dl>", "Term\nMeaning"),
        ("<img alt='A chart'>", "A chart"),
        ("<a href='http://x.y'>link</a>", "link"),
        ("<p>a<!-- b -->c", "ac"),
        ("<details><summary>More</summary>text</details>", "More\n\ntext"),
        ("<h1></h1><p>x</p>", "x"),
    ],
)
def test_what_is_seen_is_read(html: str, expected: str) -> None:
    assert only(html) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>secret()</script>",
        "<style>.secret{}</style>",
        "<template><p>secret</p></template>",
        "<nav>secret</nav>",
        "<div role=navigation>secret</div>",
        "<noscript>secret</noscript>",
        "<div hidden>secret<ul><li>secret</ul></div>",
        "<ul style='display: none'><li>secret</ul>",
        "<h2 hidden>secret</h2>",
        "<span aria-hidden=true>secret</span>",
        "<p style='visibility:hidden'>secret",
        "<button>secret</button><select><option>secret</select><textarea>secret</textarea>",
        "<svg><text>secret</text></svg>",
        "<iframe>secret</iframe>",
        "<table><tr><td style='display:none'>secret</td></tr></table>",
    ],
)
def test_what_nobody_sees_is_dropped(hidden: str) -> None:
    (passage,) = read(f"<h1>A</h1><p>seen</p>{hidden}<p>also seen</p>").passages
    assert passage == Passage("seen\n\nalso seen", ("A",))


def test_tables_keep_their_rows_and_columns() -> None:
    html = (
        "<table><caption>Fees</caption><thead><tr><th>Venue<th colspan=2>Fee</tr></thead>"
        "<tr><td rowspan=2>NYSE<td>$<td>0.003</tr><tr><td>$<td>0.002</tr><tr><td>NASDAQ<td><td>(0.001<td>)</tr></table>"
    )
    assert only(html) == "Fees\n\nVenue | Fee\nNYSE | $0.003\nNYSE | $0.002\nNASDAQ | (0.001)"


def test_a_header_without_markup_is_recognised_and_repeated() -> None:
    rows = "".join(f"<tr><td>S{at}</td><td>{at}.5</td></tr>" for at in range(80))
    made = read(f"<table><tr><td>Symbol</td><td>Close</td></tr>{rows}</table>", characters=300).passages
    assert len(made) > 2
    assert all(passage.text.startswith("Symbol | Close\nS") for passage in made)


def test_a_table_that_arranges_the_page_is_read_as_what_it_holds() -> None:
    html = "<table><tr><td><h2>Left</h2><p>one</td><td><h2>Right</h2><table><tr><td>a<td>b</table></td></tr></table>"
    assert read(html).passages == (Passage("one", ("Left",)), Passage("a | b", ("Right",)))


def test_title_goes_before_the_first_heading() -> None:
    assert read("<title> Rules &mdash;\n Desk </title><h1>A</h1>x").title == "Rules — Desk"
    assert read("<title> </title><h2>B</h2><h1>A</h1>x").title == "A"
    assert read("x").title == "rules"


def test_our_own_fields_are_read_and_the_page_s_claims_are_not() -> None:
    document = read(
        "<meta name='hybridkb:tags' content='rules, desk'><meta name='HybridKB:available_at' content='2024-01-05'>"
        "<meta property='article:published_time' content='2023-01-01T00:00:00Z'><meta name=date content=2023-01-01>x"
    )
    front = document.front_matter
    assert front.tags == ("rules", "desk")
    assert front.available_at is not None
    assert front.available_at.isoformat() == "2024-01-05T23:59:59.999999+00:00"
    assert (front.published_at, front.as_of) == (None, None)


@pytest.mark.parametrize(
    ("data", "encoding", "expected"),
    [
        (b"<meta charset=windows-1252><p>caf\xe9 \x93x\x94", "cp1252", "café “x”"),
        (b"<meta charset='ISO-8859-1'><p>\x80 5", "cp1252", "€ 5"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=shift_jis'><p>\x8d\xdd\x8c\xc9", "cp932", "在庫"),
        (b"<?xml version='1.0' encoding='iso-8859-2'?><p>\xb1", "iso8859_2", "ą"),
        ("<meta charset=iso-8859-1><p>café".encode(), "utf-8", "café"),
        (b"<meta charset=rot13><p>abc", "utf-8", "abc"),
        ("\ufeff<meta charset=windows-1251><p>café".encode(), "utf-8", "café"),
    ],
)
def test_the_declared_encoding_is_respected(data: bytes, encoding: str, expected: str) -> None:
    document = read_document(data, "x.htm")
    assert (document.encoding, document.passages[0].text) == (encoding, expected)


def test_an_encoding_that_contradicts_the_bytes_is_told() -> None:
    document = read_document("<meta charset=iso-8859-1><p>café".encode(), "x.html")
    assert document.notes == ("declares the encoding cp1252 but is valid UTF-8; read as UTF-8",)


def test_endless_nesting_loses_its_tags_and_not_its_words() -> None:
    document = read("<div>" * 30_000 + "deep words")
    assert document.passages[0].text == "deep words"
    assert "nest more than" in document.notes[0]


@pytest.mark.parametrize(
    "hostile",
    [
        "<span>" * 19_000 + "<p>x</p>" * 300_000,
        "<div>" * 25_000 + "<script " * 200_000,
        "<div>" * 25_000 + "</script " * 200_000,
        "<div " + " ".join(f"a{at}=1" for at in range(200_000)) + ">",
        "<div x='>' " + " ".join(f"a{at}" for at in range(200_000)) + ">",
        "".join(f"<body a{at}>" for at in range(200_000)),
        "<!--><div>" * 25_000,
        "<div a=\"" * 200_000,
    ],
    ids=["tags in the deep", "open scripts", "open ends", "attributes", "quoted", "bodies", "comments", "quotes"],
)
def test_what_no_parser_ends_with_is_not_parsed(hostile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsed, each would take minutes or hours."""
    monkeypatch.setattr(html_blocks, "parse", lambda _: pytest.fail("parsed"))
    monkeypatch.setattr(html_page, "parse", lambda _: pytest.fail("parsed"))
    document = read(f"<p>copper words</p>{hostile}")
    assert "copper words" in document.passages[0].text
    assert "nest more than" in document.notes[0]


def test_a_choice_of_any_length_is_passed_over() -> None:
    assert only("<p>before <select>" + "<option>one" * 200_000 + "</select> after") == "before after"
    assert only("<SELECT><OPTION>one</SELECT><selection>copper</selection>") == "copper"


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("<table><tr>" + "<td>a" * 20_000 + "<tr><td>b" * 20_000 + "</table>", 20_000),
        ("<table><tr><td>" * 9_000 + "b", 1),
    ],
    ids=["wide and high", "within each other"],
)
def test_tables_made_to_fill_the_memory_are_read_in_time_by_their_cells(table: str, rows: int) -> None:
    text = "\n".join(passage.text for passage in read(table).passages)
    assert text.count("b") == rows


def test_lists_within_lists_are_not_mostly_indent() -> None:
    document = read("<ul><li>x" * 9_000)
    text = "".join(passage.text for passage in document.passages)
    assert text.count("x") == 9_000
    assert len(text) < 9_000 * 50


def test_a_drawing_of_many_parts_does_not_cost_the_page_its_structure() -> None:
    drawing = "<svg><g>" + "<path d='M 1 2'/>" * 30_000 + "</g></svg>"
    script = "<script>" + "if (a<b) c('<div>');" * 30_000 + "</script>"
    document = read(f"<h1>Margin</h1>{drawing}{script}<p>calls")
    assert document.passages == (Passage("calls", ("Margin",)),)
    assert document.notes == ()


def test_spanning_cells_cannot_fill_the_memory() -> None:
    row = "<tr><td rowspan=60000 colspan=60000>a</td></tr>"
    document = read("<table>" + row * 2000 + "</table>")
    assert sum(len(passage.text) for passage in document.passages) < 2_000_000


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<h1>", "</h1>", "<h2>", "<ul>", "</ul>", "<ol>", "<li>", "<table>", "<tr>", "<td>", "<th>",
             "</table>", "<pre>", "</pre>", "<br>", "<div hidden>", "</div>", "<script>", "</script>", "<!--", "-->",
             "copper", " ", "&amp;", "<dl>", "<dt>", "<dd>", "<td rowspan=3 colspan=2>", "<svg>", "<template>", "<"]
        ),
        max_size=60,
    ).map("".join)
)  # fmt: skip
def test_malformed_html_never_raises(html: str) -> None:
    for passage in read(html).passages:
        assert passage.text.strip()
