r.confidence IN (SELECT value FROM json_each(:confidence))
