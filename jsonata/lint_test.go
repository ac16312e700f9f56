package jsonata

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
)

// lintNodes are the nodes that the tests know.
func lintNodes(id string) bool {
	switch id {
	case "a", "b", "my-node", "list", "node-1", "items", "name":
		return true
	}
	return false
}

// faults returns what is wrong or suspicious in src, as an author is told.
func faults(src string) []*Error {
	ast := &AST{}
	errs := ast.parse(src)
	if len(errs) > 0 {
		return errs
	}
	return Lint(ast, lintNodes)
}

// Each row is what an agent writes, what it is told first and what the repair
// makes of it; no code means that nothing is said.
func TestLint(t *testing.T) {
	type row struct{ src, at, code, message, hint, fixed string }
	tests := []row{
		{
			src: `a.x == 1`, at: `==`, code: `syntax`,
			message: `"==" is not an operator of JSONata`,
			hint:    `compare with "="`,
			fixed:   `a.x = 1`,
		},
		{
			src: `a.x === 1`, at: `===`, code: `syntax`,
			message: `"===" is not an operator of JSONata`,
			hint:    `compare with "="`,
			fixed:   `a.x = 1`,
		},
		{
			src: `a.x !== 1`, at: `!==`, code: `syntax`,
			message: `this is not how JSONata writes inequality`,
			hint:    `write "!="`,
			fixed:   `a.x != 1`,
		},
		{
			src: `a.x <> 1`, at: `<>`, code: `syntax`,
			message: `this is not how JSONata writes inequality`,
			hint:    `write "!="`,
			fixed:   `a.x != 1`,
		},
		{
			src: `a.x && b.y`, at: `&&`, code: `syntax`,
			message: `"&&" is not an operator of JSONata`,
			hint:    `write "and"`,
			fixed:   `a.x and b.y`,
		},
		{
			src: `a.x&&b.y`, at: `&&`, code: `syntax`,
			message: `"&&" is not an operator of JSONata`,
			hint:    `write "and"`,
			fixed:   `a.x and b.y`,
		},
		{
			src: `a.x || b.y`, at: `||`, code: `syntax`,
			message: `"||" is not an operator of JSONata`,
			hint:    `write "or"; for a default value write "?:" or "??"`,
			fixed:   `a.x or b.y`,
		},
		{
			src: `!a.x`, at: `!`, code: `syntax`,
			message: `"!" is not an operator of JSONata`,
			hint:    `write $not(…)`,
			fixed:   `$not(a.x)`,
		},
		{
			src: `!(a.x = 1)`, at: `!`, code: `syntax`,
			message: `"!" is not an operator of JSONata`,
			hint:    `write $not(…)`,
			fixed:   `$not(a.x = 1)`,
		},
		{
			src: `!!a.x`, at: `!`, code: `syntax`,
			message: `"!" is not an operator of JSONata`,
			hint:    `write $not(…)`,
			fixed:   `$not(!a.x)`,
		},
		{
			src: `a.x ? 1 : !b.y and true`, at: `!`, code: `syntax`,
			message: `"!" is not an operator of JSONata`,
			hint:    `write $not(…)`,
			fixed:   `a.x ? 1 : $not(b.y) and true`,
		},
		{
			src: `a?.x?.[0]?.y`, at: `?.`, code: `syntax`,
			message: `"?." is not needed in JSONata`,
			hint:    `a missing field is undefined, not an error: write "."`,
			fixed:   `a.x?.[0]?.y`,
		},
		{
			src: "`Hello ${a.name}!`", at: "`Hello ${a.name}!`", code: `template-text`,
			message: `backticks quote a name, they are not a template`,
			hint:    `join the parts with "&"`,
			fixed:   `("Hello " & a.name & "!")`,
		},
		{
			src: `"Hello ${a.name}, {{b.x}}"`, at: `"Hello ${a.name}, {{b.x}}"`, code: `template-text`,
			message: `a string is not a template: this stays as it is written`,
			hint:    `join the parts with "&"`,
			fixed:   `("Hello " & a.name & ", " & b.x)`,
		},
		{src: `"cost ${price}"`},
		{
			src: `{{ $.a.x }}`, at: `{{ $.a.x }}`, code: `syntax`,
			message: `"{{ }}" is not JSONata`,
			hint:    `the whole text is an expression: write it without braces`,
			fixed:   `$.a.x`,
		},
		{
			src: `${a.x}`, at: `${a.x}`, code: `syntax`,
			message: `"${ }" is not JSONata`,
			hint:    `the whole text is an expression: write it without "${" and "}"; join strings with "&"`,
			fixed:   `a.x`,
		},
		{
			src: `$.my-node.x`, at: `my-node`, code: `hyphenated-id`,
			message: `"my-node" is read as a subtraction`,
			hint:    "an id with \"-\" needs backticks: `my-node`",
			fixed:   "$.`my-node`.x",
		},
		{
			src: `my-node.x - 1`, at: `my-node`, code: `hyphenated-id`,
			message: `"my-node" is read as a subtraction`,
			hint:    "an id with \"-\" needs backticks: `my-node`",
			fixed:   "`my-node`.x - 1",
		},
		{
			src: `node-1.x`, at: `node-1`, code: `syntax`,
			message: `"1" cannot be a step of a path`,
			hint:    "a name with \"-\" needs backticks: `node-1`",
			fixed:   "`node-1`.x",
		},
		{
			src: `list.0.name`, at: `0`, code: `syntax`,
			message: `"0" cannot be a step of a path`,
			hint:    `the item at that position is written [0]`,
			fixed:   `list[0].name`,
		},
		{
			src: `a.x.length`, at: `length`, code: `length-field`,
			message: `"length" is read as a field`,
			hint:    `write $count(…) for the number of items, $length(…) for the number of characters`,
			fixed:   "",
		},
		{
			src: `a.x.length()`, at: `length`, code: `not-a-function`,
			message: `".length" is a field, and fields are not functions`,
			hint:    `write $count(items) or $length(text)`,
			fixed:   "",
		},
		{
			src: `items.map(v => v.price)`, at: `=>`, code: `syntax`,
			message: `"=>" is not JSONata`,
			hint:    `write function($x){ … }`,
			fixed:   `items.map(function($v){ $v.price })`,
		},
		{
			src: `items.map((v, i) => v.price * i)`, at: `=>`, code: `syntax`,
			message: `"=>" is not JSONata`,
			hint:    `write function($x){ … }`,
			fixed:   `items.map(function($v, $i){ $v.price * $i })`,
		},
		{
			src: `items.filter(x => x.ok).map(x => x.name)`, at: `=>`, code: `syntax`,
			message: `"=>" is not JSONata`,
			hint:    `write function($x){ … }`,
			fixed:   `items.filter(function($x){ $x.ok }).map(x => x.name)`,
		},
		{
			src: `items.map(function(v) { return v.price })`, at: `v`, code: `syntax`,
			message: `the parameters of a function are variables`,
			hint:    `write function($a, $b){ … }, and "$" at each use`,
			fixed:   `items.map(function($v) { return $v.price })`,
		},
		{
			src: `items.map(function(v) { v.price })`, at: `v`, code: `syntax`,
			message: `the parameters of a function are variables`,
			hint:    `write function($a, $b){ … }, and "$" at each use`,
			fixed:   `items.map(function($v) { $v.price })`,
		},
		{
			src: `items.map($v => { return $v.price; })`, at: `=>`, code: `syntax`,
			message: `"=>" is not JSONata`,
			hint:    `write function($x){ … }`,
			fixed:   `items.map(function($v){ return $v.price; })`,
		},
		{
			src: `items.filter(function($v){ $v.ok }).join(",")`, at: `filter`, code: `not-a-function`,
			message: `".filter(" calls a field, and fields are not functions`,
			hint:    `write $filter(x, …)`,
			fixed:   `$filter(items, function($v){ $v.ok }).join(",")`,
		},
		{
			src: `a.x.split(",")`, at: `split`, code: `not-a-function`,
			message: `".split(" calls a field, and fields are not functions`,
			hint:    `write $split(x, …)`,
			fixed:   `$split(a.x, ",")`,
		},
		{
			src: `"a,b".split(",")`, at: `split`, code: `not-a-function`,
			message: `".split(" calls a field, and fields are not functions`,
			hint:    `write $split(x, …)`,
			fixed:   `$split("a,b", ",")`,
		},
		{
			src: `a.x.toUpperCase()`, at: `toUpperCase`, code: `not-a-function`,
			message: `".toUpperCase(" calls a field, and fields are not functions`,
			hint:    `write $uppercase(x)`,
			fixed:   `$uppercase(a.x)`,
		},
		{
			src: `items.find(function($v){ $v.ok })`, at: `find`, code: `not-a-function`,
			message: `".find(" calls a field, and fields are not functions`,
			hint:    `write $filter(x, …)[0]`,
			fixed:   `$filter(items, function($v){ $v.ok })[0]`,
		},
		{
			src: `items.includes("x")`, at: `includes`, code: `not-a-function`,
			message: `".includes" is a field, and fields are not functions`,
			hint:    `write $contains(text, part) for a string, item in items for an array`,
			fixed:   "",
		},
		{
			src: `a.foo(1)`, at: `foo`, code: `not-a-function`,
			message: `".foo" is a field, and fields are not functions`,
			hint:    `functions are called with "$": $foo(…)`,
			fixed:   "",
		},
		{
			src: `count(items)`, at: `count`, code: `not-a-function`,
			message: `"count" is a field, and fields are not functions`,
			hint:    `write $count(…)`,
			fixed:   `$count(items)`,
		},
		{
			src: `conut(items)`, at: `conut`, code: `not-a-function`,
			message: `"conut" is a field, and fields are not functions`,
			hint:    `write $count(…)`,
			fixed:   "",
		},
		{
			src: `parseInt(a.x)`, at: `parseInt`, code: `not-a-function`,
			message: `"parseInt" is a field, and fields are not functions`,
			hint:    `write $number(…)`,
			fixed:   `$number(a.x)`,
		},
		{
			src: `Object.keys(a)`, at: `Object.keys`, code: `not-a-function`,
			message: `"Object.keys" is a field, and fields are not functions`,
			hint:    `write $keys(…)`,
			fixed:   `$keys(a)`,
		},
		{
			src: `JSON.stringify(a.x)`, at: `JSON.stringify`, code: `not-a-function`,
			message: `"JSON.stringify" is a field, and fields are not functions`,
			hint:    `write $string(…)`,
			fixed:   `$string(a.x)`,
		},
		{
			src: `Array.isArray(a.x)`, at: `Array.isArray`, code: `not-a-function`,
			message: `"Array.isArray" is a field, and fields are not functions`,
			hint:    `write $type(…) = "array"`,
			fixed:   `$type(a.x) = "array"`,
		},
		{
			src: `a.x === null`, at: `===`, code: `syntax`,
			message: `"===" is not an operator of JSONata`,
			hint:    `compare with "="`,
			fixed:   `a.x = null`,
		},
		{src: `a.x = null`},
		{
			src: `a.x = undefined`, at: `undefined`, code: `foreign-constant`,
			message: `"undefined" is read as a field`,
			hint:    `a missing value is undefined: test with $exists(…)`,
			fixed:   `$not($exists(a.x))`,
		},
		{
			src: `a.x !== undefined`, at: `!==`, code: `syntax`,
			message: `this is not how JSONata writes inequality`,
			hint:    `write "!="`,
			fixed:   `a.x != undefined`,
		},
		{
			src: `undefined`, at: `undefined`, code: `foreign-constant`,
			message: `"undefined" is read as a field`,
			hint:    `a missing value is undefined: test with $exists(…)`,
			fixed:   "",
		},
		{
			src: `a.x is None`, at: `is`, code: `syntax`,
			message: `expected an operator between "x" and "is"`,
			hint:    `compare with "="`,
			fixed:   `a.x = None`,
		},
		{
			src: `a.x = None`, at: `None`, code: `foreign-constant`,
			message: `"None" is read as a field`,
			hint:    `write null`,
			fixed:   `a.x = null`,
		},
		{
			src: `True`, at: `True`, code: `foreign-constant`,
			message: `"True" is read as a field`,
			hint:    `write true`,
			fixed:   `true`,
		},
		{
			src: `$now`, at: `$now`, code: `uncalled-function`,
			message: `"$now" is the function itself, not its result`,
			hint:    `write $now()`,
			fixed:   `$now()`,
		},
		{
			src: `{"t": $now}`, at: `$now`, code: `uncalled-function`,
			message: `"$now" is the function itself, not its result`,
			hint:    `write $now()`,
			fixed:   `{"t": $now()}`,
		},
		{
			src: `items.$count`, at: `$count`, code: `uncalled-function`,
			message: `"$count" is the function itself, not its result`,
			hint:    `write $count(…) around the path`,
			fixed:   `$count(items)`,
		},
		{
			src: `items.$uppercase`, at: `$uppercase`, code: `uncalled-function`,
			message: `"$uppercase" is the function itself, not its result`,
			hint:    `call it: .$uppercase()`,
			fixed:   `items.$uppercase()`,
		},
		{src: `$map(items, $uppercase)`},
		{
			src: `"n: " + a.x`, at: `+`, code: `string-plus`,
			message: `"+" adds numbers, and one side is text`,
			hint:    `join text with "&"`,
			fixed:   `"n: " & a.x`,
		},
		{
			src: `a.x + "!" + b.y`, at: `+`, code: `string-plus`,
			message: `"+" adds numbers, and one side is text`,
			hint:    `join text with "&"`,
			fixed:   `a.x & "!" & b.y`,
		},
		{
			src: `$string(a.x) + b.y`, at: `+`, code: `string-plus`,
			message: `"+" adds numbers, and one side is text`,
			hint:    `join text with "&"`,
			fixed:   `$string(a.x) & b.y`,
		},
		{src: `a.content[0].text`},
		{
			src: `return a.x`, at: `return`, code: `syntax`,
			message: `"return" is not a keyword of JSONata`,
			hint:    `the last expression is the result: remove it`,
			fixed:   `a.x`,
		},
		{
			src: `return {"x": a.x}`, at: `return`, code: `return`,
			message: `"return" is not a keyword of JSONata`,
			hint:    `the last expression is the result: remove it`,
			fixed:   `{"x": a.x}`,
		},
		{
			src: `let x = a.x; x + 1`, at: `let x`, code: `syntax`,
			message: `this is not how JSONata binds a variable`,
			hint:    `write ( $x := …; … ), and "$x" at each use`,
			fixed:   `$x := a.x; $x + 1`,
		},
		{
			src: `const total = $sum(items.price)`, at: `const total`, code: `syntax`,
			message: `this is not how JSONata binds a variable`,
			hint:    `write ( $x := …; … ), and "$x" at each use`,
			fixed:   `$total := $sum(items.price)`,
		},
		{
			src: `$x := a.x; $x + 1`, at: `;`, code: `syntax`,
			message: `";" separates expressions only inside parentheses`,
			hint:    `write ( …; … )`,
			fixed:   `($x := a.x; $x + 1)`,
		},
		{
			src: `a.x;`, at: `;`, code: `syntax`,
			message: `";" separates expressions only inside parentheses`,
			hint:    `write ( …; … )`,
			fixed:   `a.x`,
		},
		{
			src: `function(x) => x + 1`, at: `x`, code: `syntax`,
			message: `the parameters of a function are variables`,
			hint:    `write function($a, $b){ … }, and "$" at each use`,
			fixed:   `function($x) => $x + 1`,
		},
		{
			src: `''a'' & a.x`, at: `''a''`, code: `syntax`,
			message: `the quote is doubled: '' is the empty string`,
			hint:    `write "…", or each ' once; '' means ' only between YAML's own single quotes`,
			fixed:   `"a" & a.x`,
		},
		{
			src: `1 < a.x < 10`, at: `1 < a.x < 10`, code: `comparison-chain`,
			message: `comparisons do not chain: this compares a boolean with "10"`,
			hint:    `write a < b and b < c`,
			fixed:   `1 < a.x and a.x < 10`,
		},
		{
			src: `if a.x then 1 else 2`, at: `if`, code: `syntax`,
			message: `"if" is not a keyword of JSONata`,
			hint:    `write condition ? value : other`,
			fixed:   `(a.x ? 1 : 2)`,
		},
		{
			src: `if (a.x) 1 else 2`, at: `if`, code: `syntax`,
			message: `"if" is not a keyword of JSONata`,
			hint:    `write condition ? value : other`,
			fixed:   `((a.x) ? 1 : 2)`,
		},
		{
			src: `if (a.x > 1) { "a": 1 } else { "a": 2 }`, at: `if`, code: `syntax`,
			message: `"if" is not a keyword of JSONata`,
			hint:    `write condition ? value : other`,
			fixed:   `((a.x > 1) ? { "a": 1 } : { "a": 2 })`,
		},
		{
			src: `"n " & if a.x then 1 else 2`, at: `if`, code: `syntax`,
			message: `"if" is not a keyword of JSONata`,
			hint:    `write condition ? value : other`,
			fixed:   `"n " & (a.x ? 1 : 2)`,
		},
		{
			src: `1 if a.x else 2`, at: `if`, code: `syntax`,
			message: `expected an operator between "1" and "if"`,
			hint:    `write condition ? value : other`,
			fixed:   "",
		},
		{
			src: `"x" in "xyz"`, at: `"x" in "xyz"`, code: `in-string`,
			message: `"in" looks for an item of an array, not for a part of a string`,
			hint:    `write $contains(text, part)`,
			fixed:   `$contains("xyz", "x")`,
		},
		{
			src: `[1, 2,]`, at: `,`, code: `syntax`,
			message: `nothing follows the comma`,
			hint:    `remove it`,
			fixed:   `[1, 2]`,
		},
		{
			src: `{"a": 1,}`, at: `,`, code: `syntax`,
			message: `nothing follows the comma`,
			hint:    `remove it`,
			fixed:   `{"a": 1}`,
		},
		{
			src: `$sum(items,)`, at: `,`, code: `syntax`,
			message: `nothing follows the comma`,
			hint:    `remove it`,
			fixed:   `$sum(items)`,
		},
		{
			src: `{"a": 1 "b": 2}`, at: `"b"`, code: `syntax`,
			message: `expected "}" to close the "{" at 1:1, got "b"`,
			hint:    `put "," between two items; or join strings with "&"; a quote inside a string is written \" or \'`,
			fixed:   `{"a": 1, "b": 2}`,
		},
		{
			src: `[1 2]`, at: `2`, code: `syntax`,
			message: `expected "]" to close the "[" at 1:1, got "2"`,
			hint:    `put "," between two items; or put an operator between the two, such as "&" or "="`,
			fixed:   `[1, 2]`,
		},
		{
			src: `{a: 1, count: 2}`, at: `count`, code: `unquoted-key`,
			message: `the key "count" is not in quotes, so it is read from the context`,
			hint:    `write "count":`,
			fixed:   `{a: 1, "count": 2}`,
		},
		{
			src: `{count}`, at: `count`, code: `syntax`,
			message: `expected ":" and a value after the key, got "}"`,
			hint:    `write "count": count`,
			fixed:   `{"count": count}`,
		},
		{
			src: `{"a" = 1}`, at: `}`, code: `syntax`,
			message: `expected ":" and a value after the key, got "}"`,
			hint:    `write ":" between key and value`,
			fixed:   `{"a": 1}`,
		},
		{
			src: `($x = 1; $x)`, at: `=`, code: `assignment`,
			message: `"=" compares here, and the result is lost`,
			hint:    `bind with ":="`,
			fixed:   `($x := 1; $x)`,
		},
		{
			src: `items[1:3]`, at: `[1:3]`, code: `syntax`,
			message: `":" does not select a range of items`,
			hint:    `write x[[0..2]] for the first three`,
			fixed:   `items[[1..2]]`,
		},
		{
			src: `a.x ^ 2`, at: `^`, code: `syntax`,
			message: `this is not how JSONata raises to a power`,
			hint:    `write $power(base, exponent); "^" sorts: items^(price)`,
			fixed:   `$power(a.x, 2)`,
		},
		{
			src: `a.x ** 2 + 1`, at: `**`, code: `syntax`,
			message: `this is not how JSONata raises to a power`,
			hint:    `write $power(base, exponent); "^" sorts: items^(price)`,
			fixed:   `$power(a.x, 2) + 1`,
		},
		{
			src: `[...a, 1]`, at: `...`, code: `syntax`,
			message: `"..." is not an operator of JSONata`,
			hint:    `an array constructor flattens its items by itself; for objects write $merge([a, {…}])`,
			fixed:   `[a, 1]`,
		},
		{
			src: `{...a}`, at: `...`, code: `syntax`,
			message: `expected a value after "{", got "..."`,
			hint:    `an array constructor flattens its items by itself; for objects write $merge([a, {…}])`,
			fixed:   "",
		},
		{
			src: `not a.x`, at: `not`, code: `syntax`,
			message: `"not" is not an operator of JSONata`,
			hint:    `write $not(…)`,
			fixed:   `$not(a.x)`,
		},
		{
			src: `a.x not in b`, at: `not`, code: `syntax`,
			message: `expected an operator between "x" and "not"`,
			hint:    `negate the whole: $not(a in b), or write "!="`,
			fixed:   "",
		},
		{
			src: `.a.x`, at: `.`, code: `syntax`,
			message: `expected a value, got "."`,
			hint:    `a path starts with a name or with "$": remove the leading "."`,
			fixed:   `a.x`,
		},
		{
			src: `a.x | $count`, at: `|`, code: `syntax`,
			message: `unexpected "|" after the end of the expression`,
			hint:    `functions are chained with "~>": items ~> $count()`,
			fixed:   "",
		},
		{
			src: `$count(a.x`, at: ``, code: `syntax`,
			message: `expected ")" to close the "(" at 1:7, but the expression ends here`,
			hint:    ``,
			fixed:   `$count(a.x)`,
		},
		{
			src: `$count(a.x))`, at: `)`, code: `syntax`,
			message: `")" has no opening bracket`,
			hint:    `remove it, or open it before`,
			fixed:   `$count(a.x)`,
		},
		{
			src: `a.x // comment`, at: `//`, code: `syntax`,
			message: `"//" does not start a comment`,
			hint:    `comments are written /* like this */`,
			fixed:   `a.x /* comment */`,
		},
		{
			src: `a.first name`, at: `name`, code: `syntax`,
			message: `expected an operator between "first" and "name"`,
			hint:    "a name with blanks needs backticks: `first name`",
			fixed:   "",
		},
		{
			src: `“hello”`, at: `“hello”`, code: `curly-quotes`,
			message: `typographic quotes do not quote: "“hello”" is read as a field`,
			hint:    `use straight quotes: "…" or '…'`,
			fixed:   `"hello"`,
		},
		{
			src: `new Date()`, at: `new Date`, code: `syntax`,
			message: `"new" is not a keyword of JSONata`,
			hint:    `for the current time write $now() or $millis()`,
			fixed:   `$now()`,
		},
		{src: `$match(a.x, /(?=x)(?<y>x)\k<y>/)`},
		{
			src: `"\d+"`, at: `\d`, code: `syntax`,
			message: `"\d" is not an escape`,
			hint:    `write \\ for a backslash; the escapes are \" \\ \/ \b \f \n \r \t \uXXXX`,
			fixed:   `"\\d+"`,
		},
		{
			src: `(a, b)`, at: `(a, b)`, code: `syntax`,
			message: `"," does not separate expressions inside parentheses`,
			hint:    `an array is written [a, b]; a sequence of expressions ( a; b )`,
			fixed:   `[a, b]`,
		},
		{src: `$x = 1 ? 2 : 3`},
		{
			src: `a :b`, at: `:`, code: `syntax`,
			message: `unexpected ":" after the end of the expression`,
			hint:    `":" belongs in {"key": value} and in condition ? value : other`,
			fixed:   "",
		},
		{
			src: `[1..3`, at: ``, code: `syntax`,
			message: `expected "]" to close the "[" at 1:1, but the expression ends here`,
			hint:    ``,
			fixed:   `[1..3]`,
		},
		{
			src: `true false`, at: `false`, code: `syntax`,
			message: `expected an operator between "true" and "false"`,
			hint:    `put an operator between the two, such as "&" or "="`,
			fixed:   "",
		},
		{
			src: `a.x and`, at: ``, code: `syntax`,
			message: `expected a value after "and", but the expression ends here`,
			hint:    ``,
			fixed:   "",
		},
		{
			src: `,`, at: `,`, code: `syntax`,
			message: `expected a value, got ","`,
			hint:    ``,
			fixed:   "",
		},
		{
			src: `a.x /* one */ // two`, at: `//`, code: `syntax`,
			message: `"//" does not start a comment`,
			hint:    `comments are written /* like this */`,
			fixed:   `a.x /* one */ /* two */`,
		},
		{
			src: `// start`, at: `//`, code: `syntax`,
			message: `a regular expression cannot be empty`,
			hint:    `comments are written /* like this */`,
			fixed:   `/* start */`,
		},
		{
			src: `a.keys()`, at: `keys`, code: `not-a-function`,
			message: `".keys(" calls a field, and fields are not functions`,
			hint:    `write $keys(x)`,
			fixed:   `$keys(a)`,
		},
		{
			src: `λ($x){x.a}(1)`, at: `x`, code: `bare-variable`,
			message: `"x" is read as a field of the context, not as the parameter`,
			hint:    `write $x`,
			fixed:   `λ($x){$x.a}(1)`,
		},
	}
	for _, tt := range tests {
		got := row{src: tt.src}
		if errs := faults(tt.src); len(errs) > 0 {
			e := errs[0]
			got.at, got.code, got.message, got.hint = tt.src[e.Start:e.End], e.Code, e.Message, e.Hint
			if len(e.Edits) > 0 {
				got.fixed = diag.ApplyEdits(tt.src, e.Edits)
			}
		}
		if diff := cmp.Diff(tt, got, cmp.AllowUnexported(row{})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.src, diff)
		}
		repair(t, tt.src)
	}
}

