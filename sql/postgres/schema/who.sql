-- This role, and how SQL writes it and the database.
SELECT current_user, quote_ident(current_user), quote_ident(current_database())
