package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// maxCalls is how deeply the functions of a script may call each other.
const maxCalls = 1000

// A machine executes one script once: nothing of it is used again, so no script sees
// what another was given.
type machine struct {
	vm     *goja.Runtime
	text   string
	json   jsonFunctions
	end    time.Time
	timers []timer
	log    func(logLine)
}

// A timer resolves the promise of a sleep.
type timer struct {
	at      time.Time
	resolve func(any) error
}

// errLate interrupts a script.
var errLate = errors.New("late")

// execute runs a program on the context of a request.
func execute(program *goja.Program, text string, r *request, log func(logLine)) (answer *Answer, failed *Failure) {
	limit := time.Duration(r.LimitMs) * time.Millisecond
	m := &machine{vm: goja.New(), text: text, end: time.Now().Add(limit), log: log}
	late := time.AfterFunc(limit, func() { m.vm.Interrupt(errLate) })
	defer func() {
		if p := recover(); p != nil {
			answer, failed = nil, failure(ScriptError, "the JavaScript engine has failed: %v", p)
		}
		if !late.Stop() && failed != nil { // also while what it has thrown was looked at, which is code of the script
			failed = tookTooLong(limit)
		}
	}()
	m.vm.SetMaxCallStackSize(maxCalls)
	m.vm.SetParserOptions(parser.WithDisableSourceMaps)
	m.json = newJSONFunctions(m.vm)
	answer, err := m.run(program, r)
	if err != nil {
		return nil, m.failure(err, limit)
	}
	if size := len(answer.Returned) + len(answer.Context); size > MaxAnswer {
		return nil, failure(Limit, "the script returns %d bytes of JSON with its context, at most %d are allowed", size, MaxAnswer)
	}
	return answer, nil
}

func (m *machine) run(program *goja.Program, r *request) (*Answer, error) {
	if err := m.globals(r.Secrets); err != nil {
		return nil, err
	}
	seen, err := m.json.parse(r.Context)
	if err != nil {
		return nil, err
	}
	f, err := m.vm.RunProgram(program)
	if err != nil {
		return nil, err
	}
	returned, err := m.call(f, seen)
	if _, isFunction := goja.AssertFunction(returned); isFunction && err == nil {
		returned, err = m.call(returned, seen)
	}
	if err != nil {
		return nil, err
	}
	return m.json.answer(r.Context, seen, returned)
}

// call calls a function of the script with the context and awaits what it returns.
func (m *machine) call(f, seen goja.Value) (goja.Value, error) {
	callable, _ := goja.AssertFunction(f)
	v, err := callable(goja.Undefined(), seen)
	if err != nil {
		return nil, err
	}
	promise, ok := v.Export().(*goja.Promise)
	if !ok {
		return v, nil
	}
	for promise.State() == goja.PromiseStatePending {
		if err := m.nextTimer(); err != nil {
			return nil, err
		}
	}
	if promise.State() == goja.PromiseStateRejected {
		return nil, &rejection{promise.Result()}
	}
	return promise.Result(), nil
}

// A rejection is the error of an async function.
type rejection struct{ reason goja.Value }

func (r *rejection) Error() string { return "rejected" }

// nextTimer waits for the next timer and resolves its promise.
func (m *machine) nextTimer() error {
	if len(m.timers) == 0 {
		return failure(Timeout, "the script waits for a promise that nothing can settle any more")
	}
	next := 0
	for i := range m.timers {
		if m.timers[i].at.Before(m.timers[next].at) {
			next = i
		}
	}
	t := m.timers[next]
	if t.at.After(m.end) {
		time.Sleep(time.Until(m.end))
		return errLate
	}
	time.Sleep(time.Until(t.at))
	m.timers = append(m.timers[:next], m.timers[next+1:]...)
	return t.resolve(goja.Undefined())
}

// globals are what a script has in addition to the language.
func (m *machine) globals(secrets map[string]string) error {
	console := m.vm.NewObject()
	for method, level := range map[string]string{"debug": "debug", "log": "info", "info": "info", "warn": "warn", "error": "error"} {
		if err := console.Set(method, m.consoleFunction(level)); err != nil {
			return err
		}
	}
	if err := m.vm.Set("console", console); err != nil {
		return err
	}
	if err := m.vm.Set("sleep", m.sleep); err != nil {
		return err
	}
	if secrets == nil {
		return nil
	}
	object := m.vm.NewObject()
	for name, value := range secrets {
		if err := object.Set(name, value); err != nil {
			return err
		}
	}
	return m.vm.Set("secrets", object)
}

// maxTimers is how many sleeps a script may have begun at the same time.
const maxTimers = 1000

func (m *machine) sleep(c goja.FunctionCall) goja.Value {
	ms := c.Argument(0).ToFloat()
	if !(ms >= 0) || ms > 1e12 {
		panic(m.vm.NewTypeError("sleep takes a number of milliseconds"))
	}
	if len(m.timers) == maxTimers {
		panic(m.vm.NewTypeError("the script sleeps %d times at once", maxTimers))
	}
	promise, resolve, _ := m.vm.NewPromise()
	m.timers = append(m.timers, timer{time.Now().Add(time.Duration(ms * float64(time.Millisecond))), resolve})
	return m.vm.ToValue(promise)
}

const (
	maxLogLines = 100  // that a script may write
	maxLogLine  = 2000 // bytes of each
)

func (m *machine) consoleFunction(level string) func(goja.FunctionCall) goja.Value {
	lines := 0
	return func(c goja.FunctionCall) goja.Value {
		if lines++; lines > maxLogLines {
			return goja.Undefined()
		}
		var b strings.Builder
		for i, v := range c.Arguments {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(m.json.display(v))
			if b.Len() > maxLogLine {
				break
			}
		}
		text := b.String()
		if len(text) > maxLogLine {
			text = strings.ToValidUTF8(text[:maxLogLine], "") + "…"
		}
		m.log(logLine{level, text})
		return goja.Undefined()
	}
}

// maxThrown is how many bytes of a thrown value are shown.
const maxThrown = 1000

// jsonFunctions are JSON.parse and JSON.stringify as they are before the script can
// change them.
type jsonFunctions struct {
	vm            *goja.Runtime
	read, written goja.Callable
}

func newJSONFunctions(vm *goja.Runtime) jsonFunctions {
	object := vm.Get("JSON").ToObject(vm)
	read, _ := goja.AssertFunction(object.Get("parse"))
	written, _ := goja.AssertFunction(object.Get("stringify"))
	return jsonFunctions{vm, read, written}
}

func (j jsonFunctions) parse(b json.RawMessage) (goja.Value, error) {
	return j.read(goja.Undefined(), j.vm.ToValue(string(b)))
}

// text is a value as JSON; nil of what JSON leaves out, such as a function.
func (j jsonFunctions) text(v goja.Value) (json.RawMessage, error) {
	if v == nil || goja.IsUndefined(v) {
		return nil, nil
	}
	s, err := j.written(goja.Undefined(), v)
	if err != nil || goja.IsUndefined(s) {
		return nil, err
	}
	return json.RawMessage(s.String()), nil
}

// display is a value as console shows it.
func (j jsonFunctions) display(v goja.Value) string {
	if o, ok := v.(*goja.Object); ok && o.ClassName() != "Error" {
		if b, err := j.text(v); err == nil && b != nil {
			return string(b)
		}
		return fmt.Sprintf("[object %s]", o.ClassName())
	}
	return v.String()
}
