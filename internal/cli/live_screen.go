package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// maxLastFrame is how many lines of a run stay.
const maxLastFrame = 200

// plainTime is how often the plain lines that have come are written.
const plainTime = 300 * time.Millisecond

// A view is progress as people see it: at a terminal, frames that replace one another; in a
// file or a pipe, lines that stay.
type view interface {
	// frame returns the lines that show it at a moment, at most so many.
	frame(w *page, now time.Time, lines int) []string
	// news returns the plain lines since the last call. They have no control characters.
	news(now time.Time, end bool) []string
}

// A screen replaces the lines that it has shown last by others, at a terminal. The lines go
// through the page, which masks secrets and escapes what could steer the terminal; only the
// movements of the cursor are written as they are.
type screen struct {
	page  *page
	raw   io.Writer
	shown int // lines
}

func (s *screen) show(lines []string) {
	s.clear()
	if len(lines) > 0 {
		fmt.Fprint(s.page, strings.Join(lines, "\n")+"\n")
	}
	s.shown = len(lines)
}

// clear removes the lines.
func (s *screen) clear() {
	if s.shown > 0 {
		fmt.Fprintf(s.raw, "\x1b[%dA\r\x1b[J", s.shown)
	}
	s.shown = 0
}

// A terminal is where frames are shown.
type terminal struct {
	raw    io.Writer
	height int              // in lines
	ticks  <-chan time.Time // when a frame is drawn; nil: every spinTime
}

// liveTerminal is the terminal that progress is shown at, nil for none.
func (f *flags) liveTerminal(cmd *cobra.Command) *terminal {
	switch {
	case f.quiet:
		return nil
	case f.screenOf != nil:
		return f.screenOf
	}
	file, ok := unmasked(cmd.ErrOrStderr()).(*os.File)
	if !ok || !isTerminal(file) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	t := &terminal{raw: file, height: 24}
	if _, rows, err := term.GetSize(int(file.Fd())); err == nil && rows > 0 {
		t.height = rows
	}
	return t
}

// plainProgress reports whether progress is written as lines to standard error: where no
// terminal shows it, unless a program reads the result.
func (f *flags) plainProgress(cmd *cobra.Command) bool {
	return !f.quiet && f.forPeople() && f.liveTerminal(cmd) == nil
}

// showProgress shows a view on standard error until what it returns is called. At a terminal
// the last frame stays then, or none does.
func (f *flags) showProgress(cmd *cobra.Command, stays bool, v view) (stop func()) {
	if at := f.liveTerminal(cmd); at != nil {
		s := &screen{page: f.page(cmd.ErrOrStderr()), raw: at.raw}
		f.framed.Store(true)
		stop := atEach(at.ticks, spinTime, func(now time.Time, end bool) {
			switch {
			case !end:
				s.show(v.frame(s.page, now, at.height-2))
			case s.shown > 0 && stays:
				s.show(v.frame(s.page, now, maxLastFrame))
			default:
				s.clear()
			}
		})
		return func() {
			stop()
			f.framed.Store(false)
		}
	}
	if !f.plainProgress(cmd) {
		return func() {}
	}
	return atEach(nil, plainTime, func(now time.Time, end bool) {
		for _, line := range v.news(now, end) {
			fmt.Fprintln(cmd.ErrOrStderr(), line)
		}
	})
}

// atEach calls a function at each tick, and once more when what it returns is called.
func atEach(ticks <-chan time.Time, every time.Duration, f func(now time.Time, end bool)) (stop func()) {
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
