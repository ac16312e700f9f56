package openapi

import (
	"net/url"
	"strings"
)

// Values that are shorter are not masked: they are part of ordinary words.
const (
	minSecret      = 4 // of credentials
	minHeaderValue = 8
)

// masker returns what hides the operator's secrets in a message.
func masker(o *Options) func(string) string {
	var pairs []string
	add := func(secret string, least int) {
		if len(secret) < least {
			return
		}
		pairs = append(pairs, secret, "***")
		if escaped := url.QueryEscape(secret); escaped != secret {
			pairs = append(pairs, escaped, "***")
		}
	}
	for _, c := range o.Auth {
		add(c.Token, minSecret)
		add(c.Password, minSecret)
		add(c.ClientSecret, minSecret)
		if c.Password != "" {
			add(strings.TrimPrefix(basicAuth(c.Username, c.Password), "Basic "), minSecret)
		}
	}
	for _, value := range o.Headers {
		add(value, minHeaderValue)
	}
	return strings.NewReplacer(pairs...).Replace
}

// hide masks the tokens that an operation was called with.
func (op *operation) hide(text string) string {
	for _, s := range op.auth {
		if s.tokens != nil {
			text = s.tokens.hide(text)
		}
	}
	return text
}

// hide masks the token that is used, and the one before it.
func (t *tokens) hide(text string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, token := range []string{t.token, t.former} {
		if len(token) >= minSecret {
			text = strings.ReplaceAll(text, token, "***")
		}
	}
	return text
}
