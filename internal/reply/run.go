package reply

import (
	"time"
)

const StatusRejected = "rejected"

// Milliseconds rounds a duration to microseconds.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
