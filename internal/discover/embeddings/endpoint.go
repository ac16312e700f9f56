package embeddings

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Bounds on what an endpoint may answer.
const (
	maxReply      = 32 << 20 // bytes
	maxDimensions = 8192
)

// An endpoint is an OpenAI-compatible one for embeddings.
type endpoint struct {
	url, model, key string
	client          *http.Client
}

// embed is the vectors of texts, in their order, each of length 1.
func (e *endpoint) embed(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": e.model, "input": texts})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
	res, err := e.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the endpoint answers %s", res.Status)
	}
	var reply struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxReply)).Decode(&reply); err != nil {
		return nil, fmt.Errorf("read the endpoint's reply: %w", err)
	}
	list := make([][]float32, len(texts))
	for _, d := range reply.Data {
		if d.Index < 0 || d.Index >= len(list) || len(d.Embedding) == 0 || len(d.Embedding) > maxDimensions {
			return nil, fmt.Errorf("the endpoint's reply has a vector with index %d and %d numbers", d.Index, len(d.Embedding))
		}
		list[d.Index] = unit(d.Embedding)
	}
	for i, v := range list {
		if v == nil {
			return nil, fmt.Errorf("the endpoint's reply has no vector for text %d", i)
		}
	}
	return list, nil
}
