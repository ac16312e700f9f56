package cli

import (
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

// liveTerminal is the terminal that progress is shown at, nil for none.
func (f *flags) liveTerminal(cmd *cobra.Command) *os.File {
	file, ok := unmasked(cmd.ErrOrStderr()).(*os.File)
	if f.quiet || !ok || !isTerminal(file) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return file
}

// watchLive shows frames on standard error, if that is a terminal, until what it returns is
// called: then the last frame stays, or none does. frame returns the lines for a moment, of
// which so many fit.
func (f *flags) watchLive(cmd *cobra.Command, stays bool, frame func(w *page, now time.Time, lines int) []string) (stop func()) {
	file := f.liveTerminal(cmd)
	if file == nil {
		return func() {}
	}
	height := 24
	if _, rows, err := term.GetSize(int(file.Fd())); err == nil && rows > 0 {
		height = rows
	}
	s := &screen{page: f.page(cmd.ErrOrStderr()), raw: file}
	ticker := time.NewTicker(spinTime)
	done := make(chan struct{})
	var drawn sync.WaitGroup
	drawn.Go(func() {
		for {
			select {
			case <-done:
				if shown := s.shown > 0; shown && stays {
					s.show(frame(s.page, time.Now(), maxLastFrame))
				} else if shown {
					s.clear()
				}
				return
			case now := <-ticker.C:
				s.show(frame(s.page, now, height-2))
			}
		}
	})
	return func() {
		ticker.Stop()
		close(done)
		drawn.Wait()
	}
}
