package search

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/patchbay-mcp/patchbay/specs"
)

// synthetic makes n tools on servers of fifty, with words as unevenly used as
// in real catalogs (Zipf over 20,000 words and the words of classes.txt), and
// queries of the given number of words. The same arguments make the same tools.
func synthetic(n int) map[string][]*specs.Spec {
	r := rand.New(rand.NewPCG(1, 1))
	words := synthWords(r)
	zipf := func() string { return words[int(math.Pow(float64(len(words)), r.Float64()))-1] }
	sentence := func(n int) string {
		var list []string
		for range n {
			list = append(list, zipf())
		}
		return strings.Join(list, " ")
	}
	all := map[string][]*specs.Spec{}
	for i := range n {
		server := fmt.Sprintf("%s%d", words[len(words)-1-i/50], i/50)
		s := &specs.Spec{
			NodeType: "mcp", Subtype: fmt.Sprintf("%s/%s_%s", server, zipf(), strings.ReplaceAll(sentence(1+r.IntN(3)), " ", "_")),
			Description: sentence(8 + r.IntN(25)),
		}
		for range r.IntN(7) {
			s.Parameters = append(s.Parameters, specs.Parameter{Name: zipf(), Type: "string", Description: sentence(r.IntN(12))})
		}
		if r.IntN(3) == 0 {
			s.OutputSchema = json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string"}}}`, zipf()))
		}
		all[server] = append(all[server], s)
	}
	return all
}

func synthWords(r *rand.Rand) []string {
	seen := map[string]bool{}
	var words []string
	for w := range strings.FieldsSeq(classText) {
		if !seen[w] && isPlain(w) {
			seen[w] = true
			words = append(words, w)
		}
	}
	r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	syllables := strings.Fields("ba be bo ca co da de di do fa fi ga go ha hi ka ke la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se si so ta te ti to va ve vi wa zu")
	for len(words) < 20000 {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		w := b.String()
		if !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

// questions are n queries of the given number of words over the vocabulary of
// [synthetic].
func questions(n, length int) []string {
	r := rand.New(rand.NewPCG(2, uint64(length)))
	words := synthWords(rand.New(rand.NewPCG(1, 1)))
	var list []string
	for range n {
		var q []string
		for range length {
			q = append(q, words[int(math.Pow(float64(len(words)), r.Float64()))-1])
		}
		list = append(list, strings.Join(q, " "))
	}
	return list
}

func loaded(all map[string][]*specs.Spec) *Index {
	x := New()
	for _, server := range sortedKeys(all) {
		x.Replace("server:"+server, all[server])
	}
	return x
}
