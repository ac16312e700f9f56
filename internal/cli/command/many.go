package command

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// run calls the operation, once for each file where the command takes several.
func (i *Invocation) run(args []string) error {
	if args == nil {
		return i.opened(i.call)
	}
	return i.Repeat(i.Cmd, WatchedFiles{Args: args}, func() error { return i.round(args) })
}

// round calls the operation for each of the files that the arguments stand for.
func (i *Invocation) round(args []string) error {
	found, err := GraphKind.Find(args)
	switch {
	case err != nil:
		return err
	case found.many:
		return i.callEach(found.Files)
	}
	i.needServers(found.Files...)
	if err := i.readGraph(i.graph(), found.Files[0]); err != nil {
		return err
	}
	return i.opened(i.call)
}

// opened opens the App for the time of a call.
func (i *Invocation) opened(call func() error) error {
	var err error
	start := i.Presenter.Start
	if start == nil {
		start = Ready(briefly)
	}
	if i.App, err = start(i); err != nil {
		return err
	}
	defer i.App.Close()
	if err := i.NameRun(i.App); err != nil {
		return err
	}
	if err := i.fillArguments(i.App); err != nil {
		return err
	}
	return call()
}

// callEach calls the operation for each file, with the result that the file has alone,
// and prints the results as one.
func (i *Invocation) callEach(paths []string) error {
	all, needed := make([]*Invocation, len(paths)), make([][]string, len(paths))
	for n, path := range paths {
		all[n], needed[n] = i.copy(), []string{path}
		if err := all[n].readGraph(all[n].graph(), path); err != nil {
			return err
		}
	}
	for _, group := range ByServers(needed) {
		i.ServerFiles, i.CheckedFiles = nil, nil
		for _, n := range group {
			i.needServers(paths[n])
		}
		err := i.opened(func() error {
			for _, n := range group {
				all[n].App = i.App
				if err := all[n].do(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	failed := slices.ContainsFunc(all, func(each *Invocation) bool { return errors.Is(each.outcome(), ErrFailed) })
	return FailedIf(failed, i.Print(i.Cmd, i.Presenter.Summary(all)))
}

// copy returns an invocation with an input of its own.
func (i *Invocation) copy() *Invocation {
	each := *i
	in := reflect.New(i.Operation.Input())
	in.Elem().Set(reflect.ValueOf(i.In).Elem())
	each.In = in.Interface()
	return &each
}

// callForEach calls the operation for each word of a place, until one fails, and prints the
// results as one list.
func (i *Invocation) callForEach(at Place, words []string) error {
	return i.opened(func() (failed error) {
		list, all := []any{}, []*Invocation{}
		for _, word := range words {
			each := i.copy()
			reflectField(each.In, at.Index).SetString(word)
			if failed = each.do(); failed != nil {
				break
			}
			list, all = append(list, each.Out), append(all, each)
		}
		return cmp.Or(i.Print(i.Cmd, Result{
			Value: list,
			Text: func(w *term.Page) {
				for _, each := range all {
					each.Text(w)
				}
			},
			Names: func() (names []string) {
				for _, each := range all {
					names = append(names, i.Presenter.Names(each)...)
				}
				return names
			},
		}), failed)
	})
}

// graph is the graph of the input.
func (i *Invocation) graph() *plans.GraphInput { return graphInput(reflect.ValueOf(i.In).Elem()) }

// ByServers groups files, each with the documents that it needs, by the servers that these
// define, which one App can have at the same time. It returns the indices of each group.
func ByServers(needed [][]string) [][]int {
	var groups [][]int
	at := map[string]int{}
	for n, documents := range needed {
		var servers strings.Builder
		for _, path := range documents {
			servers.WriteString(serversIn(path))
		}
		group, ok := at[servers.String()]
		if !ok {
			group = len(groups)
			at[servers.String()] = group
			groups = append(groups, nil)
		}
		groups[group] = append(groups[group], n)
	}
	return groups
}

// serversIn is the definition of servers in a document, "" if it has none.
func serversIn(path string) string {
	if path == "-" {
		return ""
	}
	text, err := files.ReadText(path, MaxInput)
	if err != nil {
		return ""
	}
	doc, _ := graph.Parse(path, text)
	if doc == nil || !doc.Tree().MCPServers.Exists() {
		return ""
	}
	return string(doc.Tree().MCPServers.JSON())
}
