package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay"
)

// The writes of the process that is killed half-way.
const (
	writes   = 100
	killedAt = writes / 2
)

// killed is how many of the writes were made twice by a process that was killed
// half-way and started again.
type killed struct {
	Writes int
	Script int
	Saved  int
}

// What a process of this program does, when it is not the program itself.
const (
	roleEnv  = "PATCHBAY_VALUE_ROLE"
	boardEnv = "PATCHBAY_VALUE_BOARD" // the file of the board
	haltEnv  = "PATCHBAY_VALUE_HALT"  // how many tasks the board creates before it stops to answer

	roleBoard  = "board"  // a server whose tasks are lines of the file
	roleScript = "script" // creates the tasks by calls of the server
	roleSaved  = "saved"  // runs the graph that creates them
	roleResume = "resume" // resumes that run
)

const boardGraph = `name: create_tasks
description: Creates the tasks on the board
inputSchema: {type: object, properties: {titles: {type: array, items: {type: string}}}, required: [titles]}
outputSchema: {type: object, properties: {created: {type: number}}, required: [created]}
nodes:
  - {id: entry, type: entry, next: create}
  - {id: create, type: mcp, server: board, tool: create_task, args: {title: {expr: $item}}, foreach: {items: {expr: $.entry.titles}}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"created": $count($.create)}'}}
`

// measureKill kills a script and a run half-way, starts both again and counts.
func measureKill(ctx context.Context) (*killed, error) {
	k := &killed{Writes: writes}
	for role, n := range map[string]*int{roleScript: &k.Script, roleSaved: &k.Saved} {
		dir, err := os.MkdirTemp("", "patchbay-value-")
		if err != nil {
			return nil, err
		}
		*n, err = killHalfway(ctx, dir, role)
		_ = os.RemoveAll(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", role, err)
		}
	}
	return k, nil
}

// killHalfway returns how many tasks are on the board twice.
func killHalfway(ctx context.Context, dir, role string) (int, error) {
	board := filepath.Join(dir, "board")
	for name, text := range map[string]string{board: "", filepath.Join(dir, "graph.yaml"): boardGraph, filepath.Join(dir, "patchbay.yaml"): "runs: {file: runs.db}\nworkspace: {enabled: false}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return 0, err
		}
	}
	first, err := child(ctx, dir, board, role)
	if err != nil {
		return 0, err
	}
	first.Env = append(first.Env, haltEnv+"="+strconv.Itoa(killedAt))
	if err := first.Start(); err != nil {
		return 0, err
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for lines := 0; lines < killedAt; {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-tick.C:
		}
		text, err := os.ReadFile(board)
		if err != nil {
			return 0, err
		}
		lines = bytes.Count(text, []byte("\n"))
	}
	if err := first.Process.Kill(); err != nil {
		return 0, err
	}
	_ = first.Wait()
	if role == roleSaved {
		role = roleResume
	}
	again, err := child(ctx, dir, board, role)
	if err != nil {
		return 0, err
	}
	if err := again.Run(); err != nil {
		return 0, err
	}
	return twice(board)
}

func child(ctx context.Context, dir, board, role string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, self)
	c.Dir, c.Stderr = dir, os.Stderr
	c.Env = append(os.Environ(), roleEnv+"="+role, boardEnv+"="+board)
	return c, nil
}

// twice counts the lines of a file that were there before. All tasks must be there.
func twice(board string) (int, error) {
	text, err := os.ReadFile(board)
	if err != nil {
		return 0, err
	}
	seen, n := map[string]bool{}, 0
	for line := range bytes.Lines(text) {
		if seen[string(line)] {
			n++
		}
		seen[string(line)] = true
	}
	if len(seen) != writes {
		return 0, fmt.Errorf("%d of %d tasks are on the board", len(seen), writes)
	}
	return n, nil
}

func titles() []string {
	list := make([]string, writes)
	for i := range list {
		list[i] = "task " + strconv.Itoa(i+1)
	}
	return list
}

