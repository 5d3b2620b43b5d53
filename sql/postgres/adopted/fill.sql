-- The provenance of a document, on its chunks; a slug may be written in either Unicode form.
UPDATE {table} SET source = :source, kind = :kind, doc_date = :doc_date, verdict = :verdict, link = :link
WHERE slug IN (:slug, normalize(:slug, NFD))
  AND (source IS DISTINCT FROM :source OR kind IS DISTINCT FROM :kind OR doc_date IS DISTINCT FROM :doc_date
    OR verdict IS DISTINCT FROM :verdict OR link IS DISTINCT FROM :link)
