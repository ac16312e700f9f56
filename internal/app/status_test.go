package app_test

import (
	"fmt"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
)

// TestMissedSearchesAreListed: the servers are listed with what was searched for in vain,
// counted, without values, and not more than a bounded number.
func TestMissedSearchesAreListed(t *testing.T) {
	pb := app.New(app.Options{})
	t.Cleanup(pb.Close)
	search := func(query string) {
		t.Helper()
		r, fault := pb.Search(t.Context(), discover.SearchInput{Query: query})
		if fault != nil || len(r.Results) > 0 {
			t.Fatalf("%q: %+v, %v", query, r, fault)
		}
	}
	search("zzqx blorf 4711")
	search("zzqx blorf 4712")
	r, fault := pb.Servers(t.Context(), discover.ServersInput{})
	if fault != nil || len(r.Missed) != 1 || r.Missed[0].Query != "zzqx blorf …" || r.Missed[0].Times != 2 {
		t.Fatalf("%+v, %v", r, fault)
	}
	for i := range 60 {
		search(fmt.Sprintf("zzqx%c%c", 'a'+i/26, 'a'+i%26))
	}
	if r, _ := pb.Servers(t.Context(), discover.ServersInput{}); len(r.Missed) != 50 || r.Missed[0].Times != 2 {
		t.Errorf("%d searches are listed, %+v first", len(r.Missed), r.Missed[0])
	}
	off := app.New(app.Options{NoMissed: true})
	t.Cleanup(off.Close)
	if _, fault := off.Search(t.Context(), discover.SearchInput{Query: "zzqx"}); fault != nil {
		t.Fatal(fault)
	}
	if r, _ := off.Servers(t.Context(), discover.ServersInput{}); len(r.Missed) != 0 {
		t.Errorf("searches are kept: %+v", r.Missed)
	}
}
