// Command library is a program with a node type, a JSONata function and a tool
// source of its own. With arguments it is the whole patchbay command line with these;
// without, it calls a tool of shop.yaml.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

func main() {
	o := patchbay.Options{
		Kinds:     []engine.Kind{template},
		Functions: []expr.Function{initials},
		Sources:   map[string]*mcp.Server{"shop": shop()},
	}
	if len(os.Args) > 1 {
		patchbay.Main(o)
	}
	if err := order(context.Background(), o); err != nil {
		log.Fatal(err)
	}
}

// order calls a tool of a document.
func order(ctx context.Context, o patchbay.Options) error {
	o.Document = "shop.yaml"
	app, err := patchbay.Open(ctx, o)
	if err != nil {
		return err
	}
	defer app.Close()
	result, err := app.Call(ctx, "order", map[string]any{"article": "tea", "customer": "Grace Hopper"})
	if err != nil {
		return err
	}
	fmt.Println(string(result))
	return nil
}

// initials is a JSONata function.
var initials = expr.Function{
	Name: "initials", Signature: "<s:s>",
	Call: func(_ context.Context, args []any) (any, error) {
		var b strings.Builder
		for word := range strings.FieldsSeq(args[0].(string)) {
			b.WriteString(word[:1])
		}
		return b.String(), nil
	},
}

// template is a node type: it writes the values of an object into a text.
var template = engine.Kind{
	Spec: specs.Spec{
		NodeType:    "template",
		Title:       "Text template",
		Description: "Replaces {name} in a text by the value of that name. Its output is {text}.",
		Intents:     []string{"fill in a text", "write a message from values"},
		Skeleton:    json.RawMessage(`{"id":"text","type":"template","text":"Hello {name}","values":{"expr":"$.entry"},"next":"exit"}`),
	},
	Aliases: []string{"format", "render"},
	Fields: []engine.Field{
		{Name: "text", Type: "string", Required: true, Doc: "the text, with {name} for each value"},
		{Name: "values", Type: "object", Required: true, Doc: "the values, or {expr: <JSONata>}"},
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows"},
	},
	Compile: compileTemplate,
}

func compileTemplate(p *engine.Pass, n *engine.Node) engine.Compiled {
	edges := p.Next(n)
	text, values := p.Require(n, "text").Text(), p.Computed(n, p.Require(n, "values"), "the values")
	return engine.Compiled{
		Edges: edges,
		Pure:  true,
		Infer: func(*engine.Types) types.Type {
			return types.ObjectOf(true, types.Field{Name: "text", Type: types.Of(types.String)})
		},
		Step: func(ctx context.Context, s *engine.State) (engine.Outcome, error) {
			given, err := values.Eval(ctx, s)
			if err != nil {
				return engine.Outcome{}, err
			}
			filled := text
			if object, ok := given.(expr.Object); ok {
				for _, name := range object.Keys() {
					v, _ := object.Get(name)
					filled = strings.ReplaceAll(filled, "{"+name+"}", fmt.Sprint(v))
				}
			}
			out := expr.NewObject()
			out.Set("text", filled)
			return engine.Outcome{Input: given, Output: out, Next: edges[0].To}, nil
		},
	}
}

// shop is a tool source in this process.
func shop() *mcp.Server {
	type request struct {
		Article string `json:"article" jsonschema:"what to order"`
	}
	type receipt struct {
		Number int `json:"number"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "order", Description: "Orders an article"},
		func(_ context.Context, _ *mcp.CallToolRequest, in request) (*mcp.CallToolResult, receipt, error) {
			return nil, receipt{Number: 4700 + len(in.Article)}, nil
		})
	return s
}
