package codein_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/codein"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
)

// functions are bodies of functions of input, with calls.
var functions = []string{
	`const d = await tools.s.get({ a: input.a, b: input.missing });
	return d.objs.filter(o => o.n > input.a).map(o => o.k);`,
	`let who = "nobody", n = 0;
	if (input.a > 1) {
		const p = await tools.s.put({ a: input.a });
		who = p.ok ? "put " + p.id : "failed";
		n++;
	} else if (input.b === "x") {
		who = input.b;
	}
	return { who, n };`,
	`if (!input.b) return null;
	const d = await tools.s.get({ q: ` + "`${input.b}!`" + ` });
	if (d.arr3.length > 2) { await tools.s.put({ list: d.arr3 }); }
	return { first: d.arr3[0], l: [d.arr1, d.arr0] };`,
	`switch (input.b) {
		case "x": { const p = await tools.s.put({ x: 1 }); return p.id; }
		case "y": return "why";
		default: throw new Error("bad " + input.b);
	}`,
	`const p = input.a > 1 ? await tools.s.put({ a: 1 }) : await tools.s.get({ b: 1 });
	return p;`,
	`const p = (input.a > 1 && await tools.s.put({ a: 1 })) || await tools.s.get({});
	return { p };`,
	`const total = (await tools.s.put({ i: 1 })).id + (await tools.s.put({ i: 2 })).id;
	return total;`,
	`const twice = x => x * 2, label = (n, unit = "kg") => { const t = twice(n); return t > 4 ? t + unit : "light"; };
	const { objs, one } = await tools.s.get({});
	let sum = one;
	sum += twice(objs[0].n);
	return { sum, labels: objs.map(o => label(o.n)), all: { ...objs[1], extra: true } };`,
	`const r = await tools.s.any({ a: input.a });
	if (typeof r.x === "string") return r.x.toUpperCase();
	return r;`,
	`await tools.s.none({});
	return 1;`,
	"const a = input.b ?? 'none', b = `${a}-${a}`.slice(1);\n\tawait tools.s.put({ text: \"${a} {{b}}\" });\n\treturn b + `{{${a}}} ${\"${b}\"}`;",
	`let x = input.a;
	{ let x = 5; x = 6; }
	if (input.b === "x") { let x = 9; x += 1; }
	return x;`,
}

// TestFunctions: a function makes the same calls in a graph as in Node, and returns the
// same.
func TestFunctions(t *testing.T) {
	tools := func(get string) map[string]json.RawMessage {
		return map[string]json.RawMessage{"get": json.RawMessage(get), "put": json.RawMessage(`{"ok":true,"id":7}`), "any": json.RawMessage(`{"x":"text","l":[[1]]}`)}
	}
	var plays []play
	for _, body := range functions {
		code := "/*\ninputSchema: {type: object, properties: {a: {type: number}, b: {type: string}}}\n*/\nexport default async function f(input) {\n\t" + body + "\n}"
		for _, input := range []string{`{}`, `{"a":1}`, `{"a":2,"b":"x"}`, `{"a":0,"b":"y"}`, `{"b":"x"}`, `{"b":""}`, `{"a":2.5,"b":"z"}`} {
			plays = append(plays, play{Code: code, Input: json.RawMessage(input), Tools: tools(data)})
		}
	}
	compare(t, plays, false)
	var sound []play
	for _, p := range plays {
		if strings.Contains(string(p.Input), `"a"`) && strings.Contains(string(p.Input), `"b"`) {
			sound = append(sound, p)
		}
	}
	compare(t, sound, true)
}

// files are the functions of testdata/functions, with the inputs that their last lines say.
func files(t *testing.T) (plays []play) {
	t.Helper()
	list, err := filepath.Glob("testdata/functions/*.js")
	if err != nil || len(list) == 0 {
		t.Fatalf("no functions: %v", err)
	}
	for _, file := range list {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if input, ok := strings.CutPrefix(line, "// input "); ok {
				plays = append(plays, play{Code: string(b), Input: json.RawMessage(input)})
			}
		}
	}
	return plays
}

// TestFiles: functions with loops, errors and calls at the same time do in a graph what
// they do in Node.
func TestFiles(t *testing.T) { compare(t, files(t), true) }

// TestFilesResumed: a run that stops after every few steps and is resumed makes the same
// calls, each once, and has the same result.
func TestFilesResumed(t *testing.T) {
	plays := files(t)
	for i := range plays {
		plays[i].Every = 1 + i%5
	}
	compare(t, plays, true)
}

// TestFilesOverWrongData: with answers that break their schemas, the same or a failed run.
func TestFilesOverWrongData(t *testing.T) {
	var plays []play
	for _, p := range files(t) {
		for i := range 12 {
			for j, v := range []any{nil, "text", "5", 7.0, true, []any{}, map[string]any{}, []any{[]any{1.0}}} {
				p.Damage = []any{i, v}
				if (i+j)%9 == 0 || os.Getenv("PATCHBAY_CODE_ALL") != "" {
					plays = append(plays, p)
				}
			}
			if p.Damage = []any{i}; i%3 == 0 {
				plays = append(plays, p)
			}
		}
	}
	t.Log(len(plays), "plays")
	compare(t, plays, false)
}

