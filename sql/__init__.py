"""Every statement the library runs, one a file; installed as ``hybridkb.sql`` and read by ``hybridkb.database``."""
