package engine_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// walked are the packages that run a plan, or keep what it has done: a run that is replayed
// elsewhere takes the same path.
var walked = []string{".", "../run", "local"}

// ofTheProcess are files of these packages that a replayed run does not use: the world that
// is this process, and what only a person's process does.
var ofTheProcess = []string{"../run/debugger.go", "../run/pause.go", "local/world.go", "local/local.go", "local/replay.go", "local/background.go"}

// inAnyOrder are the functions that may go over a map: in any order they come to the same.
var inAnyOrder = map[string]string{
	"unwrap":      "the fields of a node are set by name",
	"tooMany":     "the largest, of several the first by name",
	"Fork":        "a map is copied",
	"dropSettled": "the numbers in a map are raised",
	"view":        "lists are sorted, each by itself",
	"UsesOf":      "the list is sorted afterwards",
	"replay":      "a set is made",
}

// TestWalkerTouchesTheWorldOnlyThroughItsRuntime keeps goroutines, the clock, randomness
// and the order of maps out of what runs a plan.
func TestWalkerTouchesTheWorldOnlyThroughItsRuntime(t *testing.T) {
	compiled, loops := exports(t), map[string]bool{}
	for _, dir := range walked {
		paths, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		var files []*ast.File
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, tree)
			if !slices.Contains(ofTheProcess, path) {
				checkWorld(t, set, path, tree)
			}
		}
		if len(files) < 12 {
			t.Fatalf("only %d files of %s were found", len(files), dir)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		config := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })}
		if _, err := config.Check(dir, set, files, info); err != nil {
			t.Fatal(err)
		}
		for _, tree := range files {
			checkMaps(t, set, tree, info, loops)
		}
	}
	for name := range inAnyOrder {
		if !loops[name] {
			t.Errorf("inAnyOrder has %s, which goes over no map", name)
		}
	}
	for _, path := range ofTheProcess {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("ofTheProcess: %v", err)
		}
	}
}

// exports returns the files with the types of the packages that those walked import.
func exports(t *testing.T) map[string]string {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".", "../run", "./local"}
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 {
			files[f[0]] = f[1]
		}
	}
	return files
}

// checkWorld refuses goroutines, the clock and randomness.
func checkWorld(t *testing.T, set *token.FileSet, path string, tree *ast.File) {
	timers := []string{"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"}
	clock := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
	for _, imp := range tree.Imports {
		if of, _ := strconv.Unquote(imp.Path.Value); strings.HasPrefix(of, "math/rand") || of == "crypto/rand" || of == "os" || of == "net/http" {
			t.Errorf("%s imports %s", path, of)
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SelectStmt:
			t.Errorf("%s: a goroutine or select; use Runtime.Fan, Sleep or Call", set.Position(n.Pos()))
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clock, n.Sel.Name) {
				t.Errorf("%s: time.%s; use Runtime.Now or Sleep", set.Position(n.Pos()), n.Sel.Name)
			} else if ok && x.Name == "context" && slices.Contains(timers, n.Sel.Name) {
				t.Errorf("%s: context.%s; use Runtime.Deadline", set.Position(n.Pos()), n.Sel.Name)
			}
		}
		return true
	})
}

// checkMaps refuses loops over maps, in their order or that of maps.Keys and its like, but
// in the functions that may, and in what is sorted at once. It adds those functions to loops.
func checkMaps(t *testing.T, set *token.FileSet, tree *ast.File, info *types.Info, loops map[string]bool) {
	for _, decl := range tree.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		report := func(at ast.Node, format string, args ...any) {
			if loops[f.Name.Name] = true; inAnyOrder[f.Name.Name] == "" {
				t.Errorf("%s: %s", set.Position(at.Pos()), fmt.Sprintf(format, args...))
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				if _, is := info.Types[n.X].Type.Underlying().(*types.Map); is {
					report(n, "a loop over a map in %s; sort its keys, or say in inAnyOrder why its order does not matter", f.Name.Name)
				}
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "Sorted") {
					return false
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "maps" && slices.Contains([]string{"Keys", "Values", "All"}, n.Sel.Name) {
					report(n, "maps.%s in %s; sort it", n.Sel.Name, f.Name.Name)
				}
			}
			return true
		})
	}
}
