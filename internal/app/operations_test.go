package app_test

import (
	"reflect"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// Every operation can be reached, says what it does, and says of each argument what
// it means. No two have one name.
func TestOperationsAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range app.Operations() {
		id := o.Tool + " " + o.Command
		for _, name := range []string{o.Tool, "patchbay " + o.Command} {
			if name != "" && name != "patchbay " && seen[name] {
				t.Errorf("two operations are called %s", name)
			}
			seen[name] = true
		}
		switch {
		case o.Tool == "" && o.Command == "":
			t.Errorf("%s has neither a tool nor a command", o.Input())
		case o.Tool != "" && o.Description == "":
			t.Errorf("the tool of %s has no description", id)
		case o.Command != "" && o.Summary == "":
			t.Errorf("the command of %s has no summary", id)
		case o.Hints.ReadOnly && o.Hints.Destructive:
			t.Errorf("%s is both read-only and destructive", id)
		}
		for _, f := range o.Fields() {
			if f.Type != reflect.TypeFor[plans.GraphInput]() && (f.Name == "" && f.Flag == "" || f.Meaning == "") {
				t.Errorf("%s: the field %q at %v has no name or no meaning", id, f.Name, f.Index)
			}
		}
	}
}