// repair applies first repairs until none is left. Each must leave other faults
// than it found, and what is left at the end must be valid or have no repair.
func repair(t *testing.T, src string) {
	t.Helper()
	for text, round := src, 0; ; round++ {
		errs := faults(text)
		if len(errs) == 0 || len(errs[0].Edits) == 0 {
			return
		}
		if round > 10 {
			t.Errorf("%s: still repaired after %d rounds, to %s", src, round, text)
			return
		}
		text = diag.ApplyEdits(text, errs[0].Edits)
	}
}

// A repair that needs several rounds ends in what a JSONata author would write.
func TestLintRepairedToTheEnd(t *testing.T) {
	tests := []struct{ src, want string }{
		{`items.filter(x => x.ok && !x.gone).map(x => x.name + "!").join(", ")`, `$join($map($filter(items, function($x){ $x.ok and $not($x.gone) }), function($x){ $x.name & "!" }), ", ")`},
		{`let n = Object.keys(a).length; n == 1`, `($n := $count($keys(a)); $n = 1)`},
		{`if a?.x === undefined then "none" else "got " + a.x`, `($not($exists(a.x)) ? "none" : "got " & a.x)`},
		{`{count: items.map(i => { return i.n; }), "my": my-node.x,}`, `{"count": $map(items, function($i){ $i.n }), "my": ` + "`my-node`.x}"},
	}
	for _, tt := range tests {
		text := tt.src
		for range 20 {
			errs := faults(text)
			if len(errs) == 0 || len(errs[0].Edits) == 0 {
				break
			}
			text = diag.ApplyEdits(text, errs[0].Edits)
		}
		if text != tt.want {
			t.Errorf("%s\nis repaired to %s\nwant           %s", tt.src, text, tt.want)
		}
	}
}

