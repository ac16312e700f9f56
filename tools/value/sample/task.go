package sample

import (
	"embed"
	"encoding/json"
	"fmt"
)

// A Task is something that users ask for again and again.
type Task struct {
	Name   string
	Wish   string // in the user's words
	Graph  string // the graph that does it
	Code   string // the function that becomes a graph that does it
	Script string // the program that does it, in TypeScript

	Tools []string // SERVER/TOOL of those that it needs
	Paged string   // the tool whose calls wait for the call before

	arguments func(n int) string
}

//go:embed tasks
var texts embed.FS

// Tasks are the tasks that are measured. The last two need one call of a tool.
func Tasks() ([]Task, error) {
	list := []Task{
		{Name: "largest_files", Wish: "Which are the ten largest files of the folder?", Tools: []string{"files/list_files", "files/file_info"}},
		{Name: "find_todos", Wish: "In how many of the notes are lines that begin with TODO, and how many such lines are there?", Tools: []string{"files/list_files", "files/read_file"}},
		{Name: "issues_by_label", Wish: "How many open issues does each label have?", Tools: []string{"tracker/list_issues"}, Paged: "list_issues"},
		{Name: "sales_by_country", Wish: "Add up this year's orders by the country of the customer.", Tools: []string{"shop/list_orders", "shop/get_customer"}},
		{Name: "low_stock", Wish: "Of how many products are fewer than ten pieces in stock, by the first letter of the shelf?", Tools: []string{"shop/list_products", "shop/get_stock"}},
		{Name: "tasks_of_issues", Wish: "Create a task on the board for every open issue.", Tools: []string{"tracker/list_issues", "tracker/create_task"}, Paged: "list_issues"},
		{Name: "sales_by_month", Wish: "Add up the orders in the CSV table by month.", Tools: []string{"files/read_table"}},
		{Name: "one_issue", Wish: "What are the title and the state of the last issue?", Tools: []string{"tracker/get_issue"}, arguments: func(n int) string { return fmt.Sprintf(`{"number":%d}`, n) }},
	}
	for i := range list {
		t := &list[i]
		for ext, text := range map[string]*string{".yaml": &t.Graph, ".js": &t.Code, ".ts": &t.Script} {
			b, err := texts.ReadFile("tasks/" + t.Name + ext)
			if err != nil {
				return nil, err
			}
			*text = string(b)
		}
	}
	return list, nil
}

// Input is what the saved graph of a task is called with in a world of size n.
func (t *Task) Input(n int) json.RawMessage {
	if t.arguments == nil {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(t.arguments(n))
}
