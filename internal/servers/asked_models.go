package servers

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/models"
	"github.com/patchbay-mcp/patchbay/run"
)

// SetModels takes over the configured models. An endpoint that is as it was stays.
func (gw *Gateway) SetModels(list []models.Model) {
	next := map[string]*models.Endpoint{}
	for _, m := range list {
		if was := gw.model(m.Name); was != nil && was.Model == m {
			next[m.Name] = was
			continue
		}
		next[m.Name] = models.New(m, gw.Egress.APITransport(m.URL))
	}
	gw.models.Store(&next)
}

// model returns a configured model, or nil.
func (gw *Gateway) model(name string) *models.Endpoint {
	if all := gw.models.Load(); all != nil {
		return (*all)[name]
	}
	return nil
}

// ModelNames returns the names of the configured models, sorted.
func (gw *Gateway) ModelNames() []string {
	if all := gw.models.Load(); all != nil {
		return slices.Sorted(maps.Keys(*all))
	}
	return nil
}

// AskModel makes the call of a model node.
func (gw *Gateway) AskModel(ctx context.Context, c run.Call) (*run.Result, error) {
	e, fault := gw.knownModel(c.Tool)
	if fault != nil {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: fault}
	}
	var asked run.ModelRequest
	if err := json.Unmarshal(c.Args, &asked); err != nil {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: err}
	}
	reply, failed, status, err := e.Ask(ctx, &asked)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		return &run.Result{Structured: failed, IsError: true, Unknown: egress.FromGateway(status)}, nil
	}
	b, err := json.Marshal(reply)
	return &run.Result{Structured: b}, err
}

// MaxReply returns how many tokens a reply of a model may have.
func (gw *Gateway) MaxReply(model string) int {
	if e := gw.model(model); e != nil {
		return e.MaxTokens
	}
	return 0 // asking it will fail
}

func (gw *Gateway) knownModel(name string) (*models.Endpoint, *diag.Fault) {
	e := gw.model(name)
	if e != nil {
		return e, nil
	}
	f := diag.Faultf(models.CodeUnknownModel, "no model %q is configured", name)
	f.Suggestions = diag.Closer(name, gw.ModelNames(), 3)
	return nil, f.WithHint("add it to models in patchbay.yaml; patchbay models list shows what there is")
}

// ModelsInput asks for the configured models.
type ModelsInput struct{}

// ModelsResult is the configured models, sorted by name.
type ModelsResult struct {
	Models []ConfiguredModel `json:"models"`
}

// A ConfiguredModel is an endpoint that model nodes ask.
type ConfiguredModel struct {
	Name        string `json:"name"`
	API         string `json:"api"`
	Origin      string `json:"origin"`
	Model       string `json:"model"`
	Concurrency int    `json:"concurrency"`
	TimeoutMs   int64  `json:"timeout_ms"`
	MaxTokens   int    `json:"max_tokens"`
}

// Models lists the configured models. None is asked.
func (gw *Gateway) Models(context.Context, ModelsInput) (*ModelsResult, *diag.Fault) {
	r := &ModelsResult{Models: []ConfiguredModel{}}
	for _, name := range gw.ModelNames() {
		m := gw.model(name).Model
		u, _ := url.Parse(m.URL) // the configuration has checked it
		r.Models = append(r.Models, ConfiguredModel{Name: m.Name, API: m.API, Origin: u.Scheme + "://" + u.Host, Model: m.Model, Concurrency: m.Concurrency, TimeoutMs: m.Timeout.Milliseconds(), MaxTokens: m.MaxTokens})
	}
	return r, nil
}

// TestModelInput names a configured model.
type TestModelInput struct {
	Name string `json:"name" arg:"NAME" jsonschema:"name of the model in the configuration"`
}

// TestModelResult is what a model has answered.
type TestModelResult struct {
	Name   string     `json:"name"`
	Model  string     `json:"model"` // its version, as the endpoint names it
	Reply  string     `json:"reply"`
	Typed  bool       `json:"typed"` // it has answered by the schema
	Tokens run.Tokens `json:"tokens"`
	Ms     int64      `json:"ms"`
}

var codeModelRefused = diag.DefineFault("model-test-failed", diag.FailsAttempt, "the endpoint of a model answered `patchbay models test` with an error", "check url, model and key in `models` of patchbay.yaml")

// TestModel asks a model for a short reply by a schema.
func (gw *Gateway) TestModel(ctx context.Context, in TestModelInput) (*TestModelResult, *diag.Fault) {
	e, fault := gw.knownModel(in.Name)
	if fault != nil {
		fault.Path = "/name"
		return nil, fault
	}
	started := time.Now()
	reply, failed, status, err := e.Ask(ctx, &run.ModelRequest{
		Messages:  []run.ModelMessage{{Role: "user", Content: []run.ModelBlock{{Type: "text", Text: "Set ok to true."}}}},
		Schema:    json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`),
		MaxTokens: 200,
	})
	if err != nil {
		return nil, run.AsFault(err)
	}
	if failed != nil {
		return nil, diag.Faultf(codeModelRefused, "the model %q was answered with status %d: %s", in.Name, status, diag.Cut(string(failed), 500)).WithHint("check url, model and key in patchbay.yaml")
	}
	text := string(reply.JSON())
	var said struct{ OK bool }
	typed := json.Unmarshal([]byte(text), &said) == nil && said.OK
	return &TestModelResult{Name: in.Name, Model: reply.Model, Reply: diag.Cut(text, 500), Typed: typed, Tokens: reply.Tokens, Ms: time.Since(started).Milliseconds()}, nil
}
