package config

import (
	"strconv"
	"strings"

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
	for i, item := range o.texts(v, "names of environment variables, ${VAR} or values") {
		text := item.Text()
		if isVariable(text) && (strings.ToUpper(text) == text || l.isSet(text)) {
			text = "${" + text + "}"
		}
		x := l.expander.expand(text)
		switch {
		case x.fault != "" || len(x.inputs) > 0:
			o.report(ruleBadVariable, item, "write NAME or ${NAME}; $${ is a literal ${", "a secret has a ${…} that is not a variable")
		case len(x.missing) > 0:
			o.report(ruleMissingVariable, item, "set "+x.missing[0]+" in the environment that patchbay starts in, or remove it from secrets", "the environment variable %q, listed under secrets, is not set", x.missing[0])
		case len(strings.TrimSpace(x.text)) < secrets.MinSecret:
			o.report(ruleShortSecret, item, "use a longer secret: a short one is part of ordinary words", "a value under secrets is shorter than %d bytes and is not masked", secrets.MinSecret)
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
