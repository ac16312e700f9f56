package codein_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/codein"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// dataSchema is what the tool get promises, and data is what it returns.
const dataSchema = `{"type":"object","properties":{
	"zero":{"type":"number"},"one":{"type":"number"},"f1":{"type":"number"},"f2":{"type":"number"},"neg":{"type":"number"},
	"s":{"type":"string"},"estr":{"type":"string"},"pad":{"type":"string"},"sone":{"type":"string"},"astral":{"type":"string"},"json":{"type":"string"},
	"yes":{"type":"boolean"},"no":{"type":"boolean"},
	"nul":{"type":["string","null"]},"none":{"type":"string"},"maybe":{"type":["number","null"]},
	"arr0":{"type":"array","items":{"type":"number"}},"arr1":{"type":"array","items":{"type":"number"}},"arr3":{"type":"array","items":{"type":"number"}},
	"words":{"type":"array","items":{"type":"string"}},"word1":{"type":"array","items":{"type":"string"}},
	"nested":{"type":"array","items":{"type":"array","items":{"type":"number"}}},"nested1":{"type":"array","items":{"type":"array","items":{"type":"number"}}},
	"obj":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"string"},"l":{"type":"array","items":{"type":"number"}}},"required":["a","b","l"]},
	"eobj":{"type":"object"},
	"objs":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"},"n":{"type":"number"},"tags":{"type":"array","items":{"type":"string"}}},"required":["k","n","tags"]}},
	"obj1":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"},"n":{"type":"number"}}}},
	"open":{}
}}`

const data = `{"zero":0,"one":1,"f1":0.1,"f2":0.2,"neg":-7.5,"s":"a,b,c","estr":"","pad":"  x y ","sone":"1","astral":"a😀b","json":"{\"a\":[1]}",
	"yes":true,"no":false,"nul":null,"maybe":4,"arr0":[],"arr1":[5],"arr3":[3,1,2],"words":["pear","Apple","fig"],"word1":["solo"],
	"nested":[[1,2],[3]],"nested1":[[9]],"obj":{"a":1,"b":"x","l":[7]},"eobj":{},
	"objs":[{"k":"b","n":2,"tags":["t"]},{"k":"a","n":1,"tags":[]},{"k":"a","n":3,"tags":["u","v"]}],"obj1":[{"k":"only","n":1}],"open":[1]}`

// A play is one execution of a function: its input, and what its tools return.
type play struct {
	Code  string                     `json:"code"`
	Input json.RawMessage            `json:"input"`
	Tools map[string]json.RawMessage `json:"tools,omitempty"` // nil for those of testdata/tools.js
	World string                     `json:"world,omitempty"` // which data these have
	// Damage says which part of the answers is replaced, and by what.
	Damage []any `json:"damage,omitempty"`
	// Every says after how many steps the run stops, to be resumed; 0: never.
	Every int `json:"-"`
}

var errStop = errors.New("stopped by the test")

func interrupted(every int) local.Options {
	var steps atomic.Int64
	return local.Options{Observer: local.Observer{Before: func(context.Context, run.Event) error {
		if every > 0 && steps.Add(1) > int64(every) {
			return errStop
		}
		return nil
	}}}
}

// An outcome is what a play comes to.
type outcome struct {
	Result any    `json:"result"`
	Error  string `json:"error"`
	Calls  []any  `json:"calls"`
	// Answers are what the tools answered: name, arguments, result and error.
	Answers [][4]json.RawMessage `json:"answers"`
}

const harness = `
const plays = JSON.parse(require("fs").readFileSync(0, "utf8")), plain = v => JSON.parse(JSON.stringify(v ?? null));
const places = (v, list = []) => { if (v && typeof v === "object") for (const k of Object.keys(v)) { list.push([v, k]); places(v[k], list); } return list; };
(async () => {
	const out = [];
	for (const p of plays) {
		const calls = [], answers = [], own = require("./testdata/tools.js")(p.world);
		const answer = (s, t, a) => {
			if (!p.tools) return own[s][t](a);
			if (!(t in p.tools)) throw new Error("no");
			return p.tools[t];
		};
		let halt;
		const halted = new Promise((_, no) => { halt = () => no(new Error("too many calls")); });
		const server = s => new Proxy({}, {get: (_, t) => async a => {
			if (calls.length > 300) { halt(); return new Promise(() => {}); }
			calls.push(plain([s + "/" + t, a ?? {}]));
			try {
				const r = plain(answer(s, t, plain(a ?? {})));
				const list = places(r);
				if (p.damage && list.length) {
					const [o, k] = list[p.damage[0] % list.length];
					if (p.damage.length > 1) o[k] = p.damage[1]; else delete o[k];
				}
				answers.push([s + "/" + t, plain(a ?? {}), plain(r), ""]);
				return r;
			} catch (e) { answers.push([s + "/" + t, plain(a ?? {}), null, e.message]); throw e; }
		}});
		const tools = new Proxy({}, {get: (_, s) => server(s)});
		const retry = async (f, o) => { for (let i = 1; ; i++) try { return await f(); } catch (e) { if (i >= (o?.maxAttempts ?? 3)) throw e; } };
		const done = (result, error) => out.push({result, error, calls, answers});
		try {
			const f = new Function("tools", "sleep", "retry", p.code.replace(/^export default/m, "return "))(tools, async () => {}, retry);
			done(plain(await Promise.race([f(p.input), halted])), "");
		} catch (e) { done(null, String(e)); }
	}
	console.log(JSON.stringify(out));
})();`

