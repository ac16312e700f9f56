package access

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A Quota is how many calls of tools are allowed in each period. The zero Quota has no
// bound. As text it is 1000/day.
type Quota struct {
	Calls int
	Per   time.Duration
}

var periods = map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}

// ParseQuota reads a quota such as 1000/day; the empty text is the zero Quota.
func ParseQuota(text string) (Quota, *diag.Fault) {
	if text == "" {
		return Quota{}, nil
	}
	calls, period, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(calls)
	per := periods[period]
	if err != nil || n < 1 || per == 0 {
		return Quota{}, diag.BadArgument("/quota", "write calls and minute, hour or day, such as 1000/day", "%q is not a quota", diag.Excerpt(text))
	}
	return Quota{n, per}, nil
}

// String is the quota as [ParseQuota] reads it.
func (q Quota) String() string {
	for name, per := range periods {
		if q.Per == per {
			return fmt.Sprintf("%d/%s", q.Calls, name)
		}
	}
	return ""
}

// MarshalJSON encodes the quota as text.
func (q Quota) MarshalJSON() ([]byte, error) { return json.Marshal(q.String()) }

// UnmarshalJSON reads what MarshalJSON writes.
func (q *Quota) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	read, fault := ParseQuota(text)
	if fault != nil {
		return fault
	}
	*q = read
	return nil
}

// A Meter counts what principals do, for their quotas and for a rate of requests. The
// zero Meter is ready; it forgets everything when the process ends.
type Meter struct {
	mu     sync.Mutex
	counts map[string]*count
}

// A count is what one principal has left.
type count struct {
	until time.Time // of the period of the quota
	calls int       // in it
	rate  *rate.Limiter
}

// maxCounts is how many principals are remembered; then those that have their whole
// allowance are forgotten.
const maxCounts = 10_000

// Calls notes calls of a principal. If they exceed the quota none is noted, and wait is
// how long it takes until the next period.
func (m *Meter) Calls(id *Identity, calls int, now time.Time) (wait time.Duration) {
	if id.Quota.Calls == 0 || calls == 0 {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.of(id.Principal, now)
	if !now.Before(c.until) {
		c.calls, c.until = 0, now.Add(id.Quota.Per)
	}
	if c.calls+calls > id.Quota.Calls {
		return c.until.Sub(now)
	}
	c.calls += calls
	return 0
}

// Request notes a request of a principal, which may make so many in a minute, all
// at once or one after the other. If there were too many, wait is how long it takes until
// the next is allowed.
func (m *Meter) Request(principal string, perMinute int, now time.Time) (wait time.Duration) {
	if perMinute == 0 {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.of(principal, now)
	if c.rate == nil || c.rate.Burst() != perMinute {
		c.rate = rate.NewLimiter(rate.Every(time.Minute/time.Duration(perMinute)), perMinute)
	}
	r := c.rate.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

func (m *Meter) of(principal string, now time.Time) *count {
	if m.counts == nil {
		m.counts = map[string]*count{}
	}
	c := m.counts[principal]
	if c == nil {
		if len(m.counts) >= maxCounts {
			for name, old := range m.counts {
				if !now.Before(old.until) && (old.rate == nil || old.rate.TokensAt(now) >= float64(old.rate.Burst())) {
					delete(m.counts, name)
				}
			}
		}
		c = &count{}
		m.counts[principal] = c
	}
	return c
}
