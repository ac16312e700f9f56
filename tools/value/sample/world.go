// Package sample has tasks that recur, the servers in this process over which they are
// done, and what those servers know. It is for programs that measure what graphs save.
package sample

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// A World is what the servers know: the same for the same size.
type World struct {
	files    []file
	issues   []issue
	orders   []order
	products []product

	mu    sync.Mutex
	tasks []string // titles of those that were created
	calls []Call
}

// A Call is one call of a server's tool, and its result as a client gets it.
type Call struct {
	Server, Tool string
	Arguments    json.RawMessage
	Result       json.RawMessage
}

type file struct {
	Name string `json:"name"`
	Size int    `json:"size"`
	text string
}

type issue struct {
	Number int      `json:"number"`
	Title  string   `json:"title"`
	State  string   `json:"state"`
	Author string   `json:"author"`
	Labels []string `json:"labels"`
	Body   string   `json:"body"`
}

type order struct {
	ID       string  `json:"id"`
	Customer string  `json:"customer"`
	Amount   float64 `json:"amount"`
	Placed   string  `json:"placed"`
}

type product struct {
	SKU   string `json:"sku"`
	Name  string `json:"name"`
	Shelf string `json:"shelf"`
	stock int
}

var (
	subjects = []string{"The export", "A long name", "The search field", "The report of last week", "A second login", "The price with tax", "The upload of a picture", "The print view"}
	troubles = []string{"shows an empty page", "takes more than a minute", "loses the last line", "is sent twice", "forgets its settings", "has the wrong currency", "cannot be undone", "ends with an error"}
	people   = []string{"ada", "bo", "cleo", "dev", "emil", "fay", "gus"}
	labels   = []string{"bug", "billing", "speed", "docs", "mobile"}
	lands    = []string{"at", "ch", "de", "fr", "it"}
)

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// sentences are n sentences of trouble.
func sentences(r *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = pick(r, subjects) + " " + pick(r, troubles) + "."
	}
	return strings.Join(list, " ")
}

// New makes a world of n files, issues, orders and products.
func New(n int) *World {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	w := &World{}
	for i := range n {
		lines := make([]string, 4+r.IntN(20))
		for k := range lines {
			lines[k] = sentences(r, 1)
			if r.IntN(12) == 0 {
				lines[k] = "TODO " + lines[k]
			}
		}
		text := strings.Join(lines, "\n")
		w.files = append(w.files, file{Name: fmt.Sprintf("note-%04d.txt", i+1), Size: len(text), text: text})
		w.issues = append(w.issues, issue{
			Number: i + 1, Title: sentences(r, 1), State: pick(r, []string{"open", "open", "closed"}), Author: pick(r, people),
			Labels: []string{pick(r, labels)}, Body: sentences(r, 2+r.IntN(3)),
		})
		w.orders = append(w.orders, order{
			ID: fmt.Sprintf("o-%05d", 10_000+i), Customer: fmt.Sprintf("c-%03d", r.IntN(max(n/2, 1))), Amount: float64(100+r.IntN(90_000)) / 100,
			Placed: fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)),
		})
		w.products = append(w.products, product{SKU: fmt.Sprintf("p-%04d", i+1), Name: pick(r, subjects), Shelf: fmt.Sprintf("%c%d", 'A'+r.IntN(6), r.IntN(40)), stock: r.IntN(60)})
	}
	return w
}

// Calls are the calls that the servers have answered, in order.
func (w *World) Calls() []Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

// Created are the titles of the tasks that were created, in order.
func (w *World) Created() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.tasks)
}
