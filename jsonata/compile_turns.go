package jsonata

// turnsOf is how many turns jsonata-js takes between the value of what a kind of node
// consists of and that of the node.
func turnsOf(kind Kind) int {
	switch kind {
	case KindPath, KindBinary, KindNegate, KindArray, KindObject, KindCondition, KindElvis, KindCoalesce, KindBlock, KindBind, KindCall, KindPartial, KindApply:
		return 1
	}
	return 0
}

// owing compiles code after which others proceed for so many turns, also where it fails.
func (c *compiler) owing(turns int, run code) code {
	if !c.paced || turns == 0 {
		return run
	}
	return owing(turns, run)
}

func owing(turns int, run code) code {
	return func(e *Evaluator, f *frame, in any) any {
		e.owed += turns
		v := run(e, f, in)
		e.owed -= turns
		e.wait(turns)
		return v
	}
}

// right compiles the right operand of an operator.
func (c *compiler) right(n *Node) code { return c.owing(1, c.inner(n.Args[1])) }

// connected compiles "and" and "or" with the turns of jsonata-js.
func (c *compiler) connected(n *Node) test {
	left, right := c.inner(n.Args[0]), c.right(n)
	or := n.Text == "or"
	return func(e *Evaluator, f *frame, in any) bool {
		v := left(e, f, in)
		e.owed++
		holds, _ := e.truth(v)
		if holds != or {
			holds, _ = e.truth(right(e, f, in))
		}
		e.owed--
		e.wait(1)
		return holds
	}
}

// slow are the functions whose result jsonata-js waits for.
var slow = map[string]bool{
	"contains": true, "match": true, "replace": true, "split": true, "map": true, "filter": true, "single": true, "reduce": true, "each": true, "sort": true,
	"sift": true, "eval": true,
}

// turns are how many turns the call of a native function takes once it is done.
func (fn *Function) turns() int {
	if fn.row != nil && slow[fn.row.Name] || fn.row == nil && fn.name == "transform" {
		return 1
	}
	return 0
}

// nativeInTurns calls a native function with the turns of jsonata-js.
func (e *Evaluator) nativeInTurns(fn *Function, n *Node, f *frame, in any, base int, lead bool, scope *scope) any {
	turns := 3*fn.wraps + 1
	if fn.partial {
		turns--
	}
	if fn.passed {
		in = null{}
	}
	e.owed += turns
	saved := e.call
	e.call = native{fn: fn, node: n, frame: f, scope: scope, in: in, lead: lead, depth: int32(e.depth)}
	args := e.stack[base:]
	if fn.sig != nil {
		args = fn.sig.fit(e, fn.name, args, in)
	}
	e.step()
	if row := fn.row; row != nil && row.Steps+row.Each > 0 {
		e.charge(row, args)
	}
	own := fn.turns()
	e.owed += own
	v := fn.native(e, args)
	e.call = saved
	e.drop(base)
	e.owed -= turns + own
	e.wait(turns + own)
	return v
}

// itemsBeside makes an array of items that are evaluated beside each other; own says of
// each whether it is an array in the array.
func itemsBeside(runs []code, own []bool, step bool) code {
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		e.allocItems(len(runs))
		items := make([]any, 0, len(runs)+1)
		for i, v := range e.all(len(runs), func(i int) any { return runs[i](e, f, in) }) {
			items = e.joined(items, v, own[i], len(runs)-i)
		}
		return made(items, step)
	}
}

// all are the values of n things that are evaluated beside each other.
func (e *Evaluator) all(n int, run func(i int) any) []any {
	switch n {
	case 0:
		e.wait(1)
		return nil
	case 1:
		e.owed += 2
		v := run(0)
		e.owed -= 2
		e.wait(2)
		return []any{v}
	}
	return e.beside(n, run)
}
