"""Exact names are never buried: records that the query names by identifier or whole title rank first."""

from __future__ import annotations

import json
import re

from hybridkb.database import Connection
from hybridkb.store.records import identifier_key, title_key
from hybridkb.text import Analyser, ParsedQuery

_SHAPED = re.compile(r"[0-9.\-&$/^+#=]")
_EDGES = "\"'“”‘’()[]{}<>,;:!?"


def guarded_records(connection: Connection, query: ParsedQuery, analyser: Analyser) -> set[int]:
    """Ids of all records whose title equals the query after analysis, or that the query names by identifier."""
    title, names = title_key(analyser.key(query.meaning)), identifier_names(query.meaning, analyser)
    if not title and not names:
        return set()
    wanted = {"title_key": title or None, "identifiers": json.dumps(sorted(names))}
    return {row[0] for row in connection.rows("records/named", wanted)}


def identifier_names(text: str, analyser: Analyser) -> set[str]:
    """What in a query is written as an identifier, in the form in which identifiers are compared.

    The whole query; and each word of it that holds a digit or one of ``.-&$/^+#=``, or that is
    upper case (two letters or more) in a query that is not all upper case.
    """
    tokens = [stripped for token in text.split() if (stripped := token.strip(_EDGES).rstrip("."))]
    shouting = text.isupper()
    written = [token for token in tokens if _SHAPED.search(token) or (_is_upper(token) and not shouting)]
    written += [" ".join(tokens)] if tokens else []
    keys = {identifier_key(form, analyser) for token in written for form in (token, token.lstrip("$^"))}
    return keys - {""}


def _is_upper(token: str) -> bool:
    return token.isupper() and sum(map(str.isalpha, token)) >= 2
