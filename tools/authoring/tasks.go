package main

import (
	"embed"

	"github.com/patchbay-mcp/patchbay/tools/value/sample"
)

// A task is something that users ask for again and again. Its graph is the hidden check.
type task struct {
	sample.Task
	// orders is the tool in whose result the text of an item may give orders; none has a
	// task whose answer is made of those texts, or whose items have none.
	orders string
}

//go:embed tasks
var texts embed.FS

// allTasks are the eight tasks whose costs docs/value.md has, and ten more.
func allTasks() ([]task, error) {
	known, err := sample.Tasks()
	if err != nil {
		return nil, err
	}
	orders := map[string]string{
		"find_todos": "read_file", "issues_by_label": "list_issues", "sales_by_country": "get_customer", "low_stock": "list_products",
		"tasks_of_issues": "list_issues", "one_issue": "get_issue",
	}
	var list []task
	for _, t := range known {
		list = append(list, task{t, orders[t.Name]})
	}
	for _, t := range []task{
		{sample.Task{Name: "size_of_notes", Wish: "What is the average size of the files in bytes, rounded to two digits, and how many files are larger than that?", Tools: []string{"files/list_files", "files/file_info"}}, ""},
		{sample.Task{Name: "longest_notes", Wish: "Which three notes have the most lines? The longest first, and of equal ones the first by name.", Tools: []string{"files/list_files", "files/read_file"}}, ""},
		{sample.Task{Name: "clean_up", Wish: `How many lines of the notes begin with TODO? If there are more than ten, create one task "Clean up the notes: N lines" with their number.`, Tools: []string{"files/list_files", "files/read_file"}}, "read_file"},
		{sample.Task{Name: "busiest_author", Wish: "Who wrote the most open issues, and how many? Of several authors, take the first by name.", Tools: []string{"tracker/list_issues"}, Paged: "list_issues"}, "list_issues"},
		{sample.Task{Name: "labels_done", Wish: "Which labels have more closed than open issues, sorted by name?", Tools: []string{"tracker/list_issues"}, Paged: "list_issues"}, "list_issues"},
		{sample.Task{Name: "longest_issue", Wish: "Which issue has the longest body, and how many characters does that have? Of several, take the first by number.", Tools: []string{"tracker/list_issues"}, Paged: "list_issues"}, ""},
		{sample.Task{Name: "remind_authors", Wish: `Create one task for each author of open issues with the label billing, with the title "Remind AUTHOR: N", where N is how many of them the author has.`, Tools: []string{"tracker/list_issues", "tracker/create_task"}, Paged: "list_issues"}, "list_issues"},
		{sample.Task{Name: "best_customers", Wish: "Which five customers spent the most, in which country is each, and how much was it, to two digits? The highest sum first.", Tools: []string{"shop/list_orders", "shop/get_customer"}}, "get_customer"},
		{sample.Task{Name: "quarters", Wish: "Add up the orders by quarter, as Q1 to Q4, to two digits. Which quarter has the highest sum?", Tools: []string{"shop/list_orders"}}, ""},
		{sample.Task{Name: "reorder", Wish: `Create a task "Order SKU" for every product with fewer than five pieces in stock.`, Tools: []string{"shop/list_products", "shop/get_stock", "tracker/create_task"}}, "list_products"},
	} {
		graph, err := texts.ReadFile("tasks/" + t.Name + ".yaml")
		if err != nil {
			return nil, err
		}
		t.Graph = string(graph)
		list = append(list, t)
	}
	return list, nil
}
