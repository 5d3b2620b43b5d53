"""The section about questions in one language and texts in another."""

from __future__ import annotations

from peers.cells import table, three

from report.parts import MODES, OURS, RECIPE, RECIPE_TITLE, Found, Results, Run, Section, missing, paragraphs

PEER, PEER_TITLE = "segmented", "dictionaries and cosine"
LABELS = {"ndcg_at_10": "nDCG@10", "recall_at_10": "recall@10"}
_TITLES = {OURS: OURS, PEER: PEER_TITLE, RECIPE: RECIPE_TITLE}
_QUESTIONS = {"en": "English", "de": "German", "zh": "Chinese"}
_ABOUT = {"zh": "Chinese notes", "ja": "Japanese notes", "notes": "both notes", "desk": "the English desk"}
_AMONG = "-among-all"
_TOP = """## Across languages

A question in one language, the answer in another (`bench/cross`: our own questions, judged by us before any engine was
asked), with vectors of the [multilingual model](embedders.md#the-multilingual-model). The peer is bm25s over words of
jieba, Janome and Snowball's stemmers, told the language of every text, fused by reciprocal rank with exact cosine over
the same vectors. "Among all" asks the same of one library with the notes and the desk in it, where words of the
question's own language match documents that do not answer it. The interval is that of a paired bootstrap."""
_LEGS = """The legs by themselves, nDCG@10: hybridkb, the peer, the recipe; and what fusing changes for hybridkb against
its better leg."""
_COMMAND = "python bench/cross_lingual.py"


def section(results: Results) -> Section:
    """The section; where nothing is stored, the command alone."""
    found = results.get("cross-lingual")
    if found is None:
        return Section(paragraphs(_TOP, missing("these figures", [_COMMAND])))
    cells = found["cells"]
    text = paragraphs(_TOP, _hybrid(cells), _LEGS, _legs(cells), f"Figures made by `{_COMMAND}`.")
    return Section(text, runs=[Run(f"across languages, vectors {cells[0]['vectors']}", _COMMAND, found)])


def title(cell: Found) -> str:
    """What is asked about what, in words."""
    asked, _, about = cell["cell"].removesuffix(_AMONG).partition("-")
    among = ", among all" if cell["cell"].endswith(_AMONG) else ""
    return f"{_QUESTIONS[asked]} about {_ABOUT[about]}{among}"


def _hybrid(cells: list[Found]) -> str:
    heads = ["hybrid answers, nDCG@10 / recall@10", "passages", "questions", *_TITLES.values(),
             *(f"hybridkb minus dictionaries, {shown}" for shown in LABELS.values())]  # fmt: skip
    rows = []
    for one in cells:
        found = [one["scores"][engine]["hybrid"] for engine in _TITLES]
        shown = [" / ".join(three(score[label]["value"]) for label in LABELS) for score in found]
        apart = [_apart(one["difference"][PEER]["hybrid"][label]) for label in LABELS]
        rows.append([title(one), f"{one['documents']:,}", f"{one['queries']:,}", *shown, *apart])
    return table(heads, rows)


def _legs(cells: list[Found]) -> str:
    label = "ndcg_at_10"
    heads = ["asked", "words", "meaning", "hybrid minus the better leg"]
    rows = []
    for one in cells:
        legs = [", ".join(three(one["scores"][engine][mode][label]["value"]) for engine in _TITLES)
                for mode in MODES if mode != "hybrid"]  # fmt: skip
        gain = one["scores"][OURS]["hybrid_minus_best"][label]
        rows.append([title(one), *legs, f"{_apart(gain)} ({gain['leg']})"])
    return table(heads, rows)


def _apart(one: Found) -> str:
    return f"{one['value']:+.3f} [{one['low']:+.3f}, {one['high']:+.3f}]"
