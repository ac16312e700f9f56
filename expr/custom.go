package expr

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A Function is one that a program adds to JSONata's, for every expression of the
// process.
type Function struct {
	Name      string // without the $
	Signature string // in JSONata's notation, such as <sn?:s>; parameters cannot be functions
	// Call computes the result from arguments that fit the signature: nil, bool,
	// float64, string, []any and map[string]any, nil also for one that is missing. It
	// must be quick, the same for the same arguments and safe for concurrent use.
	// What it returns is encoded as JSON; nil is undefined.
	Call func(ctx context.Context, args []any) (any, error)
}

// customs are the functions that were added.
var customs struct {
	sync.Mutex
	byName map[string]*atomic.Pointer[Function]
	sealed bool // the first expression has been compiled or evaluated
}

var (
	functionName      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	functionSignature = regexp.MustCompile(`^<([snbloajx]|\([snbloajx]+\)|a<[snblo]>|[?+])*:([snbloajx]|a<[snblo]>)>$`)
)

// AddFunctions adds functions. A name can be added before the first expression of
// the process is compiled; afterwards a function only takes the place of an added
// one with the same name and signature. Nothing is added if there is an error.
func AddFunctions(list ...Function) error {
	customs.Lock()
	defer customs.Unlock()
	for _, f := range list {
		_, added := customs.byName[f.Name]
		switch {
		case !functionName.MatchString(f.Name):
			return fmt.Errorf("%q cannot be the name of a function: use letters, digits and _", f.Name)
		case f.Call == nil:
			return fmt.Errorf("the function $%s has no Call", f.Name)
		case !functionSignature.MatchString(f.Signature) || strings.HasPrefix(f.Signature, "<?") || strings.HasPrefix(f.Signature, "<+"):
			return fmt.Errorf("the signature %q of $%s is not one of parameters s n b l o a j x and a result, such as <sn?:s>", f.Signature, f.Name)
		case !added && jsonata.LookupBuiltin(f.Name) != nil:
			return fmt.Errorf("$%s is a function of JSONata", f.Name)
		case added && jsonata.LookupBuiltin(f.Name).Signature != f.Signature:
			return fmt.Errorf("$%s was added with the signature %s", f.Name, jsonata.LookupBuiltin(f.Name).Signature)
		case !added && customs.sealed:
			return fmt.Errorf("$%s is added too late: functions must be added before the first expression is compiled", f.Name)
		}
	}
	for _, f := range list {
		if customs.byName == nil {
			customs.byName = map[string]*atomic.Pointer[Function]{}
		}
		if customs.byName[f.Name] == nil {
			if err := jsonata.Declare(f.Name, f.Signature); err != nil {
				return err
			}
			customs.byName[f.Name] = &atomic.Pointer[Function]{}
		}
		customs.byName[f.Name].Store(&f)
	}
	return nil
}

// functions are those of all expressions. They are complete when the first expression
// is compiled.
var functions = sync.OnceValue(func() *jsonata.Env {
	customs.Lock()
	defer customs.Unlock()
	customs.sealed = true
	env := jsonata.NewEnv()
	for name, f := range customs.byName {
		call := func(ctx context.Context, args []Value) (Value, error) { return f.Load().call(ctx, args) }
		if err := env.Add(name, f.Load().Signature, call); err != nil {
			panic(err) // AddFunctions has checked it
		}
	}
	return env
})

func (fn *Function) call(ctx context.Context, args []Value) (Value, error) {
	given := make([]any, len(args))
	for i, a := range args {
		if a == nil {
			continue
		}
		b, err := Encode(a)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, &given[i]); err != nil {
			return nil, err
		}
	}
	out, err := fn.Call(ctx, given)
	if err != nil || out == nil {
		return nil, err
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("it returned what is not JSON: %w", err)
	}
	return Decode(b)
}
