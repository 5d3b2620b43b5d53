"""Does the library find what it should, and may another index take the place of the one that serves?"""

from hybridkb.evaluation.candidate import discard_candidate, find_candidate
from hybridkb.evaluation.evaluating import evaluate
from hybridkb.evaluation.gold_check import GoldCheckReport, check_gold_set
from hybridkb.evaluation.gold_reading import gold_set_of, load_gold_set, read_gold_set, resolve_gold_set
from hybridkb.evaluation.gold_set import GoldRecord, GoldSet, Judgement
from hybridkb.evaluation.history import list_runs
from hybridkb.evaluation.promotion import PromotionReport, promote
from hybridkb.evaluation.proposals import propose
from hybridkb.evaluation.public import public_export
from hybridkb.evaluation.reindexing import ReindexReport, reindex
from hybridkb.evaluation.report import EvaluationReport
from hybridkb.evaluation.stamping import StampReport, stamp_gold_set

__all__ = [
    "EvaluationReport",
    "GoldCheckReport",
    "GoldRecord",
    "GoldSet",
    "Judgement",
    "PromotionReport",
    "ReindexReport",
    "StampReport",
    "check_gold_set",
    "discard_candidate",
    "evaluate",
    "find_candidate",
    "gold_set_of",
    "list_runs",
    "load_gold_set",
    "promote",
    "propose",
    "public_export",
    "read_gold_set",
    "reindex",
    "resolve_gold_set",
    "stamp_gold_set",
]
