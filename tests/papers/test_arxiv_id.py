"""Identifiers of arXiv, as people paste them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkb.errors import InvalidInput
from hybridkb.papers import ArxivIdentifier
from hybridkb.papers.arxiv_id import as_arxiv, looks_like_arxiv


@pytest.mark.parametrize(
    ("written", "read", "version"),
    [
        ("1706.03762", "1706.03762", None),
        ("1706.03762v7", "1706.03762v7", 7),
        ("1706.03762V7", "1706.03762v7", 7),
        ("  arXiv:1706.03762v7 ", "1706.03762v7", 7),
        ("arxiv: 1706.03762", "1706.03762", None),
        ("arXiv:1706.03762v7 [cs.CL]", "1706.03762v7", 7),
        ("https://arxiv.org/abs/1706.03762v7", "1706.03762v7", 7),
        ("<https://arxiv.org/abs/1706.03762v7>", "1706.03762v7", 7),
        ("https://www.arxiv.org/abs/1706.03762/", "1706.03762", None),
        ("arxiv.org/abs/1706.03762?context=cs", "1706.03762", None),
        ("https://arxiv.org/pdf/1706.03762v7.pdf", "1706.03762v7", 7),
        ("https://arxiv.org/pdf/1706.03762v7#page=3", "1706.03762v7", 7),
        ("https://arxiv.org/html/1706.03762v7", "1706.03762v7", 7),
        ("http://export.arxiv.org/abs/hep-th/9901001v2", "hep-th/9901001v2", 2),
        ("hep-th/9901001v2", "hep-th/9901001v2", 2),
        ("hep-th/9901001", "hep-th/9901001", None),
        ("math.GT/0309136", "math/0309136", None),
        ("https://arxiv.org/abs/hep-th%2F9901001", "hep-th/9901001", None),
        ("0704.0001", "0704.0001", None),
        ("1412.7878v12", "1412.7878v12", 12),
        ("10.48550/arXiv.1706.03762", "1706.03762", None),
        ("https://doi.org/10.48550/arXiv.1706.03762", "1706.03762", None),
    ],
)
def test_every_form_that_people_paste_is_read(written: str, read: str, version: int | None) -> None:
    identifier = ArxivIdentifier(id=written)
    assert (identifier.id, str(identifier), identifier.version) == (read, read, version)
    assert identifier.paper == read.removesuffix(f"v{version}")
    assert ArxivIdentifier(identifier.id) == identifier
    assert ArxivIdentifier.model_validate_json(identifier.model_dump_json()) == identifier


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("1706.3762", "4 digits"),
        ("1412.07878", "5 digits"),
        ("1713.03762", "no month"),
        ("0703.0001", "began with 0704"),
        ("1706.00000", "count from 1"),
        ("1706.03762v0", "versions count from 1"),
        ("1706.03762v", "no arXiv identifier"),
        ("1706.03762 v7", "no arXiv identifier"),
        ("1706.03762v7.pdf", "no arXiv identifier"),
        ("foo/9901001", "no archive 'foo'"),
        ("hep-th/0801001", "from 9107 to 0703"),
        ("hep-th/9913001", "no month"),
        ("https://arxiv.org/list/cs.CL/recent", "of no paper"),
        ("https://arxiv.org/abs/", "of no paper"),
        ("https://evil.example/arxiv.org/abs/1706.03762", "no arXiv identifier"),
        ("https://notarxiv.org/abs/1706.03762", "no arXiv identifier"),
        ("../../1706.03762", "no arXiv identifier"),
        ("１７０６.03762", "no arXiv identifier"),
        ("", "no arXiv identifier"),
        ("9" * 400, "400 characters"),
    ],
)
def test_what_is_none_is_refused_in_words(written: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        ArxivIdentifier(written)
    assert as_arxiv(written) is None


def test_what_is_meant_as_one_is_told_from_a_file_name() -> None:
    assert looks_like_arxiv("arXiv:17.3")
    assert looks_like_arxiv("https://arxiv.org/list/cs")
    assert not looks_like_arxiv("papers/1706.03762v7.pdf")


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    identifier = as_arxiv(text)
    if identifier is not None:
        assert as_arxiv(str(identifier)) == identifier
        assert set(str(identifier)) <= set("abcdefghijklmnopqrstuvwxyz0123456789./-")
