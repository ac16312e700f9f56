package cli

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// Servers are started for a client that has been greeted, or takes its time, and for none
// that has left.
func TestServersStartForAClient(t *testing.T) {
	over := make(chan struct{})
	close(over)
	for name, tt := range map[string]struct {
		greeted, ended <-chan struct{}
		starts         bool
		after          time.Duration
	}{
		"greeted":                  {over, nil, true, 0},
		"silent":                   {nil, nil, true, greetingTime},
		"left":                     {nil, over, false, 0},
		"left with requests to do": {over, over, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := app.New(app.Options{})
				defer p.Close()
				began := time.Now()
				startAfter(t.Context(), p, tt.greeted, tt.ended)
				started := false
				select {
				case <-p.Loaded():
					started = true
				default:
				}
				if took := time.Since(began); started != tt.starts || took != tt.after {
					t.Errorf("started: %t after %s", started, took)
				}
			})
		})
	}
}
