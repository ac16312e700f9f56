package downstream

import (
	"net/http"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// What tells a server that is a Patchbay too which Patchbays have started or reached it: an
// environment variable of processes, and a header of requests.
const (
	AncestorsVariable = "PATCHBAY_ANCESTORS"
	AncestorsHeader   = "Patchbay-Ancestors"
)

// maxAncestors is how many Patchbays may be above one.
const maxAncestors = 2

// Ancestors are the identities of the Patchbays above this one, the first started first.
type Ancestors []string

// ReadAncestors reads the value of the variable or the header.
func ReadAncestors(text string) Ancestors {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// With adds the identity of this process, for its servers.
func (a Ancestors) With(identity string) Ancestors {
	if identity == "" || slices.Contains(a, identity) {
		return a
	}
	return append(slices.Clip(a), identity)
}

var (
	codeNestedTooDeep = diag.DefineFault("nested-too-deep", diag.RefusesRequest, "a Patchbay is a server of another one, which has two above it already", "add what it offers to the servers of one above it")
	codeOwnServer     = diag.DefineFault("own-server", diag.RefusesRequest, "a server is `patchbay serve` with the configuration and the state folder of the Patchbay that starts it", "delete its entry among the servers")
)

// Refuse returns the fault of a Patchbay that would serve itself, or too many others; nil if
// there is none. One without servers has the identity "".
func (a Ancestors) Refuse(identity string) *diag.Fault {
	switch {
	case identity != "" && slices.Contains(a, identity):
		return diag.Faultf(codeOwnServer, "this Patchbay has been made its own server: one with the same configuration and state folder is above it").
			WithHint("delete its entry among the servers; to start one that is not a server of the other, unset " + AncestorsVariable)
	case len(a) > maxAncestors:
		return diag.Faultf(codeNestedTooDeep, "this Patchbay is a server of a Patchbay that is a server of others: at most %d may be above it, and there are %d", maxAncestors, len(a)).
			WithHint("add what this one offers to the servers of one above it")
	}
	return nil
}

// Guard refuses the requests of Patchbays that h may not serve.
func Guard(identity string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f := ReadAncestors(r.Header.Get(AncestorsHeader)).Refuse(identity); f != nil {
			http.Error(w, f.Message+". "+f.Hint, http.StatusLoopDetected)
			return
		}
		h.ServeHTTP(w, r)
	})
}
