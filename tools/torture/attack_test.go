package torture

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// An attack is one hostile request and what may come of it.
type attack struct {
	tool  string // tool to call
	args  map[string]any
	body  []byte        // instead of a call: what is sent as it is
	limit time.Duration // of the operation

	// counted: the limit is one of work, which a slower machine takes longer for.
	counted bool
}

// A family makes attacks of one kind.
type family struct {
	name   string
	make   func(r *rand.Rand) attack
	kinds  []string // how an answer may begin, see reply.kind
	called bool     // it calls the hostile server
}

// Limits of operations. A run is given its limit, an evaluation has that of one
// expression; the others are what the documentation promises.
const (
	runLimit      = time.Second
	evalLimit     = 3 * time.Second // 2 of its own, and up to one that it waits for others
	validateLimit = 5 * time.Second // 10 MB of YAML
	lookLimit     = 100 * time.Millisecond
	startLimit    = 5 * time.Second // that a call waits for a server which has to be started again
)

var families = []family{
	{name: "schemas and arguments", make: schemaAttack, kinds: []string{
		"ok", "invalid", "fault invalid-arguments", "fault time-limit", "fault too-large",
	}},
	{name: "documents", make: documentAttack, kinds: []string{"ok", "invalid", "fault bad-argument", "fault too-much-memory", "refused 413"}},
	{name: "expressions", make: expressionAttack, kinds: []string{"ok", "invalid", "fault"}},
	{name: "rules", make: ruleAttack, kinds: []string{"ok", "invalid", "fault"}},
	{name: "runs", make: runAttack, kinds: []string{
		"ok", "invalid", "fault too-many-executions", "fault time-limit", "fault too-large", "fault too-deep", "fault expression-failed", "fault attempt-timeout",
	}},
	{name: "lists of tools", make: listAttack, kinds: []string{"ok", "fault unknown-node", "fault bad-argument"}, called: true},
	{name: "results of tools", make: resultAttack, kinds: []string{
		"ok", "fault tool-failed", "fault bad-result", "fault time-limit", "fault too-large", "fault server-failed", "fault server-starting", "fault call-refused",
		"fault call-timeout", "fault unknown-tool", "fault expression-failed", "fault outcome-unknown", "fault invalid-graph", "invalid",
	}, called: true},
	{name: "frames", make: frameAttack, kinds: []string{"ok", "invalid", "fault", "error", "refused", "accepted"}},
}

// expected reports whether an answer is of a kind that the family may get.
func (f family) expected(kind string) bool {
	return slices.ContainsFunc(f.kinds, func(k string) bool { return kind == k || strings.HasPrefix(kind, k+" ") })
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// size is a number whose logarithm is spread evenly from 1 to most.
func size(r *rand.Rand, most int) int {
	n := 1
	for n < most && r.IntN(8) > 0 {
		n *= 2 + r.IntN(4)
	}
	return min(n, most)
}

// graphOf is a graph with an input schema and nodes.
func graphOf(input string, nodes string) string {
	return fmt.Sprintf(`{"name":"t","description":"d","inputSchema":%s,"outputSchema":{},"nodes":[%s]}`, input, nodes)
}
