package config

import (
	"encoding/base64"
	"path/filepath"
	"slices"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// An Auth is how a remote server knows who calls, if not by a header.
type Auth struct {
	Grant        string // client_credentials, or "" for a login by a person
	ClientID     string // "" registers a client at the login
	ClientSecret string
	TokenFile    string // where the token of patchbay mcp login is kept
}

// authForms are the forms of auth.
var authForms = []string{"bearer", "basic", "apiKey", "clientCredentials", "client"}

// auth reads how the calls of a remote server are authorized.
func (r *entryReader) auth() {
	if dir := r.cfg.StateDir; dir != "" {
		r.s.Auth.TokenFile = filepath.Join(dir, "tokens", LegalName(r.s.Name)+"-"+files.Hash(r.s.Name + "\x00" + r.s.URL)[:16]+".json")
		r.tokenSecrets()
	}
	v := r.at.Get("auth")
	if !given(v) {
		return
	}
	form := ""
	if v.Is(graph.Object) && v.Len() == 1 {
		form = v.Keys()[0]
	}
	if !slices.Contains(authForms, form) {
		r.fault(ruleBadSetting, v, `write one of {bearer: "${TOKEN}"}, {basic: {user: …, password: …}}, {apiKey: {header: …, value: …}}, {clientCredentials: {id: …, secret: …}}, {client: {id: …}}`,
			"auth of server %q has not one of bearer, basic, apiKey, clientCredentials and client", r.s.Name)
		return
	}
	at := v.Get(form)
	part := func(key string, required bool) string {
		p := at.Get(key)
		if !p.Exists() {
			if required {
				r.fault(ruleBadSetting, at, "add "+key, "auth.%s of server %q has no %s", form, r.s.Name, key)
			}
			return ""
		}
		text, used := r.text(p, "auth."+form+"."+key)
		for _, v := range used {
			r.note(v, key)
		}
		return text
	}
	switch form {
	case "bearer":
		token := r.secret(at, "auth.bearer")
		r.authHeader("Authorization", "Bearer "+token, token)
	case "basic":
		user, password := part("user", true), part("password", true)
		pair := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
		r.authHeader("Authorization", "Basic "+pair, pair, password)
	case "apiKey":
		value := part("value", true)
		r.authHeader(part("header", true), value, value)
	default:
		r.s.Auth.ClientID, r.s.Auth.ClientSecret = part("id", true), part("secret", form == "clientCredentials")
		if form == "clientCredentials" {
			r.s.Auth.Grant = "client_credentials"
		}
		r.secrets = append(r.secrets, secrets.Named(r.s.Name+".auth."+form, r.s.Auth.ClientSecret)...)
	}
}

func (r *entryReader) authHeader(name, value string, hidden ...string) {
	if r.s.Headers == nil {
		r.s.Headers = map[string]string{}
	}
	r.s.Headers[name] = value
	r.secrets = append(r.secrets, secrets.Named(r.s.Name+".auth", hidden...)...)
}

// tokenSecrets notes what is kept of a login: a server may repeat it.
func (r *entryReader) tokenSecrets() {
	b, err := files.Read(r.s.Auth.TokenFile, 1<<20)
	if err != nil {
		return
	}
	var kept struct {
		Token struct {
			Access  string `json:"access_token"`
			Refresh string `json:"refresh_token"`
		} `json:"token"`
		Secret string `json:"client_secret"`
	}
	if formats.Logins.Decode(b, &kept) != nil {
		return
	}
	r.secrets = append(r.secrets, secrets.Named(r.s.Name+".login", kept.Secret, kept.Token.Access, kept.Token.Refresh)...)
}

// secret reads a text that is masked wherever it is shown.
func (r *entryReader) secret(v graph.Value, what string) string {
	text, used := r.text(v, what)
	r.secrets = append(r.secrets, secrets.Named(r.s.Name+"."+what, text)...)
	for _, variable := range used {
		r.note(variable, "secret")
	}
	return text
}