// play does what a role says.
func play(ctx context.Context, role string) error {
	switch role {
	case roleBoard:
		return serveBoard(ctx)
	case roleScript:
		return createByScript(ctx)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	app, err := patchbay.Open(ctx, patchbay.Options{
		Config: "patchbay.yaml", Document: "graph.yaml",
		Servers: map[string]patchbay.Server{"board": {Command: self, Env: map[string]string{roleEnv: roleBoard, boardEnv: os.Getenv(boardEnv), haltEnv: os.Getenv(haltEnv)}}},
	})
	if err != nil {
		return err
	}
	defer app.Close()
	if role == roleSaved {
		_, err = app.Call(ctx, "create_tasks", map[string]any{"titles": titles()})
		return err
	}
	return resume(ctx, app)
}

// resume resumes the latest run. Where it asks whether a call was made, the board knows.
func resume(ctx context.Context, app *patchbay.App) error {
	list, err := app.Runs(ctx, patchbay.RunsInput{Limit: 1})
	if err != nil {
		return err
	}
	if len(list.Runs) == 0 {
		return errors.New("there is no run")
	}
	in := patchbay.ResumeRunInput{RunID: list.Runs[0].ID}
	for range 3 {
		r, err := app.ResumeRun(ctx, in)
		switch {
		case err != nil:
			return err
		case r.Status == "succeeded":
			return nil
		case len(r.UnknownCalls) == 0:
			return fmt.Errorf("the run is %s: %w", r.Status, r.Error)
		}
		if in, err = decide(in.RunID, r); err != nil {
			return err
		}
	}
	return errors.New("the run cannot be resumed")
}

// decide looks whether the task of a call with an unknown outcome is on the board.
func decide(id string, r *patchbay.RunResult) (patchbay.ResumeRunInput, error) {
	var task struct{ Title string }
	open := r.UnknownCalls[0]
	if err := json.Unmarshal(open.Arguments, &task); err != nil {
		return patchbay.ResumeRunInput{}, err
	}
	text, err := os.ReadFile(os.Getenv(boardEnv))
	if err != nil {
		return patchbay.ResumeRunInput{}, err
	}
	in := patchbay.ResumeRunInput{RunID: id, Step: open.Step, Decision: "retry"}
	if bytes.Contains(text, []byte(task.Title+"\n")) {
		in.Decision, in.Pin = "pin", json.RawMessage(`{"created":true}`)
	}
	return in, nil
}

// serveBoard is a server on standard input and output.
func serveBoard(ctx context.Context) error {
	type task struct {
		Title string `json:"title"`
	}
	type created struct {
		Created bool `json:"created"`
	}
	halt, err := strconv.Atoi(cmp.Or(os.Getenv(haltEnv), strconv.Itoa(writes+1)))
	if err != nil {
		return err
	}
	n := 0
	s := mcp.NewServer(&mcp.Implementation{Name: "board", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "create_task", Description: "Creates a task on the board."}, func(ctx context.Context, _ *mcp.CallToolRequest, in task) (*mcp.CallToolResult, created, error) {
		if n++; n > halt {
			<-ctx.Done()
			return nil, created{}, ctx.Err()
		}
		f, err := os.OpenFile(os.Getenv(boardEnv), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return nil, created{}, err
		}
		_, err = f.WriteString(in.Title + "\n")
		return nil, created{true}, errors.Join(err, f.Close())
	})
	return s.Run(ctx, &mcp.StdioTransport{})
}

// createByScript does what a script does: it calls the tool for each title.
func createByScript(ctx context.Context) error {
	c, err := child(ctx, ".", os.Getenv(boardEnv), roleBoard)
	if err != nil {
		return err
	}
	session, err := connect(ctx, &mcp.CommandTransport{Command: c})
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	for _, title := range titles() {
		if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "create_task", Arguments: map[string]any{"title": title}}); err != nil {
			return err
		}
	}
	return nil
}
