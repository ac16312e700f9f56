package cli

import (
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

var callsListFace = face{
	long:    "List the tools whose calls a person has permitted for good or for the session of a client, with this configuration. When the definition of a tool changes, or calls.confirm names it, a person is asked again.",
	example: "  patchbay calls list",
	start:   offline,
	print: visibly(func(i *invocation, w *page) {
		t := newTable("tool", "allow", "definition", "permitted")
		for _, c := range i.out.(*app.PermittedCallsResult).Calls {
			t.add(c.Tool, c.Allow, c.Definition[:min(12, len(c.Definition))], ago(c.At, time.Now()))
		}
		t.writeOr(w, "no calls are permitted beyond one run")
	}),
	names: func(i *invocation) (names []string) {
		for _, c := range i.out.(*app.PermittedCallsResult).Calls {
			names = append(names, c.Tool)
		}
		return names
	},
}

var callsRevokeFace = face{
	long:    "Remove the permission for the calls of tools: a person is asked about the next one.",
	example: "  patchbay calls revoke files/delete",
	several: true,
	start:   offline,
	print: printing(func(w *page, r *app.RevokeCallResult) {
		fmt.Fprintf(w, "a person is asked again about the calls of %s\n", r.Tool)
	}),
}
