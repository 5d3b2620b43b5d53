"""The section about languages that are written without spaces."""

from __future__ import annotations

from cjk_quality import render_cjk

from report.parts import Results, Run, Section, missing, paragraphs

_TOP = """## Chinese and Japanese

Words alone, beside a peer that cuts texts with a dictionary (`bench/cjk`: our own notes and questions, few and easy,
judged by us before any engine was asked). hybridkb needs no dictionary: it indexes overlapping pairs of characters.
FTS5's own tokenizer, as the textbook recipe has it, takes a sentence for one word. The interval is that of a paired
bootstrap."""
_COMMAND = "python bench/cjk_quality.py"


def section(results: Results) -> Section:
    """The section; where nothing is stored, the command alone."""
    found = results.get("cjk")
    if found is None:
        return Section(paragraphs(_TOP, missing("these figures", [_COMMAND])))
    text = paragraphs(_TOP, render_cjk(found), f"Figures made by `{_COMMAND}`.")
    return Section(text, runs=[Run("Chinese and Japanese", _COMMAND, found)])
