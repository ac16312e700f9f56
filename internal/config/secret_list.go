package config

import (
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// expand expands the variables of a text, and notes the secrets in it.
func (l *loader) expand(text string) expansion {
	x := l.expander.expand(text)
	for _, v := range x.used {
		if secrets.IsSecretName(v.name) || strings.Contains(x.text, "://") {
			l.note(v, "")
		}
	}
	if hidden := secrets.URLSecrets(x.text); len(hidden) > 0 {
		l.secrets = append(l.secrets, secrets.Named("url."+strconv.Itoa(l.urls), hidden...)...)
		l.urls++
	}
	return x
}

// note notes the secrets in the value of a variable, at a place of that name.
func (l *loader) note(v usedVariable, place string) {
	l.secrets = append(l.secrets, secrets.Named(v.name, secrets.ValueSecrets(v.value, v.name, place)...)...)
}

// secretList reads the secrets that the operator lists: each is the name of an
// environment variable, a text with ${VAR}, or the value itself.
func (l *loader) secretList(o origin, v graph.Value) {
	for i, item := range l.texts(o, v, "names of environment variables, ${VAR} or values") {
		text := item.Text()
		if isVariable(text) && (strings.ToUpper(text) == text || l.isSet(text)) {
			text = "${" + text + "}"
		}
		x := l.expander.expand(text)
		var d *diag.Diagnostic
		switch {
		case x.fault != "" || len(x.inputs) > 0:
			d = o.file.Diagnostics.Report(ruleBadVariable, item.Path(), item.Range(), "a secret has a ${…} that is not a variable")
			d.Hint = "write NAME or ${NAME}; $${ is a literal ${"
		case len(x.missing) > 0:
			d = o.file.Diagnostics.Report(ruleMissingVariable, item.Path(), item.Range(), "the environment variable %q, listed under secrets, is not set", x.missing[0])
			d.Hint = "set " + x.missing[0] + " in the environment that patchbay starts in, or remove it from secrets"
		case len(strings.TrimSpace(x.text)) < secrets.MinSecret:
			d = o.file.Diagnostics.Report(ruleShortSecret, item.Path(), item.Range(), "a value under secrets is shorter than %d bytes and is not masked", secrets.MinSecret)
			d.Hint = "use a longer secret: a short one is part of ordinary words"
		default:
			name := "secrets." + strconv.Itoa(i)
			if len(x.used) == 1 {
				name = x.used[0].name
			}
			l.secrets = append(l.secrets, secrets.Secret{Name: name, Value: x.text})
		}
	}
}

// proxySecrets notes the passwords in the addresses of proxies, which servers inherit and
// may repeat.
func (l *loader) proxySecrets() {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		if value, ok := l.o.Environ(name); ok {
			l.secrets = append(l.secrets, secrets.Named(name, secrets.URLSecrets(value)...)...)
		}
	}
}

func (l *loader) isSet(name string) bool {
	_, ok := l.expander.environ(name)
	return ok
}
