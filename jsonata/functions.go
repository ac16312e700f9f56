package jsonata

import "math"

// table are the functions of the language, by area. Signatures are in JSONata's
// notation: s string, n number, b boolean, l null, o object, a array, f function, j any
// JSON, x anything; ? optional, - the context when missing, + one or more; after ":"
// the result.
var table = signed([]Builtin{
	// text
	{
		Name: "string", Args: "value, indented?", Signature: "<x-b?:s>", Doc: "the value as text; JSON is indented if the second argument is true", Area: AreaText, Result: ResultString, Cost: CostCounted, Steps: 4, call: callString,
		Examples: `$string(1.50) → "1.5" · $string({"a": [1]}) → "{\"a\":[1]}" · $string(missing) → undefined`,
	},
	{
		Name: "length", Args: "text", Signature: "<s-:n>", Doc: "how many characters the text has", Area: AreaText, Result: ResultInteger, Cost: CostText, Each: 16, call: callLength,
		Examples: `$length("text") → 4 · $length("😀") → 1 · $length("") → 0`,
	},
	{
		Name: "substring", Args: "text, start, length?", Signature: "<s-nn?:s>", Doc: "the text from a position, of a length", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 2, Each: 8, call: callSubstring,
		Examples: `$substring("text", 1, 2) → "ex" · $substring("text", -2) → "xt" · $substring("text", 9) → ""`,
	},
	{
		Name: "substringBefore", Args: "text, part", Signature: "<s-s:s>", Doc: "the text before the first occurrence of a string", Area: AreaText, Result: ResultString, Cost: CostText, Each: 128, call: substringBefore,
		Examples: `$substringBefore("a=b=c", "=") → "a" · $substringBefore("abc", "x") → "abc" · $substringBefore("abc", "") → ""`,
	},
	{
		Name: "substringAfter", Args: "text, part", Signature: "<s-s:s>", Doc: "the text after the first occurrence of a string", Area: AreaText, Result: ResultString, Cost: CostText, Each: 128, call: substringAfter,
		Examples: `$substringAfter("a=b=c", "=") → "b=c" · $substringAfter("abc", "x") → "abc" · $substringAfter("abc", "c") → ""`,
	},
	{
		Name: "uppercase", Args: "text", Signature: "<s-:s>", Doc: "the text in upper case", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 2, Each: 2, call: callUppercase,
		Examples: `$uppercase("Été") → "ÉTÉ" · $uppercase("ß") → "SS" · $uppercase(1) → T0410`,
	},
	{
		Name: "lowercase", Args: "text", Signature: "<s-:s>", Doc: "the text in lower case", Area: AreaText, Result: ResultString, Cost: CostText, Each: 2, call: callLowercase,
		Examples: `$lowercase("ÉTÉ") → "été" · ["A", "B"].$lowercase() → ["a","b"] · $lowercase("") → ""`,
	},
	{
		Name: "trim", Args: "text", Signature: "<s-:s>", Doc: "the text without white space at its ends, and with one space for each run of it inside", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 3, Each: 8, call: callTrim,
		Examples: `$trim(" a\n b ") → "a b" · $trim(" ") → "" · $trim(missing) → undefined`,
	},
	{
		Name: "pad", Args: "text, width, characters?", Signature: "<s-ns?:s>", Doc: "the text padded to a width: on the right, or on the left if the width is negative", Area: AreaText, Result: ResultString, Cost: CostCounted, Steps: 8, call: callPad,
		Examples: `$pad("7", 3, ".") → "7.." · $pad("7", -3, "0") → "007" · $pad("long", 2) → "long"`,
	},
	{
		Name: "contains", Args: "text, pattern", Signature: "<s-(sf):b>", Doc: "whether the text contains a string or a match", Area: AreaText, Result: ResultBoolean, Cost: CostMatches, Steps: 2, Each: 128, call: callContains,
		Examples: `$contains("tea pot", "pot") → true · $contains("Tea", /tea/i) → true · $contains("tea", "") → true`,
	},
	{
		Name: "split", Args: "text, separator, limit?", Signature: "<s-(sf)n?:a<s>>", Doc: "the parts of the text between separators", Area: AreaText, Result: ResultSplit, Cost: CostMatches, Steps: 2, Each: 128, call: callSplit,
		Examples: `$split("a, b", ", ") → ["a","b"] · $split("a1b22c", /[0-9]+/) → ["a","b","c"] · $split("", ",") → [""]`,
	},
	{
		Name: "join", Args: "strings, separator?", Signature: "<a<s>s?:s>", Doc: "the strings in one, with a separator", Area: AreaText, Result: ResultString, Cost: CostItems, Steps: 4, Each: 1, call: callJoin,
		Examples: `$join(["a", "b"], "-") → "a-b" · $join("a", "-") → "a" · $join([]) → ""`,
	},
	{
		Name: "match", Args: "text, pattern, limit?", Signature: "<s-(sf)n?:a<o>>", Doc: "the matches of a regular expression or a string", Area: AreaText, Result: ResultList, Cost: CostMatches, Steps: 6, Each: 128, call: callMatch,
		Examples: `$match("a1 b2", /[a-z]([0-9])/).groups → ["1","2"] · $match("abab", /b/, 1).index → 1 · $match("ab", /x/) → undefined`,
	},
	{
		Name: "replace", Args: "text, pattern, replacement, limit?", Signature: "<s-(sf)(sf)n?:s>", Doc: "the text with matches replaced", Area: AreaText, Result: ResultString, Cost: CostMatches, Steps: 8, Each: 128, call: callReplace,
		Examples: `$replace("a-b-c", "-", "+", 1) → "a+b-c" · $replace("x12", /([0-9])/, "<$1>") → "x<1><2>" · $replace("ab", "", "x") → D3010`,
	},
	{
		Name: "lines", Args: "text", Signature: "<s-:a<s>>", Doc: "the lines of the text, without their ends", Area: AreaText, Result: ResultStrings, Cost: CostCounted, Own: true, call: callLines,
		Examples: `$lines("a\r\nb\n") → ["a","b"] · $lines("one") → ["one"] · $lines("") → []`,
	},
	{
		Name: "parseJson", Args: "text", Signature: "<s-:x>", Doc: "the value of JSON text", Area: AreaText, Result: ResultAnything, Cost: CostCounted, Steps: 20, Own: true, call: callParseJSON,
		Examples: `$parseJson("{\"a\": [1]}").a → [1] · $parseJson("null") → null · $parseJson("") → D3150`,
	},
	{
		Name: "parseCsv", Args: "text, options?", Signature: "<s-o?:a<o>>", Doc: "the rows of CSV as objects of strings, named by the first row; options: separator (a comma), header (an array of names, or false for rows as arrays), trim", Area: AreaText, Result: ResultList, Cost: CostCounted, Steps: 40, Own: true, call: callParseCSV,
		Examples: `$parseCsv("id,n\na,1") → [{"id":"a","n":"1"}] · $parseCsv("a;b", {"separator": ";", "header": false}) → [["a","b"]] · $parseCsv("") → []`,
	},
	{
		Name: "eval", Args: "expression, context?", Signature: "<sx?:x>", Doc: "the value of an expression in a string", Area: AreaText, Result: ResultAnything, Cost: CostCounted, Reads: ReadsExpression, call: callEval,
		Examples: `$eval("1 + 1") → 2 · $eval("a", {"a": 1}) → 1 · $eval("1 +") → D3120`,
	},
	{
		Name: "base64encode", Args: "text", Signature: "<s-:s>", Doc: "the text in base64", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 4, Each: 4, call: base64encode,
		Examples: `$base64encode("text") → "dGV4dA==" · $base64encode("€") → "4oKs" · $base64encode("") → ""`,
	},
	{
		Name: "base64decode", Args: "text", Signature: "<s-:s>", Doc: "the text that base64 encodes", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 4, Each: 2, call: base64decode,
		Examples: `$base64decode("dGV4dA==") → "text" · $base64decode("4oKs") → "€" · $base64decode("/w==") → not-utf-8`,
	},
	{
		Name: "encodeUrl", Args: "url", Signature: "<s-:s>", Doc: "the URL with its special characters escaped", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 6, Each: 4, call: escape(unescapedURL),
		Examples: `$encodeUrl("https://a/é b?c=d") → "https://a/%C3%A9%20b?c=d" · $encodeUrl("a%20b") → "a%2520b" · $encodeUrl("") → ""`,
	},
	{
		Name: "encodeUrlComponent", Args: "text", Signature: "<s-:s>", Doc: "the text escaped as a part of a URL", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 6, Each: 4, call: escape(unescapedComponent),
		Examples: `$encodeUrlComponent("a/b?c=d") → "a%2Fb%3Fc%3Dd" · $encodeUrlComponent("é") → "%C3%A9" · $encodeUrlComponent("") → ""`,
	},
	{
		Name: "decodeUrl", Args: "url", Signature: "<s-:s>", Doc: "the URL without escapes", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 8, Each: 8, call: unescape(";/?:@&=+$,#"),
		Examples: `$decodeUrl("https://a/%C3%A9%20b") → "https://a/é b" · $decodeUrl("a%2Fb") → "a%2Fb" · $decodeUrl("%") → D3140`,
	},
	{
		Name: "decodeUrlComponent", Args: "text", Signature: "<s-:s>", Doc: "the part of a URL without escapes", Area: AreaText, Result: ResultString, Cost: CostText, Steps: 8, Each: 8, call: unescape(""),
		Examples: `$decodeUrlComponent("a%2Fb") → "a/b" · $decodeUrlComponent("a+b") → "a+b" · $decodeUrlComponent("%E9") → D3140`,
	},

	// numbers
	{
		Name: "number", Args: "value", Signature: "<(nsb)-:n>", Doc: "the value as a number", Area: AreaNumbers, Result: ResultConverted, Cost: CostText, Steps: 8, Each: 4, call: callNumber,
		Examples: `$number("1.5") → 1.5 · $number(true) → 1 · $number("1,5") → D3030`,
	},
	{
		Name: "abs", Args: "number", Signature: "<n-:n>", Doc: "the number without its sign", Area: AreaNumbers, Result: ResultSameNumber, Cost: CostCall, call: callNumeric(math.Abs),
		Examples: `$abs(-1.5) → 1.5 · $abs(0) → 0 · $abs("1") → T0410`,
	},
	{
		Name: "floor", Args: "number", Signature: "<n-:n>", Doc: "the number rounded down", Area: AreaNumbers, Result: ResultInteger, Cost: CostCall, call: callNumeric(math.Floor),
		Examples: `$floor(1.5) → 1 · $floor(-1.5) → -2 · $floor(missing) → undefined`,
	},
	{
		Name: "ceil", Args: "number", Signature: "<n-:n>", Doc: "the number rounded up", Area: AreaNumbers, Result: ResultInteger, Cost: CostCall, call: callNumeric(math.Ceil),
		Examples: `$ceil(1.5) → 2 · $ceil(-1.5) → -1 · $ceil(missing) → undefined`,
	},
	{
		Name: "round", Args: "number, decimals?", Signature: "<n-n?:n>", Doc: "the number rounded to so many decimals, half to even", Area: AreaNumbers, Result: ResultRounded, Cost: CostCall, Steps: 10, call: callRound,
		Examples: `$round(2.345, 2) → 2.34 · $round(2.5) → 2 · $round(1250, -2) → 1200`,
	},
	{
		Name: "power", Args: "base, exponent", Signature: "<n-n:n>", Doc: "the number raised to a power", Area: AreaNumbers, Result: ResultNumber, Cost: CostCall, Steps: 6, call: callPower,
		Examples: `$power(2, 10) → 1024 · $power(4, 0.5) → 2 · $power(-1, 0.5) → D3061`,
	},
	{
		Name: "sqrt", Args: "number", Signature: "<n-:n>", Doc: "the square root", Area: AreaNumbers, Result: ResultNumber, Cost: CostCall, call: squareRoot,
		Examples: `$sqrt(16) → 4 · $sqrt(0) → 0 · $sqrt(-1) → D3060`,
	},
	{
		Name: "random", Args: "", Signature: "<:n>", Doc: "a number from 0 up to 1", Area: AreaNumbers, Result: ResultNumber, Cost: CostCall, Varies: true, call: callRandom,
		Examples: `$floor($random()) → 0 · $random() < 1 → true · $type($random()) → "number"`,
	},
	{
		Name: "sum", Args: "numbers", Signature: "<a<n>:n>", Doc: "the sum of numbers", Area: AreaNumbers, Result: ResultSum, Cost: CostItems, Steps: 1, Each: 4, Asks: true, call: callSum,
		Examples: `$sum([1, 2.5]) → 3.5 · $sum([]) → 0 · $sum(missing) → undefined`,
	},
	{
		Name: "average", Args: "numbers", Signature: "<a<n>:n>", Doc: "the mean of numbers", Area: AreaNumbers, Result: ResultNumberOrNothing, Cost: CostItems, Each: 4, call: callAverage,
		Examples: `$average([1, 2]) → 1.5 · $average([]) → undefined · $average(["1"]) → T0412`,
	},
	{
		Name: "max", Args: "numbers", Signature: "<a<n>:n>", Doc: "the largest number", Area: AreaNumbers, Result: ResultExtreme, Cost: CostItems, Each: 4, call: extreme(1),
		Examples: `$max([1, 3, 2]) → 3 · $max(4) → 4 · $max([]) → undefined`,
	},
	{
		Name: "min", Args: "numbers", Signature: "<a<n>:n>", Doc: "the smallest number", Area: AreaNumbers, Result: ResultExtreme, Cost: CostItems, Each: 4, call: extreme(-1),
		Examples: `$min([1, 3, 2]) → 1 · $min(4) → 4 · $min([]) → undefined`,
	},
	{
		Name: "formatNumber", Args: "number, picture, options?", Signature: "<n-so?:s>", Doc: "the number by a picture, such as \"#,##0.00\"", Area: AreaNumbers, Result: ResultString, Cost: CostCall, Steps: 45, call: callFormatNumber,
		Examples: `$formatNumber(1234.5, "#,##0.00") → "1,234.50" · $formatNumber(-0.5, "0%") → "-50%" · $formatNumber(1, "#;0;0") → D3080`,
	},
	{
		Name: "formatBase", Args: "number, base?", Signature: "<n-n?:s>", Doc: "the number in a base from 2 to 36", Area: AreaNumbers, Result: ResultString, Cost: CostCall, Steps: 4, call: callFormatBase,
		Examples: `$formatBase(255, 16) → "ff" · $formatBase(2.5) → "2" · $formatBase(1, 99) → D3100`,
	},
	{
		Name: "formatInteger", Args: "number, picture", Signature: "<n-s:s>", Doc: "the whole number by a picture, such as \"#,##0\" or \"w\"", Area: AreaNumbers, Result: ResultString, Cost: CostCounted, Steps: 10, call: callFormatInteger,
		Examples: `$formatInteger(2026, "I") → "MMXXVI" · $formatInteger(21, "w;o") → "twenty-first" · $formatInteger(-7, "000") → "-007"`,
	},
	{
		Name: "parseInteger", Args: "text, picture", Signature: "<s-s:n>", Doc: "the whole number that a text shows by a picture", Area: AreaNumbers, Result: ResultNumber, Cost: CostCounted, Steps: 20, call: callParseInteger,
		Examples: `$parseInteger("1,234", "#,##0") → 1234 · $parseInteger("twelve", "w") → 12 · $parseInteger("MM", "I") → 2000`,
	},

	// arrays
	{
		Name: "count", Args: "array", Signature: "<a:n>", Doc: "how many items the array has", Area: AreaArrays, Result: ResultInteger, Cost: CostCall, Asks: true, Total: true, always: true, call: callCount,
		Examples: `$count([1, 2]) → 2 · $count("one") → 1 · $count(missing) → 0`,
	},
	{
		Name: "append", Args: "array, other", Signature: "<xx:a>", Doc: "the items of two arrays in one", Area: AreaArrays, Result: ResultAppended, Cost: CostCounted, Steps: 2, Asks: true, always: true, call: callAppend,
		Examples: `$append([1], [2, 3]) → [1,2,3] · $append(1, 2) → [1,2] · $append(missing, 2) → 2`,
	},
	{
		Name: "sort", Args: "array, function?", Signature: "<af?:a>", Doc: "the items in order, or in that of a function which says whether to swap two", Area: AreaArrays, Result: ResultItems, Cost: CostCounted, Callback: CallbackPair, call: callSort,
		Examples: `$sort([3, 1, 2]) → [1,2,3] · $sort(["b", "a"], function($l, $r) { $l < $r }) → ["b","a"] · $sort([1, "a"]) → D3070`,
	},
	{
		Name: "reverse", Args: "array", Signature: "<a:a>", Doc: "the items from last to first", Area: AreaArrays, Result: ResultItems, Cost: CostItems, Steps: 2, Each: 8, call: callReverse,
		Examples: `$reverse([1, 2, 3]) → [3,2,1] · $reverse(1) → [1] · $reverse([]) → []`,
	},
	{
		Name: "shuffle", Args: "array", Signature: "<a:a>", Doc: "the items in random order", Area: AreaArrays, Result: ResultItems, Cost: CostCounted, Varies: true, call: callShuffle,
		Examples: `$sort($shuffle([3, 1, 2])) → [1,2,3] · $count($shuffle([1..9])) → 9 · $shuffle(1) → [1]`,
	},
	{
		Name: "distinct", Args: "array", Signature: "<x:x>", Doc: "the items without repetitions", Area: AreaArrays, Result: ResultSome, Cost: CostCounted, Steps: 14, call: callDistinct,
		Examples: `$distinct([1, 2, 1]) → [1,2] · $distinct([{"a": 1}, {"a": 1}]) → [{"a":1}] · $distinct("a") → "a"`,
	},
	{
		Name: "zip", Args: "array…", Signature: "<a+>", Doc: "arrays of the first items of all, of the second ones, and so on", Area: AreaArrays, Result: ResultList, Cost: CostCounted, Steps: 4, always: true, call: callZip,
		Examples: `$zip([1, 2], ["a", "b"]) → [[1,"a"],[2,"b"]] · $zip([1, 2], ["a"]) → [[1,"a"]] · $zip(1, missing) → []`,
	},
	{
		Name: "flatten", Args: "array, depth?", Signature: "<an?:a>", Doc: "the items of the arrays in the array, to any depth or to the given one", Area: AreaArrays, Result: ResultList, Cost: CostCounted, Steps: 3, Own: true, call: callFlatten,
		Examples: `$flatten([1, [2, [3]]]) → [1,2,3] · $flatten([1, [2, [3]]], 1) → [1,2,[3]] · $flatten([]) → []`,
	},
	{
		Name: "map", Args: "array, function", Signature: "<af>", Doc: "what a function returns for each item", Area: AreaArrays, Result: ResultList, Cost: CostCalls, Steps: 2, Callback: CallbackItem, call: callMap,
		Examples: `$map([1, 2], function($v) { $v * 10 }) → [10,20] · $map([1], function($v) { $v }) → 1 · $map([], $string) → undefined`,
	},
	{
		Name: "filter", Args: "array, function", Signature: "<af>", Doc: "the items for which a function holds", Area: AreaArrays, Result: ResultItems, Cost: CostCalls, Steps: 2, Callback: CallbackItem, call: callFilter,
		Examples: `$filter([1, 2, 3], function($v) { $v > 1 }) → [2,3] · $filter([1, 2], function($v) { $v > 1 }) → 2 · $filter([1], function($v) { $v > 1 }) → undefined`,
	},
	{
		Name: "single", Args: "array, function?", Signature: "<af?>", Doc: "the only item for which a function holds, or an error if there is none or another one", Area: AreaArrays, Result: ResultSome, Cost: CostCalls, Callback: CallbackItem, call: callSingle,
		Examples: `$single([1, 2], function($v) { $v > 1 }) → 2 · $single([7]) → 7 · $single([1, 2]) → D3138`,
	},
	{
		Name: "reduce", Args: "array, function, initial?", Signature: "<afj?:j>", Doc: "the result of calling a function with the result so far and the next item, for all items in turn", Area: AreaArrays, Result: ResultAnything, Cost: CostCalls, Callback: CallbackReduce, call: callReduce,
		Examples: `$reduce([1, 2, 3], function($sum, $v) { $sum + $v }) → 6 · $reduce([], function($sum, $v) { $sum + $v }, 0) → 0 · $reduce([1], function($v) { $v }) → D3050`,
	},

	// objects
	{
		Name: "keys", Args: "object", Signature: "<x-:a<s>>", Doc: "the keys of an object, or of all in an array", Area: AreaObjects, Result: ResultKeys, Cost: CostCounted, Steps: 4, always: true, call: callKeys,
		Examples: `$keys({"a": 1, "b": 2}) → ["a","b"] · $keys({"a": 1}) → "a" · $keys({}) → undefined`,
	},
	{
		Name: "lookup", Args: "object, key", Signature: "<x-s:x>", Doc: "the value of a key, also of each object in an array", Area: AreaObjects, Result: ResultMember, Cost: CostCounted, Reads: ReadsMember, call: callLookup,
		Examples: `$lookup({"a b": 1}, "a b") → 1 · $lookup([{"a": 1}, {"a": 2}], "a") → [1,2] · $lookup({}, "a") → undefined`,
	},
	{
		Name: "merge", Args: "objects", Signature: "<a<o>:o>", Doc: "the objects in one; of equal keys the last counts", Area: AreaObjects, Result: ResultMerged, Cost: CostCounted, Steps: 3, Asks: true, call: callMerge,
		Examples: `$merge([{"a": 1, "b": 1}, {"b": 2}]) → {"a":1,"b":2} · $merge({"a": 1}) → {"a":1} · $merge([]) → {}`,
	},
	{
		Name: "spread", Args: "object", Signature: "<x-:a<o>>", Doc: "an object for each pair of an object", Area: AreaObjects, Result: ResultList, Cost: CostCounted, Steps: 2, call: callSpread,
		Examples: `$spread({"a": 1, "b": 2}) → [{"a":1},{"b":2}] · $spread([{"a": 1}, {"b": 2}]) → [{"a":1},{"b":2}] · $spread({}) → undefined`,
	},
	{
		Name: "each", Args: "object, function", Signature: "<o-f:a>", Doc: "what a function returns for each value and key of the object", Area: AreaObjects, Result: ResultList, Cost: CostCalls, Steps: 3, Callback: CallbackField, always: true, call: callEach,
		Examples: `$each({"a": 1, "b": 2}, function($v, $k) { $k & $v }) → ["a1","b2"] · $each({"a": 1}, function($v) { $v }) → 1 · $each({}, $string) → undefined`,
	},
	{
		Name: "sift", Args: "object, function", Signature: "<o-f:o>", lax: true, Doc: "the object with the pairs for which a function holds", Area: AreaObjects, Result: ResultAnything, Cost: CostCalls, Steps: 3, Callback: CallbackField, call: callSift,
		Examples: `$sift({"a": 1, "b": 2}, function($v) { $v > 1 }) → {"b":2} · $sift({"a": 1, "b": 2}, function($v, $k) { $k = "a" }) → {"a":1} · $sift({"a": 1}, function($v) { $v > 1 }) → undefined`,
	},

	// any values
	{
		Name: "boolean", Args: "value", Signature: "<x-:b>", Doc: "whether the value counts as true", Area: AreaValues, Result: ResultBoolean, Cost: CostItems, Each: 8, Asks: true, call: callBoolean,
		Examples: `$boolean("x") → true · $boolean([0, 0]) → false · $boolean(missing) → undefined`,
	},
	{
		Name: "not", Args: "value", Signature: "<x-:b>", Doc: "whether the value counts as false", Area: AreaValues, Result: ResultBoolean, Cost: CostItems, Each: 8, Asks: true, call: callNot,
		Examples: `$not(0) → true · $not("x") → false · $not(missing) → undefined`,
	},
	{
		Name: "exists", Args: "value", Signature: "<x:b>", Doc: "whether there is a value", Area: AreaValues, Result: ResultBoolean, Cost: CostCall, Asks: true, Total: true, always: true, call: callExists,
		Examples: `$exists([]) → true · $exists(null) → true · $exists(missing) → false`,
	},
	{
		Name: "type", Args: "value", Signature: "<x:s>", Doc: "the name of the value's type", Area: AreaValues, Result: ResultString, Cost: CostCall, Asks: true, call: callTypeName,
		Examples: `$type([1]) → "array" · $type(null) → "null" · $type(missing) → undefined`,
	},
	{
		Name: "clone", Args: "value", Signature: "<(oa)-:o>", Doc: "a copy of an object or array", Area: AreaValues, Result: ResultAnything, Cost: CostCounted, always: true, call: callClone,
		Examples: `$clone({"a": [1]}) → {"a":[1]} · $clone([1, 2]) → [1,2] · $clone(1) → T0410`,
	},
	{
		Name: "assert", Args: "condition, message?", Signature: "<bs?:x>", Doc: "an error with the message, unless the condition holds", Area: AreaValues, Result: ResultAnything, Cost: CostCall, always: true, call: callAssert,
		Examples: `$assert(1 < 2, "order") → undefined · $assert(1 > 2, "order") → D3141 · $assert("true") → T0410`,
	},
	{
		Name: "error", Args: "message?", Signature: "<s?:x>", Doc: "an error with the message", Area: AreaValues, Result: ResultAnything, Cost: CostCall, always: true, call: callError,
		Examples: `$error("no price") → D3137 · $error() → D3137 · false ? $error("never") → undefined`,
	},

	// time
	{
		Name: "now", Args: "picture?, timezone?", Signature: "<s?s?:s>", Doc: "the time as text by a picture", Area: AreaTime, Result: ResultString, Cost: CostCounted, Steps: 10, Varies: true, always: true, call: callNow,
		Examples: `$now() = $fromMillis($millis()) → true · $length($now("[Y0001]-[M01]-[D01]")) → 10 · $now("[Z]", "nowhere") → time-zone`,
	},
	{
		Name: "millis", Args: "", Signature: "<:n>", Doc: "the time in milliseconds since 1970", Area: AreaTime, Result: ResultInteger, Cost: CostCall, Varies: true, call: callMillis,
		Examples: `$millis() = $toMillis($now()) → true · $type($millis()) → "number" · $millis() - $millis() → 0`,
	},
	{
		Name: "fromMillis", Args: "milliseconds, picture?, timezone?", Signature: "<n-s?s?:s>", Doc: "the time, given in milliseconds since 1970, as text by a picture", Area: AreaTime, Result: ResultString, Cost: CostCounted, Steps: 10, call: callFromMillis,
		Examples: `$fromMillis(0) → "1970-01-01T00:00:00.000Z" · $fromMillis(1718000000000, "[D1o] [MNn] [Y], [H01]:[m01]", "Europe/Berlin") → "10th June 2024, 08:13" · $fromMillis(0, "[H01]:[m01] [Z]", "-0530") → "18:30 -05:30"`,
	},
	{
		Name: "toMillis", Args: "text, picture?", Signature: "<s-s?:n>", Doc: "the time of a text in milliseconds since 1970, by a picture", Area: AreaTime, Result: ResultNumberOrNothing, Cost: CostCounted, Steps: 30, call: callToMillis,
		Examples: `$toMillis("1970-01-02") → 86400000 · $toMillis("2/3/2020", "[D]/[M]/[Y]") → 1583107200000 · $toMillis("soon", "[Y]") → undefined`,
	},

	// a run's own
	{
		Name: "previousNode", Args: "n?", Signature: "<n?:x>", Doc: "the output of the n-th last node execution, or of the last; undefined if there is none", Area: AreaRun, Result: ResultAnything, Cost: CostCall, Own: true, loose: true, Asks: true, Words: []string{"previous", "last"}, always: true, call: previousNode,
		Examples: `$previousNode() → 6 · $previousNode(3) → 1 · $previousNode(9) → undefined`,
	},
	{
		Name: ViaExecutionCount, Args: "id", Signature: "<s:n>", Doc: "how often a node has completed", Area: AreaRun, Result: ResultInteger, Cost: CostCall, Own: true, loose: true, Asks: true, Reads: ReadsNode, Words: []string{"runs", "iterations"}, always: true, call: executionCount,
		Examples: `$executionCount("add") → 3 · $executionCount("other") → 0 · $executionCount("add") > 5 → false`,
	},
	{
		Name: ViaNodeExecution, Args: "id, i", Signature: "<sn:x>", Doc: "the output of a node's i-th execution: 0 is the first, -1 the last; null if there is none", Area: AreaRun, Result: ResultOutput, Cost: CostCall, Own: true, loose: true, Asks: true, Reads: ReadsNode, always: true, call: nodeExecution,
		Examples: `$nodeExecution("add", 0) → 1 · $nodeExecution("add", -1) → 6 · $nodeExecution("add", 9) → null`,
	},
	{
		Name: ViaNodeExecutions, Args: "id", Signature: "<s:a>", Doc: "all outputs of a node, in order", Area: AreaRun, Result: ResultOutputs, Cost: CostCounted, Own: true, loose: true, Asks: true, Reads: ReadsNode, Words: []string{"history", "executions", "steps"}, always: true, call: nodeExecutions,
		Examples: `$nodeExecutions("add") → [1,3,6] · $sum($nodeExecutions("add")) → 10 · $nodeExecutions("other") → []`,
	},
})

// signed reads the signatures of rows.
func signed(rows []Builtin) []Builtin {
	for i := range rows {
		rows[i].params = parseSignature(rows[i].Signature)
	}
	return rows
}
