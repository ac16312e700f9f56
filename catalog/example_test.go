package catalog_test

import (
	"context"
	"fmt"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A catalog holds the nodes of several origins. Each origin's are replaced as a
// whole; a snapshot does not change.
func Example() {
	c := catalog.New()
	c.Replace("server:mail", []*specs.Spec{
		{NodeType: "mcp", Subtype: "mail/send_email", Description: "Sends an e-mail to one or more recipients"},
		{NodeType: "mcp", Subtype: "mail/list_folders", Description: "Lists the folders of a mailbox"},
	})
	s := c.Snapshot()
	found, err := s.Search(context.Background(), search.Query{Text: "write to somebody by mail", Max: 1})
	if err != nil {
		fmt.Println(err)
	}
	for _, hit := range found.Hits {
		fmt.Println(hit.Spec.ID())
	}
	spec, _ := s.Resolve(catalog.Ref{ID: "send_email"})
	fmt.Println(spec.Description)
	// Output:
	// mcp:mail/send_email
	// Sends an e-mail to one or more recipients
}
