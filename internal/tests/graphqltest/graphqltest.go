// Package graphqltest is a GraphQL API for tests: a shop whose schema has what is hard
// to select, such as a union whose members have one field with two types, executed by
// another implementation of GraphQL than the one that checks our documents. It imports
// nothing of ours.
package graphqltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/language/ast"
)

// A Request is what a client has sent.
type Request struct {
	Query     string
	Variables json.RawMessage
	Header    http.Header
}

// Shop is the API. Its zero value is usable.
type Shop struct {
	once   sync.Once
	schema graphql.Schema

	mu       sync.Mutex
	requests []Request
}

// Requests are those that were made so far.
func (s *Shop) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// ServeHTTP implements [http.Handler].
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.once.Do(func() {
		var err error
		if s.schema, err = newSchema(); err != nil {
			panic(err)
		}
	})
	var body struct {
		Query         string          `json:"query"`
		OperationName string          `json:"operationName"`
		Variables     json.RawMessage `json:"variables"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{body.Query, body.Variables, r.Header.Clone()})
	s.mu.Unlock()
	result := graphql.Do(graphql.Params{
		Schema: s.schema, RequestString: body.Query, OperationName: body.OperationName, VariableValues: variables(body.Variables), Context: r.Context(),
	})
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(result)
}

// variables keeps the digits of numbers: the scalars of this API read them as texts.
func variables(raw json.RawMessage) map[string]any {
	var plain map[string]any
	_ = json.Unmarshal(raw, &plain)
	var exact map[string]json.RawMessage
	_ = json.Unmarshal(raw, &exact)
	for name, value := range exact {
		if _, number := plain[name].(float64); number && (name == "n" || name == "amount") {
			plain[name] = json.Number(value)
		}
	}
	return plain
}

// exactNumber is a scalar whose numbers have any number of digits.
func exactNumber(name string) *graphql.Scalar {
	same := func(value any) any { return value }
	return graphql.NewScalar(graphql.ScalarConfig{
		Name: name, Serialize: same, ParseValue: same,
		ParseLiteral: func(v ast.Value) any { return json.Number(fmt.Sprint(v.GetValue())) },
	})
}

var errBroken = errors.New("the stock is unknown")

type user struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

type post struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Author *user  `json:"author"`
}

type product struct {
	ID    string `json:"id"`
	Title any    `json:"title"` // null for some
	Price string `json:"price"`
}

var (
	ada = &user{"1", "Ada", "ada@example.com"}
	bob = &user{"2", "Bob", "bob@example.com"}

	users    = []*user{ada, bob}
	posts    = []*post{{"10", "On engines", ada}, {"11", "On numbers", ada}, {"12", "On boats", bob}}
	products = []*product{{"20", "Lamp", "19.90"}, {"21", nil, "5.00"}}
)
