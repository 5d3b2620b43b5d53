"""The border where errors of the driver become ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from hybridkb.database.stopping import require_wanted
from hybridkb.errors import BrokenInvariant, DatabaseBusy, DatabaseError, HybridKBError

_REMEDIES: dict[type[apsw.Error], str] = {
    apsw.FullError: "the disk is full; free some space, nothing of this write was kept",
    apsw.IOError: "the disk could not be read or written; check the device and its free space",
    apsw.ReadOnlyError: "the library is open read-only or its file may not be written; open it without "
    "read_only, or change the file's permissions",
    apsw.CantOpenError: "the file cannot be opened; check that its folder exists and may be written",
    apsw.NotADBError: "this file is not a SQLite database; give another path",
    apsw.PermissionsError: "the file may not be accessed; change its permissions",
    apsw.TooBigError: "a text is larger than the database can hold; split it",
    apsw.NoMemError: "the machine ran out of memory; write smaller batches",
    apsw.SchemaChangeError: "the schema changed under this call; try again",
}
_BUSY = (apsw.BusyError, apsw.LockedError)


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn every error of the driver inside the block into one of ours, naming ``path``."""
    try:
        yield
    except HybridKBError:
        raise
    except _BUSY as error:
        raise DatabaseBusy(
            f"{path}: another process or thread is writing and did not finish in time ({error}); try again later, "
            "or write smaller batches",
            path=path,
        ) from error
    except apsw.CorruptError as error:
        raise BrokenInvariant(
            f"{path}: the database file is damaged ({error}); restore a copy, or export what can be read",
            findings=(str(error),),
            path=path,
        ) from error
    except apsw.Error as error:
        require_wanted()  # a statement that was interrupted because nobody waits for it
        remedy = next((text for kind, text in _REMEDIES.items() if isinstance(error, kind)), None)
        if "disk is full" in str(error):  # an extension's tables tell it as an error of their own
            remedy = _REMEDIES[apsw.FullError]
        raise DatabaseError(f"{path}: {remedy or 'the database failed'} ({error})", path=path) from error
