-- While a statement of this session runs, look whether its client is still there. Some systems cannot.
SELECT set_config('client_connection_check_interval', '2s', false)
