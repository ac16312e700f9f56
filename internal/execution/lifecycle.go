package execution

import (
	"time"
)

// RecoverDelay is how long after its first use a server resumes runs: a process that is
// started only to look lives shorter.
const RecoverDelay = 3 * time.Second
