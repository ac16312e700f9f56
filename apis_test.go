package patchbay_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/tests/graphqltest"
)

const apisExample = "examples/apis/customer_offers.yaml"

// withAPIs sets the environment that the configuration of the example needs: a GraphQL API
// and a REST API of exchange rates, which this test serves.
func withAPIs(t *testing.T) (shop *httptest.Server) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, filepath.Join(home, name))
	}
	shop = httptest.NewServer(&graphqltest.Shop{})
	t.Cleanup(shop.Close)
	rates := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, map[string]string{"USD": `{"rate":1.1}`, "EUR": `{"rate":1}`}[strings.TrimPrefix(r.URL.Path, "/latest/")])
	}))
	t.Cleanup(rates.Close)
	t.Setenv("SHOP_URL", shop.URL)
	t.Setenv("RATES_URL", rates.URL)
	return shop
}

func openAPIs(t *testing.T, document string) *patchbay.App {
	t.Helper()
	app, err := patchbay.Open(t.Context(), patchbay.Options{Config: "examples/apis/patchbay.yaml", Document: document})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(app.Close)
	if _, err := app.Sync(t.Context(), patchbay.SyncInput{}); err != nil { // a search does not wait for tools
		t.Fatal(err)
	}
	return app
}

// The example joins two GraphQL calls and a request.
func TestExampleOfAPIs(t *testing.T) {
	withAPIs(t)
	app := openAPIs(t, apisExample)
	found, err := app.Check(t.Context(), readText(t, apisExample))
	if err != nil || len(found) > 0 {
		t.Errorf("%v %v", found, err)
	}
	for arguments, want := range map[string]string{
		`{"customer":"1","limit":20,"currency":"USD"}`: `{"greeting":"Hello Ada","wrote":["On engines","On numbers"],"offers":[{"title":"Lamp","price":21.89}]}`,
		`{"customer":"9","limit":10,"currency":"USD"}`: `{"greeting":"Nobody is here","wrote":[],"offers":[]}`,
	} {
		got, err := app.Call(t.Context(), "customer_offers", json.RawMessage(arguments))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", arguments, got, err)
		}
	}
}

// A graph made of what search says calls two operations and has no faults; a field that the
// selection does not have is an error that names the right one.
func TestGraphFromSearch(t *testing.T) {
	withAPIs(t)
	app := openAPIs(t, "")
	nodes := make([]string, 2)
	for i, query := range []string{"one user by id", "all products with their prices"} {
		r, err := app.Search(t.Context(), patchbay.SearchInput{Query: query, Server: "shop", IncludeDetails: true})
		if err != nil {
			t.Fatal(err)
		}
		nodes[i] = string(r.Results[0].Skeleton)
	}
	doc := `{"name":"both","description":"Asks for both","inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]},"outputSchema":{"type":"object"},"nodes":[
		{"id":"entry","type":"entry","next":"query_user"},` + strings.Replace(nodes[0], `"next":"exit"`, `"next":"query_products"`, 1) + `,` + nodes[1] +
		`,{"id":"exit","type":"exit","result":{"expr":"{\"name\": $.query_user.user.posts[0].title, \"prices\": $.query_products.products.price}"}}]}`
	check := func(doc string) diag.List {
		found, err := app.Check(t.Context(), doc)
		if err != nil {
			t.Fatal(err)
		}
		return found.With(diag.Error)
	}
	if found := check(doc); len(found) > 0 {
		t.Errorf("%s\n%v", doc, found)
	}
	for right, wrong := range map[string]string{"posts[0].title": "posts[0].titel", "user.posts": "user.post", "products.price": "products.prize"} {
		found := check(strings.Replace(doc, right, wrong, 1))
		name := right[strings.LastIndexByte(right, '.')+1:]
		if len(found) != 1 || !strings.Contains(found[0].Message+found[0].Hint, `"`+name+`"`) {
			t.Errorf("%s: %v", wrong, found)
		}
	}
}

// Numbers keep their digits from the arguments of a node to its output.
func TestExactNumbersOfAPIs(t *testing.T) {
	withAPIs(t)
	app := openAPIs(t, "")
	for id, test := range map[string][2]string{"mcp:shop/query_double": {`{"n":9007199254740993}`, `{"double":9007199254740993}`}, "mcp:shop/query_price": {`{"amount":1.10}`, `{"price":1.10}`}} {
		r, err := app.RunNode(t.Context(), patchbay.RunNodeInput{ID: id, Arguments: json.RawMessage(test[0])})
		if err != nil || string(r.Output) != test[1] {
			t.Errorf("%s: %+v, %v", id, r, err)
		}
	}
}

// A second start knows the tools of an API that is down.
func TestAPIsOffline(t *testing.T) {
	shop := withAPIs(t)
	openAPIs(t, "").Close()
	shop.Close()
	app := openAPIs(t, "")
	r, err := app.Search(t.Context(), patchbay.SearchInput{Query: "one user by id", Server: "shop"})
	if err != nil || len(r.Results) == 0 || r.Results[0].Subtype != "shop/query_user" {
		t.Errorf("%+v %v", r, err)
	}
}
