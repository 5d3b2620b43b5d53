"""The sections about the past, which later documents must not change, and about the example desk."""

from __future__ import annotations

from peers.cells import percent, table, three

from report.parts import MODES, OURS, RECIPE, RECIPE_TITLE, Results, Run, Section, missing, paragraphs

_PAST = """## Whether the past stays as it was

The same question, asked as of a day, before and after later documents were added: the share of questions whose ten
best hits differ / come in another order / have a score that differs by one bit. Above zero, a backtest reads the
future."""
_DESK = """## What kinds of questions

Our own questions about the example desk's documents; few, and written by us: they show where each leg is strong, not
how engines compare. nDCG@10, the best leg in bold."""
_TITLES = {OURS: OURS, RECIPE: RECIPE_TITLE}


def past(results: Results) -> Section:
    """Changes of past answers."""
    command = "python bench/lookahead.py --fomc PATH/fomc"
    found = results.get("lookahead")
    if found is None:
        return Section(paragraphs(_PAST, missing("these figures", [command])))
    rows = [
        [f"{corpus['name']}, {corpus['passages_at_cutoff']:,} passages, then {corpus['passages_later']:,} more",
         _TITLES.get(engine, engine),
         *(" / ".join(percent(changed[mode][part]) for part in ("hits", "order", "scores")) for mode in MODES)]
        for corpus in found["corpora"]
        for engine, changed in corpus["changed"].items()
    ]  # fmt: skip
    text = paragraphs(_PAST, table(["corpus", "engine", *MODES], rows), f"Figures made by `{command}`.")
    return Section(text, runs=[Run("answers of the past", command, found)])


def desk(results: Results) -> Section:
    """The example desk by kind of question."""
    command = "python bench/desk_quality.py"
    found = results.get("desk")
    if found is None:
        return Section(paragraphs(_DESK, missing("these figures", [command])))
    scores = found["scores"]
    rows = []
    for kind, one in scores["hybrid"].items():
        figures = [three(scores[mode][kind]["ndcg_at_10"]) for mode in MODES]
        best = max(figures)
        rows.append([kind, str(one["questions"]), *(f"**{shown}**" if shown == best else shown for shown in figures)])
    text = paragraphs(_DESK, table(["questions", "how many", *MODES], rows), f"Figures made by `{command}`.")
    return Section(text, runs=[Run("the example desk", command, found)])


def in_short(results: Results) -> list[str]:
    """What happens to past answers."""
    found = results.get("lookahead")
    if found is None:
        return []
    spans = {}
    for engine in (OURS, RECIPE):
        shares = [corpus["changed"][engine]["hybrid"]["hits"] for corpus in found["corpora"]]
        low, high = percent(min(shares)), percent(max(shares))
        spans[engine] = low if low == high else f"{low} to {high}"
    return [
        f"**The past:** documents added later change the hits of {spans[OURS]} of past hybrid answers, with the "
        f"{RECIPE_TITLE} of {spans[RECIPE]}."
    ]
