package config

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/openapi"
)

// openapiKeys are the keys of an OpenAPI API's entry.
var openapiKeys = []Setting{
	{"source", "path, URL or text", "", "The document, OpenAPI 3.0 or 3.1 or Swagger 2.0, as JSON or YAML."},
	{"url", "URL", "the first server of the document", "Where requests are sent. A document that is fetched from a URL may only name servers of its own origin; for others write this."},
	{"variables", "map of strings", "the defaults of the document", "The variables of the document's server."},
	{"headers", "map of strings", "none", "HTTP headers of every request to the API."},
	{"auth", "map of credentials", "none", "Credentials by the name of the document's security scheme: a token or key, `{username, password}`, or `{clientId, clientSecret}` with `tokenUrl` and `scopes` if those of the document are not meant, and further `parameters` of the request for a token, such as `{audience: https://api.example.com}`."},
	{"include", "list of texts", "all", "The operations that become tools: `tag:orders`, `GET`, `/orders/**`, `GET /orders/*`, or an operationId or glob."},
	{"exclude", "list of texts", "none", "The operations that do not, even if `include` names them."},
	{"deprecated", "boolean", "false", "Whether deprecated operations and parameters are included."},
	{"prefix", "string", "none", "Begins the names of the tools: `shop_listOrders` for `shop`."},
	{"with", "list of `status` and `headers`", "none", "What results have in addition to the body of the answer."},
	{"disabled", "boolean", "false", "Whether to leave the API out."},
}

// OpenAPISettings describes every key of an OpenAPI API's entry.
func OpenAPISettings() []Setting { return openapiKeys }

var openapiKind = &apiKind{transport: OpenAPI, keys: openapiKeys, read: (*entryReader).openapi}

// openapi adds the options of one entry to the server.
func (r *entryReader) openapi() {
	at := r.at.Get("source")
	if r.at.Is(graph.String) {
		at = r.at
	}
	o := openapi.Options{Source: r.apiSource(at)}
	if r.at.Is(graph.Object) {
		o.URL, o.Variables, o.Headers, o.Auth = r.apiURL("url"), r.pairs("variables"), r.pairs("headers"), r.credentials()
		o.Include, o.Exclude, o.With = r.texts("include"), r.texts("exclude"), r.texts("with")
		o.Prefix, o.Deprecated = r.apiText("prefix"), r.flag("deprecated", false)
	}
	if o.Source == "" && r.s.Problem == nil && !r.s.Disabled {
		r.fault(ruleServer, r.at, "add source: an OpenAPI document, as a file or a URL", "openapi %q has no source", r.s.Name)
	}
	r.s.OpenAPI = append(r.s.OpenAPI, o)
}

// credentialKeys are the keys of a credential that is a map.
var credentialKeys = []string{"token", "username", "password", "clientId", "clientSecret", "tokenUrl", "scopes", "parameters"}

// credentials reads auth: a token, or a map, by the name of a security scheme.
func (r *entryReader) credentials() map[string]openapi.Credential {
	m := r.at.Get("auth")
	if !given(m) {
		return nil
	}
	if !m.Is(graph.Object) {
		r.fault(ruleBadSetting, m, "write a map from the document's security schemes to credentials", "auth of %s %q is %s, not a map", r.s.Transport, r.s.Name, m.Kind())
		return nil
	}
	all := map[string]openapi.Credential{}
	for scheme, v := range m.Members() {
		if !v.Is(graph.Object) {
			all[scheme] = openapi.Credential{Token: r.secret(v, "auth."+scheme)}
			continue
		}
		whole := r.at
		r.at = v
		if _, slip := r.unknown(v, credentialKeys, "auth."+scheme); slip != nil && r.s.Problem == nil {
			r.s.Problem = &diag.Fault{Code: slip.Code, Message: slip.Message, Hint: slip.Hint}
		}
		secret := func(key string) string {
			if given := v.Get(key); given.Exists() {
				return r.secret(given, "auth."+scheme+"."+key)
			}
			return ""
		}
		all[scheme] = openapi.Credential{
			Token: secret("token"), Username: r.apiText("username"), Password: secret("password"),
			ClientID: r.apiText("clientId"), ClientSecret: secret("clientSecret"), TokenURL: r.apiURL("tokenUrl"), Scopes: r.texts("scopes"), Parameters: r.pairs("parameters"),
		}
		r.at = whole
	}
	return all
}
