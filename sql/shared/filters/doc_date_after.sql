r.doc_date >= :doc_date_after
