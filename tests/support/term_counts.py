"""Term counts of one record, laid out as the library does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hybridkb.lexical.layout import encode_terms


def encoded(body: Mapping[int, int], title: Mapping[int, int]) -> bytes:
    """Counts given by term id."""
    terms = sorted({*body, *title})
    counts = [[bag.get(term, 0) for term in terms] for bag in (body, title)]
    arrays = [np.array(numbers, np.uint32) for numbers in (terms, *counts)]
    return encode_terms(*arrays, np.array([len(terms)]))[0]
