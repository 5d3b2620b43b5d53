r.as_of >= :as_of_after