// inNode plays with Node.
func inNode(t *testing.T, plays []play) []outcome {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	in, err := json.Marshal(plays)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "-e", harness)
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(in)), os.Stderr
	b, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var out []outcome
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// server answers as a play says.
type server struct {
	mu      sync.Mutex
	tools   map[string]json.RawMessage
	answers [][4]json.RawMessage // in place of tools
	calls   []any
}

func (s *server) Tool(name, tool string) (*engine.Tool, *diag.Fault) {
	var of map[string]json.RawMessage
	if b, err := os.ReadFile("testdata/tools.json"); err == nil {
		_ = json.Unmarshal(b, &of)
	}
	of["s/get"], of["s/put"], of["s/any"], of["s/none"], of["s/bad2"] = []byte(dataSchema), []byte(`{"type":"object","properties":{"ok":{"type":"boolean"},"id":{"type":"number"}},"required":["ok","id"]}`), nil, nil, nil
	of["s/note"] = of["s/put"]
	text, ok := of[name+"/"+tool]
	if !ok {
		return nil, diag.Faultf(diag.CodeUnknownTool, "unknown tool %q", tool)
	}
	out := &engine.Tool{Spec: &specs.Spec{NodeType: "mcp", Subtype: name + "/" + tool}, Input: schema.New([]byte(`{"type":"object"}`))}
	if text != nil {
		out.Output = schema.New(text)
	}
	if tool == "note" {
		out.Input = schema.New([]byte(`{"type":"object","properties":{"id":{"type":"integer"},"text":{"type":"string"}},"required":["id"]}`))
	}
	return out, nil
}
func (*server) Names() []string                       { return []string{"s/get"} }
func (*server) Resolve(string) (string, string, bool) { return "", "", false }

func (s *server) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var args any
	_ = json.Unmarshal(c.Args, &args)
	for i, a := range s.answers {
		if string(a[0]) == strconv.Quote(c.Server+"/"+c.Tool) && compact(a[1]) == compact(c.Args) {
			s.answers = slices.Delete(slices.Clone(s.answers), i, i+1)
			s.calls = append(s.calls, []any{c.Server + "/" + c.Tool, args})
			if message := string(a[3]); message != `""` {
				return &run.Result{IsError: true, Content: []json.RawMessage{[]byte(`{"type":"text","text":` + message + `}`)}}, nil
			}
			return &run.Result{Structured: a[2]}, nil
		}
	}
	s.calls = append(s.calls, []any{c.Server + "/" + c.Tool, args})
	answer, ok := s.tools[c.Tool]
	if !ok {
		return &run.Result{IsError: true, Content: []json.RawMessage{[]byte(`{"type":"text","text":"no"}`)}}, nil
	}
	return &run.Result{Structured: answer}, nil
}

// inGraph plays with the graph that the function becomes. refused is why it becomes none.
func inGraph(t *testing.T, p play, answers [][4]json.RawMessage) (out outcome, refused string) {
	t.Helper()
	s := &server{tools: p.Tools, calls: []any{}, answers: answers}
	env := engine.Env{Tools: s}
	code := codein.Compile(p.Code, env)
	if code.Found.HasErrors() {
		return out, diag.Format("code.js", p.Code, code.Found)
	}
	doc, found := graph.Parse("code.js", code.Graph)
	plan, more := engine.Compile(doc, code.Name, env)
	if found = append(found, more...); found.HasErrors() {
		return out, "the graph is wrong: " + diag.Format("code.js", code.Graph, found)
	}
	rec := local.Run(t.Context(), plan, s, p.Input, interrupted(p.Every))
	for i := 0; p.Every > 0 && rec.Fault != nil && strings.Contains(rec.Fault.Message, errStop.Error()) && i < 1000; i++ {
		rec = local.Resume(t.Context(), plan, s, rec, interrupted(p.Every+i/4))
	}
	out.Calls = s.calls
	if rec.Fault != nil {
		out.Error = rec.Fault.Message
		return out, ""
	}
	b, err := expr.Encode(rec.Result)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &out.Result); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return out, ""
}

