package hooks

import (
	"bufio"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/dop251/goja"
)

// Command is the hidden command of the program that makes it a worker. The second
// argument is the time zone, as TZ has it.
const Command = "hook-worker"

// canServe says that this program becomes a worker when it is started as one.
var canServe bool

// ServeIfWorker makes a process that was started as a worker one, and does not return
// then. In any other process it notes that the program can be started as a worker.
func ServeIfWorker() {
	canServe = true
	if len(os.Args) != 3 || os.Args[1] != Command {
		return
	}
	if os.Args[2] != "" {
		_ = os.Setenv("TZ", os.Args[2]) // before the first use of the local time
	}
	os.Exit(serve(os.Stdin, os.Stdout))
}

const (
	exitDone   = 0
	exitMemory = 88 // the script takes too much memory
	exitBroken = 89
)

// serve executes the scripts that it reads until its input ends.
func serve(stdin io.Reader, stdout io.Writer) int {
	debug.SetTraceback("none")
	debug.SetMaxStack(Memory / 2)
	_ = time.Now().Local().String() // reads the time zone while files can be read
	w := &scripts{programs: map[int]*script{}}
	w.warmUp()
	base := memoryInUse()
	debug.SetMemoryLimit(int64(base) + Memory*3/4)
	if err := confine(); err != nil {
		return exitBroken
	}
	in := bufio.NewReaderSize(stdin, 64<<10)
	if err := writeLine(stdout, reply{Ready: true}); err != nil {
		return exitBroken
	}
	for {
		var r request
		switch err := readLine(in, &r); {
		case err == io.EOF: //nolint:errorlint // of a reader, as it is
			return exitDone
		case err != nil:
			return exitBroken
		}
		done := w.do(&r, func(l logLine) { _ = writeLine(stdout, reply{Log: &l}) })
		r = request{}
		used := memoryInUse()
		if done.Answer != nil && used > base+Memory { // the system has more room than is asked for
			done = &outcome{Failure: tookTooMuch()}
		}
		if err := writeLine(stdout, reply{Done: done, Retire: used > base+Memory/3}); err != nil {
			return exitBroken
		}
	}
}

// memoryInUse is how many bytes the process has from the system and not given back.
func memoryInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}

// scripts are those that a worker knows, by number.
type scripts struct{ programs map[int]*script }

type script struct {
	text    string
	program *goja.Program
	failed  *Failure
}

// warmUp executes a script, so that what the process has after it is no script's.
func (s *scripts) warmUp() {
	text := `async (context) => { await null; return JSON.parse(JSON.stringify(context)) }`
	s.do(&request{Text: &text, Context: []byte(`{"a":[1]}`), LimitMs: 10_000, Forget: true}, func(logLine) {})
	s.programs = map[int]*script{}
}

func (s *scripts) do(r *request, log func(logLine)) *outcome {
	if r.Forget {
		clear(s.programs)
	}
	if r.Text != nil {
		program, failed := compile(*r.Text)
		s.programs[r.Script] = &script{*r.Text, program, failed}
	}
	of := s.programs[r.Script]
	switch {
	case of == nil:
		return &outcome{Failure: failure(ScriptError, "the worker does not have the script")}
	case of.failed != nil || r.Check:
		return &outcome{Failure: of.failed}
	}
	answer, failed := execute(of.program, of.text, r, log)
	return &outcome{Answer: answer, Failure: failed}
}
