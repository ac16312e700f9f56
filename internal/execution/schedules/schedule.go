// Package schedules says when graphs are started by the time of day, and starts each
// occurrence once, however many processes serve a project. It knows neither graphs nor
// runs: what is started, and where claims are kept, is said by [Options]. It imports
// run, for what a claim is, and cron.
package schedules

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/cron"
)

// A Schedule starts a graph again and again.
type Schedule struct {
	Name      string // its own in its project
	Graph     string
	Arguments json.RawMessage // nil is {}
	Cron      string          // as it was written
	Zone      string          // as it was written; "" is the zone of the machine

	times *cron.Expression
	zone  *time.Location
}

// Parse reads when a schedule is due: the five fields of cron, or @hourly, @daily, @weekly,
// @monthly, @yearly or @every DURATION, in a time zone such as Europe/Berlin; "" is that of
// the machine. An error says what is wrong with which of both.
func Parse(expression, zone string) (Schedule, error) {
	s := Schedule{Cron: expression, Zone: zone}
	if strings.HasPrefix(expression, "TZ=") || strings.HasPrefix(expression, "CRON_TZ=") {
		return s, errors.New("the time zone is not part of cron: write it as timezone")
	}
	var err error
	if s.zone, err = time.LoadLocation(cmp.Or(zone, "Local")); err != nil {
		return s, fmt.Errorf("unknown time zone %q", zone)
	}
	if s.times, err = cron.Parse(expression); err != nil {
		return s, fmt.Errorf("cron %q cannot be read: %w", expression, err)
	}
	if s.Next(time.Now()).IsZero() {
		return s, fmt.Errorf("cron %q is never due", expression)
	}
	return s, nil
}

// Next returns the first time after another at which the schedule is due.
func (s *Schedule) Next(after time.Time) time.Time { return s.times.Next(after, s.zone) }

// definition is the same as long as the schedule is due at the same times.
func (s *Schedule) definition() string { return s.Zone + " " + s.Cron }
