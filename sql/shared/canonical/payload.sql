SELECT payload FROM revision WHERE revision_no = :revision_no
