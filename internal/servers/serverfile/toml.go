package serverfile

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/BurntSushi/toml"

	"github.com/patchbay-mcp/patchbay/graph"
)

// ReadTOML returns the servers of a configuration of Codex.
func ReadTOML(text, name string) ([]Entry, error) {
	var tables map[string]any
	meta, err := toml.Decode(text, &tables)
	if err != nil {
		if at, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, errors.New(at.Error())
		}
		return nil, err
	}
	// TOML's tables come as Go maps; the order of the file is in the metadata.
	at := map[string]int{}
	for i, key := range meta.Keys() {
		at[key.String()] = i
	}
	b, err := json.Marshal(ordered(tables, nil, at))
	if err != nil {
		return nil, err
	}
	return Read(string(b), name)
}

// ordered is a table with its keys in the order of the file.
func ordered(value any, path toml.Key, at map[string]int) any {
	table, ok := value.(map[string]any)
	if !ok {
		return value
	}
	object := graph.Members{}
	for key, v := range table {
		below := append(slices.Clone(path), key)
		object = object.With(key, ordered(v, below, at))
	}
	place := func(p graph.Pair) int { return at[append(slices.Clone(path), p.Key).String()] }
	slices.SortFunc(object, func(a, b graph.Pair) int { return place(a) - place(b) })
	return object
}
