package config

import (
	"fmt"
	"net/url"
	"time"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/servers/models"
)

// models reads the map of models. One with a fault is left out.
func (l *loader) models(o origin, v graph.Value) {
	if !o.is(v, graph.Object, "a map of names to {api, url, model, key}") {
		return
	}
	for name, item := range v.Members() {
		if !hookName().MatchString(name) {
			o.bad(v.Key(name), "a name of letters, digits, _, - and .")
			continue
		}
		if !o.is(item, graph.Object, "a map with api, url and model") {
			continue
		}
		o.unknown(item, []string{"api", "url", "model", "key", "concurrency", "timeoutMs", "maxTokens"}, fmt.Sprintf("model %q", name))
		m := models.Model{Name: name, Concurrency: models.DefaultConcurrency, Timeout: models.DefaultTimeout, MaxTokens: models.DefaultTokens}
		sound := l.optionals(o, item, map[string]*string{"key": &m.Key})
		for key, to := range map[string]struct {
			into *string
			what string
		}{"api": {&m.API, "openai or anthropic"}, "url": {&m.URL, "the address of the API, such as http://127.0.0.1:11434/v1"}, "model": {&m.Model, "the name of the model there"}} {
			text, ok := l.required(o, item, key, to.what)
			*to.into, sound = text, sound && ok
		}
		for key, set := range map[string]func(n int64){
			"concurrency": func(n int64) { m.Concurrency = int(n) },
			"timeoutMs":   func(n int64) { m.Timeout = time.Duration(n) * time.Millisecond },
			"maxTokens":   func(n int64) { m.MaxTokens = int(n) },
		} {
			if given(item.Get(key)) {
				n, ok := o.number(item.Get(key), 1, maxMillis)
				set(n)
				sound = sound && ok
			}
		}
		if !sound {
			continue
		}
		if m.API != "openai" && m.API != "anthropic" {
			o.bad(item.Get("api"), "openai or anthropic")
			continue
		}
		if u, err := url.Parse(m.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			o.bad(item.Get("url"), "the address of the API, such as http://127.0.0.1:11434/v1")
			continue
		}
		l.secrets = append(l.secrets, secrets.Secret{Name: "models." + name + ".key", Value: m.Key})
		l.cfg.Models = append(l.cfg.Models, m)
	}
}
