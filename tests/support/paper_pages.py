"""Papers of any shape, for properties: pages of blocks with roles, sizes and places."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hybridkb.knowledge.paper_source import BlockRole, PaperPage, PaperSourceRevision, TextBlock
from support.papers import make_source

Written = tuple[BlockRole, str, float]
"""A block: role, text, size of its font."""


def page_of(number: int, blocks: Sequence[Written]) -> PaperPage:
    """A page whose blocks stand below each other, 40 points apart."""
    at, made = 0, []
    for place, (role, text, size) in enumerate(blocks):
        box = (72.0, 40.0 + 40 * place, 540.0, 72.0 + 40 * place)
        made.append(TextBlock(start=at, end=at + len(text), box=box, size=size, role=role, bold=role == "heading"))
        at += len(text) + 2
    text = "\n\n".join(text for _, text, _ in blocks)
    return PaperPage(
        number=number, width=612, height=792, text=text, blocks=tuple(made), state="text" if text else "no_text"
    )


def paper_of(*pages: Sequence[Written], **fields: object) -> PaperSourceRevision:
    """A paper of these pages."""
    source, _ = make_source(pages=((),) * len(pages), pictures=False, **fields)  # type: ignore[arg-type]
    return source.model_copy(update={"pages": tuple(page_of(at, blocks) for at, blocks in enumerate(pages, start=1))})


ROLES: tuple[BlockRole, ...] = ("text", "text", "text", "heading", "caption", "table", "header", "footer", "margin")
words = st.text(st.sampled_from("abcdefgh Ä漢.,;\n-()1"), min_size=1, max_size=12).filter(str.strip)
texts = st.tuples(words, st.integers(1, 120)).map(lambda one: (one[0].strip() + " ") * one[1]).map(str.strip)
blocks = st.tuples(
    st.sampled_from(ROLES), texts, st.sampled_from([9.0, 10.0, 12.0, 14.0])
).map(lambda one: (one[0], one[1][:80] if one[0] == "heading" else one[1], one[2]))  # fmt: skip
papers = st.lists(st.lists(blocks, max_size=8), min_size=1, max_size=4).map(lambda pages: paper_of(*pages))
