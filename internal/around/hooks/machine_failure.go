package hooks

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/file"
)

// framePlace is the place of a frame in the text of a stack.
var framePlace = regexp.MustCompile(`script:(\d+):(\d+)`)

// failure says why a script has failed.
func (m *machine) failure(err error, limit time.Duration) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	if errors.Is(err, errLate) {
		return tookTooLong(limit)
	}
	if e, ok := errors.AsType[*goja.StackOverflowError](err); ok {
		return m.atTop(failure(Limit, "the script calls functions more than %d deep", maxCalls), e.Stack())
	}
	if e, ok := errors.AsType[*goja.Exception](err); ok {
		return m.atTop(failure(ScriptError, "%s", m.thrown(e.Value())), e.Stack())
	}
	if e, ok := errors.AsType[*rejection](err); ok {
		line, column := m.stackPlace(e.reason)
		return failure(ScriptError, "%s", m.thrown(e.reason)).at(line, column)
	}
	return failure(ScriptError, "%v", err)
}

// thrown is the text of a thrown value.
func (m *machine) thrown(v goja.Value) string {
	text := "the script has thrown a value that cannot be shown"
	_ = m.vm.Try(func() {
		if o, ok := v.(*goja.Object); ok && o.ClassName() == "Error" {
			text = o.String()
		} else {
			text = "the script has thrown " + m.json.display(v)
		}
	})
	if len(text) > maxThrown {
		text = strings.ToValidUTF8(text[:maxThrown], "") + "…"
	}
	return text
}

// atTop adds the place of the innermost function of the script.
func (m *machine) atTop(f *Failure, stack []goja.StackFrame) *Failure {
	for i := range stack {
		if p := stack[i].Position(); p.Line > 0 {
			line, column := place(m.text, p)
			return f.at(line, column)
		}
	}
	return f
}

// stackPlace is the place in the stack of an error.
func (m *machine) stackPlace(reason goja.Value) (line, column int) {
	_ = m.vm.Try(func() {
		o, ok := reason.(*goja.Object)
		if !ok {
			return
		}
		stack := o.Get("stack")
		if stack == nil {
			return
		}
		if at := framePlace.FindStringSubmatch(stack.String()); at != nil {
			l, _ := strconv.Atoi(at[1])
			c, _ := strconv.Atoi(at[2])
			line, column = place(m.text, file.Position{Line: l, Column: c})
		}
	})
	return line, column
}
