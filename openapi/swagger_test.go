package openapi_test

import (
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/openapi"
)

// TestSwaggerRequests sends what each construct of Swagger 2.0 says.
func TestSwaggerRequests(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var parts strings.Builder
		if reader, err := r.MultipartReader(); err == nil {
			for part, err := reader.NextPart(); err == nil; part, err = reader.NextPart() {
				parts.WriteString(described(part))
			}
			r.Body = io.NopCloser(strings.NewReader(parts.String()))
		}
		echo(w, r)
	})
	auth := map[string]openapi.Credential{"key": {Token: "k1"}}
	for _, c := range []struct{ tool, args, want string }{
		{"listPatients", `{"limit":5,"ids":[1,2],"near":["a b","c"],"tabs":["a","b"],"pipes":["a","b"],"ward":["x","y"]}`, "GET /patients?limit=5&ids=1,2&near=a+b%20c&tabs=a%09b&pipes=a%7Cb&ward=x&ward=y\n"},
		{"listPatients", `{"X-List":["a","b"]}`, "GET /patients\nX-List: a|b\n"},
		{"addPatient", `{"body":{"name":"Ann"}}`, "POST /patients\nContent-Type: application/json\n{\"name\":\"Ann\"}"},
		{"tag", `{"ids":[1,2],"body":"late"}`, "PUT /patients/1%202/tags\nContent-Type: text/plain\nlate"},
		{"tagMore", `{"ids":[1],"body":"a"}`, "POST /patients/1/tags\nContent-Type: application/json\n\"a\""},
		{"search", `{"body":{"name":"Ann B","rooms":[1,2],"ward":["x","y"],"exact":true}}`, "POST /search\nContent-Type: application/x-www-form-urlencoded\nname=Ann+B&rooms=1,2&ward=x&ward=y&exact=true"},
		{"addScan", `{"body":{"scan":{"text":"PNG","filename":"a.png","contentType":"image/png"},"codes":["a","b"],"ward":["x","y"]}}`, "POST /scans\nscan (a.png, image/png): PNG\ncodes: a|b\nward: x\nward: y\n"},
	} {
		// The answer is a text, so that tools whose answer is JSON fail and say it.
		got, _ := answer(t, tool(t, c.tool, openapi.Options{Source: "clinic.yaml", Dir: "testdata", URL: s.URL, Auth: auth}), c.args)
		want, _ := json.Marshal(c.want)
		if !strings.Contains(got, strings.TrimSpace(c.want)) && !strings.Contains(got, strings.Trim(string(want), `"`)) {
			t.Errorf("%s %s: got %q, want %q", c.tool, c.args, got, c.want)
		}
	}
}

// described is a part of a form as one line.
func described(part *multipart.Part) string {
	data, _ := io.ReadAll(part)
	name := part.FormName()
	if part.FileName() != "" {
		name += " (" + part.FileName() + ", " + part.Header.Get("Content-Type") + ")"
	}
	return name + ": " + string(data) + "\n"
}

// TestSwaggerAnswers shows JSON, texts, files and answers without a body.
func TestSwaggerAnswers(t *testing.T) {
	for name, c := range map[string]struct{ media, body, accept, want string }{
		"listPatients": {"application/json", `{"items":[]}`, "application/json", `{"items":[]}`},
		"report":       {"text/csv", "a,b", "text/csv", `{"body":"a,b"}`},
		"getScan":      {"image/png", "\x89PNG", "image/png", `{"body":{"base64":"iVBORw==","mimeType":"image/png"}}`},
		"tagMore":      {"", "", "application/json, */*;q=0.5", `{"status":200}`},
	} {
		accept := ""
		o := openapi.Options{Source: "clinic.yaml", Dir: "testdata", Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			accept = r.Header.Get("Accept")
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.media}}, Body: io.NopCloser(strings.NewReader(c.body))}, nil
		})}
		args := "{}"
		if name == "tagMore" {
			args = `{"ids":[1],"body":"a"}`
		}
		if got, ok := answer(t, tool(t, name, o), args); !ok || got != c.want || accept != c.accept {
			t.Errorf("%s: got %s after Accept: %s, want %s after %s", name, got, accept, c.want, c.accept)
		}
	}
}

