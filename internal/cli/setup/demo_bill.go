package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
)

// A bill is what passes through a model: the definitions that it reads, the calls that it
// writes, and the replies. The task and the answer are not counted: they are the same.
type bill struct{ calls, bytes int }

// add counts a call, as the model writes it, and its reply.
func (b *bill) add(tool string, arguments any, reply string) {
	b.calls++
	b.bytes += len(asDemoJSON(map[string]any{"name": tool, "arguments": arguments})) + len(reply)
}

// define counts the definitions of the session's tools, of all or of the named one.
func (d *Demo) define(ctx context.Context, b *bill, name string) {
	if d.err != nil {
		return
	}
	if name == "" {
		b.bytes += len(d.session.InitializeResult().Instructions)
	}
	list, err := d.session.ListTools(ctx, nil)
	if err != nil {
		d.fail(err)
		return
	}
	for _, t := range list.Tools {
		if name == "" || t.Name == name {
			b.bytes += len(asDemoJSON(map[string]any{"name": t.Name, "description": t.Description, "inputSchema": t.InputSchema}))
		}
	}
}

// tokens is an estimate, to the nearest 50: models' vocabularies have about four bytes a
// token for such texts.
func (b *bill) tokens() int { return (b.bytes/4 + 25) / 50 * 50 }

func asDemoJSON(v any) string {
	text, _ := json.Marshal(v) //nolint:errchkjson // it is of texts and of what was JSON
	return string(text)
}

// demoScript is the program that a model writes where it has a shell and no graph.
const demoScript = `import { tracker } from "./tools";

let created = 0;
for (let page = 1; ; page++) {
  const { issues } = await tracker.listIssues({ page });
  if (issues.length === 0) break;
  for (const { title, state } of issues) {
    if (state === "open") { await tracker.createTask({ title }); created++; }
  }
}
console.log(JSON.stringify({ created }));
`

// showBills makes the calls of the tool by the server itself, and shows what each way costs.
func (d *Demo) showBills(ctx context.Context) {
	var direct, script bill
	calls, err := d.board.calls()
	d.fail(err)
	d.connect(ctx, append(slices.Clip(d.Tracker), filepath.Join(d.dir, "direct"))...)
	d.define(ctx, &direct, "")
	for tool, each := range calls {
		for _, arguments := range each {
			d.call(ctx, &direct, tool, json.RawMessage(arguments), nil)
		}
	}
	script.add("read", map[string]string{"file": "tools.ts"}, d.functions)
	script.add("run", map[string]string{"script": demoScript}, d.result)
	fmt.Fprintf(d.Out, "4. About how many tokens pass through the model (the script is not run):\n")
	row := func(way string, each, once any) { fmt.Fprintf(d.Out, "   %-28s %9v %9v\n", way, each, once) }
	row("", "each use", "once")
	row(fmt.Sprintf("%d calls, one by one", direct.calls), direct.tokens(), 0)
	row("a script, written each time", script.tokens(), 0)
	row("the tool "+demoTool, d.saved.tokens(), d.author.tokens())
	gain := script.tokens() - d.saved.tokens()
	d.promise(gain > 0 && direct.tokens() > d.author.tokens()+d.saved.tokens(), "It costs less than calls from its first use, than a script from use %d.", d.author.tokens()/max(gain, 1)+1)
}
