"""hybridkb beside what a buyer would use instead: one command, one small adapter a peer, one table.

``python bench/peers/run.py DATASET``. Only ``run`` and what it imports need hybridkb; the adapters and what asks them
(``shape``, ``dense``, ``tasks``, ``worker``) need the standard library, numpy and the peer, for they run in an
environment of the peer's own.
"""
