//go:build unix

package expr

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// nodeScript times jsonata on Node: the input is {context, shapes: [[name,
// source]…]}, the output {name: nanoseconds}. As for ours, the fastest of many
// batches of 4 ms of processor time counts. The history functions are registered
// as a user of jsonata would.
const nodeScript = `
const jsonata = require(process.env.JSONATA_NODE + '/jsonata');
const used = () => { const u = process.cpuUsage(); return (u.user + u.system) * 1000; };
const chunks = [];
process.stdin.on('data', c => chunks.push(c)).on('end', async () => {
  const { context, shapes } = JSON.parse(Buffer.concat(chunks));
  const out = {};
  for (const [name, src] of shapes) {
    const x = jsonata(src);
    x.registerFunction('executionCount', id => 1, '<s:n>');
    x.registerFunction('nodeExecution', (id, i) => ({ counter: 1, sum: 1 }), '<sn:o>');
    let least = Infinity;
    const end = used() + 3e9;
    while (used() < end) {
      let n = 0, start = used();
      for (let step = 1; used() - start < 4e6; step *= 2) {
        for (let i = 0; i < step; i++) await x.evaluate(context);
        n += step;
      }
      least = Math.min(least, (used() - start) / n);
    }
    out[name] = least;
  }
  console.log(JSON.stringify(out));
});`

// nodeTimes returns what jsonata on Node takes for each shape, or nothing where
// JSONATA_NODE does not name a node_modules folder with jsonata.
func nodeTimes(b *testing.B) map[string]float64 {
	if os.Getenv("JSONATA_NODE") == "" {
		return nil
	}
	var list [][2]string
	for _, shape := range shapes {
		list = append(list, [2]string{shape.name, shape.src})
	}
	input, err := json.Marshal(map[string]any{"context": json.RawMessage(shop()), "shapes": list})
	if err != nil {
		b.Fatal(err)
	}
	node := exec.CommandContext(b.Context(), "node", "-e", nodeScript)
	node.Stdin, node.Stderr = bytes.NewReader(input), os.Stderr
	out, err := node.Output()
	if err != nil {
		b.Fatal(err)
	}
	var times map[string]float64
	if err := json.Unmarshal(out, &times); err != nil {
		b.Fatal(err)
	}
	return times
}
