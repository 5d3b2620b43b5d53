"""Which words does a text or a query hold? One analyser for both."""

from hybridkb.text.analyser import ANALYSER_VERSION, Analyser, Reading, Token, shared_analyser
from hybridkb.text.query import MAX_CHARACTERS, MAX_UNITS, Group, ParsedQuery, Phrase, Unit, parse_query
from hybridkb.text.snippet import SnippetMaker, make_snippet

__all__ = [
    "ANALYSER_VERSION",
    "MAX_CHARACTERS",
    "MAX_UNITS",
    "Analyser",
    "Group",
    "ParsedQuery",
    "Phrase",
    "Reading",
    "SnippetMaker",
    "Token",
    "Unit",
    "make_snippet",
    "parse_query",
    "shared_analyser",
]
