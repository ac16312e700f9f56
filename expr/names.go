package expr

import "slices"

// functionNames are JSONata's built-in functions (docs.jsonata.org, function
// library 2.x) and Patchbay's history functions, sorted.
var functionNames = []string{
	"abs", "append", "assert", "average", "base64decode", "base64encode", "boolean", "ceil", "contains", "count",
	"decodeUrl", "decodeUrlComponent", "distinct", "each", "encodeUrl", "encodeUrlComponent", "error", "eval",
	"executionCount", "exists", "filter", "floor", "formatBase", "formatInteger", "formatNumber", "fromMillis", "join",
	"keys", "length", "lookup", "lowercase", "map", "match", "max", "merge", "millis", "min", "nodeExecution",
	"nodeExecutions", "not", "now", "number", "pad", "parseInteger", "power", "previousNode", "random", "reduce",
	"replace", "reverse", "round", "shuffle", "sift", "single", "sort", "split", "spread", "sqrt", "string",
	"substring", "substringAfter", "substringBefore", "sum", "toMillis", "trim", "type", "uppercase", "zip",
}

// Functions returns the names of the functions every expression may call, sorted
// and without their $.
func Functions() []string { return slices.Clone(functionNames) }

// IsFunction reports whether every expression may call a function of the name.
func IsFunction(name string) bool {
	_, found := slices.BinarySearch(functionNames, name)
	return found
}
