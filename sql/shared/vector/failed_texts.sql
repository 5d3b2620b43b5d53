-- Texts that the model of a space could not embed: text hash, reason.
SELECT text_hash, reason FROM embedding_failure WHERE space_no = :space_no
