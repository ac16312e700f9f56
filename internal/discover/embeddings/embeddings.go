// Package embeddings finds nodes by meaning: an OpenAI-compatible endpoint of the
// operator's turns texts into vectors, which are kept on disk by the hash of the text,
// and the nearest nodes are candidates of a search.
//
// It knows texts and vectors. Requests leave through the transport that it is given. A
// failing endpoint never fails a search: it has no candidates then.
package embeddings

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/specs"
)

const (
	maxText   = 1000             // characters of a node's text that are read
	batch     = 64               // texts a request
	queryTime = 2 * time.Second  // for the vector of a query
	batchTime = 30 * time.Second // for those of a batch
	maxKept   = 1000             // queries whose vectors are remembered
)

// Options say where vectors come from.
type Options struct {
	URL, Model, APIKey string // the endpoint, such as http://127.0.0.1:11434/v1/embeddings
	Transport          http.RoundTripper
	Dir                string // where vectors are kept; "" keeps them in memory
	Log                *slog.Logger
}

// An Index has the vectors of nodes. It is safe for concurrent use.
type Index struct {
	endpoint endpoint
	store    *store
	log      *slog.Logger
	life     context.Context
	end      context.CancelFunc
	work     sync.WaitGroup

	mu      sync.Mutex
	filling bool
	queries *cache.Cache[string, []float32]
}

// New returns an index that reads what is on disk and asks for the rest when it is
// needed. [Index.Close] ends it.
func New(o Options) *Index {
	x := &Index{
		endpoint: endpoint{url: o.URL, model: o.Model, key: o.APIKey, client: &http.Client{Transport: o.Transport}},
		store:    openStore(o.Dir, o.URL, o.Model), log: o.Log, queries: cache.New[string, []float32](maxKept),
	}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	x.life, x.end = context.WithCancel(context.Background())
	return x
}

// Close ends requests that are under way.
func (x *Index) Close() {
	x.end()
	x.work.Wait()
	x.store.close()
}

// Near is the n nodes whose texts are nearest to a query in meaning, nearest first: of
// those whose vectors are known, while others are asked for in the background. It is
// empty when the endpoint fails or takes too long.
func (x *Index) Near(ctx context.Context, nodes []*specs.Spec, query string, n int) []*specs.Spec {
	x.fill(nodes)
	wanted, err := x.query(ctx, query)
	if err != nil {
		x.log.Debug("no vector for a query", "error", err)
		return nil
	}
	type near struct {
		spec  *specs.Spec
		angle float64
	}
	var list []near
	for _, sp := range nodes {
		if v := x.store.get(textHash(specText(sp))); len(v) == len(wanted) {
			list = append(list, near{sp, dot(v, wanted)})
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(b.angle, a.angle) })
	found := make([]*specs.Spec, 0, n)
	for _, one := range list[:min(n, len(list))] {
		if one.angle > 0 {
			found = append(found, one.spec)
		}
	}
	return found
}

// query is the vector of a query.
func (x *Index) query(ctx context.Context, text string) ([]float32, error) {
	if v, ok := x.queries.Get(text); ok {
		return v, nil
	}
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	list, err := x.endpoint.embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	x.queries.Add(text, list[0])
	return list[0], nil
}

// fill asks in the background for the vectors that are missing, one batch after another,
// until all are there or one fails; the next search tries again.
func (x *Index) fill(nodes []*specs.Spec) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.filling || x.life.Err() != nil {
		return
	}
	var missing []string
	seen := map[hash]bool{}
	for _, sp := range nodes {
		text := specText(sp)
		if h := textHash(text); !seen[h] && x.store.get(h) == nil {
			seen[h] = true
			missing = append(missing, text)
		}
	}
	if len(missing) == 0 {
		return
	}
	x.filling = true
	x.work.Go(func() {
		for texts := range slices.Chunk(missing, batch) {
			if err := x.add(texts); err != nil {
				x.log.Warn("the endpoint of search.embeddings fails", "error", err)
				break
			}
		}
		x.mu.Lock()
		x.filling = false
		x.mu.Unlock()
	})
}

func (x *Index) add(texts []string) error {
	ctx, cancel := context.WithTimeout(x.life, batchTime)
	defer cancel()
	list, err := x.endpoint.embed(ctx, texts)
	if err != nil {
		return err
	}
	for i, v := range list {
		if err := x.store.put(textHash(texts[i]), v); err != nil {
			return err
		}
	}
	return nil
}

// specText is what a node says it does.
func specText(sp *specs.Spec) string {
	name := cmp.Or(sp.Tool(), sp.NodeType)
	return diag.Cut(diag.OneLine(sp.Server()+" "+name+" "+sp.Title+" "+sp.Description), maxText)
}

// dot is the cosine of two vectors of length 1.
func dot(a, b []float32) float64 {
	var sum float32
	for i := range a {
		sum += a[i] * b[i]
	}
	return float64(sum)
}

// unit makes a vector one of length 1.
func unit(v []float32) []float32 {
	var sum float64
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	if sum > 0 {
		length := float32(math.Sqrt(sum))
		for i := range v {
			v[i] /= length
		}
	}
	return v
}
