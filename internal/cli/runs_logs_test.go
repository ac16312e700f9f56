package cli

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

const askingGraph = `nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: Sure?, next: exit}
  - {id: exit, type: exit, result: 1}
`

// The log of a run is followed until the run has ended, also over the end of the process
// that executed it.
func TestLogIsFollowed(t *testing.T) {
	isolated(t)
	writing(t, "sure.yaml", askingGraph)()
	if code := Execute(t.Context(), []string{"run", "sure.yaml"}, nil, io.Discard, io.Discard); code != command.ExitWaits {
		t.Fatalf("the run ends with %d", code)
	}
	ticks := make(chan time.Time)
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- runWith(t.Context(), &command.Flags{OptionalWait: command.MaxOptionalWait, Ticks: ticks}, []string{"runs", "logs", "latest", "-f"}, nil, write, write)
		_ = write.Close()
	}()
	lines := bufio.NewScanner(read)
	until := func(last string) (types []string) {
		for lines.Scan() {
			types = append(types, strings.Fields(lines.Text())[1])
			if strings.Contains(lines.Text(), last) {
				return types
			}
		}
		t.Fatalf("it ends after %v", types)
		return nil
	}
	if got := strings.Join(until("paused"), " "); got != "nodeStarted nodeCompleted nodeStarted paused" {
		t.Errorf("until it waits: %s", got)
	}
	if code := Execute(t.Context(), []string{"runs", "answer", "latest", "accept"}, nil, io.Discard, io.Discard); code != command.ExitOK {
		t.Fatalf("the answer ends with %d", code)
	}
	ticks <- time.Time{}
	if got := strings.Join(until("ended"), " "); !strings.Contains(got, "resumed") || !strings.HasSuffix(got, "nodeCompleted ended") {
		t.Errorf("until it ends: %s", got)
	}
	if got := <-code; got != command.ExitOK {
		t.Errorf("the command ends with %d", got)
	}
}
