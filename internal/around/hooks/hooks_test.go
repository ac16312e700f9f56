package hooks_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/around/hooks"
)

const given = `{"request":{"method":"tools/call","params":{"name":"t","arguments":{"n":9007199254740993,"q":"a","x":1.10}}},"metadata":{"nodeId":"h","shared":{}}}`

func TestScripts(t *testing.T) {
	pool := newPool(t, nil)
	tests := map[string]struct {
		script   string
		returned string // "" is undefined
		context  string // "" is as it was given
		failure  string
	}{
		"function":              {script: `function hook(context) { return {continue: true} }`, returned: `{"continue":true}`},
		"function of any name":  {script: `function check(c) { return c.request.method }`, returned: `"tools/call"`},
		"hook is not the last":  {script: "function hook(c) { return limit }\nconst limit = 3", returned: `3`},
		"async arrow":           {script: `async (context) => { await null; return 1 }`, returned: `1`},
		"arrow in parentheses":  {script: `((context) => ({a: 1}));`, returned: `{"a":1}`},
		"constant":              {script: `const hook = (context) => 2`, returned: `2`},
		"its name at the end":   {script: "const f = () => 2;\nf;", returned: `2`},
		"module":                {script: `export default function (context) { return 4 }`, returned: `4`},
		"module, async":         {script: "const one = 1;\nexport default async (context) => one", returned: `1`},
		"module, named":         {script: "const one = 1\nexport default check\nfunction check(context) { return one }", returned: `1`},
		"module, first":         {script: "export default function (context) { return one }\nconst one = 1", returned: `1`},
		"body":                  {script: `if (context.request.params.name === "t") return {continue: false}`, returned: `{"continue":false}`},
		"body that awaits":      {script: `return await Promise.resolve(5)`, returned: `5`},
		"body without return":   {script: `let x = 1; x + 1;`},
		"null":                  {script: `return null`, returned: `null`},
		"the context":           {script: `return context`, returned: given},
		"the request":           {script: `return {request: context.request}`, returned: `{"request":` + request + `}`},
		"sleep":                 {script: `await sleep(1); return "later"`, returned: `"later"`},
		"several sleeps":        {script: `const order = []; await Promise.all([5, 1, 3].map(async (n) => { await sleep(n); order.push(n) })); return order`, returned: `[1,3,5]`},
		"a change keeps others": {script: `context.request.params.arguments.q = "b"`, context: strings.Replace(given, `"q":"a"`, `"q":"b"`, 1)},
		"a change, returned":    {script: `context.request.params.arguments.q = "b"; return {continue: true, context}`, context: strings.Replace(given, `"q":"a"`, `"q":"b"`, 1), returned: `{"continue":true,"context":` + strings.Replace(given, `"q":"a"`, `"q":"b"`, 1) + `}`},
		"no require":            {script: `return [typeof require, typeof process, typeof fetch, typeof setTimeout, typeof module, typeof secrets]`, returned: `["undefined","undefined","undefined","undefined","undefined","undefined"]`},

		"throw":               {script: "let a = 1;\n  throw new Error('no é')", failure: "SCRIPT_ERROR: Error: no é at 2:9"},
		"type error":          {script: `null.x`, failure: "SCRIPT_ERROR: TypeError: Cannot read property 'x' of undefined at 1:6"},
		"after await":         {script: "await null;\nfunction f() { context.none.x }\nf()", failure: "SCRIPT_ERROR: TypeError: Cannot read property 'x' of undefined at 2:29"},
		"throw text":          {script: `throw "stop"`, failure: `SCRIPT_ERROR: the script has thrown stop`},
		"throw what throws":   {script: `throw {toJSON() { throw 1 }, toString() { throw 2 }}`, failure: `SCRIPT_ERROR: the script has thrown [object Object]`},
		"syntax":              {script: "const é = 1;\nconst é2 = ;", failure: "SCRIPT_ERROR: SyntaxError: Unexpected token ; at 2:12"},
		"unclosed":            {script: "if (true) {", failure: "SCRIPT_ERROR: SyntaxError: "},
		"closed too often":    {script: "}); (function() {", failure: "SCRIPT_ERROR: the script has a } without a {"},
		"import":              {script: `import fs from "fs"`, failure: "SCRIPT_ERROR: SyntaxError: "},
		"cyclic return":       {script: `const a = {}; a.a = a; return a`, failure: "SCRIPT_ERROR: what the script returns is not JSON: TypeError: Converting circular structure to JSON"},
		"cyclic context":      {script: `context.self = context`, failure: "SCRIPT_ERROR: the context, as the script has left it, is not JSON: TypeError: Converting circular structure to JSON"},
		"big integer":         {script: `return 1n`, failure: "SCRIPT_ERROR: what the script returns is not JSON: TypeError: Do not know how to serialize a BigInt"},
		"throwing getter":     {script: `return {get a() { throw new Error("mine") }}`, failure: "SCRIPT_ERROR: what the script returns is not JSON: Error: mine"},
		"throwing proxy":      {script: `return new Proxy({}, {ownKeys() { throw new Error("mine") }})`, failure: "SCRIPT_ERROR: what the script returns is not JSON: Error: mine"},
		"never settles":       {script: `await new Promise(() => {})`, failure: "TIMEOUT: the script waits for a promise that nothing can settle any more"},
		"deep recursion":      {script: `function f() { return f() } f(); return 1`, failure: "LIMIT: the script calls functions more than 1000 deep"},
		"recursion, awaited":  {script: `await null; function f() { return f() } f(); return 1`, failure: "LIMIT: "},
		"caught recursion":    {script: `function f() { return f() } try { f() } catch (e) { return "caught" }`, failure: "LIMIT: "},
		"prototype":           {script: `Object.prototype.toJSON = () => "all"; Array.prototype.join = null; JSON.stringify = () => "[]"; return {a: 1}`, returned: `"all"`},
		"prototype of parsed": {script: `return ({}).polluted === undefined && JSON.parse('{"__proto__": {"polluted": 1}}').polluted === undefined`, returned: `true`},
		"huge return":         {script: `return "x".repeat(9 << 20)`, failure: "LIMIT: the script "},
		"file of a map":       {script: "return eval('1\\n//# sourceMappingURL=/etc/passwd')", returned: `1`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			answer, err := pool.Run(t.Context(), &hooks.Job{Name: "h", Script: tt.script, Context: json.RawMessage(given), Timeout: time.Minute})
			if tt.failure != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.failure) {
					t.Errorf("got %v, %+v, expected %s", err, answer, tt.failure)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if tt.context == "" {
				tt.context = given
			}
			if string(answer.Returned) != tt.returned || string(answer.Context) != tt.context {
				t.Errorf("returned %s\nexpected %s\ncontext %s\nexpected %s", answer.Returned, tt.returned, answer.Context, tt.context)
			}
		})
	}
}

