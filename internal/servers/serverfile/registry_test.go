package serverfile

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	var asked string
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path + "?search=" + r.URL.Query().Get("search")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"servers": [
			{"server": {"name": "io.example/files", "version": "1.2.0", "description": "Files\nof a folder",
				"packages": [{"registryType": "npm", "identifier": "@e/files", "version": "1.2.0", "environmentVariables": [{"name": "ROOT", "isRequired": true}]}]}},
			{"server": {"name": "io.example/far", "remotes": [{"type": "streamable-http", "url": "https://far.example/mcp"}]}},
			{"name": "io.example/old", "packages": [{"registryType": "pypi", "identifier": "old"}]},
			{"server": {"name": "io.example/evil", "packages": [{"registryType": "npm", "identifier": "x; rm -rf ~"}]}}
		], "metadata": {"count": 4}}`))
	}))
	defer registry.Close()
	found, err := Find(t.Context(), registry.URL, "two words")
	if err != nil || asked != "/v0/servers?search=two words" {
		t.Fatalf("%v: asked %s", err, asked)
	}
	var got []string
	for _, l := range found {
		got = append(got, l.Name+" | "+l.Description+" | "+l.Add+" | "+strings.Join(l.Env, " "))
	}
	want := "io.example/files | Files of a folder | patchbay mcp add files npm:@e/files@1.2.0 | ROOT\n" +
		"io.example/far |  | patchbay mcp add far https://far.example/mcp | \n" +
		"io.example/old |  | patchbay mcp add old pypi:old | \n" +
		"io.example/evil |  |  | "
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("found\n%s", text)
	}
}

func TestFindSaysWhatIsWrong(t *testing.T) {
	for status, want := range map[int]string{http.StatusNotFound: "404", http.StatusOK: "not that of an MCP registry"} {
		registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte("<html>"))
		}))
		if _, err := Find(t.Context(), registry.URL, "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", status, err)
		}
		registry.Close()
	}
}