func TestLintContent(t *testing.T) {
	tests := []struct{ src, want string }{
		{`$.a.content[0].text`, `$.a`},
		{`$count($split(a.content.text, "\n"))`, `$count($split(a, "\n"))`},
		{`$nodeExecution("a", -1).content[0].text & b.content[0].text`, `$nodeExecution("a", -1) & b.content[0].text`},
		{`a.content`, `a.content`},
	}
	for _, tt := range tests {
		ast, err := Parse(tt.src)
		if err != nil {
			t.Fatal(tt.src, err)
		}
		var edits []diag.TextEdit
		for _, e := range LintContent(ast, func(id string) bool { return id == "a" }) {
			edits = append(edits, e.Edits...)
		}
		if got := diag.ApplyEdits(tt.src, edits); got != tt.want {
			t.Errorf("%s is repaired to %s, want %s", tt.src, got, tt.want)
		}
	}
}

// The suite's expressions are written by people who know JSONata: what is said
// about them must be true.
func TestLintOnTheSuite(t *testing.T) {
	want := map[string]string{
		"function-count/case012":     lintConstant, // $count(undefined): a field of that name is missing
		"function-string/case018":    lintUncalled, // functions as values, to see what becomes of them
		"function-string/case027":    lintUncalled,
		"function-string/case028":    lintUncalled,
		"inclusion-operator/case006": lintIn,  // "hello" in "hello"
		"object-constructor/case026": lintKey, // $${id: …} over an array
	}
	for _, c := range conformance.Cases(t) {
		ast, err := Parse(c.Expr)
		if err != nil || c.Kind != "result" {
			continue
		}
		for _, e := range Lint(ast, nil) {
			if want[c.ID] != e.Code {
				t.Errorf("%s: %s: %s: %s", c.ID, c.Expr, e.Code, e.Message)
			}
		}
	}
}