// TestSwaggerAddresses makes addresses of host, basePath and schemes, and of where the
// document is.
func TestSwaggerAddresses(t *testing.T) {
	const paths = "paths: {/a: {get: {operationId: a, responses: {200: {description: it}}}, put: {operationId: put, schemes: [http], responses: {200: {description: it}}}}}\n"
	for head, want := range map[string]string{
		"host: h.example\nbasePath: /v1/\nschemes: [http]\n": "http://h.example/v1/a",
		"host: h.example:81\nbasePath: v1\n":                 "https://h.example:81/v1/a",
		"host: h.example\nschemes: [wss, HTTP]\n":            "http://h.example/a",
		"host: h.example\nschemes: [http, https, wss]\n":     "https://h.example/a",
		"host: h.example\nschemes: [wss]\n":                  "server wss://h.example/ is not an http or https URL",
		"host: 'http://h.example/'\nbasePath: /\n":           "http://h.example/a",
		"basePath: /v1\n":                                    "the document does not say where the API is: set url",
		"host: h.example\nbasePath: '/{tenant}'\n":           "has a variable without a value",
		"host: 'bad host'\n":                                 "is not a URL",
	} {
		var asked string
		o := openapi.Options{Source: "swagger: 2.0\n" + head + paths, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = r.URL.String()
			return reply(200, "{}"), nil
		})}
		tools, err := openapi.Tools(t.Context(), o)
		if err != nil {
			asked = strings.ReplaceAll(err.Error(), `"`, "")
		} else if got, ok := answer(t, &tools[0], "{}"); !ok {
			asked = got
		}
		if !strings.Contains(asked, want) {
			t.Errorf("%q: got %s, want %s", head, asked, want)
		}
	}
	var asked []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/docs/swagger.yaml" {
			_, _ = io.WriteString(w, "swagger: '2.0'\nbasePath: /v1\nschemes: [https, http]\n"+paths)
			return
		}
		asked = append(asked, r.Method+" "+r.URL.Path)
	})
	o := openapi.Options{Source: s.URL + "/docs/swagger.yaml"}
	for _, name := range []string{"a", "put"} {
		if got, ok := answer(t, tool(t, name, o), "{}"); !ok {
			t.Error(got)
		}
	}
	if want := []string{"GET /v1/a", "PUT /v1/a"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

// TestSwaggerSecurity sends the credentials of each kind of securityDefinitions.
func TestSwaggerSecurity(t *testing.T) {
	var sent []string
	o := openapi.Options{
		Source: "clinic.yaml", Dir: "testdata",
		Auth: map[string]openapi.Credential{"key": {Token: "k1"}, "client": {ClientID: "me", ClientSecret: "secret"}, "person": {Token: "t2"}, "login": {Username: "ann", Password: "pass"}, "queryKey": {Token: "k3"}},
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "login.example" {
				return reply(200, `{"access_token":"t1"}`), nil
			}
			sent = append(sent, r.URL.Path+": "+r.Header.Get("Authorization")+r.Header.Get("X-Key"))
			return reply(200, `{}`), nil
		}),
	}
	for name, args := range map[string]string{"listPatients": "{}", "addPatient": `{"body":{"name":"Ann"}}`, "tagMore": `{"ids":[1],"body":"a"}`} {
		if got, ok := answer(t, tool(t, name, o), args); !ok {
			t.Errorf("%s: %s", name, got)
		}
	}
	slices.Sort(sent)
	if want := []string{"/v2/patients/1/tags: ", "/v2/patients: Bearer t1", "/v2/patients: k1"}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
}

// TestSwaggerElsewhere reads paths, parameters, responses and schemas of other documents.
// The body of an operation replaces that of its path.
func TestSwaggerElsewhere(t *testing.T) {
	op := tool(t, "elsewhere", openapi.Options{Source: "clinic-split.yaml", Dir: "testdata"})
	if got := string(op.InputSchema.(json.RawMessage)); got != `{"type":"object","properties":{"limit":{"description":"How many","type":"integer","format":"int32","minimum":1,"maximum":100,"default":20},"body":{"$ref":"#/$defs/Contact","description":"Whom to ask"}},"required":["body"],"additionalProperties":false,"$defs":{"Contact":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string","enum":["phone","mail"]}}}}}` {
		t.Errorf("got %s", got)
	}
	if got := string(op.OutputSchema.(json.RawMessage)); !strings.Contains(got, `"name":{"type":"string","minLength":1}`) {
		t.Errorf("got %s", got)
	}
}

// TestSwaggerAgainstAConverter compares the arguments and addresses with those of the
// OpenAPI 3 document that kin-openapi makes.
func TestSwaggerAgainstAConverter(t *testing.T) {
	var old openapi2.T
	var tree any
	data, err := os.ReadFile("testdata/clinic.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(tree)
	if err == nil {
		err = json.Unmarshal(text, &old)
	}
	if err != nil {
		t.Fatal(err)
	}
	converted, err := openapi2conv.ToV3(&old)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = json.Marshal(converted); err != nil {
		t.Fatal(err)
	}
	want, _ := list(t, openapi.Options{Source: string(text), Deprecated: true})
	ours, notes := list(t, openapi.Options{Source: "clinic.yaml", Dir: "testdata", Deprecated: true})
	if len(ours) != len(want) || len(notes) > 0 {
		t.Fatalf("%d tools and the notes %q, want %d tools", len(ours), notes, len(want))
	}
	for _, tool := range ours {
		i := slices.IndexFunc(want, func(other openapi.Tool) bool { return other.Name == tool.Name })
		if i < 0 {
			t.Errorf("%s is not in %q", tool.Name, toolNames(want))
			continue
		}
		if got, want := arguments(t, tool), arguments(t, want[i]); !slices.Equal(got, want) {
			t.Errorf("%s: arguments %q, want %q", tool.Name, got, want)
		}
	}
}

// arguments are the names of a tool's arguments, those of its body too.
func arguments(t *testing.T, tool openapi.Tool) []string {
	t.Helper()
	type object struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	var names []string
	add := func(prefix string, raw json.RawMessage) object {
		var o object
		if err := json.Unmarshal(raw, &o); err != nil {
			t.Fatal(err)
		}
		for name := range o.Properties {
			if slices.Contains(o.Required, name) && name != "body" { // the converter does not require one with a required field
				name += "!"
			}
			names = append(names, prefix+name)
		}
		return o
	}
	if body := add("", tool.InputSchema.(json.RawMessage)).Properties["body"]; body != nil {
		add("body.", body)
	}
	slices.Sort(names)
	return names
}
