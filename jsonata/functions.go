package jsonata

// A builtin is one function of the language: what evaluation, checking, references and
// the documentation know of it.
type builtin struct {
	name      string
	signature string // in JSONata's notation
	arity     int    // how many values a function that calls it gives it
	varies    bool   // it answers differently each time, unless frozen
	doc       string // one line for authors
	call      func(e *Evaluator, args []any) any
	parsed    *signature
}

// builtins are the functions that every expression can call. The signatures are
// JSONata's: s string, n number, b boolean, l null, o object, a array, f function, j
// any JSON, x anything; ? optional, - the context when missing, + one or more; after
// ":" the result.
var builtins = signed([]builtin{
	{name: "abs", signature: "<n-:n>", arity: 1, doc: "the number without its sign", call: absolute},
	{name: "append", signature: "<xx:a>", arity: 2, doc: "the items of two arrays in one", call: appendOf},
	{name: "assert", signature: "<bs?:x>", arity: 2, doc: "an error with the message, unless the condition holds", call: assertOf},
	{name: "average", signature: "<a<n>:n>", arity: 1, doc: "the mean of numbers", call: averageOf},
	{name: "base64decode", signature: "<s-:s>", arity: 1, doc: "the text that base64 encodes", call: base64decode},
	{name: "base64encode", signature: "<s-:s>", arity: 1, doc: "the text in base64", call: base64encode},
	{name: "boolean", signature: "<x-:b>", arity: 1, doc: "whether the value counts as true", call: booleanOf},
	{name: "ceil", signature: "<n-:n>", arity: 1, doc: "the number rounded up", call: ceiling},
	{name: "clone", signature: "<x-:x>", arity: 1, doc: "a copy of the value", call: cloneOf},
	{name: "contains", signature: "<s-(sf):b>", arity: 2, doc: "whether the text contains a string or a match", call: containsOf},
	{name: "count", signature: "<a:n>", arity: 1, doc: "how many items the array has", call: countOf},
	{name: "decodeUrl", signature: "<s-:s>", arity: 1, doc: "the URL without escapes", call: decodeURL},
	{name: "decodeUrlComponent", signature: "<s-:s>", arity: 1, doc: "the part of a URL without escapes", call: decodeURLComponent},
	{name: "distinct", signature: "<x:x>", arity: 1, doc: "the items without repetitions", call: distinctOf},
	{name: "each", signature: "<o-f:a>", arity: 2, doc: "what a function returns for each value and key of the object", call: eachOf},
	{name: "encodeUrl", signature: "<s-:s>", arity: 1, doc: "the URL with its special characters escaped", call: encodeURL},
	{name: "encodeUrlComponent", signature: "<s-:s>", arity: 1, doc: "the text escaped as a part of a URL", call: encodeURLComponent},
	{name: "error", signature: "<s?:x>", arity: 1, doc: "an error with the message", call: errorOf},
	{name: "eval", signature: "<sx?:x>", arity: 2, doc: "the value of an expression in a string", call: evalOf},
	{name: "exists", signature: "<x:b>", arity: 1, doc: "whether there is a value", call: existsOf},
	{name: "filter", signature: "<af>", arity: 2, doc: "the items for which a function holds", call: filterOf},
	{name: "flatten", signature: "<an?:a>", arity: 2, doc: "the items of the arrays in the array, to any depth or to the given one", call: flattenOf},
	{name: "floor", signature: "<n-:n>", arity: 1, doc: "the number rounded down", call: floorOf},
	{name: "formatBase", signature: "<n-n?:s>", arity: 2, doc: "the number in a base from 2 to 36", call: formatBaseOf},
	{name: "formatInteger", signature: "<n-s:s>", arity: 2, doc: "the whole number by a picture, such as \"#,##0\" or \"w\"", call: formatIntegerOf},
	{name: "formatNumber", signature: "<n-so?:s>", arity: 3, doc: "the number by a picture, such as \"#,##0.00\"", call: formatNumberOf},
	{name: "fromMillis", signature: "<n-s?s?:s>", arity: 3, doc: "the time, given in milliseconds since 1970, as text by a picture", call: fromMillisOf},
	{name: "join", signature: "<a<s>s?:s>", arity: 2, doc: "the strings in one, with a separator", call: joinOf},
	{name: "keys", signature: "<x-:a<s>>", arity: 1, doc: "the keys of an object, or of all in an array", call: keysOf},
	{name: "length", signature: "<s-:n>", arity: 1, doc: "how many characters the text has", call: lengthOf},
	{name: "lines", signature: "<s-:a<s>>", arity: 1, doc: "the lines of the text, without their ends", call: linesOf},
	{name: "lookup", signature: "<x-s:x>", arity: 2, doc: "the value of a key, also of each object in an array", call: lookupOf},
	{name: "lowercase", signature: "<s-:s>", arity: 1, doc: "the text in lower case", call: lowercaseOf},
	{name: "map", signature: "<af>", arity: 2, doc: "what a function returns for each item", call: mapOf},
	{name: "match", signature: "<s-(sf)n?:a<o>>", arity: 3, doc: "the matches of a regular expression or a string", call: matchOf},
	{name: "max", signature: "<a<n>:n>", arity: 1, doc: "the largest number", call: maximum},
	{name: "merge", signature: "<a<o>:o>", arity: 1, doc: "the objects in one; of equal keys the last counts", call: mergeOf},
	{name: "millis", signature: "<:n>", arity: 0, varies: true, doc: "the time in milliseconds since 1970", call: millisOf},
	{name: "min", signature: "<a<n>:n>", arity: 1, doc: "the smallest number", call: minimum},
	{name: "not", signature: "<x-:b>", arity: 1, doc: "whether the value counts as false", call: notOf},
	{name: "now", signature: "<s?s?:s>", arity: 2, varies: true, doc: "the time as text by a picture", call: nowOf},
	{name: "number", signature: "<(nsb)-:n>", arity: 1, doc: "the value as a number", call: numberOf},
	{name: "pad", signature: "<s-ns?:s>", arity: 3, doc: "the text made so long, on the right, or on the left for a negative length", call: padOf},
	{name: "parseCsv", signature: "<s-o?:a<o>>", arity: 2, doc: "the rows of CSV as objects; options: separator, header, trim", call: parseCSVOf},
	{name: "parseInteger", signature: "<s-s:n>", arity: 2, doc: "the whole number that a text shows by a picture", call: parseIntegerOf},
	{name: "parseJson", signature: "<s-:x>", arity: 1, doc: "the value of JSON text", call: parseJSONOf},
	{name: "power", signature: "<n-n:n>", arity: 2, doc: "the number raised to a power", call: powerOf},
	{name: "random", signature: "<:n>", arity: 0, varies: true, doc: "a number from 0 up to 1", call: randomOf},
	{name: "reduce", signature: "<afj?:j>", arity: 3, doc: "what a function makes of the result so far and each item", call: reduceOf},
	{name: "replace", signature: "<s-(sf)(sf)n?:s>", arity: 4, doc: "the text with matches replaced", call: replaceOf},
	{name: "reverse", signature: "<a:a>", arity: 1, doc: "the items from last to first", call: reverseOf},
	{name: "round", signature: "<n-n?:n>", arity: 2, doc: "the number rounded to so many decimals, half to even", call: roundOf},
	{name: "shuffle", signature: "<a:a>", arity: 1, varies: true, doc: "the items in random order", call: shuffleOf},
	{name: "sift", signature: "<o-f:o>", arity: 2, doc: "the object with the pairs for which a function holds", call: siftOf},
	{name: "single", signature: "<af?>", arity: 2, doc: "the only item for which a function holds", call: singleOf},
	{name: "sort", signature: "<af?:a>", arity: 2, doc: "the items in order, or in that of a function which says whether to swap two", call: sortOf},
	{name: "split", signature: "<s-(sf)n?:a<s>>", arity: 3, doc: "the parts of the text between separators", call: splitOf},
	{name: "spread", signature: "<x-:a<o>>", arity: 1, doc: "an object for each pair of an object", call: spreadOf},
	{name: "sqrt", signature: "<n-:n>", arity: 1, doc: "the square root", call: squareRoot},
	{name: "string", signature: "<x-b?:s>", arity: 1, doc: "the value as text, indented with true", call: stringOf},
	{name: "substring", signature: "<s-nn?:s>", arity: 3, doc: "the text from a position, of a length", call: substringOf},
	{name: "substringAfter", signature: "<s-s:s>", arity: 2, doc: "the text after the first occurrence of a string", call: substringAfter},
	{name: "substringBefore", signature: "<s-s:s>", arity: 2, doc: "the text before the first occurrence of a string", call: substringBefore},
	{name: "sum", signature: "<a<n>:n>", arity: 1, doc: "the sum of numbers", call: sumOf},
	{name: "toMillis", signature: "<s-s?:n>", arity: 2, doc: "the time of a text in milliseconds since 1970, by a picture", call: toMillisOf},
	{name: "trim", signature: "<s-:s>", arity: 1, doc: "the text without blanks at its ends, and single ones inside", call: trimOf},
	{name: "type", signature: "<x:s>", arity: 1, doc: "the name of the value's type", call: typeNameOf},
	{name: "uppercase", signature: "<s-:s>", arity: 1, doc: "the text in upper case", call: uppercaseOf},
	{name: "zip", signature: "<a+>", arity: 0, doc: "arrays of the first items of all, of the second ones, and so on", call: zipOf},

	// a run's own
	{name: "previousNode", signature: "<n?:x>", arity: 1, doc: "the output of the n-th last node execution", call: previousNode},
	{name: ViaExecutionCount, signature: "<s:n>", arity: 1, doc: "how often a node has completed", call: executionCount},
	{name: ViaNodeExecution, signature: "<sn:x>", arity: 2, doc: "the output of a node's i-th execution", call: nodeExecution},
	{name: ViaNodeExecutions, signature: "<s:a>", arity: 1, doc: "all outputs of a node", call: nodeExecutions},
})

// unchecked are the functions that see to their arguments themselves.
var unchecked = map[string]bool{"previousNode": true, ViaExecutionCount: true, ViaNodeExecution: true, ViaNodeExecutions: true}

// signed reads the signatures.
func signed(rows []builtin) []builtin {
	for i := range rows {
		if !unchecked[rows[i].name] {
			rows[i].parsed = parseSignature(rows[i].signature)
		}
	}
	return rows
}
