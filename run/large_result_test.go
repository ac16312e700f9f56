package run_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/run"
)

// A large result is read as a small one with the same members is.
func TestLargeResults(t *testing.T) {
	small, large := `"x"`, `"`+strings.Repeat("x", 100_000)+`"`
	for _, form := range []string{
		`{"content":[{"type":"text","text":%s}]}`, ` { "content" : [ {"type":"text","text":%s} , 1 ] , "isError" : true } `,
		`{"content":[],"structuredContent":{"a":%s}}`, `{"content":[%s],"content":[1],"isError":true,"isError":false}`,
		`{"content":null,"structuredContent":{"a":%s}}`, `{"structuredContent":[%s]}`, `{"content":[],"structuredContent":null,"other":%s}`,
		`{"Content":[%s],"isError":1}`, `{"CONTENT":[%s]}`, `{"content":[%s],"isError":null}`, `{"content":[%s],"resultType":"input_required"}`,
		`{"content":[%s],"resultType":"complete","_meta":{}}`, `{"content":[%s]`, `[%s]`, `{"content":%s}`, `{"content":[%s],}`, `{"cont\u0065nt":[%s]}`,
	} {
		one, errOne := run.ReadResult([]byte(fmt.Sprintf(form, small)))
		two, errTwo := run.ReadResult([]byte(fmt.Sprintf(form, large)))
		show := func(r *run.Result, err error, text string) string {
			if err != nil {
				return err.Error()
			}
			return strings.ReplaceAll(fmt.Sprintf("%s | %s | %t | %s", r.Content, r.Structured, r.IsError, r.Raw), text, small)
		}
		if diff := cmp.Diff(show(one, errOne, small), show(two, errTwo, large)); diff != "" {
			t.Errorf("%s: %s", form, diff)
		}
	}
}
