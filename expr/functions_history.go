package expr

// previousNode is $previousNode(n=1): the output of the n-th last node
// execution, or undefined when there are not so many.
func previousNode(args []any, _ any, f frame) (any, error) {
	n := 1
	if len(args) > 1 {
		return nil, fail("T0410", "$previousNode takes one argument, how many executions to go back; got %d arguments", len(args))
	}
	if len(args) == 1 && args[0] != nil {
		i, ok := whole(args[0])
		if !ok || i < 1 {
			return nil, fail("T0410", "$previousNode counts executions back from 1; got %s", describeValue(args[0]))
		}
		n = i
	}
	h := guardOf(f).scope.history
	if h == nil {
		return nil, nil
	}
	v, ok := h.Previous(n)
	if !ok {
		return nil, nil
	}
	return v, nil
}

// executionCount is $executionCount(id): how often the node has completed.
func executionCount(args []any, _ any, f frame) (any, error) {
	id, err := nodeID("executionCount", args, 1)
	if err != nil {
		return nil, err
	}
	h := guardOf(f).scope.history
	if h == nil {
		return 0.0, nil
	}
	return float64(h.Count(id)), nil
}

// nodeExecution is $nodeExecution(id, i): the node's output at its i-th
// execution, from 0, or from the end for a negative i; null when there is none.
func nodeExecution(args []any, _ any, f frame) (any, error) {
	id, err := nodeID("nodeExecution", args, 2)
	if err != nil {
		return nil, err
	}
	i, ok := whole(args[1])
	if !ok {
		return nil, fail("T0410", "$nodeExecution takes a whole number as its second argument, 0 for the first execution and -1 for the last; got %s", describeValue(args[1]))
	}
	h := guardOf(f).scope.history
	if h == nil {
		return null, nil
	}
	v, ok := h.Execution(id, i)
	if !ok {
		return null, nil
	}
	return v, nil
}

// nodeExecutions is $nodeExecutions(id): the node's outputs, in order.
func nodeExecutions(args []any, _ any, f frame) (any, error) {
	id, err := nodeID("nodeExecutions", args, 1)
	if err != nil {
		return nil, err
	}
	h := guardOf(f).scope.history
	if h == nil {
		return []any{}, nil
	}
	outputs := h.Executions(id)
	if err := guardOf(f).items("nodeExecutions", len(outputs)); err != nil {
		return nil, err
	}
	all := make([]any, len(outputs))
	for i, v := range outputs {
		if all[i] = v; v == nil {
			all[i] = null
		}
	}
	return all, nil
}

// nodeID returns the node id that a history function was given as the first of
// its want arguments.
func nodeID(name string, args []any, want int) (string, error) {
	if len(args) != want {
		takes := `one argument, a node id in quotes`
		if want == 2 {
			takes = `two arguments, a node id in quotes and which execution`
		}
		return "", fail("T0410", "$%s takes %s; got %d", name, takes, len(args))
	}
	id, ok := args[0].(string)
	if !ok {
		return "", fail("T0410", `$%s takes a node id in quotes, such as $%s("list"%s); got %s`, name, name, map[int]string{2: ", -1"}[want], describeValue(args[0]))
	}
	return id, nil
}
