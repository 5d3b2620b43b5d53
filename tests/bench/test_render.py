"""The page of figures is what the stored results say."""

from __future__ import annotations

import json
import re

import pytest
import render


def test_page_is_what_render_makes() -> None:
    assert render.PAGE.read_text(encoding="utf-8") == render.render(render.load()), "run: python bench/render.py"
    assert render.RANKING.read_text(encoding="utf-8") == render.render_ranking(render.load())
    assert render.POSTGRES.read_text(encoding="utf-8") == render.render_postgres(render.load())


@pytest.mark.parametrize("path", sorted(render.FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_results_name_no_host_and_no_path(path: object) -> None:
    text = json.dumps(render.load()[getattr(path, "stem", "")])
    assert not re.search(r'"/(home|work|tmp|root|mnt|usr)\b|[A-Za-z]:\\\\', text)
    assert {"machine", "versions", "date", "revision"} <= set(json.loads(text))