// TestRefusals: what is not supported is refused where it stands, with what to write instead.
func TestRefusals(t *testing.T) {
	for body, want := range map[string]string{
		"for (const k in input.o) {}\n  return 1;":                        "2:3 for … in is not supported",
		"return input.a + input.b;":                                       "2:10 + adds numbers and joins text, and input.a is of a type that no schema says",
		"const xs = input.xs;\n  xs.push(1);\n  return xs;":               "3:3 xs may have a second name: it was input.xs on line 2",
		"const r = tools.s.get({});\n  return r;":                         "2:13 a call without await has a promise as its result",
		"const c = await tools.s.get({}).catch(() => null);\n  return c;": "2:19 this call cannot be awaited",
		"return await Promise.allSettled([tools.s.get({})]);":             "2:16 this call cannot be awaited",
		"return input.xs.split(/a*/);":                                    "2:25 this pattern may match nothing",
		"let b = null;\n  b.n = 1;\n  return b;":                          "3:3 b is of type null, expected object",
		"return await Promise.all(input.xs.map(async x => {\n  await sleep(1);\n  const d = await tools.s.get({});\n  return d.none;\n}));": "5:3 what is returned may be undefined",
		"return input.xs.map(async x => await tools.s.get({}));":                                                                            "2:23 a helper that makes calls is not supported",
		"let n = 0;\n  return input.xs.map(x => { n = x; return n; });":                                                                     "3:23 a change of the outer variable n",
		"const f = n => n > 0 ? f(n - 1) : 0;\n  return f(3);":                                                                              "2:26 a function that calls itself is not supported",
		"return input.a == 1;": "2:10 == converts its sides",
		"return 1 +;":          "2:13 Unexpected token ;",
		"const d = await tools.s.get({});\n  return d.one.toUpperCase();": "3:10 d.one is of type number, expected string",
		"const d = await tools.s.bad({});\n  return d;":                   "2:19 unknown tool \"bad\"",
		"return input.xs.sort();":                                         "2:10 without a function, sort compares items as text",
		"return new Map();":                                               "2:10 new is not supported",
		"var x = 1;\n  return x;":                                         "2:3 var is not supported",
		"return " + strings.Repeat("!", 300) + "1;":                       "the code is nested more than 200 levels deep",
		"const a = x => x + x * 1, b = x => a(a(a(a(x)))), c = x => b(b(b(b(x)))), d = x => c(c(c(c(x))));\n  const e = x => d(d(d(d(x)))), g = x => e(e(e(e(x))));\n  return g(g(g(g(g(1)))));": "this becomes an expression of more than",
		"const ys = [1], o = { ys };\n  ys.push(2);\n  return o;":                                       "3:3 ys has a second name since line 2",
		"const r = [];\n  for (const x of input.xs) { const o = {}; r.push(o); o.x = 1; }\n  return r;": "3:56 o.x has a second name since line 3",
		"const q = [1];\n  for (const x of q) { q.push(x); }\n  return q;":                              "3:24 q has a second name since line 3",
		"const a = input.xs.map(x => String(x));\n  const b = a.sort();\n  return [a, b];":              "3:13 a.sort() changes its list, which is read on line 4",
		"return [1, , 2];":       "2:10 a hole in a list is not supported",
		"return {}.constructor;": "2:10 the field \"constructor\" is not supported",
	} {
		code := codein.Compile("export default async function f(input) {\n  "+body+"\n}", engine.Env{Tools: &server{}})
		if len(code.Found) != 1 {
			t.Errorf("%s\n%d findings, want %s", body, len(code.Found), want)
			continue
		}
		d := code.Found[0]
		place, message, _ := strings.Cut(want, " ")
		if strings.Contains(place, ":") && place != at(d) || !strings.Contains(d.Message, strings.TrimPrefix(message, place)) && !strings.Contains(d.Message, want) {
			t.Errorf("%s\n got %s %s\nwant %s", body, at(d), d.Message, want)
		}
	}
}

func at(d *diag.Diagnostic) string {
	b, _ := json.Marshal(d.Range.Start.Line)
	c, _ := json.Marshal(d.Range.Start.Column)
	return string(b) + ":" + string(c)
}

