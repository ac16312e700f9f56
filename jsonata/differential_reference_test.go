package jsonata

// referenceScript evaluates with jsonata on Node: each line of the input is {source,
// input, mended}, each line of the output what came of it. The source of the reference is
// loaded with the replacements of the mends that are named.
const referenceScript = `
const [path, mends] = [process.argv[1] + '/jsonata.js', JSON.parse(process.argv[2])];
// A regular expression to the left of ?: and ?? becomes one that matches without end there.
const text = require('fs').readFileSync(path, 'utf8').replaceAll('JSON.parse(JSON.stringify(left))', 'copyOf(left)')
  + '\nfunction copyOf(v) { return Array.isArray(v) ? v.map(copyOf) : v && typeof v === "object" && !(v instanceof RegExp) ? Object.fromEntries(Object.entries(v).map(([k, w]) => [k, copyOf(w)])) : v; }';
const loaded = new Map();
function load(mended) {
  const key = mended.join();
  if (!loaded.has(key)) {
    let source = text;
    for (const name of mended) {
      for (let [from, to] of mends[name]) {
        if (source.split(from).length !== 2) throw new Error(name + ': ' + from);
        source = source.replace(from, () => to);
      }
    }
    const m = { exports: {} };
    new Function('module', 'exports', 'require', source)(m, m.exports, require);
    loaded.set(key, m.exports);
  }
  return loaded.get(key);
}
load(Object.keys(mends));
const isFunction = v => v && (typeof v === 'function' || v._jsonata_function || v._jsonata_lambda);
require('readline').createInterface({ input: process.stdin }).on('line', async line => {
  const { source, input, mended } = JSON.parse(line);
  let out;
  try {
    const v = await load(mended || [])(source).evaluate(input);
    const s = isFunction(v) ? undefined : JSON.stringify(v, (key, w) => isFunction(w) ? '\u0000function' : w);
    out = isFunction(v) ? { error: 'function-result' } : s === undefined ? { result: 'undefined' } : { result: s };
  } catch (e) {
    out = { error: String(e.code || 'crash'), message: String(e.message) };
  }
  console.log(JSON.stringify(out));
});`

// mends are what jsonata-js 2.2.2 does otherwise on purpose or by mistake, as what to
// replace in its source so that it does what this package does: see "Known differences"
// in docs/expressions.md.
var mends = map[string][][2]string{
	"a function's last call, and a predicate behind it, is evaluated where it is written": {
		{`result.body = tailCallOptimize(body);`, `result.body = body;`},
	},
	"a predicate behind a sort sees the bound variables": {
		{`result = await fn.sort.apply(focus, [lhs, comparator]);`, `result = await fn.sort.apply(focus, [lhs, comparator]); if (isTupleSort) result.tupleStream = true;`},
	},
	"a grouping leaves an empty array as it is": {
		{`input.push(undefined);`, `input = [undefined];`},
	},
	"$clone takes any value, and keeps all digits": {
		{`defineFunction(functionClone, '<(oa)-:o>')`, `defineFunction(functionClone, '<x-:x>')`},
		{`return JSON.parse(fn.string(arg));`, `return typeof arg === 'number' ? arg : JSON.parse(JSON.stringify(arg, (k, v) => isFunction(v) ? '' : typeof v === 'number' && !Number.isFinite(v) ? fn.string([v]) : v));`},
	},
	"$sift needs a function": {
		{`defineFunction(fn.sift, '<o-f?:o>')`, `defineFunction(fn.sift, '<o-f:o>')`},
	},
	"a regular expression finds nothing in what is not a text": {
		{`re.lastIndex = fromIndex || 0;`, `if (typeof str !== 'string') return undefined; re.lastIndex = fromIndex || 0;`},
	},
	"the first of the errors of several items or values counts": {
		{`let generators = await Promise.all(expr.expressions
                    .map(async (item, idx) => {
                        environment.isParallelCall = idx > 0
                        return [item, await evaluate(item, input, environment)]
                    }));`, `let generators = []; for (const item of expr.expressions) generators.push([item, await evaluate(item, input, environment)]);`},
		{`let generators = await Promise.all(utils.keys(groups).map(async (key, idx) => {`, `let generators = []; for (const [idx, key] of utils.keys(groups).entries()) generators.push(await (async (key, idx) => {`},
		{`return [key, await evaluate(expr.lhs[entry.exprIndex][1], context, env)];
        }));`, `return [key, await evaluate(expr.lhs[entry.exprIndex][1], context, env)];
        })(key, idx));`},
	},
}
