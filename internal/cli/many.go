package cli

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// run calls the operation, once for each file where the command takes several.
func (i *invocation) run(args []string) error {
	if args == nil {
		return i.opened(i.call)
	}
	return i.repeat(i.cmd, watchedFiles{args: args}, func() error { return i.round(args) })
}

// round calls the operation for each of the files that the arguments stand for.
func (i *invocation) round(args []string) error {
	found, err := graphKind.find(args)
	switch {
	case err != nil:
		return err
	case found.many:
		return i.callEach(found.files)
	}
	i.needServers(found.files...)
	if err := i.readGraph(i.graph(), found.files[0]); err != nil {
		return err
	}
	return i.opened(i.call)
}

// opened opens the App for the time of a call.
func (i *invocation) opened(call func() error) error {
	var err error
	start := i.presenter.start
	if start == nil {
		start = ready(briefly)
	}
	if i.app, err = start(i); err != nil {
		return err
	}
	defer i.app.Close()
	if err := i.nameRun(i.app); err != nil {
		return err
	}
	if err := i.fillArguments(i.app); err != nil {
		return err
	}
	return call()
}

// callEach calls the operation for each file, with the result that the file has alone,
// and prints the results as one.
func (i *invocation) callEach(paths []string) error {
	all, needed := make([]*invocation, len(paths)), make([][]string, len(paths))
	for n, path := range paths {
		all[n], needed[n] = i.copy(), []string{path}
		if err := all[n].readGraph(all[n].graph(), path); err != nil {
			return err
		}
	}
	for _, group := range byServers(needed) {
		i.serverFiles, i.checkedFiles = nil, nil
		for _, n := range group {
			i.needServers(paths[n])
		}
		err := i.opened(func() error {
			for _, n := range group {
				all[n].app = i.app
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
	failed := slices.ContainsFunc(all, func(each *invocation) bool { return errors.Is(each.outcome(), errFailed) })
	return failedIf(failed, i.print(i.cmd, i.presenter.summary(all)))
}

// copy returns an invocation with an input of its own.
func (i *invocation) copy() *invocation {
	each := *i
	in := reflect.New(i.operation.Input())
	in.Elem().Set(reflect.ValueOf(i.in).Elem())
	each.in = in.Interface()
	return &each
}

// callForEach calls the operation for each word of a place, until one fails, and prints the
// results as one list.
func (i *invocation) callForEach(at place, words []string) error {
	return i.opened(func() (failed error) {
		list, all := []any{}, []*invocation{}
		for _, word := range words {
			each := i.copy()
			reflectField(each.in, at.Index).SetString(word)
			if failed = each.do(); failed != nil {
				break
			}
			list, all = append(list, each.out), append(all, each)
		}
		return cmp.Or(i.print(i.cmd, result{
			value: list,
			text: func(w *page) {
				for _, each := range all {
					each.text(w)
				}
			},
			names: func() (names []string) {
				for _, each := range all {
					names = append(names, i.presenter.names(each)...)
				}
				return names
			},
		}), failed)
	})
}

// graph is the graph of the input.
func (i *invocation) graph() *plans.GraphInput { return graphInput(reflect.ValueOf(i.in).Elem()) }

// byServers groups files, each with the documents that it needs, by the servers that these
// define, which one App can have at the same time. It returns the indices of each group.
func byServers(needed [][]string) [][]int {
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
	text, err := files.ReadText(path, maxInput)
	if err != nil {
		return ""
	}
	doc, _ := graph.Parse(path, text)
	if doc == nil || !doc.Tree().MCPServers.Exists() {
		return ""
	}
	return string(doc.Tree().MCPServers.JSON())
}
