-- Canonical. Bytes of papers and of their pictures, named by their SHA-256 in hexadecimal. Inside the file, so that no
-- transaction, copy or backup can leave a name without its bytes.
CREATE TABLE blob(
  sha256 TEXT COLLATE "C" PRIMARY KEY,
  size BIGINT NOT NULL,
  data BYTEA STORAGE EXTERNAL NOT NULL
)
