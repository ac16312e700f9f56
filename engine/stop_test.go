package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/tests/graphdata"
)

// countdown is a context that is cancelled when it was looked at often enough.
type countdown struct {
	context.Context
	left, after int // looks before it is cancelled, and since
}

func (c *countdown) Err() error {
	if c.left > 0 {
		c.left--
		return nil
	}
	c.after++
	return context.Canceled
}

// TestChecksCanBeCancelled: reading and compiling look at their context every few
// kilobytes of the document, and do nothing more once it has ended.
func TestChecksCanBeCancelled(t *testing.T) {
	const many = 1 << 30
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // to be repeated
	for _, name := range []string{"dense", "sparse", "switches", "diamonds", "foreach", "missing-arguments", "unknown-nodes", "tools"} {
		f := graphdata.Named(name)
		tools := stocked(name, 400)
		for format, src := range map[string]string{"JSON": f.JSON(400), "YAML": f.YAML(400)} {
			run := func(looks int) (c *countdown, read bool, err error) {
				engine.ForgetExpressions()
				c = &countdown{Context: t.Context(), left: looks}
				doc, _, err := graph.ParseContext(c, "graph", src)
				if err != nil {
					return c, false, err
				}
				_, _, err = engine.CompileAllContext(c, doc, engine.Env{Tools: tools})
				return c, true, err
			}
			c, _, err := run(many)
			looks := many - c.left
			if err != nil || len(src)/looks > 8<<10 {
				t.Errorf("%s as %s: %d looks at %d bytes: %v", name, format, looks, len(src), err)
			}
			for range 10 {
				at := random.IntN(looks)
				c, read, err := run(at)
				if !errors.Is(err, context.Canceled) || c.after > 8 {
					t.Errorf("%s as %s, cancelled at %d of %d looks, read %t: %v, and %d more looks", name, format, at, looks, read, err, c.after)
				}
			}
		}
	}
}

// leaving is a context that ends when somebody begins to wait for its end.
type leaving struct {
	context.Context
	once sync.Once
	done chan struct{}
}

func (l *leaving) Done() <-chan struct{} {
	l.once.Do(func() { close(l.done) })
	return l.done
}

func (l *leaving) Err() error {
	select {
	case <-l.done:
		return context.Canceled
	default:
		return nil
	}
}

// TestSchemasOfToolsAreNotWaitedFor: whoever leaves while the input schema of a tool is
// compiled gets the end of the check at once.
func TestSchemasOfToolsAreNotWaitedFor(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"type":"string"}`)
	for i := range 2000 {
		fmt.Fprintf(&b, `,"key%d":{"type":"string"}`, i)
	}
	b.WriteString("}}")
	doc, _ := graph.Parse("graph", []byte(callGraph(`{"a":"x"}`)))
	tools := stock{shelf{}}
	tools.put("s", "t", b.String(), "")
	ctx := &leaving{Context: t.Context(), done: make(chan struct{})}
	if _, _, err := engine.CompileAllContext(ctx, doc, engine.Env{Tools: tools}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
