package engine

import (
	"fmt"
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

// TestExpressionsThatAreKept: long expressions, which take much memory, are fewer.
func TestExpressionsThatAreKept(t *testing.T) {
	ForgetExpressions()
	defer ForgetExpressions()
	last := ""
	for i := range 2 * exprCacheTexts / exprCacheText {
		last = fmt.Sprintf("%0*d", exprCacheText, i)
		compileExpr(last)
	}
	if n, bytes := exprCache().Used(); n == 0 || bytes > exprCacheTexts {
		t.Errorf("%d expressions with %d bytes are kept", n, bytes)
	}
	if _, ok := exprCache().Get(last); !ok {
		t.Error("the last is not kept")
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
