package config

import (
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// Search is how nodes are found.
type Search struct {
	Synonyms   string // a file of word classes, or ""
	Embeddings Embeddings
}

// Embeddings are an endpoint that turns texts into vectors, off without a URL.
type Embeddings struct{ URL, Model, APIKey string }

var searchSettings = []setting{
	{
		"synonyms", namesFiles, "A file of word classes in addition to Patchbay's own: each line has words that people use for one another, such as `rsvp respond invitation`. A line that begins with `#` is a comment. `patchbay doctor --searches` suggests lines.", "none",
		folder(func(c *Config, file string) { c.Search.Synonyms = file }),
	},
	{"embeddings", needsTrust, "An OpenAI-compatible endpoint for embeddings, such as one on this machine. With it, searches also find nodes by meaning. The texts of nodes and queries are sent to it.", "", group([]setting{
		{"url", needsTrust, "The endpoint, such as `http://127.0.0.1:11434/v1/embeddings`.", "none: embeddings are off", webAddress("http://127.0.0.1:11434/v1/embeddings", false, func(c *Config) *string { return &c.Search.Embeddings.URL })},
		{"model", needsTrust, "The model's name.", "", expandedText("the name of a model", func(c *Config, s string) { c.Search.Embeddings.Model = s })},
		{"apiKey", needsTrust, "The key, as `${VAR}`.", "none", secretText("search.embeddings.apiKey", func(c *Config) *string { return &c.Search.Embeddings.APIKey })},
	})},
}

// expandedText is a text in which ${VAR} is expanded.
func expandedText(what string, set func(*Config, string)) value {
	return value{"string", func(l *loader, o origin, v graph.Value) {
		if text, ok := l.expanded(o, v, what); ok {
			set(l.cfg, text)
		}
	}, nil}
}

// secretText is a key that is masked under a name.
func secretText(name string, to func(*Config) *string) value {
	return value{"string", func(l *loader, o origin, v graph.Value) {
		if text, ok := l.expanded(o, v, "a key, as ${VAR}"); ok {
			*to(l.cfg) = text
			l.secrets = append(l.secrets, secrets.Secret{Name: name, Value: text})
		}
	}, nil}
}