// over is a function that reads what the tool get returns.
func over(e string) string {
	return "export default async function probe(input) {\n  const d = await tools.s.get({});\n  return { v: " + strings.ReplaceAll(e, "input.", "d.") + " };\n}"
}

// wrong are the data with each field missing, null or of another type.
func wrong(t *testing.T, text string) []json.RawMessage {
	t.Helper()
	var list []json.RawMessage
	var visit func(v any, set func(any, bool))
	var root any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	note := func() {
		b, _ := json.Marshal(root)
		list = append(list, b)
	}
	visit = func(v any, set func(any, bool)) {
		if set != nil {
			for _, other := range []any{nil, "text", "5", 7.0, true, []any{}, []any{1.0}, []any{[]any{}}, map[string]any{}, map[string]any{"a": 1.0}} {
				set(other, true)
				note()
			}
			set(nil, false)
			note()
			set(v, true)
		}
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				visit(x, func(y any, there bool) {
					if v[k] = y; !there {
						delete(v, k)
					}
				})
			}
		case []any:
			for i, x := range v {
				visit(x, func(y any, _ bool) { v[i] = y })
			}
		}
	}
	visit(root, nil)
	return list
}

// compare plays both ways. Data that fit must give the same; other data the same or a
// failed run.
func compare(t *testing.T, plays []play, fit bool) {
	t.Helper()
	want := inNode(t, plays)
	for i, p := range plays {
		if !fit && strings.Contains(want[i].Error, "too many calls") { // a page may follow itself
			continue
		}
		got, refused := inGraph(t, p, want[i].Answers)
		if refused != "" {
			t.Errorf("%s\nrefused: %s", p.Code, refused)
			continue
		}
		if strings.Contains(p.Code, "Promise.all") {
			byText := func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
			slices.SortFunc(got.Calls, byText)
			slices.SortFunc(want[i].Calls, byText)
		}
		same := reflect.DeepEqual(got.Result, want[i].Result) && (got.Error != "") == (want[i].Error != "") && (got.Error != "" || reflect.DeepEqual(got.Calls, want[i].Calls))
		if same || !fit && (strings.Contains(got.Error, "line ") || strings.Contains(got.Error, "the output schema")) {
			continue
		}
		code := codein.Compile(p.Code, engine.Env{Tools: &server{}})
		t.Errorf("%s\ninput %s tools %s\n got %s\nwant %s\n%s", p.Code, p.Input, cut(p.Tools["get"]), show(got), show(want[i]), code.Graph)
	}
}

func cut(b []byte) string {
	if len(b) > 300 {
		return string(b[:300])
	}
	return string(b)
}

func show(o outcome) string { return fmt.Sprintf("%v error %q calls %v", o.Result, o.Error, o.Calls) }

func readLines(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// TestExpressions: what an expression yields in a graph is what it yields in Node.
func TestExpressions(t *testing.T) {
	var plays []play
	for _, e := range readLines(t, "testdata/expressions.txt") {
		plays = append(plays, play{Code: over(e), Input: json.RawMessage(`{}`), Tools: map[string]json.RawMessage{"get": json.RawMessage(data)}})
	}
	compare(t, plays, true)
}

// TestExpressionsOverWrongData: data that break the schema give the same or a failed run.
func TestExpressionsOverWrongData(t *testing.T) {
	var plays []play
	all := wrong(t, data)
	every := 127 // all of them take minutes under the race detector
	if os.Getenv("PATCHBAY_CODE_ALL") != "" {
		every = 1
	}
	for i, e := range readLines(t, "testdata/expressions.txt") {
		for j, d := range all {
			var v, was map[string]json.RawMessage
			_ = json.Unmarshal(d, &v)
			_ = json.Unmarshal([]byte(data), &was)
			for name := range was {
				changed := !reflect.DeepEqual(compact(v[name]), compact(was[name]))
				if changed && strings.Contains(e, "input."+name) && (i+j)%every == 0 {
					plays = append(plays, play{Code: over(e), Input: json.RawMessage(`{}`), Tools: map[string]json.RawMessage{"get": d}})
					break
				}
			}
		}
	}
	t.Log(len(plays), "plays")
	compare(t, plays, false)
}

func compact(b json.RawMessage) any {
	var v any
	_ = json.Unmarshal(b, &v)
	return fmt.Sprint(v, b == nil)
}
