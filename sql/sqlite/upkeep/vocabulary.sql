SELECT term, doc, cnt FROM temp.words_held