// TestSchemas: what nobody wrote is inferred. The input has the fields that are read, with the
// types that tools want of them; the output has the types that schemas and operators say.
func TestSchemas(t *testing.T) {
	for text, want := range map[string]string{
		"f({ id, text, on }) {\n  const r = await tools.s.note({ id, text });\n  if (on) await tools.s.note({ id: on });\n  return { ok: r.ok, n: [id].length, list: [\"a\"].map(x => ({ x })) };\n}": `"inputSchema":{"properties":{"id":{"type":"integer"},"on":{"type":"integer"},"text":{"type":"string"}},"required":["id"],"type":"object"},` +
			`"outputSchema":{"properties":{"list":{"items":{"properties":{"x":{"type":"string"}},"required":["x"],"type":"object"},"type":"array"},"n":{"type":"integer"},"ok":{"type":"boolean"}},"required":["list","n","ok"],"type":"object"}`,
		"f() {\n  const d = await tools.s.get({});\n  if (d.one > 1) return null;\n  return { none: d.none, any: d.open };\n}": `"inputSchema":{"properties":{},"type":"object"},"outputSchema":{"properties":{"any":{},"none":{"type":"string"}},"type":["null","object"]}`,
		"f(input) {\n  return input;\n}": `"inputSchema":{"properties":{},"type":"object"},"outputSchema":{"type":"object"}`,
	} {
		code := codein.Compile("export default async function "+text, engine.Env{Tools: &server{}})
		if !strings.Contains(code.Graph, want) {
			t.Errorf("%s\n got %s%s\nwant %s", text, code.Graph, diag.Format("f.js", code.Text, code.Found), want)
		}
	}
}

// TestFailuresNameTheLine: a value that breaks its schema fails the run with the line of the
// code that reads it.
func TestFailuresNameTheLine(t *testing.T) {
	got, refused := inGraph(t, play{Code: over("input.one + 1"), Input: json.RawMessage(`{}`), Tools: map[string]json.RawMessage{"get": json.RawMessage(`{"one":"1"}`)}}, nil)
	if want := "line 3: d.one is not of type number"; refused != "" || !strings.Contains(got.Error, want) {
		t.Errorf("got %q %s, want %s", got.Error, refused, want)
	}
}

// TestLimits: numbers that bound loops with calls become the limit of the run; of a loop
// without them the author learns how to write one.
func TestLimits(t *testing.T) {
	for body, want := range map[string]int{
		"for (let i = 0; i < 500; i++) { await tools.s.none({}); }":                                        2514,
		"for (let i = 0; i < 30; i++) { for (let j = 50; j > 0; j--) { await tools.s.none({}); } }":        8484,
		"let n = 0;\n  while (n < 1000 && input.a) { n += 1; await tools.s.none({}); }":                    5014,
		"for (let i = 0; i < 5; i++) { await tools.s.none({}); }":                                          0,
		"for (const x of input.xs) { await tools.s.none({}); }":                                            0,
		"let n = 0;\n  for (const x of input.xs) { if (x === 1) break; await tools.s.none({}); n++; }":     -1,
		"while (true) { const r = await tools.s.put({}); if (r.ok) break; }":                               -1,
		"for (const x of input.xs) { while (true) { const r = await tools.s.put({}); if (r.ok) break; } }": -1,
	} {
		code := codein.Compile("export default async function f(input) {\n  "+body+"\n}", engine.Env{Tools: &server{}})
		var doc struct {
			ExecutionLimits struct{ MaxNodeExecutions int }
		}
		if err := json.Unmarshal([]byte(code.Graph), &doc); err != nil {
			t.Fatal(diag.Format("f.js", code.Text, code.Found))
		}
		got := doc.ExecutionLimits.MaxNodeExecutions
		if len(code.Found) > 0 {
			got = -len(code.Found)
		}
		if got != want {
			t.Errorf("%s\ngot %d, want %d\n%s", body, got, want, diag.Format("f.js", code.Text, code.Found))
		}
		code = codein.Compile("/* executionLimits: {maxNodeExecutions: 7} */\n"+code.Text, engine.Env{Tools: &server{}})
		if len(code.Found) > 0 || !strings.Contains(code.Graph, `"executionLimits":{"maxNodeExecutions":7}`) {
			t.Errorf("%s: the limit of the comment does not hold: %v %s", body, code.Found, code.Graph)
		}
	}
}

// TestFixtures: each rule has a function that breaks it.
func TestFixtures(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/err/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := diag.Format(filepath.Base(file), string(b), codein.Compile(string(b), engine.Env{}).Found)
		if code := strings.TrimSuffix(filepath.Base(file), ".js"); !strings.Contains(got, "["+code+"]") {
			t.Errorf("%s does not show its rule:\n%s", file, got)
		}
		golden.Check(t, file+".out", got)
	}
}

// TestSource: a graph has the function that it was compiled from until its nodes are edited.
func TestSource(t *testing.T) {
	text := over("input.one")
	code := codein.Compile(text, engine.Env{Tools: &server{}})
	doc, _ := graph.Parse("graph", code.Graph)
	if got := codein.Attached(doc); got != text {
		t.Errorf("got %q", got)
	}
	if _, detached := codein.Detach(code.Graph); detached {
		t.Error("a graph that was not edited is detached")
	}
	edited, detached := codein.Detach(strings.Replace(code.Graph, `"id":"result"`, `"id":"other"`, 1))
	if !detached || strings.Contains(edited, "probe(input)") {
		t.Errorf("not detached: %s", edited)
	}
}
