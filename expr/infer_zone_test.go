package expr

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// A time zone that is written in a call is checked before the graph runs.
func TestZonesAreChecked(t *testing.T) {
	for src, want := range map[string]string{
		`$now((), "Europe/Belrin")`:                `"Europe/Belrin"`,
		`$fromMillis(0, "[H]", "CEST")`:            `"CEST"`,
		`0 ~> $fromMillis("[H]", "+2")`:            `"+2"`,
		`ms.$fromMillis("[H]", "nonsense")`:        `"nonsense"`,
		`$now("Europe/Belrin")`:                    "", // a picture
		`$fromMillis(0, "[H]", "Europe/Berlin")`:   "",
		`$fromMillis(0, "[H]", zone)`:              "",
		`$toMillis("2020", "[Y]")`:                 "",
		`$fromMillis(0, "[H]", "Eu" & "rope/X")`:   "",
		`[$now("[Z]", "-05:30"), $now("", "UTC")]`: "",
	} {
		ast, fault := jsonata.Parse(src)
		if fault != nil {
			t.Fatal(src, fault)
		}
		root := types.ObjectOf(true, types.Field{Name: "ms", Type: types.Of(types.Number)}, types.Field{Name: "zone", Type: types.Of(types.String)})
		_, errs := Infer(ast, root, nil)
		var got strings.Builder
		for _, e := range errs {
			got.WriteString(src[e.Start:e.End])
			if e.Code != typeArgument {
				t.Errorf("%s: %+v", src, e)
			}
		}
		if got.String() != want {
			t.Errorf("%s: reported at %s, want %s", src, got.String(), want)
		}
	}
}
