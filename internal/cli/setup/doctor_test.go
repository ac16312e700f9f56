package setup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// What a server calls itself forges no line of the report.
func TestFindingsAreVisible(t *testing.T) {
	var out strings.Builder
	printFindings(&term.Page{Writer: &out}, []finding{{What: "server a\x1b[2J\u202eb\nok"}})
	if got := out.String(); strings.ContainsAny(got, "\x1b\u202e") || !strings.Contains(got, `a\u001b[2J\u202eb`) || strings.Contains(got, "\nok") {
		t.Errorf("%q", got)
	}
}

// TestFindingsHaveFixes: whatever fails says what to do, in every area.
func TestFindingsHaveFixes(t *testing.T) {
	d := &diagnosis{}
	for _, area := range []string{areaVersion, areaConfiguration, areaPaths, areaServers, areaPacks, areaGraphs, areaJournal, areaRuntime, areaClients} {
		d.area = area
		d.fail("", "it is wrong")
		d.check(false, "", "so is this")
		d.check(true, "", "this is not")
	}
	for _, x := range d.found {
		if x.OK != (x.Hint == "") {
			t.Errorf("%+v", x)
		}
	}
}

func TestDoctorExaminesClients(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ command, want, fix string }{
		{program, "starts ", ""},
		{filepath.Join(t.TempDir(), "gone"), "does not exist", "--force"},
		{"no-such-program-anywhere", "does not exist", "PATH"},
	} {
		dir, home := t.TempDir(), t.TempDir()
		environ := func(string) (string, bool) { return home, true }
		for _, name := range serverfile.Clients() {
			c, err := serverfile.NewConnection(name, dir, serverfile.Program{Path: program}, environ)
			if err != nil {
				t.Fatal(err)
			}
			c.Entry[len(c.Entry)-2].Value = tt.command
			text, err := c.Put("", false)
			if err != nil {
				t.Fatal(err)
			}
			d := &diagnosis{area: areaClients}
			d.client(c)
			if len(d.found) > 0 {
				t.Errorf("%s: a file that is not there: %+v", name, d.found)
			}
			if err := replace(c.File, text); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			d.client(c)
			if len(d.found) != 1 || !strings.Contains(d.found[0].What, tt.want) || d.found[0].OK != (tt.fix == "") || !strings.Contains(d.found[0].Hint, tt.fix) {
				t.Errorf("%s, %s: %+v", name, tt.command, d.found)
			}
		}
	}
}

// A file without the entry is named with how to add it, one whose entry names a
// configuration that has gone with how to write it anew.
func TestDoctorExaminesEntries(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, home := t.TempDir(), t.TempDir()
	c, err := serverfile.NewConnection("windsurf", dir, serverfile.Program{Path: program}, func(string) (string, bool) { return home, true })
	if err != nil {
		t.Fatal(err)
	}
	whole, err := c.Put("", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text, what, hint string
		ok               bool
	}{
		{"{}", "does not have Patchbay", "patchbay init --client windsurf", true},
		{whole, "patchbay.yaml that", "--force", false},
		{"{", "line 1", "correct the file", false},
	} {
		if err := replace(c.File, tt.text); err != nil {
			t.Fatal(err)
		}
		d := &diagnosis{area: areaClients}
		d.client(c)
		if len(d.found) != 1 || d.found[0].OK != tt.ok || !strings.Contains(d.found[0].What, tt.what) || !strings.Contains(d.found[0].Hint, tt.hint) {
			t.Errorf("%s: %+v", tt.text, d.found)
		}
	}
}

// A client that reads a file of the project and one of the user is looked up in both: the
// entry of either counts, and one that cannot work is told with what to do there.
func TestDoctorExaminesBothFiles(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"claude-code", "cursor", "vscode", "codex", "gemini", "zed"} {
		dir, home := t.TempDir(), t.TempDir()
		c, err := serverfile.NewConnection(name, dir, serverfile.Program{Path: program}, func(string) (string, bool) { return home, true })
		if err != nil {
			t.Fatal(err)
		}
		write := func(c *serverfile.Connection, command string) {
			t.Helper()
			c.Entry[len(c.Entry)-2].Value, c.Entry[len(c.Entry)-1].Value = command, []any{"serve"}
			text, err := c.Put("", false)
			if command == "" {
				text = ""
			}
			if err == nil {
				err = replace(c.File, text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		other := c.Elsewhere()
		for _, tt := range []struct {
			here, there string
			what, fix   string
		}{
			{"", "", "does not have Patchbay in " + c.File + " or " + other.File, "init --client " + name},
			{"", program, "by " + other.File, ""},
			{program, "", "by " + c.File, ""},
			{"", filepath.Join(home, "gone"), "in " + other.File + " does not exist", "correct the entry in " + other.File},
		} {
			write(c, tt.here)
			write(other, tt.there)
			d := &diagnosis{area: areaClients}
			d.client(c)
			if len(d.found) != 1 || !strings.Contains(d.found[0].What, tt.what) || !strings.Contains(d.found[0].Hint, tt.fix) || tt.fix == "" && d.found[0].Hint != "" {
				t.Errorf("%s, %q and %q: %+v", name, tt.here, tt.there, d.found)
			}
		}
	}
}

func TestDoctorExaminesFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "tokens.json")
	later, err := json.Marshal(map[string]any{"format": formats.Tokens.Version + 1})
	if err == nil {
		err = os.WriteFile(file, later, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	d := &diagnosis{area: areaPaths}
	d.format(file, formats.Tokens)
	if len(d.found) != 1 || d.found[0].Hint != formats.Hint {
		t.Errorf("a later format: %+v", d.found)
	}
	d = &diagnosis{area: areaPaths}
	d.mode(file, 0o077, "can be read", "chmod 600 ")
	if len(d.found) != 0 {
		t.Errorf("a file of the user: %+v", d.found)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	d.mode(file, 0o077, "can be read", "chmod 600 ")
	if want := runtime.GOOS != "windows"; (len(d.found) == 1 && d.found[0].Hint == "chmod 600 "+file) != want {
		t.Errorf("a file of the group: %+v", d.found)
	}
	if err := writable(dir); err != nil {
		t.Error(err)
	}
	if err := writable(filepath.Join(dir, "none", "yet")); err != nil {
		t.Error(err)
	}
	for _, place := range []string{file, filepath.Join(file, "below")} {
		if writable(place) == nil {
			t.Errorf("%s can be written to", place)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%v, %v: something was left", list, err)
	}
}

// replace writes a client's file.
func replace(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
