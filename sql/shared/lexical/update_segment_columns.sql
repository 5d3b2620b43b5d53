UPDATE segment SET visible_from = :visible_from, visible_until = :visible_until, title_words = :title_words,
  body_words = :body_words, digest = :digest
WHERE segment_no = :segment_no
