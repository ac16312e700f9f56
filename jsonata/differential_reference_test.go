package jsonata

// referenceScript evaluates with jsonata on Node: each line of the input is {source,
// input, mended}, each line of the output what came of it. The source of the reference is
// loaded with the replacements of the mends that are named.
const referenceScript = `
const [path, mends] = [process.argv[1] + '/jsonata.js', JSON.parse(process.argv[2])];
const text = require('fs').readFileSync(path, 'utf8')
  + '\nfunction copyOf(v) { return Array.isArray(v) ? v.map(copyOf) : v && typeof v === "object" && !(v instanceof RegExp) ? Object.fromEntries(Object.entries(v).map(([k, w]) => [k, copyOf(w)])) : v; }';
const loaded = new Map();
function load(mended) {
  const key = mended.join();
  if (!loaded.has(key)) {
    let source = text;
    for (const name of mended) {
      for (let [from, to] of mends[name]) {
        if (!source.includes(from)) throw new Error(name + ': ' + from);
        source = source.replaceAll(from, () => to);
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
    const s = JSON.stringify(v, (key, w) => isFunction(w) ? '\u0000function' : typeof w === 'number' && !Number.isFinite(w) ? '\u0000' + w : w);
    out = { result: s === undefined ? 'undefined' : s };
  } catch (e) {
    out = { error: String(e.code || 'crash'), message: String(e.message) };
  }
  console.log(JSON.stringify(out));
});`

// mends are what jsonata-js 2.2.2 does otherwise on purpose or by mistake, as what to
// replace in its source so that it does what this package does: see "Known differences"
// in docs/expressions.md.
var mends = map[string][][2]string{
	"side effect of a grouping": {
		{`input.push(undefined);`, `input = [undefined];`},
	},
	"source text of jsonata-js": { // in which it reads the names of the parameters
		{`function string(arg, prettify = false) {`, `function string(arg, prettify) {`},
	},
	"side effect of []": {
		{`result.keepSingleton = true;`, `Object.defineProperty(result, 'keepSingleton', { value: true, configurable: true });`},
		{`resultSequence.keepSingleton = true;`, `Object.defineProperty(resultSequence, 'keepSingleton', { value: true, configurable: true });`},
	},
	"regular expression to the left of ?: or ??": {
		{`JSON.parse(JSON.stringify(left))`, `copyOf(left)`},
	},
	"order of errors": {
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
