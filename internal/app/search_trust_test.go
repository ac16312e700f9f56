package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/discover"
)

// TestReplySaysWhenNothingFits: the hint stands before the results, and says how to get a
// node that does it.
func TestReplySaysWhenNothingFits(t *testing.T) {
	pb := withShelf(t)
	for _, text := range []string{"translate a poem into Latin", "order a pizza with extra cheese", "zzyzx"} {
		_, r := found(t, pb, discover.SearchInput{Query: text})
		for _, word := range []string{"http node", "patchbay mcp find", "operator"} {
			if !strings.Contains(r.Hint, word) {
				t.Errorf("%q (confidence %.2f): the hint %q does not name %s", text, r.Confidence, r.Hint, word)
			}
		}
		reply, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if hint, results := strings.Index(string(reply), `"hint"`), strings.Index(string(reply), `"results"`); hint > results {
			t.Errorf("%q: the hint is at %d, behind the results at %d", text, hint, results)
		}
	}
	for _, text := range []string{"send email notification", "create a new branch", "post a message in a slack channel"} {
		if _, r := found(t, pb, discover.SearchInput{Query: text}); r.Hint != "" || r.Confidence < .3 || len(r.Results[0].Unmatched) > 1 {
			t.Errorf("%q: confidence %.2f, hint %q, without %q", text, r.Confidence, r.Hint, r.Results[0].Unmatched)
		}
	}
	if _, r := found(t, pb, discover.SearchInput{SimilarTo: "mcp:gmail/send_email"}); r.Hint != "" || r.Confidence != 0 || r.Results[0].Unmatched != nil {
		t.Errorf("nodes like one: confidence %.2f, hint %q, without %q", r.Confidence, r.Hint, r.Results[0].Unmatched)
	}
}

// TestReplySaysWhatCannotRun: a node of a pack says so, and if it is the first, the reply does.
func TestReplySaysWhatCannotRun(t *testing.T) {
	pb := openedWith(t, "builtin:workflow")
	_, r := found(t, pb, discover.SearchInput{Query: "send email notification"})
	if first := r.Results[0]; first.Runnable == nil || *first.Runnable || !strings.HasPrefix(r.Hint, "the first result cannot run here") {
		t.Errorf("%s is first, runnable %v, hint %q", first.Name(), first.Runnable, r.Hint)
	}
	if _, r := found(t, pb, discover.SearchInput{Query: "send email notification", TypeFilter: "EXTERNAL_ACTION_NODE"}); r.Hint != "" {
		t.Errorf("among nodes that are known not to run: %q", r.Hint)
	}
}

// TestSearchIncludesFewDetails: three specifications and 8 kB at most; the hint has the call
// that returns the others.
func TestSearchIncludesFewDetails(t *testing.T) {
	pb := withShelf(t)
	for _, in := range []discover.SearchInput{
		{Query: "list issues of a project", Detail: discover.Full, MaxResults: 10},
		{Query: "list issues of a project", Detail: discover.Brief, MaxResults: 20},
		{Query: "create", Detail: discover.Full, MaxResults: 3},
	} {
		in.IncludeDetails = true
		ids, r := found(t, pb, in)
		reply, err := json.Marshal(r.Results)
		if err != nil {
			t.Fatal(err)
		}
		detailed := 0
		var others []string
		for i, hit := range r.Results {
			if len(hit.Skeleton) > 0 {
				detailed++
			} else {
				others = append(others, ids[i])
			}
			if hit.Signature == "" && len(hit.Skeleton) == 0 {
				t.Errorf("%s has neither details nor a signature", ids[i])
			}
		}
		if detailed == 0 || in.Detail == discover.Full && detailed > 3 || len(reply) > 8<<10+100 {
			t.Errorf("%+v: %d results with details, %d bytes", in, detailed, len(reply))
		}
		if len(others) == 0 {
			if r.Hint != "" {
				t.Errorf("%+v: all details are there, and the hint is %q", in, r.Hint)
			}
			continue
		}
		_, call, _ := strings.Cut(r.Hint, "get_node_details ")
		var rest discover.DetailsInput
		if err := json.NewDecoder(strings.NewReader(call)).Decode(&rest); err != nil {
			t.Fatalf("%+v: the hint %q has no call: %v", in, r.Hint, err)
		}
		if len(rest.Nodes) != len(others) {
			t.Errorf("%+v: the hint names %v, without details are %v", in, rest.Nodes, others)
		}
		if d, fault := pb.Details(t.Context(), rest); fault != nil || d.Nodes[0].Error != "" {
			t.Errorf("%+v: the call of the hint fails: %v", in, fault)
		}
	}
}