const request = `{"method":"tools/call","params":{"name":"t","arguments":{"n":9007199254740993,"q":"a","x":1.10}}}`

// What a script does to its world is not there for the next, also in the same process.
func TestNothingIsLeftForTheNextCall(t *testing.T) {
	pool := newPool(t, &hooks.Options{Workers: 1})
	script := `
const before = [globalThis.left, Object.prototype.left, Array.prototype.left, JSON.left, ({}).left, secrets.left, mark` + "``" + `, /x/g.lastIndex];
function mark(strings) { const was = strings[0]; try { strings[0] = strings.raw[0] = "left" } catch (e) {} try { Object.defineProperty(strings, 0, {value: "left"}) } catch (e) {} return was }
globalThis.left = Object.prototype.left = Array.prototype.left = JSON.left = secrets.left = 1;
context.left = 1;
return before`
	for range 3 {
		answer, err := pool.Run(t.Context(), &hooks.Job{Script: script, Context: json.RawMessage(`{}`), Secrets: map[string]string{"A": "b"}})
		if err != nil || string(answer.Returned) != `[null,null,null,null,null,null,"",0]` {
			t.Fatal(err, answer)
		}
	}
}

func TestSecrets(t *testing.T) {
	pool := newPool(t, nil)
	answer, err := pool.Run(t.Context(), &hooks.Job{Script: `return secrets.TOKEN`, Secrets: map[string]string{"TOKEN": "s3cret"}})
	if err != nil || string(answer.Returned) != `"s3cret"` {
		t.Error(err, answer)
	}
}

func TestCheck(t *testing.T) {
	const tooDeep = "the script is nested too deep, or calls functions too deep" // with the race detector, it takes too much memory
	pool := newPool(t, nil)
	for script, expected := range map[string]string{
		`while (true) {}`:              "",
		"let a;\nlet a;":               "SyntaxError: Identifier 'a' has already been declared at 2:5",
		"return 'é' ü!":                "SyntaxError: Unexpected identifier at 1:12",
		strings.Repeat("(", 1_000_000): tooDeep,
	} {
		f, err := pool.Check(t.Context(), script)
		if err != nil {
			t.Fatal(err)
		}
		message := ""
		if f != nil {
			message = f.Message
		}
		if message != expected && (expected != tooDeep || f.Code != hooks.Limit) {
			t.Errorf("%.30q: got %q, expected %q", script, message, expected)
		}
	}
	long := strings.Repeat(" ", hooks.MaxScript) + "1"
	if f, err := pool.Check(t.Context(), long); err != nil || f == nil || f.Code != hooks.Limit {
		t.Error(f, err)
	}
}

func TestTimeout(t *testing.T) {
	pool := newPool(t, nil)
	for _, script := range []string{`while (true) {}`, `await sleep(1e9)`, `for (;;) await null`, `[3, 2, 1].sort(() => { while (true) {} })`} {
		_, err := pool.Run(t.Context(), &hooks.Job{Script: script, Timeout: 20 * time.Millisecond})
		if f, ok := errors.AsType[*hooks.Failure](err); !ok || f.Code != hooks.Timeout {
			t.Errorf("%s: %v", script, err)
		}
	}
}
