package jsonata

import (
	"slices"
	"strings"
)

// previousNode is $previousNode(n=1): the output of the n-th last node execution, or
// undefined when there are not so many.
func previousNode(e *Evaluator, args []any) any {
	n := 1
	if len(args) > 1 {
		e.bad(1, "T0410", "$previousNode takes one argument, how many executions to go back; got %d arguments", len(args))
	}
	if len(args) == 1 && args[0] != nil {
		i, ok := e.integer(args[0])
		if !ok || i < 1 {
			e.bad(-1, "T0410", "$previousNode counts executions back from 1; got %s", describe(args[0]))
		}
		n = i
	}
	if e.History == nil {
		return nil
	}
	v, _ := e.History.Previous(n)
	return v
}

// executionCount is $executionCount(id): how often the node has completed.
func executionCount(e *Evaluator, args []any) any {
	id := e.nodeID(ViaExecutionCount, args, 1)
	if e.History == nil {
		return 0.0
	}
	return boxInt(e.History.Count(id))
}

// nodeExecution is $nodeExecution(id, i): the node's output at its i-th execution, from
// 0, or from the end for a negative i; null when there is none.
func nodeExecution(e *Evaluator, args []any) any {
	id := e.nodeID(ViaNodeExecution, args, 2)
	i, ok := e.integer(args[1])
	if !ok {
		e.bad(-1, "T0410", "$nodeExecution takes a whole number as its second argument, 0 for the first execution and -1 for the last; got %s", describe(args[1]))
	}
	if e.History == nil {
		return null{}
	}
	v, ok := e.History.Execution(id, i)
	if !ok {
		return null{}
	}
	return v
}

// nodeExecutions is $nodeExecutions(id): the node's outputs, in order.
func nodeExecutions(e *Evaluator, args []any) any {
	id := e.nodeID(ViaNodeExecutions, args, 1)
	if e.History == nil {
		return []any{}
	}
	outputs := e.History.Executions(id)
	if len(outputs) > e.limits.MaxItems {
		e.stop(tooMany("the result of $nodeExecutions", e.limits.MaxItems))
	}
	e.allocItems(len(outputs))
	all := make([]any, len(outputs))
	for i, v := range outputs {
		if all[i] = v; v == nil {
			all[i] = null{}
		}
	}
	return all
}

// nodeID is the node id that a history function was given as the first of its want
// arguments.
func (e *Evaluator) nodeID(name string, args []any, want int) string {
	if len(args) != want {
		takes := `one argument, a node id in quotes`
		if want == 2 {
			takes = `two arguments, a node id in quotes and which execution`
		}
		e.bad(-1, "T0410", "$%s takes %s; got %d", name, takes, len(args))
	}
	id, ok := args[0].(string)
	if !ok {
		e.bad(-1, "T0410", `$%s takes a node id in quotes, such as $%s("list"%s); got %s`, name, name, map[int]string{2: ", -1"}[want], describe(args[0]))
	}
	return id
}

// HistoryHint says which history function to write in the place of one that does not
// exist and has a name such as history or executions. It is "" for another name.
func HistoryHint(name string) string { return standard.historyHint(name) }

func (v *Env) historyHint(name string) string {
	for _, fn := range v.functions {
		if b := fn.row; b != nil && slices.Contains(b.Words, strings.ToLower(name)) {
			return "$" + b.Name + "(" + b.Args + ") returns " + b.Doc
		}
	}
	return ""
}
