package graphqltest

import (
	"encoding/json"

	"github.com/graphql-go/graphql"
)

// newSchema makes the schema of the shop.
func newSchema() (graphql.Schema, error) {
	bigInt, decimal := exactNumber("BigInt"), exactNumber("Decimal")
	userType := graphql.NewObject(graphql.ObjectConfig{Name: "User", Fields: graphql.Fields{
		"id":    {Type: graphql.NewNonNull(graphql.ID)},
		"name":  {Type: graphql.String, Description: "How the user is called"},
		"email": {Type: graphql.NewNonNull(graphql.String)},
		"badge": {Type: graphql.String, Args: graphql.FieldConfigArgument{"size": {Type: graphql.NewNonNull(graphql.Int)}}},
	}})
	postType := graphql.NewObject(graphql.ObjectConfig{Name: "Post", Fields: graphql.Fields{
		"id":     {Type: graphql.NewNonNull(graphql.ID)},
		"title":  {Type: graphql.NewNonNull(graphql.String)},
		"author": {Type: graphql.NewNonNull(userType)},
	}})
	productType := graphql.NewObject(graphql.ObjectConfig{Name: "Product", Fields: graphql.Fields{
		"id":    {Type: graphql.NewNonNull(graphql.ID)},
		"title": {Type: graphql.String},
		"price": {Type: graphql.NewNonNull(graphql.String)},
		"stock": {Type: graphql.Int, Description: "Pieces in stock; it fails for products without a title", Resolve: func(p graphql.ResolveParams) (any, error) {
			if p.Source.(*product).Title == nil {
				return nil, errBroken
			}
			return 7, nil
		}},
	}})
	userType.AddFieldConfig("posts", &graphql.Field{
		Type: graphql.NewList(graphql.NewNonNull(postType)), Args: graphql.FieldConfigArgument{"first": {Type: graphql.Int, DefaultValue: 10}},
		Resolve: func(p graphql.ResolveParams) (any, error) {
			var own []*post
			for _, one := range posts {
				if one.Author == p.Source.(*user) {
					own = append(own, one)
				}
			}
			return own, nil
		},
	})
	hit := graphql.NewUnion(graphql.UnionConfig{Name: "Hit", Types: []*graphql.Object{postType, productType}, ResolveType: func(p graphql.ResolveTypeParams) *graphql.Object {
		if _, is := p.Value.(*post); is {
			return postType
		}
		return productType
	}})
	newUser := graphql.NewInputObject(graphql.InputObjectConfig{Name: "NewUser", Fields: graphql.InputObjectConfigFieldMap{
		"name":  {Type: graphql.NewNonNull(graphql.String)},
		"email": {Type: graphql.NewNonNull(graphql.String)},
	}})
	query := graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"user": {Type: userType, Description: "One user by id", Args: graphql.FieldConfigArgument{"id": {Type: graphql.NewNonNull(graphql.ID)}}, Resolve: func(p graphql.ResolveParams) (any, error) {
			for _, u := range users {
				if u.ID == p.Args["id"] {
					return u, nil
				}
			}
			return nil, nil //nolint:nilnil // null is the answer
		}},
		"users": {Type: graphql.NewNonNull(graphql.NewList(graphql.NewNonNull(userType))), Args: graphql.FieldConfigArgument{"limit": {Type: graphql.NewNonNull(graphql.Int), DefaultValue: 10}}, Resolve: func(p graphql.ResolveParams) (any, error) {
			return users[:min(len(users), p.Args["limit"].(int))], nil
		}},
		"search":   {Type: graphql.NewNonNull(graphql.NewList(graphql.NewNonNull(hit))), Resolve: constant([]any{posts[0], products[0]})},
		"products": {Type: graphql.NewNonNull(graphql.NewList(graphql.NewNonNull(productType))), Description: "All products, with their prices", Resolve: constant(products)},
		"double":   {Type: bigInt, Description: "The same number", Args: graphql.FieldConfigArgument{"n": {Type: graphql.NewNonNull(bigInt)}}, Resolve: argument("n")},
		"price":    {Type: decimal, Args: graphql.FieldConfigArgument{"amount": {Type: graphql.NewNonNull(decimal)}}, Resolve: argument("amount")},
	}})
	mutation := graphql.NewObject(graphql.ObjectConfig{Name: "Mutation", Fields: graphql.Fields{
		"createUser": {Type: graphql.NewNonNull(userType), Description: "Creates a user", Args: graphql.FieldConfigArgument{"input": {Type: graphql.NewNonNull(newUser)}}, Resolve: func(p graphql.ResolveParams) (any, error) {
			input := p.Args["input"].(map[string]any)
			return &user{"3", input["name"].(string), input["email"].(string)}, nil
		}},
	}})
	return graphql.NewSchema(graphql.SchemaConfig{Query: query, Mutation: mutation})
}

func constant(value any) graphql.FieldResolveFn {
	return func(graphql.ResolveParams) (any, error) { return value, nil }
}

func argument(name string) graphql.FieldResolveFn {
	return func(p graphql.ResolveParams) (any, error) {
		if n, ok := p.Args[name].(json.Number); ok {
			return json.RawMessage(n), nil
		}
		return p.Args[name], nil
	}
}
