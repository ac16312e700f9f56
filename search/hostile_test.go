package search

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

// fillings are texts of n bytes that servers send where a description is expected.
var fillings = map[string]func(r *rand.Rand, n int) string{
	"prose":  func(r *rand.Rand, n int) string { return words(r, n, 4, 9, " ") },
	"base64": func(r *rand.Rand, n int) string { return base64.StdEncoding.EncodeToString(noise(r, n*3/4)) },
	"base64 in lines": func(r *rand.Rand, n int) string {
		text := base64.StdEncoding.EncodeToString(noise(r, n*3/4))
		var b strings.Builder
		for len(text) > 76 {
			b.WriteString(text[:76] + "\n")
			text = text[76:]
		}
		return b.String() + text
	},
	"base64url in short lines": func(r *rand.Rand, n int) string {
		text := base64.RawURLEncoding.EncodeToString(noise(r, n*3/4))
		var b strings.Builder
		for len(text) > 20 {
			b.WriteString(text[:20] + " ")
			text = text[20:]
		}
		return b.String()
	},
	"hex": func(r *rand.Rand, n int) string { return hex.EncodeToString(noise(r, n/2)) },
	"minified": func(r *rand.Rand, n int) string {
		var b strings.Builder
		for b.Len() < n {
			fmt.Fprintf(&b, "function %s(%s,%s){return %s.%s(%s)+%d}", words(r, 2, 1, 2, ""), words(r, 1, 1, 2, ""), words(r, 1, 1, 2, ""), words(r, 1, 1, 2, ""), words(r, 3, 1, 4, ""), words(r, 1, 1, 2, ""), r.IntN(1000))
		}
		return b.String()[:n]
	},
	"letters":            func(r *rand.Rand, n int) string { return words(r, n, 1, 1, " ") },
	"letters and digits": func(r *rand.Rand, n int) string { return strings.ReplaceAll(words(r, n, 1, 1, "7"), "e", "E") },
	"camelCase": func(r *rand.Rand, n int) string {
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(strings.ToUpper(words(r, 1, 1, 1, "")) + words(r, 2, 2, 2, ""))
			if r.IntN(6) == 0 {
				b.WriteByte(' ')
			}
		}
		return b.String()[:n]
	},
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// words are n bytes of words of some letters, as often the same as those of a language.
func words(r *rand.Rand, n, least, most int, between string) string {
	var b strings.Builder
	for b.Len() < n {
		of := rand.New(rand.NewPCG(7, uint64(3000*r.Float64()*r.Float64())))
		if least == most {
			of = r
		}
		for range least + of.IntN(most-least+1) {
			b.WriteByte("etaoinshrdlcumwfgypbvkjxqz"[of.IntN(26)])
		}
		b.WriteString(between)
	}
	return b.String()[:n]
}

func filled(fill func(*rand.Rand, int) string, tools, bytes int) []*specs.Spec {
	r := rand.New(rand.NewPCG(1, 9))
	var list []*specs.Spec
	for i := range tools {
		list = append(list, mcp("s", fmt.Sprintf("tool_%d", i), "Does it. "+fill(r, bytes)))
	}
	return list
}

// BenchmarkFill indexes 500 tools with 1.2 kB, and 40 with 16 kB, of each filling.
func BenchmarkFill(b *testing.B) {
	for _, name := range sortedKeys(fillings) {
		for _, size := range [][2]int{{500, 1200}, {40, 16 << 10}} {
			b.Run(fmt.Sprintf("%s/%d", name, size[1]), func(b *testing.B) {
				list := filled(fillings[name], size[0], size[1])
				var took float64
				for b.Loop() {
					took += ms(processCPU(func() { New().Replace("server:s", list) }))
				}
				b.ReportMetric(took/float64(b.N), "cpu-ms")
			})
		}
	}
}

// TestDataMakesFewTerms counts the terms of descriptions with data: more than those of twice as
// much prose would make every build and every change of the server expensive.
func TestDataMakesFewTerms(t *testing.T) {
	count := func(fill func(*rand.Rand, int) string, tools, bytes int) int {
		x := New()
		x.Replace("server:s", filled(fill, tools, bytes))
		return x.words.len()
	}
	for _, size := range [][2]int{{100, 1200}, {8, 16 << 10}} {
		most := 2 * count(fillings["prose"], size[0], size[1])
		for name, fill := range fillings {
			if n := count(fill, size[0], size[1]); n > most {
				t.Errorf("%d descriptions of %d bytes of %s have %d terms, want at most %d", size[0], size[1], name, n, most)
			}
		}
	}
}
