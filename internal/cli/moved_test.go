package cli

import (
	"os"
	"strings"
	"testing"
)

// A run whose process was killed continues where its folder was moved to: adopted, or
// without further ado in a project that has a name.
func TestServeContinuesTheRunsOfAMovedFolder(t *testing.T) {
	for _, named := range []bool{false, true} {
		r := newRecovery(t)
		dir := r.project()
		if named {
			file, err := os.OpenFile(dir+"/patchbay.yaml", os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = file.WriteString("project: shop\n"); err != nil || file.Close() != nil {
				t.Fatal(err)
			}
		}
		r.crash(dir, "x")
		moved := t.TempDir() + "/moved"
		if err := os.Rename(dir, moved); err != nil {
			t.Fatal(err)
		}
		if !named {
			out, err := r.command(moved, "runs", "adopt", "--from", dir).Output()
			if err != nil || !strings.HasPrefix(string(out), "moved 1 run to the project moved-") {
				t.Fatalf("adopt: %v %s", err, out)
			}
		}
		s := r.serve(moved)
		s.ask(t, searchTicket)
		r.answer(r.called("x"))
		r.logged(s, "status=succeeded")
		r.leave(s)
	}
}
