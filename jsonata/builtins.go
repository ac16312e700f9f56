package jsonata

import (
	"maps"
	"slices"
)

// Signatures are the functions that every expression can call, each with its
// signature in JSONata's notation: s string, n number, b boolean, l null, o
// object, a array, f function, j any JSON, x anything; ? optional, - the context
// when missing, + one or more; after ":" the result.
var Signatures = map[string]string{
	"abs": "<n-:n>", "append": "<xx:a>", "assert": "<bs?:x>", "average": "<a<n>:n>",
	"base64decode": "<s-:s>", "base64encode": "<s-:s>", "boolean": "<x-:b>",
	"ceil": "<n-:n>", "clone": "<x-:x>", "contains": "<s-(sf):b>", "count": "<a:n>",
	"decodeUrl": "<s-:s>", "decodeUrlComponent": "<s-:s>", "distinct": "<x:x>",
	"each": "<o-f:a>", "encodeUrl": "<s-:s>", "encodeUrlComponent": "<s-:s>", "error": "<s?:x>",
	"eval": "<sx?:x>", "exists": "<x:b>", "filter": "<af>", "floor": "<n-:n>",
	"formatBase": "<n-n?:s>", "formatInteger": "<n-s:s>", "formatNumber": "<n-so?:s>", "fromMillis": "<n-s?s?:s>",
	"join": "<a<s>s?:s>", "keys": "<x-:a<s>>", "length": "<s-:n>", "lookup": "<x-s:x>", "lowercase": "<s-:s>",
	"map": "<af>", "match": "<s-f<s:o>n?:a<o>>", "max": "<a<n>:n>", "merge": "<a<o>:o>", "millis": "<:n>", "min": "<a<n>:n>",
	"not": "<x-:b>", "now": "<s?s?:s>", "number": "<(nsb)-:n>", "pad": "<s-ns?:s>", "parseInteger": "<s-s:n>", "power": "<n-n:n>",
	"random": "<:n>", "reduce": "<afj?:j>", "replace": "<s-(sf)(sf)n?:s>", "reverse": "<a:a>", "round": "<n-n?:n>",
	"shuffle": "<a:a>", "sift": "<o-f?:o>", "single": "<af?>", "sort": "<af?:a>", "split": "<s-(sf)n?:a<s>>", "spread": "<x-:a<o>>",
	"sqrt": "<n-:n>", "string": "<x-b?:s>", "substring": "<s-nn?:s>", "substringAfter": "<s-s:s>", "substringBefore": "<s-s:s>",
	"sum": "<a<n>:n>", "toMillis": "<s-s?:n>", "trim": "<s-:s>", "type": "<x:s>", "uppercase": "<s-:s>", "zip": "<a+>",

	// a run's own
	"previousNode": "<n?:x>", ViaExecutionCount: "<s:n>", ViaNodeExecution: "<sn:x>", ViaNodeExecutions: "<s:a>",
}

// Builtins returns the names of all functions an expression can call, without
// "$", sorted.
func Builtins() []string { return slices.Sorted(maps.Keys(Signatures)) }
