package graphql_test

import (
	"context"
	"fmt"
	"log"

	"github.com/patchbay-mcp/patchbay/graphql"
)

func ExampleTools() {
	tools, err := graphql.Tools(context.Background(), graphql.Options{
		Source:   `type Query { "One user" user(id: ID!): User } type User { id: ID! name: String }`,
		Endpoint: "https://api.example.com/graphql",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tools {
		fmt.Println(t.Name, "-", t.Description)
		fmt.Println(t.Document)
	}
	// Output:
	// query_user - One user
	// query Query_user($id: ID!) { user(id: $id) { id name } }
}
