-- Names mean what stands in the library's namespace. Temporary tables come last: unsaid, they would come first.
SELECT set_config('search_path', quote_ident(:schema) || ', pg_temp', false)
