//go:build unix

package expr

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// nodeScript times jsonata on Node: the input is {context, shapes: [[name,
// source]…], ms}, the output {name: nanoseconds}. As for ours, the fastest of many
// batches of 4 ms of processor time counts. The history functions are registered
// as a user of jsonata would.
const nodeScript = `
const jsonata = require(process.env.JSONATA_NODE + '/jsonata');
const used = () => { const u = process.cpuUsage(); return (u.user + u.system) * 1000; };
const chunks = [];
process.stdin.on('data', c => chunks.push(c)).on('end', async () => {
  const { context, shapes, ms } = JSON.parse(Buffer.concat(chunks));
  const out = {};
  for (const [name, src] of shapes) {
    const x = jsonata(src);
    x.registerFunction('executionCount', id => 1, '<s:n>');
    x.registerFunction('nodeExecution', (id, i) => ({ counter: 1, sum: 1 }), '<sn:o>');
    let least = Infinity;
    const end = used() + ms * 1e6;
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

// nodeTimes returns what jsonata on Node takes for each of some expressions over a context,
// measured for so many milliseconds each, or nothing where it is not installed: in
// testdata/npm, or in the node_modules folder that JSONATA_NODE names.
func nodeTimes(b *testing.B, context string, shapes [][2]string, ms int) map[string]float64 {
	modules := cmp.Or(os.Getenv("JSONATA_NODE"), "../testdata/npm/node_modules")
	modules, err := filepath.Abs(modules)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "jsonata")); err != nil {
		return nil
	}
	if _, err := exec.LookPath("node"); err != nil {
		return nil
	}
	input, err := json.Marshal(map[string]any{"context": json.RawMessage(context), "shapes": shapes, "ms": ms})
	if err != nil {
		b.Fatal(err)
	}
	node := exec.CommandContext(b.Context(), "node", "-e", nodeScript)
	node.Env = append(os.Environ(), "JSONATA_NODE="+modules)
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
