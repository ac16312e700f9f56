package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

const slips = "../../testdata/slips"

// byHand are the slips whose repair only the author knows, and what that is. All
// others are repaired by the fixes of the replies alone.
var byHand = map[string]string{
	"bad-indentation.yaml":  "the author knows which map the line belongs to",
	"jq.yaml":               "jq's pipe has no counterpart",
	"js-ternary-null.yaml":  "the author knows what should stand for undefined",
	"literal-enum-far.json": "the author chooses one of the values",
	"literal-range.json":    "the author chooses a value in the range",
	"python-literals.yaml":  "the conditional is written anew",
}

// harmless are slips after which the graph still means what its author meant.
var harmless = map[string]string{
	"json-single-quotes.json":  "YAML's flow style",
	"json-trailing-comma.json": "YAML's flow style",
	"next-on-exit.yaml":        "a note",
	"snake-case-keys.yaml":     "warnings",
}

// slipRounds is in how many rounds of applying every first fix a slip is mended.
const slipRounds = 2

// sent is a graph as an agent sends it: JSON as an object where it is any, else
// text.
func sent(t testing.TB, file string) json.RawMessage {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".json") && json.Valid(b) {
		return b
	}
	return text(string(b))
}

func text(s string) json.RawMessage {
	b, _ := json.Marshal(s)
	return b
}

// wire is a reply as MCP carries it, without the draft's random handle.
func wire(t testing.TB, r *author.ValidateResult) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	plain := *r
	plain.Draft = ""
	if err := e.Encode(plain); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func validate(t testing.TB, pb *app.App, g json.RawMessage) *author.ValidateResult {
	t.Helper()
	r, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.GraphInput{Graph: g}})
	if fault != nil {
		t.Fatalf("%v (%s)", fault, fault.Hint)
	}
	return r
}

// all returns a reply's diagnostics in order of position.
func all(r *author.ValidateResult) diag.List {
	l := append(diag.List{}, r.Errors...)
	l = append(l, r.Warnings...)
	return append(l, r.Notes...).Sort()
}

// brief writes a diagnostic in a few short lines.
func brief(d *diag.Diagnostic) string {
	var b strings.Builder
	at := d.Path
	if !d.Range.IsZero() {
		at = fmt.Sprintf("%d:%d", d.Range.Start.Line, d.Range.Start.Column)
	}
	fmt.Fprintf(&b, "  %s %s [%s] %s\n", at, d.Severity, d.Code, d.Message)
	if d.Hint != "" {
		fmt.Fprintf(&b, "      hint: %s\n", d.Hint)
	}
	for _, f := range d.Fixes {
		fmt.Fprintf(&b, "      fix: %s\n", f.Title)
	}
	return b.String()
}

// mend applies the first fixes of every reply until the graph is valid or there
// are none, and returns how many rounds that took and the last reply.
func mend(t testing.TB, pb *app.App, g json.RawMessage) (rounds int, last *author.ValidateResult) {
	t.Helper()
	last = validate(t, pb, g)
	for ; !last.Valid && rounds < 10; rounds++ {
		src, applied := diag.Apply(last.Source, all(last))
		if applied == 0 {
			break
		}
		if g = text(src); !strings.HasPrefix(strings.TrimSpace(string(g)), `"`) {
			g = json.RawMessage(src)
		}
		last = validate(t, pb, g)
	}
	return rounds, last
}

func TestSlips(t *testing.T) {
	pb := product(t)
	files, err := filepath.Glob(slips + "/*.*")
	if err != nil || len(files) < 46 {
		t.Fatalf("%d files in %s: %v", len(files), slips, err)
	}
	var replies strings.Builder
	total, count := 0, 0
	for _, file := range files {
		name := filepath.Base(file)
		if name == "replies.golden" {
			continue
		}
		g := sent(t, file)
		r := validate(t, pb, g)
		reply := wire(t, r)
		if _, well := harmless[name]; r.Valid != well {
			t.Errorf("%s: valid is %v:\n%s", name, r.Valid, r.Rendered)
		}
		rounds, last := mend(t, pb, g)
		reason, hand := byHand[name]
		switch {
		case !last.Valid && !hand:
			t.Errorf("%s: not valid after %d rounds of fixes:\n%s\n%s", name, rounds, last.Source, diag.Format(name, last.Source, all(last)))
		case last.Valid && hand:
			t.Errorf("%s: the fixes mend it, though it is listed as %q", name, reason)
		case last.Valid && rounds > slipRounds:
			t.Errorf("%s: valid after %d rounds of fixes, at most %d", name, rounds, slipRounds)
		}
		for _, d := range all(last) {
			if last.Valid && strings.HasPrefix(d.Code, "maybe-") && name != "schema-shorthand.yaml" { // its arguments are all optional
				t.Errorf("%s: when repaired, still in doubt: %s", name, d.Message)
			}
		}
		verdict := fmt.Sprintf("valid after %d", rounds)
		switch {
		case hand:
			verdict = reason
		case r.Valid:
			verdict = "valid: " + harmless[name]
		}
		fmt.Fprintf(&replies, "%s: %d bytes, %s\n", name, len(reply), verdict)
		for _, d := range all(r) {
			replies.WriteString(brief(d))
		}
		if r.More > 0 {
			fmt.Fprintf(&replies, "  and %d more\n", r.More)
		}
		total, count = total+len(reply), count+1
	}
	fmt.Fprintf(&replies, "\n%d slips, %d bytes a reply\n", count, total/count)
	golden.Check(t, filepath.Join(slips, "replies.golden"), replies.String())
}

// TestSlipsAsObjects mends every slip that can be sent as an object with the
// JSON Patches of the replies, one diagnostic at a time, as an agent without the
// text does.
func TestSlipsAsObjects(t *testing.T) {
	pb := product(t)
	files, err := filepath.Glob(slips + "/*.*")
	if err != nil {
		t.Fatal(err)
	}
	mended := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		doc, l := graph.Parse(name, b)
		if doc == nil || l.HasErrors() || !doc.Root.Is(graph.Object) || byHand[name] != "" || name == "replies.golden" {
			continue
		}
		object := doc.Root.JSON()
		r := validate(t, pb, object)
		for step := 0; !r.Valid; step++ {
			var fix *diag.Fix
			for _, d := range r.Errors {
				if !d.Range.IsZero() {
					t.Errorf("%s: %s has a place in a text that was never sent", name, d.Code)
				}
				if len(d.Fixes) > 0 && fix == nil {
					fix = &d.Fixes[0]
				}
			}
			if fix == nil || step == 10 {
				t.Errorf("%s: not valid after %d patches:\n%s\n%s", name, step, object, diag.Format(name, "", all(r)))
				break
			}
			patched, err := testenv.Patch(object, fix.Patch)
			if err != nil {
				t.Errorf("%s: patch %q: %v", name, fix.Title, err)
				break
			}
			object = patched
			r = validate(t, pb, object)
		}
		mended++
	}
	t.Logf("%d slips sent as objects", mended)
}
