"""Run by .ci/run in a fresh environment, far from the checkout: the installed library, a put and a search."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import hybridkb
from hybridkb import HybridLibrary

assert "site-packages" in Path(hybridkb.__file__).as_posix(), hybridkb.__file__
assert not {"openai", "onnxruntime"} & sys.modules.keys()

with HybridLibrary.open(os.environ["HYBRIDKB_DATABASE"], create=False) as library:
    hits = library.search("shortage of the red metal", top_k=3)
    assert hits.mode == "hybrid", hits.degraded
    assert any("opper" in hit.title for hit in hits), [hit.title for hit in hits]
    assert library.check().ok
print("installed package: found", hits[0].title)
