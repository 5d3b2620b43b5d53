"""A folder as what should be in the library: its documents when it is kept in step, else its articles."""

from __future__ import annotations

import hashlib
import os

from hybridkb.errors import InvalidInput
from hybridkb.folder.ignore import read_ignored
from hybridkb.folder.scan import FoundFile, scan_folder
from hybridkb.folder.settings import DEFAULT_COLLECTION, FolderSettings
from hybridkb.memory.collected import SkippedCard
from hybridkb.memory.expected import Expectation, ExpectedEntry, read_expected
from hybridkb.memory.markdown_sources import collect_article_sources
from hybridkb.upkeep import HeldFolder, Inventory

_BLOCK = 1 << 20


def read_folder(folder: str | os.PathLike[str], inventory: Inventory | None, *, zone: str) -> Expectation:
    """Read what a folder says should be in.

    A folder that the library is kept in step with stands for every file that a refresh would read, under its path; so
    does any folder when the library holds documents and no cards. Another one stands for its articles
    (:func:`hybridkb.memory.collect_article_sources`).

    Args:
        folder: is there.
        inventory: what the library holds; None without a library.
        zone: the zone in which a day alone is read.

    Raises:
        InvalidInput: the folder cannot be listed.
        UnreadableDocument, MissingExtra: what it ignores cannot be read.
    """
    held = _kept_in_step(folder, inventory)
    if held is None:
        return read_expected(collect_article_sources(folder, zone=zone))
    return _documents(os.path.realpath(folder), held)


def _kept_in_step(folder: str | os.PathLike[str], inventory: Inventory | None) -> HeldFolder | None:
    if inventory is None:
        return None
    real = os.path.realpath(folder)
    for held in inventory.folders:
        if held.root == real:
            return held
    types = {item.item_type for item in inventory.items}
    if "document" not in types or "memory_card" in types:
        return None
    known = inventory.folders
    return known[0] if len(known) == 1 else HeldFolder(DEFAULT_COLLECTION, real, "{}", ())


def _documents(root: str, held: HeldFolder) -> Expectation:
    settings = FolderSettings.stored(held.settings)
    try:
        scan = scan_folder(root, read_ignored(root, settings.ignore), settings.max_bytes)
    except OSError as error:
        raise InvalidInput(f"the folder cannot be listed: {error.strerror or error}", field="expected") from error
    unreadable = [SkippedCard(place, reason) for place, reason in (*scan.unlisted, *held.unreadable)]
    entries: dict[str, ExpectedEntry] = {}
    for path, found in sorted(scan.files.items()):
        name = os.fsencode(path).decode("utf-8", "replace")
        try:
            entries[name] = ExpectedEntry(name, None, _hash(found))
        except OSError as error:
            entries[name] = ExpectedEntry(name)
            unreadable.append(SkippedCard(name, f"cannot be read: {error.strerror or error}"))
    return Expectation(entries, tuple(unreadable), held.collection)


def _hash(found: FoundFile) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with open(found.real, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
