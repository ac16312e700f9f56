package hooks_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/around/hooks"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// hostile are scripts that nothing in JavaScript stops: their process is killed.
var hostile = map[string]string{
	"backtracking regexp": `return /^(?=a)(a+)+$/.test("a".repeat(40) + "!")`,
	"fill":                `return new Array(5e7).fill(0).length`,
	"join":                `return new Array(1e8).join("abcd").length`,
	"repeat":              `return "ab".repeat(4e8).length`,
	"repeat, wide":        `return "é".repeat(4e8).length`,
	"typed array":         `return new Uint8Array(1e9).fill(1).length`,
	"doubled string":      `let s = "a"; for (let i = 0; i < 30; i++) s += s; return s.length`,
	"growing list":        `const all = []; for (;;) all.push(new Array(1000).fill(all.length))`,
	"growing strings":     `const all = []; for (let i = 0;; i++) all.push("x".repeat(1000) + i)`,
	"deep value":          `let v = []; for (let i = 0; i < 1e6; i++) v = [v]; return v`,
	"deep regexp":         `return new RegExp("(".repeat(1e6) + ")".repeat(1e6)).test("")`,
	"deep source":         `return eval("[".repeat(1e6) + "]".repeat(1e6)).length`,
	"getters for ever":    `const p = new Proxy({}, {ownKeys() { for (;;) {} }}); return p`,
	"endless keys":        `return new Proxy({}, {ownKeys() { return Array.from({length: 1e6}, (_, i) => "k" + i) }, getOwnPropertyDescriptor() { return {enumerable: true, configurable: true, value: "x".repeat(1000)} }, get() { return "x".repeat(1000) }})`,
	"jobs":                `const more = () => Promise.resolve().then(more); more(); more(); await new Promise(() => {})`,
	"recursion of sort":   `const f = () => [2, 1].sort(f); f()`,
	"recursion of JSON":   `const o = {toJSON() { return JSON.stringify(o) }}; return o`,
	"recursion of regexp": `const f = () => "a".replace(/a/, f); f()`,
	"big integer":         `let n = 3n; for (;;) n *= n`,
	"sort":                `return new Array(3e7).fill(0).map((_, i) => -i).sort().length`,
	"huge log":            `for (;;) console.log("x".repeat(1e6))`,
	"huge error":          `throw new Error("x".repeat(2e7))`,
}

// TestThrownForEver: to show what a script has thrown is to execute the script, so its time
// is up then, too.
func TestThrownForEver(t *testing.T) {
	pool := newPool(t, &hooks.Options{})
	const forEver = `for (;;) {}`
	for _, script := range []string{
		`throw new Proxy({}, {get() { ` + forEver + ` }})`,
		`throw new Proxy({}, {ownKeys() { ` + forEver + ` }})`,
		`throw new Proxy(new Error("x"), {get() { ` + forEver + ` }})`,
		`const e = new Error("x"); Object.defineProperty(e, "message", {get() { ` + forEver + ` }}); throw e`,
		`const e = new Error("x"); Object.defineProperty(e, "stack", {get() { ` + forEver + ` }}); return Promise.reject(e)`,
		`throw {toJSON() { ` + forEver + ` }}`,
		`return {toJSON() { throw {toString() { ` + forEver + ` }} }}`,
		`return Promise.reject(new Proxy({}, {get() { ` + forEver + ` }}))`,
		`console.log(new Proxy({}, {get() { ` + forEver + ` }}))`,
	} {
		_, err := pool.Run(t.Context(), &hooks.Job{Script: script, Timeout: 100 * time.Millisecond})
		if f, ok := errors.AsType[*hooks.Failure](err); !ok || f.Code != hooks.Timeout {
			t.Errorf("%s: %v, want %s", script, err, hooks.Timeout)
		}
	}
}

// A hostile script ends with a failure, no other notices it, and no process is left.
func TestHostileScripts(t *testing.T) {
	pool := newPool(t, &hooks.Options{Workers: 4})
	const limit = 300 * time.Millisecond
	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() { // scripts of others, until the hostile ones have ended
		for i := 0; ; i++ {
			answer, err := pool.Run(t.Context(), &hooks.Job{Script: `return context.i`, Context: json.RawMessage(`{"i":` + strconv.Itoa(i) + `}`), Timeout: testenv.Limit(hooks.DefaultTimeout)})
			if err != nil || string(answer.Returned) != strconv.Itoa(i) {
				t.Errorf("another script: %v, %+v", err, answer)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	turns := make(chan struct{}, 2)
	var all sync.WaitGroup
	for name, script := range hostile {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			began := time.Now()
			answer, err := pool.Run(t.Context(), &hooks.Job{Name: name, Script: script, Timeout: limit})
			took := time.Since(began)
			if f, ok := errors.AsType[*hooks.Failure](err); !ok || f.Message == "" || len(f.Message) > 1200 {
				t.Errorf("%s: %v %+v", name, err, answer)
			}
			t.Logf("%-20s %8.0f ms  %.120v", name, float64(took)/1e6, err)
		})
	}
	all.Wait()
	close(stop)
	others.Wait()
	pool.Close()
	if left := childrenOf("self"); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

// childrenOf lists the processes that one has started, on Linux.
func childrenOf(pid string) (all []string) {
	lists, _ := filepath.Glob("/proc/" + pid + "/task/*/children") // of a pattern of ours
	for _, list := range lists {
		if b, err := os.ReadFile(list); err == nil { // a thread may have ended
			all = append(all, strings.Fields(string(b))...)
		}
	}
	return all
}
