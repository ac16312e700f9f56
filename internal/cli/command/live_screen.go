package command

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli/term"
)

// maxLastFrame is how many lines of a run stay.
const maxLastFrame = 200

// PlainTime is how often the plain lines that have come are written.
const PlainTime = 300 * time.Millisecond

// LiveTerminal is the terminal that progress is shown at, nil for none.
func (f *Flags) LiveTerminal(cmd *cobra.Command) *term.Terminal {
	switch {
	case f.Quiet:
		return nil
	case f.screenOf != nil:
		return f.screenOf
	}
	raw := term.Unmasked(cmd.ErrOrStderr())
	if !term.IsTerminal(raw) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	_, lines := term.Size(raw)
	return &term.Terminal{Raw: raw, Height: cmp.Or(lines, 24)}
}

// PlainProgress reports whether progress is written as lines to standard error: where no
// terminal shows it, unless a program reads the result.
func (f *Flags) PlainProgress(cmd *cobra.Command) bool {
	return !f.Quiet && f.ForPeople() && f.LiveTerminal(cmd) == nil
}

// ShowProgress shows a view on standard error until what it returns is called. At a terminal
// the last frame stays then, or none does.
func (f *Flags) ShowProgress(cmd *cobra.Command, stays bool, v term.View) (stop func()) {
	if at := f.LiveTerminal(cmd); at != nil {
		s := &term.Screen{Page: f.Page(cmd.ErrOrStderr()), Raw: at.Raw}
		f.Framed.Store(true)
		stop := term.AtEach(at.Ticks, spinTime, func(now time.Time, end bool) {
			switch {
			case !end:
				s.Show(v.Frame(s.Page, now, at.Height-2))
			case s.Shown > 0 && stays:
				s.Show(v.Frame(s.Page, now, maxLastFrame))
			default:
				s.Clear()
			}
		})
		return func() {
			stop()
			f.Framed.Store(false)
		}
	}
	if !f.PlainProgress(cmd) {
		return func() {}
	}
	return term.AtEach(nil, PlainTime, func(now time.Time, end bool) {
		for _, line := range v.News(now, end) {
			fmt.Fprintln(cmd.ErrOrStderr(), line)
		}
	})
}
