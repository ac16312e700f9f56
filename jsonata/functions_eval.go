package jsonata

// callEval is $eval(expression, context?).
func callEval(e *Evaluator, args []any) any {
	src := args[0].(string)
	call := e.call
	scope, f := call.scope, call.frame
	if scope == nil {
		f = nil
	}
	x := e.compileText(src, scope)
	in := call.in
	if args[1] != nil {
		in = args[1]
		if list, ok := in.([]any); ok && !isSequence(list) {
			in = []any{list, wrappedInput}[:1]
		}
	}
	return e.evaluateText(x, f, in, call)
}

// compileText compiles text in the scope of a call.
func (e *Evaluator) compileText(src string, in *scope) *Expr {
	if fault := CheckSource(src, e.limits.MaxBytes); fault != nil {
		e.stop(&Error{Code: fault.Code, Message: "in $eval: " + fault.Message, Hint: fault.Hint, Start: e.call.node.Start, End: e.call.node.End})
	}
	e.steps(20 + 5*len(src))
	e.alloc(40 * len(src))
	ast, fault := Parse(src)
	if fault != nil {
		e.bad(0, "D3120", "in $eval: %s", fault.Message)
	}
	c := compiler{src: src, env: e.env}
	return c.whole(&Expr{}, ast, in)
}

// evaluateText evaluates what $eval has compiled. An error in it is placed at the call.
func (e *Evaluator) evaluateText(x *Expr, outer *frame, in any, call native) (v any) {
	depth, levels, site, base := e.depth, e.levels, e.site, len(e.stack)
	if e.levels += 200; e.levels > maxLevels {
		e.tooManyCalls(call.node)
	}
	defer func() {
		e.depth, e.levels, e.site = depth, levels, site
		switch p := recover().(type) {
		case nil:
		case *Error:
			if e.stopped != nil {
				e.call, e.stopped.Start, e.stopped.End = call, 0, 0
				e.stop(e.stopped)
			}
			e.call = call
			e.stack = e.stack[:base]
			fault := e.fault(e.argument(0), "D3121", p.Message)
			if p.Code == "D3137" || p.Code == "D3141" {
				fault.Code = p.Code
			} else {
				fault.Message = "in $eval: " + fault.Message
			}
			fault.Hint = p.Hint
			panic(e.about(fault))
		default:
			panic(p)
		}
	}()
	if outer == nil {
		outer = newFrame(nil, x.slots)
	}
	return x.run(e, outer, in)
}

func callNow(e *Evaluator, args []any) any {
	return e.formatTime(float64(e.clock().UnixMilli()), args[0], args[1], 1)
}

func callMillis(e *Evaluator, _ []any) any { return float64(e.clock().UnixMilli()) }

func callFromMillis(e *Evaluator, args []any) any {
	ms, _ := e.number(args[0])
	return e.formatTime(ms, args[1], args[2], 2)
}

func callToMillis(e *Evaluator, args []any) any {
	text := args[0].(string)
	if picture, ok := args[1].(string); ok {
		return e.parseTime(text, picture)
	}
	ms, ok := isoTime(text)
	if !ok {
		e.bad(0, "D3110", "$toMillis takes a time such as 2025-01-31T12:00:00Z, or a picture as well; got %q", brief(text))
	}
	if ms != ms {
		e.infinite = e.argument(0)
	}
	return ms
}
