r.as_of <= :as_of_before
