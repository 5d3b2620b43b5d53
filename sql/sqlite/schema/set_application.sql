-- 0x68796B62, "hykb".
PRAGMA application_id = 1752787810
