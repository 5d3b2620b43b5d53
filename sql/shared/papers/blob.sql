SELECT size, data FROM blob WHERE sha256 = :sha256
