package graphdata

import (
	"fmt"
	"strconv"
	"strings"
)

// each writes a chain of nodes, %d in which are the node's number and %s the id of
// the next.
func each(d *document, n int, format string) {
	d.input = input
	d.entry(id(0, n))
	for i := range n {
		line := strings.ReplaceAll(format, "NUMBER", strconv.Itoa(i))
		d.lines = append(d.lines, strings.ReplaceAll(line, "NEXT", id(i+1, n)))
	}
	d.exit()
}

// calls are calls of tools, right where the tools are known.
func calls(d *document, n int) {
	each(d, n, `{"id":"nNUMBER","type":"mcp","server":"files","tool":"list","args":{"path":{"expr":"$.entry.s"},"depth":3,"names":["a",{"expr":"$.entry.s"}]},"next":"NEXT"}`)
}

// missingArguments are calls that lack arguments, and one call of a tool that needs n.
func missingArguments(d *document, n int) {
	each(d, n, `{"id":"nNUMBER","type":"mcp","server":"files","tool":"write","args":{},"next":"NEXT"}`)
	d.node(`{"id":"many","type":"mcp","server":"files","tool":"many","next":"exit"}`)
}

func unknownArguments(d *document, n int) {
	each(d, n, `{"id":"nNUMBER","type":"mcp","server":"files","tool":"list","args":{"pathh":"a","depht":NUMBER,"other":{"a":[1,2]}},"next":"NEXT"}`)
	var args []string
	for i := range n {
		args = append(args, fmt.Sprintf(`"b%d":%d`, i, i))
	}
	d.lines = append(d.lines, `{"id":"many","type":"mcp","server":"files","tool":"many","next":"exit","args":{`+strings.Join(args, ",")+`}}`)
}

func wrongTypes(d *document, n int) {
	each(d, n, `{"id":"nNUMBER","type":"transform","transform":{"expr":"{\"v\": $.entry.s + NUMBER, \"w\": $.entry.rows * 2, \"x\": $uppercase($.entry.x)}"},"next":"NEXT"}`)
}

func unknownNodes(d *document, n int) {
	each(d, n, `{"id":"nNUMBER","type":"transform","transform":{"expr":"$.mNUMBER.v + $.nod.a + $mNUMBER"},"next":"NEXT"}`)
}

func unknownTargets(d *document, n int) {
	each(d, n, `{"id":"nNUMBER","type":"transform","transform":{"expr":"NUMBER"},"next":"mNUMBER"}`)
}

func unknownFields(d *document, n int) {
	each(d, n, `{"id":"nNUMBER","type":"transform","transform":{"expr":"{\"v\": $.entry.xs + NUMBER, \"w\": $.entry.ss.a}"},"next":"NEXT","nxt":"NEXT","trnsform":1}`)
}

func slips(d *document, n int) {
	each(d, n, `{"id":"nNUMBER","type":"transform","transform":{"expr":"$.entry.rows.map(r => r.a).filter(x => x === NUMBER).length"},"next":"NEXT"}`)
}

// noEntry has neither entry nor exit, and calls that lack arguments.
func noEntry(d *document, n int) {
	for i := range n {
		d.node(`{"id":%s,"type":"mcp","server":"files","tool":"list","args":{"depth":{"expr":"$.input.depth"}},"next":%s}`, id(i, n), id(i+1, n))
	}
}

func sameIDs(d *document, n int) {
	each(d, n, `{"id":"n","type":"transform","transform":{"expr":"NUMBER"},"next":"n"}`)
}

func badSwitches(d *document, n int) {
	each(d, n, `{"id":"nNUMBER","type":"switch","conditions":[{"rule":"$.nNUMBER > 3","then":"NEXT"},{"rule":{">>":[{"var":"entry.x"},1]},"next":"NEXT"},{"if":1}],"default":"NEXT"}`)
}

// edgeList has its edges in a list of their own.
func edgeList(d *document, n int) {
	d.input = input
	edges := make([]string, 0, n)
	d.node(`{"id":"entry","type":"entry"}`)
	edges = append(edges, `{"from":"entry","to":"n0"}`)
	for i := range n {
		d.node(`{"id":%s,"type":"transform","transform":{"expr":"1"}}`, id(i, n))
		edges = append(edges, fmt.Sprintf(`{"from":%q,"to":%q}`, id(i, n), id(i+1, n)))
	}
	d.exit()
	d.input += `,"edges":[` + strings.Join(edges, ",") + `]`
}

// deadEnds are switches whose one side leads to a loop without an exit.
func deadEnds(d *document, n int) {
	each(d, n, `{"id":"nNUMBER","type":"switch","next":"NEXT","conditions":[{"rule":{">":[{"var":"$.entry.x"},NUMBER]},"next":"stuck"}]}`)
	d.transform("stuck", "1", "stuck")
}
