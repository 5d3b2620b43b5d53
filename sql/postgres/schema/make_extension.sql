-- Where everybody looks for it, and not in the namespace of one library, with which it could be dropped.
CREATE EXTENSION vector SCHEMA public
