package protocol

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
)

const (
	labelGateway = "the gateway, in front of the Go SDK's fixture server"
	labelClient  = "the client, with which Patchbay calls servers"
	labelPlain   = "Patchbay by itself; the other scenarios call tools that only a fixture server has"
	labelControl = "for comparison, the Go SDK's fixture server without Patchbay"
)

// figures are the numbers of scored scenarios that pass, by subject and revision.
type figures struct {
	mu  sync.Mutex
	got map[string]string
}

func newFigures() *figures { return &figures{got: map[string]string{}} }

func (f *figures) locked(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

func (f *figures) add(label, revision string, passed, total int) {
	f.locked(func() { f.got[label+revision] = fmt.Sprintf("%d of %d", passed, total) })
}

// check compares the figures with those in the documentation, or writes them there.
func (f *figures) check(t *testing.T) {
	t.Helper()
	var table strings.Builder
	fmt.Fprintf(&table, "| scored scenarios that pass | %s |\n|---|--:|--:|\n", strings.Join(revisions, " | "))
	for _, label := range []string{labelGateway, labelClient, labelPlain, labelControl} {
		fmt.Fprintf(&table, "| %s | %s | %s |\n", label, f.got[label+revisions[0]], f.got[label+revisions[1]])
	}
	place(t, "../../docs/protocol.md", table.String())
	place(t, "../../README.md", fmt.Sprintf("Of the scored scenarios of the [official conformance suite](https://github.com/modelcontextprotocol/conformance) of MCP, version %s, the gateway passes %s for MCP %s and %s for %s, and Patchbay's client %s and %s. [Both protocols](docs/protocol.md) are tested in CI.\n",
		version(t), f.got[labelGateway+revisions[0]], revisions[0], f.got[labelGateway+revisions[1]], revisions[1], f.got[labelClient+revisions[0]], f.got[labelClient+revisions[1]]))
}

const (
	begin = "<!-- conformance: written by go test ./tools/protocol -update -->\n"
	end   = "<!-- /conformance -->"
)

// place puts a text between the marks of a file.
func place(t *testing.T, file, text string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(b), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s has no place for the figures of conformance", file)
	}
	golden.Check(t, file, before+begin+"\n"+text+"\n"+end+after)
}
