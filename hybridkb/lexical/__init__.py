"""The word index: vocabulary, postings, and BM25 over what is visible."""
