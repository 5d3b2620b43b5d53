INSERT INTO segment(segment_no, first_record, last_record, visible_from, visible_until, title_words, body_words, digest)
VALUES (:segment_no, :first, :last, :visible_from, :visible_until, :title_words, :body_words, :digest)
