package engine

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestExpressionsAreCompiledOnce: a pass asks for a text several times, also for
// one that is too long for the cache or not an expression.
func TestExpressionsAreCompiledOnce(t *testing.T) {
	for _, src := range []string{"$.entry.n", "https://example.com/", strings.Repeat("$.entry.n + ", exprCacheText) + "1"} {
		p := &Pass{}
		first, fault := p.compileExpr(src)
		again, same := p.compileExpr(src)
		if first != again || fault != same {
			t.Errorf("%.40s is compiled twice", src)
		}
	}
}

// TestOnlyTheCacheCompiles: whatever else parses an expression parses it again.
func TestOnlyTheCacheCompiles(t *testing.T) {
	parses := regexp.MustCompile(`\b(jsonata\.Parse|expr\.(Compile|Prepare|CompileRule))\(`)
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		if file == "exprcache.go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := parses.Find(b); found != nil {
			t.Errorf("%s calls %s): take the expression from Pass.compileExpr", file, found)
		}
	}
}
