package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// A wanted is an input with a field of every kind that a command can fill.
type wanted struct {
	plans.GraphInput `arg:"FILE|NAME"`
	Saved            string                     `json:"name" flag:"-"`
	Arguments        json.RawMessage            `json:"arguments" arg:"[KEY=VALUE…]" flag:"args,a"`
	Pins             map[string]json.RawMessage `json:"pins" flag:"pin"`
	Yes              *bool                      `json:"yes"`
	No               *bool                      `json:"no"`
	Left             *bool                      `json:"left"`
	Index            *int                       `json:"index"`
	Since            time.Duration              `json:"since" default:"1h"`
	Limit            int64                      `json:"limit_of" default:"5"`
	Names            []string                   `json:"names"`
}

// invoked fills an input from a command line.
func invoked(t *testing.T, in any, words ...string) error {
	t.Helper()
	fields := app.InputFields(reflect.TypeOf(in).Elem())
	i := &Invocation{Flags: &Flags{}, Fields: fields, In: in}
	list := FieldPlaces(fields)
	i.Cmd = &cobra.Command{Use: strings.Join(append([]string{"test"}, list.Usage()...), " "), Args: checkArguments(), SilenceErrors: true, SilenceUsage: true, RunE: func(_ *cobra.Command, args []string) error {
		if _, err := i.Place(list, args); err != nil {
			return err
		}
		return i.fillArguments(app.New(app.Options{}))
	}}
	addFlags(i.Cmd.Flags(), fields, in, &i.Sources)
	i.Cmd.SetArgs(words)
	return i.Cmd.Execute()
}

// Flags and positions set the fields of the input, each by its type.
func TestInputsOfCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g.yaml")
	if err := os.WriteFile(file, []byte("nodes: []"), 0o600); err != nil {
		t.Fatal(err)
	}
	yes, no, last := true, false, -1
	for _, tt := range []struct {
		words []string
		want  wanted
	}{
		{[]string{"saved"}, wanted{Saved: "saved", Since: time.Hour, Limit: 5}},
		{
			[]string{file, "--tool", "t", "--args", `{"z":1}`, "n=2", "s=two", "--since", "90s"},
			wanted{GraphInput: plans.GraphInput{Text: "nodes: []", Name: file, Tool: "t", Trusted: true}, Arguments: json.RawMessage(`{"n":2,"s":"two","z":1}`), Since: 90 * time.Second, Limit: 5},
		},
		{
			[]string{"g", "--pin", `a={"x":1}`, "--pin", "b=text", "--yes", "--no=false", "--index", "-1", "--limit-of", "7", "--names", "a,b", "--names", "c"},
			wanted{
				Saved: "g", Pins: map[string]json.RawMessage{"a": json.RawMessage(`{"x":1}`), "b": json.RawMessage(`"text"`)},
				Yes: &yes, No: &no, Index: &last, Since: time.Hour, Limit: 7, Names: []string{"a", "b", "c"},
			},
		},
	} {
		var got wanted
		if err := invoked(t, &got, tt.words...); err != nil {
			t.Errorf("%s: %v", tt.words, err)
		} else if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.words, diff)
		}
	}
}

// What cannot be read is an error that says where.
func TestInputsOfCommandsThatAreWrong(t *testing.T) {
	for words, want := range map[string]string{
		"":                   "missing FILE|NAME",
		"./nowhere.yaml":     "nowhere.yaml",
		"g n":                `"n" is not KEY=VALUE`,
		"g --limit-of x":     `"--limit-of"`,
		"g --since 5":        `"--since"`,
		"g --pin a":          `"a" is not NODE=JSON`,
		"g --args [1] n=2":   "not a JSON object",
		"g --yes=perhaps":    `"--yes"`,
		"g --no-such-flag 1": "unknown flag",
	} {
		err := invoked(t, &wanted{}, strings.Fields(words)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %s", words, err, want)
		}
	}
}
