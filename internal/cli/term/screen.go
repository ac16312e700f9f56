package term

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// A View is progress as people see it: at a terminal, frames that replace one another; in a
// file or a pipe, lines that stay.
type View interface {
	// Frame returns the lines that show it at a moment, at most so many.
	Frame(w *Page, now time.Time, lines int) []string
	// News returns the plain lines since the last call. They have no control characters.
	News(now time.Time, end bool) []string
}

// A Screen replaces the lines that it has shown last by others, at a terminal. The lines go
// through the page, which masks secrets and escapes what could steer the terminal; only the
// movements of the cursor are written as they are.
type Screen struct {
	Page  *Page
	Raw   io.Writer
	Shown int // lines
}

// Show replaces the lines that are shown.
func (s *Screen) Show(lines []string) {
	s.Clear()
	if len(lines) > 0 {
		fmt.Fprint(s.Page, strings.Join(lines, "\n")+"\n")
	}
	s.Shown = len(lines)
}

// Clear removes the lines.
func (s *Screen) Clear() {
	if s.Shown > 0 {
		fmt.Fprintf(s.Raw, "\x1b[%dA\r\x1b[J", s.Shown)
	}
	s.Shown = 0
}

// A Terminal is where frames are shown.
type Terminal struct {
	Raw    io.Writer
	Height int              // in lines
	Ticks  <-chan time.Time // when a frame is drawn; nil: every spinTime
}

// AtEach calls a function at each tick, and once more when what it returns is called.
func AtEach(ticks <-chan time.Time, every time.Duration, f func(now time.Time, end bool)) (stop func()) {
	ticks = cmp.Or(ticks, time.Tick(every))
	done := make(chan struct{})
	var drawn sync.WaitGroup
	drawn.Go(func() {
		for {
			select {
			case <-done:
				f(time.Now(), true)
				return
			case now := <-ticks:
				f(now, false)
			}
		}
	})
	return func() {
		close(done)
		drawn.Wait()
	}
}
