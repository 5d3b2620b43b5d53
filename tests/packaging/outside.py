"""Run by .ci/run in a fresh environment, far from the checkout: the installed library, a put and a search."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import hybridkb
from hybridkb import HybridLibrary, KnowledgeBase
from hybridkb.tools import search_knowledge

assert "site-packages" in Path(hybridkb.__file__).as_posix(), hybridkb.__file__
assert not {"openai", "onnxruntime", "mcp", "pypdfium2", "selectolax", "yaml"} & sys.modules.keys()

with HybridLibrary.open(os.environ["HYBRIDKB_DATABASE"], create=False) as library:
    hits = library.search("shortage of the red metal", top_k=3)
    assert hits.mode == "hybrid", hits.degraded
    assert any("opper" in hit.title for hit in hits), [hit.title for hit in hits]
    assert library.check().ok
    answer = search_knowledge(library, "margin", mode="lexical", limit=3)
    assert any(hit.get("path", "").endswith((".md", ".html", ".txt", ".csv", ".pdf")) for hit in answer["hits"]), answer
with tempfile.TemporaryDirectory() as place, KnowledgeBase("rules", Path(place) / "rules.db", embedder=None) as rules:
    assert rules.search("margin", mode="lexical")[0].path
    assert not rules.refresh().unreadable
print("installed package: found", hits[0].title)
