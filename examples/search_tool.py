"""What an agent is handed: the tool search_knowledge as a plain function, and what its answer holds.

    python examples/search_tool.py

Everything is plain data, ready for ``json.dumps``, and never longer than ``max_chars``. Words only: no model is needed.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from hybridkb import HybridLibrary
from hybridkb.knowledge import KnowledgeItem, read_items
from hybridkb.tools import get_knowledge, list_sources, search_knowledge

ITEMS = Path(__file__).parent / "items"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, HybridLibrary.open(Path(folder) / "desk.db", embedder=None) as desk:
        for file in sorted(ITEMS.glob("*.jsonl")):
            desk.put_many(entry for _, entry in read_items(file) if isinstance(entry, KnowledgeItem))

        print("A question, as of the end of March 2024:")
        answer = search_knowledge(
            desk, "why is copper scarce?", limit=2, max_chars=2_000, available_at_before="2024-03-31T23:59:59Z"
        )
        for hit in answer["hits"]:
            print(f"  {hit['n']}. {hit['title']} ({hit['available_at']}, {hit['locator']})")
            print(f"     {hit['snippet']}")
        print(f"  left out to fit: {answer['truncated']}")

        print("\nThe whole passage behind the first hit, as it stood then:")
        passage = get_knowledge(desk, answer["hits"][0]["locator"], available_at_before=answer["cutoff"])
        print(f"  {passage['passages'][0]['text']}")

        print("\nNothing found says which filter left nothing, and what to try:")
        nothing = search_knowledge(desk, "copper", tags="metal", item_types="note")["nothing_found"]
        for one in nothing["filters"]:
            print(f"  {one['filter']}={one['value']}: {one['pass_alone']} pass it, {one['pass_without']} without it")
        print(f"  did you mean {nothing['did_you_mean']}; try: {'; '.join(nothing['try'])}")

        print("\nWhat there is to filter by:")
        for row in list_sources(desk, "types")["rows"]:
            print(f"  {row['value']}: {row['documents']} items, {row['passages']} passages")


if __name__ == "__main__":
    main()
