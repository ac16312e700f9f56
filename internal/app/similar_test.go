package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/discover"
)

// Nodes like a node are those that do something like it: with other words in the
// description, on another server, the other way round. The node itself is not among them.
func TestSimilarTo(t *testing.T) {
	pb := withShelf(t)
	for id, want := range map[string]string{
		"mcp:filesystem/list_directory": "mcp:filesystem/list_directory_with_sizes",
		"mcp:filesystem/move_file":      "mcp:filesystem/copy_file",
		"mcp:github/add_issue_comment":  "mcp:notion/add_comment mcp:jira/jira_add_comment",
		"mcp:postgres/update_rows":      "mcp:postgres/delete_rows mcp:postgres/insert_rows",
		"mcp:s3/get_bucket_size":        "mcp:postgres/database_size",
		"mcp:slack/reply_to_thread":     "mcp:slack/get_thread_replies mcp:gmail/reply_to_email",
		"mcp:weather/get_forecast":      "mcp:weather/get_hourly_forecast",
		"mcp:docker/run_container":      "mcp:kubernetes/exec_in_pod mcp:docker/stop_container",
		"mcp:spotify/add_to_playlist":   "mcp:spotify/remove_from_playlist",
		"mcp:calendar/delete_event":     "mcp:calendar/update_event",
		"wait":                          "ask",
		"idiom:guide/loops":             "idiom:loop",
		"mcp:unheard/of":                "", // is not a node
	} {
		r, fault := pb.Search(t.Context(), discover.SearchInput{SimilarTo: id, MaxResults: 4})
		if want == "" {
			if fault == nil || fault.Path != "/similar_to" {
				t.Errorf("%s: %v, %+v", id, fault, r)
			}
			continue
		}
		if fault != nil {
			t.Fatal(id, fault)
		}
		var ids []string
		for _, h := range r.Results {
			ids = append(ids, h.Name())
		}
		for one := range strings.FieldsSeq(want) {
			if !slices.Contains(ids, one) {
				t.Errorf("like %s are %q, want %s among them", id, ids, one)
			}
		}
		if slices.Contains(ids, id) || r.Corrected != nil || r.Query != "" {
			t.Errorf("%s: %+v", id, r)
		}
	}
}

// A search for similar nodes takes filters, words and pages as others do, and an id that
// is nearly right.
func TestSimilarToWithFilters(t *testing.T) {
	pb := withShelf(t)
	ids, r := found(t, pb, discover.SearchInput{SimilarTo: "mcp:github/add_issue_coment", Server: "jira", MaxResults: 2})
	if r.Assumed["mcp:github/add_issue_coment"] != "mcp:github/add_issue_comment" || len(ids) != 2 || ids[0] != "mcp:jira/jira_add_comment" {
		t.Errorf("%q, assumed %v", ids, r.Assumed)
	}
	next, _ := found(t, pb, discover.SearchInput{SimilarTo: "mcp:github/add_issue_comment", Server: "jira", MaxResults: 2, Cursor: r.NextCursor})
	if len(next) == 0 || slices.Contains(ids, next[0]) {
		t.Errorf("the second page is %q after %q", next, ids)
	}
	if ids, _ := found(t, pb, discover.SearchInput{SimilarTo: "mcp:filesystem/list_directory", Query: "bucket storage objects"}); !slices.ContainsFunc(ids[:3], func(id string) bool { return strings.HasPrefix(id, "mcp:s3/") }) {
		t.Errorf("with words, %q", ids)
	}
	ids, r = found(t, pb, discover.SearchInput{SimilarTo: "mcp:filesystem/list_directory", IncludeDetails: true, RunnableOnly: true})
	if len(ids) == 0 || !strings.Contains(r.Results[0].Signature, "\n") {
		t.Errorf("%q: %+v", ids, r.Results)
	}
}
