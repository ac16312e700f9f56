package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A bill is what passes through a model: the definitions that it reads, the calls that it
// writes, and the replies. The task and the answer are not counted: they are the same.
type bill struct{ calls, bytes int }

// add counts a call, as the model writes it, and its reply.
func (b *bill) add(tool string, arguments map[string]any, reply string) {
	b.calls++
	b.bytes += len(asDemoJSON(map[string]any{"name": tool, "arguments": arguments})) + len(reply)
}

// define counts the definitions of the named tools of a session, or of all.
func (b *bill) define(ctx context.Context, s *mcp.ClientSession, names ...string) error {
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	for _, t := range list.Tools {
		if len(names) == 0 || t.Name == names[0] {
			b.bytes += len(asDemoJSON(map[string]any{"name": t.Name, "description": t.Description, "inputSchema": t.InputSchema}))
		}
	}
	return nil
}

// bytesPerToken is what models' vocabularies have on average for such texts.
const bytesPerToken = 4

func (b *bill) tokens() int { return b.bytes / bytesPerToken }

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
  for (const issue of issues) {
    if (issue.state !== "open") continue;
    await tracker.createTask({ title: issue.title });
    created++;
  }
}
console.log(JSON.stringify({ created }));
`

// otherWays counts what the task costs by calls of the server itself, and by a script.
func (d *demo) otherWays(ctx context.Context) error {
	s, _, err := d.connect(ctx, d.server("direct")...)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	if err := d.direct.define(ctx, s); err != nil {
		return err
	}
	created := 0
	for page, last := 1, false; !last; page++ {
		var got demoIssuePage
		if err := d.call(ctx, s, &d.direct, "list_issues", map[string]any{"page": page}, &got); err != nil {
			return err
		}
		last = len(got.Issues) == 0
		for _, issue := range got.Issues {
			if issue.State != "open" {
				continue
			}
			if err := d.call(ctx, s, &d.direct, "create_task", map[string]any{"title": issue.Title}, nil); err != nil {
				return err
			}
			created++
		}
	}
	file, err := d.patchbay(ctx, "export", "--typescript", "mcp:tracker/list_issues", "mcp:tracker/create_task")
	if err != nil {
		return fmt.Errorf("the functions for a script: %s", file)
	}
	_, functions, _ := strings.Cut(file, "/** Tools of the server tracker") // the same comes before for all servers
	d.script.add("read", map[string]any{"file": "tools.ts"}, functions)
	d.script.add("run", map[string]any{"script": demoScript}, asDemoJSON(map[string]int{"created": created}))
	return nil
}

// showBills shows what each way costs.
func (d *demo) showBills() {
	fmt.Fprintf(d.out, "4. What passes through the model, in tokens of %d bytes (the script is not run):\n", bytesPerToken)
	row := func(way string, each, once any) { fmt.Fprintf(d.out, "   %-28s %9v %9v\n", way, each, once) }
	row("", "each use", "once")
	row(fmt.Sprintf("%d calls, one by one", d.direct.calls), d.direct.tokens(), 0)
	row("a script, written each time", d.script.tokens(), 0)
	row("the tool "+demoTool, d.saved.tokens(), d.author.tokens())
	gain := d.script.tokens() - d.saved.tokens()
	d.promise(gain > 0 && d.direct.tokens() > d.author.tokens()+d.saved.tokens(), "It costs less than calls from its first use, than a script from use %d.", d.author.tokens()/max(gain, 1)+1)
}
