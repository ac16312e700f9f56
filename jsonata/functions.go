package jsonata

import "math"

// table are the functions of the language, by area. Signatures are in JSONata's
// notation: s string, n number, b boolean, l null, o object, a array, f function, j any
// JSON, x anything; ? optional, - the context when missing, + one or more; after ":"
// the result.
var table = signed([]Builtin{
	// text
	{Name: "string", Args: "value, indented?", Signature: "<x-b?:s>", Doc: "the value as text; JSON is indented if the second argument is true", Area: AreaText, Result: ResultString, Cost: CostCounted, Steps: 4, call: callString},
	{Name: "length", Args: "text", Signature: "<s-:n>", Doc: "how many characters the text has", Area: AreaText, Result: ResultInteger, Cost: CostText, Each: 16, call: callLength},
	{Name: "substring", Args: "text, start, length?", Signature: "<s-nn?:s>", Doc: "the text from a position, of a length", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 2, Each: 8, call: callSubstring},
	{Name: "substringBefore", Args: "text, part", Signature: "<s-s:s>", Doc: "the text before the first occurrence of a string", Area: AreaText, Result: ResultString, Cost: CostText, Each: 128, call: substringBefore},
	{Name: "substringAfter", Args: "text, part", Signature: "<s-s:s>", Doc: "the text after the first occurrence of a string", Area: AreaText, Result: ResultString, Cost: CostText, Each: 128, call: substringAfter},
	{Name: "uppercase", Args: "text", Signature: "<s-:s>", Doc: "the text in upper case", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 2, Each: 2, call: callUppercase},
	{Name: "lowercase", Args: "text", Signature: "<s-:s>", Doc: "the text in lower case", Area: AreaText, Result: ResultString, Cost: CostText, Each: 2, call: callLowercase},
	{Name: "trim", Args: "text", Signature: "<s-:s>", Doc: "the text without white space at its ends, and with one space for each run of it inside", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 3, Each: 8, call: callTrim},
	{Name: "pad", Args: "text, width, characters?", Signature: "<s-ns?:s>", Doc: "the text padded to a width: on the right, or on the left if the width is negative", Area: AreaText, Result: ResultString, Cost: CostCounted, Steps: 8, call: callPad},
	{Name: "contains", Args: "text, pattern", Signature: "<s-(sf):b>", Doc: "whether the text contains a string or a match", Area: AreaText, Result: ResultBoolean, Cost: CostMatches, Steps: 2, Each: 128, call: callContains},
	{Name: "split", Args: "text, separator, limit?", Signature: "<s-(sf)n?:a<s>>", Doc: "the parts of the text between separators", Area: AreaText, Result: ResultSplit, Cost: CostMatches, Steps: 2, Each: 128, call: callSplit},
	{Name: "join", Args: "strings, separator?", Signature: "<a<s>s?:s>", Doc: "the strings in one, with a separator", Area: AreaText, Result: ResultString, Cost: CostItems, Steps: 4, Each: 1, call: callJoin},
	{Name: "match", Args: "text, pattern, limit?", Signature: "<s-(sf)n?:a<o>>", Doc: "the matches of a regular expression or a string", Area: AreaText, Result: ResultList, Cost: CostMatches, Steps: 6, Each: 128, call: callMatch},
	{Name: "replace", Args: "text, pattern, replacement, limit?", Signature: "<s-(sf)(sf)n?:s>", Doc: "the text with matches replaced", Area: AreaText, Result: ResultString, Cost: CostMatches, Steps: 8, Each: 128, call: callReplace},
	{Name: "lines", Args: "text", Signature: "<s-:a<s>>", Doc: "the lines of the text, without their ends", Area: AreaText, Result: ResultStrings, Cost: CostCounted, Own: true, call: callLines},
	{Name: "parseJson", Args: "text", Signature: "<s-:x>", Doc: "the value of JSON text", Area: AreaText, Result: ResultAnything, Cost: CostCounted, Steps: 20, Own: true, call: callParseJSON},
	{Name: "parseCsv", Args: "text, options?", Signature: "<s-o?:a<o>>", Doc: "the rows of CSV as objects of strings, named by the first row; options: separator (a comma), header (an array of names, or false for rows as arrays), trim", Area: AreaText, Result: ResultList, Cost: CostCounted, Steps: 40, Own: true, call: callParseCSV},
	{Name: "eval", Args: "expression, context?", Signature: "<sx?:x>", Doc: "the value of an expression in a string", Area: AreaText, Result: ResultAnything, Cost: CostCounted, Reads: ReadsExpression, call: callEval},
	{Name: "base64encode", Args: "text", Signature: "<s-:s>", Doc: "the text in base64", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 4, Each: 4, call: base64encode},
	{Name: "base64decode", Args: "text", Signature: "<s-:s>", Doc: "the text that base64 encodes", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 4, Each: 2, call: base64decode},
	{Name: "encodeUrl", Args: "url", Signature: "<s-:s>", Doc: "the URL with its special characters escaped", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 6, Each: 4, call: escape(unescapedURL)},
	{Name: "encodeUrlComponent", Args: "text", Signature: "<s-:s>", Doc: "the text escaped as a part of a URL", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 6, Each: 4, call: escape(unescapedComponent)},
	{Name: "decodeUrl", Args: "url", Signature: "<s-:s>", Doc: "the URL without escapes", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 8, Each: 8, call: unescape(";/?:@&=+$,#")},
	{Name: "decodeUrlComponent", Args: "text", Signature: "<s-:s>", Doc: "the part of a URL without escapes", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 8, Each: 8, call: unescape("")},

	// numbers
	{Name: "number", Args: "value", Signature: "<(nsb)-:n>", Doc: "the value as a number", Area: AreaNumbers, Result: ResultConverted, Cost: CostText, Steps: 8, Each: 4, call: callNumber},
	{Name: "abs", Args: "number", Signature: "<n-:n>", Doc: "the number without its sign", Area: AreaNumbers, Result: ResultSameNumber, Cost: CostCall, call: callNumeric(math.Abs)},
	{Name: "floor", Args: "number", Signature: "<n-:n>", Doc: "the number rounded down", Area: AreaNumbers, Result: ResultInteger, Cost: CostCall, call: callNumeric(math.Floor)},
	{Name: "ceil", Args: "number", Signature: "<n-:n>", Doc: "the number rounded up", Area: AreaNumbers, Result: ResultInteger, Cost: CostCall, call: callNumeric(math.Ceil)},
	{Name: "round", Args: "number, decimals?", Signature: "<n-n?:n>", Doc: "the number rounded to so many decimals, half to even", Area: AreaNumbers, Result: ResultRounded, Cost: CostCall, Steps: 10, call: callRound},
	{Name: "power", Args: "base, exponent", Signature: "<n-n:n>", Doc: "the number raised to a power", Area: AreaNumbers, Result: ResultNumber, Cost: CostCall, Steps: 6, call: callPower},
	{Name: "sqrt", Args: "number", Signature: "<n-:n>", Doc: "the square root", Area: AreaNumbers, Result: ResultNumber, Cost: CostCall, call: squareRoot},
	{Name: "random", Args: "", Signature: "<:n>", Doc: "a number from 0 up to 1", Area: AreaNumbers, Result: ResultNumber, Cost: CostCall, Varies: true, call: callRandom},
	{Name: "sum", Args: "numbers", Signature: "<a<n>:n>", Doc: "the sum of numbers", Area: AreaNumbers, Result: ResultSum, Cost: CostItems, Steps: 1, Each: 4, Asks: true, call: callSum},
	{Name: "average", Args: "numbers", Signature: "<a<n>:n>", Doc: "the mean of numbers", Area: AreaNumbers, Result: ResultNumberOrNothing, Cost: CostItems, Each: 4, call: callAverage},
	{Name: "max", Args: "numbers", Signature: "<a<n>:n>", Doc: "the largest number", Area: AreaNumbers, Result: ResultExtreme, Cost: CostItems, Each: 4, call: extreme(1)},
	{Name: "min", Args: "numbers", Signature: "<a<n>:n>", Doc: "the smallest number", Area: AreaNumbers, Result: ResultExtreme, Cost: CostItems, Each: 4, call: extreme(-1)},
	{Name: "formatNumber", Args: "number, picture, options?", Signature: "<n-so?:s>", Doc: "the number by a picture, such as \"#,##0.00\"", Area: AreaNumbers, Result: ResultString, Cost: CostCall, Steps: 45, call: callFormatNumber},
	{Name: "formatBase", Args: "number, base?", Signature: "<n-n?:s>", Doc: "the number in a base from 2 to 36", Area: AreaNumbers, Result: ResultString, Cost: CostCall, Steps: 4, call: callFormatBase},
	{Name: "formatInteger", Args: "number, picture", Signature: "<n-s:s>", Doc: "the whole number by a picture, such as \"#,##0\" or \"w\"", Area: AreaNumbers, Result: ResultString, Cost: CostCounted, Steps: 10, call: callFormatInteger},
	{Name: "parseInteger", Args: "text, picture", Signature: "<s-s:n>", Doc: "the whole number that a text shows by a picture", Area: AreaNumbers, Result: ResultNumber, Cost: CostCounted, Steps: 20, call: callParseInteger},

	// arrays
	{Name: "count", Args: "array", Signature: "<a:n>", Doc: "how many items the array has", Area: AreaArrays, Result: ResultInteger, Cost: CostCall, Asks: true, Total: true, always: true, call: callCount},
	{Name: "append", Args: "array, other", Signature: "<xx:a>", Doc: "the items of two arrays in one", Area: AreaArrays, Result: ResultAppended, Cost: CostCounted, Steps: 2, Asks: true, always: true, call: callAppend},
	{Name: "sort", Args: "array, function?", Signature: "<af?:a>", Doc: "the items in order, or in that of a function which says whether to swap two", Area: AreaArrays, Result: ResultItems, Cost: CostCounted, Callback: CallbackPair, call: callSort},
	{Name: "reverse", Args: "array", Signature: "<a:a>", Doc: "the items from last to first", Area: AreaArrays, Result: ResultItems, Cost: CostItems, Steps: 2, Each: 8, call: callReverse},
	{Name: "shuffle", Args: "array", Signature: "<a:a>", Doc: "the items in random order", Area: AreaArrays, Result: ResultItems, Cost: CostCounted, Varies: true, call: callShuffle},
	{Name: "distinct", Args: "array", Signature: "<x:x>", Doc: "the items without repetitions", Area: AreaArrays, Result: ResultSome, Cost: CostCounted, Steps: 14, call: callDistinct},
	{Name: "zip", Args: "array…", Signature: "<a+>", Doc: "arrays of the first items of all, of the second ones, and so on", Area: AreaArrays, Result: ResultList, Cost: CostCounted, Steps: 4, always: true, call: callZip},
	{Name: "flatten", Args: "array, depth?", Signature: "<an?:a>", Doc: "the items of the arrays in the array, to any depth or to the given one", Area: AreaArrays, Result: ResultList, Cost: CostCounted, Steps: 3, Own: true, call: callFlatten},
	{Name: "map", Args: "array, function", Signature: "<af>", Doc: "what a function returns for each item", Area: AreaArrays, Result: ResultList, Cost: CostCalls, Steps: 2, Callback: CallbackItem, call: callMap},
	{Name: "filter", Args: "array, function", Signature: "<af>", Doc: "the items for which a function holds", Area: AreaArrays, Result: ResultItems, Cost: CostCalls, Steps: 2, Callback: CallbackItem, call: callFilter},
	{Name: "single", Args: "array, function?", Signature: "<af?>", Doc: "the only item for which a function holds, or an error if there is none or another one", Area: AreaArrays, Result: ResultSome, Cost: CostCalls, Callback: CallbackItem, call: callSingle},
	{Name: "reduce", Args: "array, function, initial?", Signature: "<afj?:j>", Doc: "the result of calling a function with the result so far and the next item, for all items in turn", Area: AreaArrays, Result: ResultAnything, Cost: CostCalls, Callback: CallbackReduce, call: callReduce},

	// objects
	{Name: "keys", Args: "object", Signature: "<x-:a<s>>", Doc: "the keys of an object, or of all in an array", Area: AreaObjects, Result: ResultKeys, Cost: CostCounted, Steps: 4, always: true, call: callKeys},
	{Name: "lookup", Args: "object, key", Signature: "<x-s:x>", Doc: "the value of a key, also of each object in an array", Area: AreaObjects, Result: ResultMember, Cost: CostCounted, Reads: ReadsMember, call: callLookup},
	{Name: "merge", Args: "objects", Signature: "<a<o>:o>", Doc: "the objects in one; of equal keys the last counts", Area: AreaObjects, Result: ResultMerged, Cost: CostCounted, Steps: 3, Asks: true, call: callMerge},
	{Name: "spread", Args: "object", Signature: "<x-:a<o>>", Doc: "an object for each pair of an object", Area: AreaObjects, Result: ResultList, Cost: CostCounted, Steps: 2, call: callSpread},
	{Name: "each", Args: "object, function", Signature: "<o-f:a>", Doc: "what a function returns for each value and key of the object", Area: AreaObjects, Result: ResultList, Cost: CostCalls, Steps: 3, Callback: CallbackField, always: true, call: callEach},
	{Name: "sift", Args: "object, function", Signature: "<o-f:o>", lax: true, Doc: "the object with the pairs for which a function holds", Area: AreaObjects, Result: ResultAnything, Cost: CostCalls, Steps: 3, Callback: CallbackField, call: callSift},

	// any values
	{Name: "boolean", Args: "value", Signature: "<x-:b>", Doc: "whether the value counts as true", Area: AreaValues, Result: ResultBoolean, Cost: CostItems, Each: 8, Asks: true, call: callBoolean},
	{Name: "not", Args: "value", Signature: "<x-:b>", Doc: "whether the value counts as false", Area: AreaValues, Result: ResultBoolean, Cost: CostItems, Each: 8, Asks: true, call: callNot},
	{Name: "exists", Args: "value", Signature: "<x:b>", Doc: "whether there is a value", Area: AreaValues, Result: ResultBoolean, Cost: CostCall, Asks: true, Total: true, always: true, call: callExists},
	{Name: "type", Args: "value", Signature: "<x:s>", Doc: "the name of the value's type", Area: AreaValues, Result: ResultString, Cost: CostCall, Asks: true, call: callTypeName},
	{Name: "clone", Args: "value", Signature: "<(oa)-:o>", Doc: "a copy of an object or array", Area: AreaValues, Result: ResultAnything, Cost: CostCounted, always: true, call: callClone},
	{Name: "assert", Args: "condition, message?", Signature: "<bs?:x>", Doc: "an error with the message, unless the condition holds", Area: AreaValues, Result: ResultAnything, Cost: CostCall, always: true, call: callAssert},
	{Name: "error", Args: "message?", Signature: "<s?:x>", Doc: "an error with the message", Area: AreaValues, Result: ResultAnything, Cost: CostCall, always: true, call: callError},

	// time
	{Name: "now", Args: "picture?, timezone?", Signature: "<s?s?:s>", Doc: "the time as text by a picture", Area: AreaTime, Result: ResultString, Cost: CostCounted, Steps: 10, Varies: true, always: true, call: callNow},
	{Name: "millis", Args: "", Signature: "<:n>", Doc: "the time in milliseconds since 1970", Area: AreaTime, Result: ResultInteger, Cost: CostCall, Varies: true, call: callMillis},
	{Name: "fromMillis", Args: "milliseconds, picture?, timezone?", Signature: "<n-s?s?:s>", Doc: "the time, given in milliseconds since 1970, as text by a picture", Area: AreaTime, Result: ResultString, Cost: CostCounted, Steps: 10, call: callFromMillis},
	{Name: "toMillis", Args: "text, picture?", Signature: "<s-s?:n>", Doc: "the time of a text in milliseconds since 1970, by a picture", Area: AreaTime, Result: ResultNumberOrNothing, Cost: CostCounted, Steps: 30, call: callToMillis},

	// a run's own
	{Name: "previousNode", Args: "n?", Signature: "<n?:x>", Doc: "the output of the n-th last node execution, or of the last; undefined if there is none", Area: AreaRun, Result: ResultAnything, Cost: CostCall, Own: true, loose: true, Asks: true, Words: []string{"previous", "last"}, always: true, call: previousNode},
	{Name: ViaExecutionCount, Args: "id", Signature: "<s:n>", Doc: "how often a node has completed", Area: AreaRun, Result: ResultInteger, Cost: CostCall, Own: true, loose: true, Asks: true, Reads: ReadsNode, Words: []string{"runs", "iterations"}, always: true, call: executionCount},
	{Name: ViaNodeExecution, Args: "id, i", Signature: "<sn:x>", Doc: "the output of a node's i-th execution: 0 is the first, -1 the last; null if there is none", Area: AreaRun, Result: ResultOutput, Cost: CostCall, Own: true, loose: true, Asks: true, Reads: ReadsNode, always: true, call: nodeExecution},
	{Name: ViaNodeExecutions, Args: "id", Signature: "<s:a>", Doc: "all outputs of a node, in order", Area: AreaRun, Result: ResultOutputs, Cost: CostCounted, Own: true, loose: true, Asks: true, Reads: ReadsNode, Words: []string{"history", "executions", "steps"}, always: true, call: nodeExecutions},
})

// signed reads the signatures of rows.
func signed(rows []Builtin) []Builtin {
	for i := range rows {
		rows[i].params = parseSignature(rows[i].Signature)
	}
	return rows
}
