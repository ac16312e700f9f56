package expr

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// nodeScript times jsonata on Node: the input is {context, shapes: [[name,
// source]…]}, the output {name: nanoseconds}. The history functions are
// registered as a user of jsonata would.
const nodeScript = `
const jsonata = require(process.env.JSONATA_NODE + '/jsonata');
const chunks = [];
process.stdin.on('data', c => chunks.push(c)).on('end', async () => {
  const { context, shapes } = JSON.parse(Buffer.concat(chunks));
  const out = {};
  for (const [name, src] of shapes) {
    const x = jsonata(src);
    x.registerFunction('executionCount', id => 1, '<s:n>');
    x.registerFunction('nodeExecution', (id, i) => ({ counter: 1, sum: 1 }), '<sn:o>');
    const end = Date.now() + 150;
    while (Date.now() < end) await x.evaluate(context);
    let n = 0;
    const start = process.hrtime.bigint();
    while (process.hrtime.bigint() - start < 300000000n) { await x.evaluate(context); n++; }
    out[name] = Number(process.hrtime.bigint() - start) / n;
  }
  console.log(JSON.stringify(out));
});`

// BenchmarkNode measures this package beside jsonata on Node. It needs node on
// the path and, in JSONATA_NODE, a node_modules folder with jsonata:
//
//	npm install --prefix /tmp/js jsonata
//	JSONATA_NODE=/tmp/js/node_modules go test ./expr -run - -bench Node
//
// times-faster is jsonata's time over ours.
func BenchmarkNode(b *testing.B) {
	if os.Getenv("JSONATA_NODE") == "" {
		b.Skip("JSONATA_NODE is not set: it names a node_modules folder with jsonata")
	}
	input := map[string]any{"context": json.RawMessage(shop())}
	var list [][2]string
	for _, shape := range shapes {
		list = append(list, [2]string{shape.name, shape.src})
	}
	input["shapes"] = list
	stdin, err := os.CreateTemp(b.TempDir(), "")
	if err != nil {
		b.Fatal(err)
	}
	defer stdin.Close() //nolint:errcheck // only read
	if err := json.NewEncoder(stdin).Encode(input); err != nil {
		b.Fatal(err)
	}
	if _, err := stdin.Seek(0, 0); err != nil {
		b.Fatal(err)
	}
	node := exec.CommandContext(b.Context(), "node", "-e", nodeScript)
	node.Stdin, node.Stderr = stdin, os.Stderr
	out, err := node.Output()
	if err != nil {
		b.Fatal(err)
	}
	var times map[string]float64
	if err := json.Unmarshal(out, &times); err != nil {
		b.Fatal(err)
	}
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			p, fault := Compile(shape.src)
			if fault != nil {
				b.Fatal(fault)
			}
			s := NewScopeOf(decode(b, shop()), history(b, `inc={"counter":1,"sum":1}`), Limits{})
			for b.Loop() {
				if _, err := p.Eval(b.Context(), s); err != nil {
					b.Fatal(err)
				}
			}
			ours := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(times[shape.name], "node-ns/op")
			b.ReportMetric(times[shape.name]/ours, "times-faster")
		})
	}
}
