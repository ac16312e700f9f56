package sample

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The results of the tools.
type (
	fileNames struct {
		Names []string `json:"names"`
	}
	plainText struct {
		Text string `json:"text"`
	}
	issuePage struct {
		Issues []issue `json:"issues"`
	}
	createdAs struct {
		ID string `json:"id"`
	}
	orderList struct {
		Orders []order `json:"orders"`
	}
	customer struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Country string `json:"country"`
	}
	productList struct {
		Products []product `json:"products"`
	}
	stock struct {
		SKU    string `json:"sku"`
		Pieces int    `json:"pieces"`
	}
)

// The arguments of the tools.
type (
	nothing struct{}
	byName  struct {
		Name string `json:"name" jsonschema:"name of a file"`
	}
	byPage struct {
		Page int `json:"page" jsonschema:"number of the page, from 1; a page has 50 issues"`
	}
	byNumber struct {
		Number int `json:"number" jsonschema:"number of an issue"`
	}
	newTask struct {
		Title string `json:"title" jsonschema:"one line"`
		Notes string `json:"notes,omitempty" jsonschema:"more about the task"`
	}
	byCustomer struct {
		ID string `json:"id" jsonschema:"id of a customer, such as c-001"`
	}
	bySKU struct {
		SKU string `json:"sku" jsonschema:"stock keeping unit, such as p-0001"`
	}
)

const pageSize = 50

// Servers are the servers of the world, by name: files, shop and tracker.
func (w *World) Servers() map[string]*mcp.Server {
	return map[string]*mcp.Server{"files": w.fileServer(), "tracker": w.tracker(), "shop": w.shop()}
}

func (w *World) fileServer() *mcp.Server {
	s := &noted{w: w, name: "files", server: mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)}
	add(s, "list_files", "Lists the names of the files of the folder.", func(nothing) (out fileNames, err error) {
		for _, f := range w.files {
			out.Names = append(out.Names, f.Name)
		}
		return out, nil
	})
	add(s, "file_info", "Returns the name of a file and its size in bytes.", func(in byName) (file, error) {
		return find(w.files, func(f file) bool { return f.Name == in.Name }, in.Name)
	})
	add(s, "read_file", "Returns the text of a file.", func(in byName) (plainText, error) {
		f, err := find(w.files, func(f file) bool { return f.Name == in.Name }, in.Name)
		return plainText{f.text}, err
	})
	add(s, "read_table", "Returns the orders of the year as CSV text with the columns id, customer, amount and day.", func(nothing) (plainText, error) {
		rows := []string{"id,customer,amount,day"}
		for _, o := range w.orders {
			rows = append(rows, fmt.Sprintf("%s,%s,%.2f,%s", o.ID, o.Customer, o.Amount, o.Placed))
		}
		return plainText{strings.Join(rows, "\n")}, nil
	})
	return s.server
}

func (w *World) tracker() *mcp.Server {
	s := &noted{w: w, name: "tracker", server: mcp.NewServer(&mcp.Implementation{Name: "tracker", Version: "1"}, nil)}
	add(s, "list_issues", "Lists the issues of the project, 50 a page. The page after the last one is empty.", func(in byPage) (issuePage, error) {
		from := min(max(in.Page-1, 0)*pageSize, len(w.issues))
		return issuePage{w.issues[from:min(from+pageSize, len(w.issues))]}, nil
	})
	add(s, "get_issue", "Returns one issue by its number.", func(in byNumber) (issue, error) {
		return find(w.issues, func(i issue) bool { return i.Number == in.Number }, in.Number)
	})
	add(s, "create_task", "Creates a task on the board, and returns its id.", func(in newTask) (createdAs, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.tasks = append(w.tasks, in.Title)
		return createdAs{fmt.Sprintf("t-%d", len(w.tasks))}, nil
	})
	return s.server
}

func (w *World) shop() *mcp.Server {
	s := &noted{w: w, name: "shop", server: mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)}
	add(s, "list_orders", "Lists the orders of the year.", func(nothing) (orderList, error) { return orderList{w.orders}, nil })
	add(s, "get_customer", "Returns the name and the country of a customer.", func(in byCustomer) (customer, error) {
		sum := 0
		for _, c := range in.ID {
			sum += int(c)
		}
		return customer{in.ID, people[sum%len(people)], lands[sum%len(lands)]}, nil
	})
	add(s, "list_products", "Lists the products with the shelf on which each stands.", func(nothing) (productList, error) { return productList{w.products}, nil })
	add(s, "get_stock", "Returns how many pieces of a product are in stock.", func(in bySKU) (stock, error) {
		p, err := find(w.products, func(p product) bool { return p.SKU == in.SKU }, in.SKU)
		return stock{p.SKU, p.stock}, err
	})
	return s.server
}

// noted is a server whose calls the world notes.
type noted struct {
	w      *World
	name   string
	server *mcp.Server
}

// add gives a server a tool. All but those that create something only read.
func add[In, Out any](s *noted, name, description string, answer func(In) (Out, error)) {
	reads := !strings.HasPrefix(name, "create")
	tool := &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads}}
	mcp.AddTool(s.server, tool, func(_ context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := answer(in)
		if err != nil {
			return nil, out, err
		}
		text, err := json.Marshal(out)
		if err != nil {
			return nil, out, err
		}
		s.w.mu.Lock()
		s.w.calls = append(s.w.calls, Call{s.name, name, req.Params.Arguments, text})
		s.w.mu.Unlock()
		return nil, out, nil
	})
}

// find returns the first item that fits.
func find[T any](in []T, fits func(T) bool, key any) (T, error) {
	for _, x := range in {
		if fits(x) {
			return x, nil
		}
	}
	var none T
	return none, fmt.Errorf("there is nothing called %v", key)
}
