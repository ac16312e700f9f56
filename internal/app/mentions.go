package app

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// Messages name the next step as a tool of ours, or as its call: get_run {"run_id": "…"}.
// Whoever shows a message says that in the words of its reader: see [Mentions].

// A Mention is one of our tools in a message.
type Mention struct {
	From, To  int // the bytes of the message that name it, with its arguments
	Operation Operation
	Args      map[string]json.RawMessage // of a call; nil for a name alone
	Quoted    bool                       // it stands in quotes or backticks, as a name and not as a step
}

// mentioned is a word that may be a tool's name, and what is before it and after it.
var mentioned = regexp.MustCompile(`(^|[^\w/:.-])([a-z]+(?:_[a-z]+)*)( \{)?`)

// foreign is where a message has names that others have given, which may be those of our
// tools: a tool of a server, and a list such as "its nodes are a, b".
var foreign = regexp.MustCompile(`\btool \S+ of server\b|\bpatchbay mcp (?:info|approve) \S+(?: \S+)?|\b(?:its|the) [a-z ]+ are [\w-]+(?:, [\w-]+)*`)

var operationByTool = sync.OnceValue(func() map[string]Operation {
	tools := map[string]Operation{}
	for _, o := range Operations() {
		if o.Tool != "" {
			tools[o.Tool] = o
		}
	}
	return tools
})

// Mentions returns our tools in a message of ours, in its order, without names that others
// have given. A tool's name of one word is also a word of the language, so only a call of
// it counts.
func Mentions(message string) []Mention {
	var list []Mention
	others := foreign.FindAllStringIndex(message, -1)
	for from := 0; from < len(message); {
		at := mentioned.FindStringSubmatchIndex(message[from:])
		if at == nil {
			break
		}
		m := Mention{From: from + at[4], To: from + at[5], Quoted: strings.ContainsAny(message[from+at[2]:from+at[3]], "\"'`")}
		from = m.To
		for len(others) > 0 && others[0][1] <= m.From {
			others = others[1:]
		}
		o, ok := operationByTool()[message[m.From:m.To]]
		rest := message[m.To:]
		if !ok || len(others) > 0 && m.From >= others[0][0] || rest != "" && strings.ContainsAny(rest[:1], "/_0123456789") {
			continue
		}
		m.Operation = o
		if d := json.NewDecoder(strings.NewReader(rest)); at[6] >= 0 && d.Decode(&m.Args) == nil {
			m.To += int(d.InputOffset())
			from = m.To
		} else if !strings.Contains(o.Tool, "_") {
			continue
		}
		list = append(list, m)
	}
	return list
}
