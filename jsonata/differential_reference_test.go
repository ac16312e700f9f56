package jsonata

// referenceScript evaluates with jsonata on Node: each line of the input is {source,
// input, mended}, each line of the output what came of it. The source of the reference is
// loaded with the replacements of the mends that are named.
const referenceScript = `
const [path, mends] = [process.argv[1] + '/jsonata.js', JSON.parse(process.argv[2])];
const text = require('fs').readFileSync(path, 'utf8')
  + '\nfunction copyOf(v) { return Array.isArray(v) ? v.map(copyOf) : v && typeof v === "object" && !(v instanceof RegExp) ? Object.fromEntries(Object.entries(v).map(([k, w]) => [k, copyOf(w)])) : v; }'
  + '\nconst copies = new WeakSet(); function owned(v) { if (v && typeof v === "object") { copies.add(v); Object.values(v).forEach(owned); } return v; }'
  + '\nfunction callable(f) { return typeof f === "function" ? f : (...args) => globalThis.applied(f, args); }'
  + '\nfunction checked(s, args) { try { return s.validate(args); } catch (e) { while (args.length && args[args.length - 1] === undefined) args.pop(); const fit = s.validate(args); if (args.every((v, i) => fit[i] === v || Array.isArray(fit[i]) && fit[i][0] === v)) return fit; throw e; } }'
  + '\nfunction zoneOffset(z) { const m = /^([-+])([01]\\d|2[0-3]):?([0-5]\\d)$/.exec(z); if (m) return (m[1] === "-" ? -1 : 1) * (100 * m[2] + +m[3]); if (z === "Etc/GMT+8") return -800; if (z === "Europe/Berlin") return 200; if (/^(Z|UTC|0000)$/.test(z)) return 0; throw { code: "time-zone" }; }'
  + '\nfunction withText(v) { if (typeof v === "function") throw { code: "D3012" }; if (Array.isArray(v)) v.forEach(withText); return v; }';
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
// in docs/measured/expressions.md.
var mends = map[string][][2]string{
	"base64 of UTF-8": { // which jsonata-js takes for Latin-1, or cuts
		{`from(str, 'binary').toString('base64')`, `from(str, 'utf8').toString('base64')`},
		{`return new global.Buffer.from(str, 'base64').toString('binary');`, `try { return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(str, 'base64')); } catch { throw { code: 'not-utf-8' }; }`},
	},
	"exponent of a picture": { // whose place jsonata-js counts from another beginning, and which ends the active part
		{`exponentPosition > subpicture.length - suffix.length`, `exponentPosition >= subpicture.length - suffix.length`},
		{`activePart.substring(0, exponentPosition)`, `activePart.substring(0, exponentPosition - prefix.length)`},
		{`activePart.substring(exponentPosition + 1)`, `activePart.substring(exponentPosition - prefix.length + 1)`},
	},
	"function as an update": { // whose properties a transform copies
		{`updateType !== 'object' || update === null`, `updateType !== 'object' || update === null || isFunction(update)`},
	},
	"function that is handed on": { // on which jsonata-js calls a method that it does not have
		{`async function apply(proc, args, input, environment) {`, `async function apply(proc, args, input, environment) { globalThis.applied = (f, args) => apply(f, args, null, environment);`},
		{`func.apply(this, `, `callable(func).apply(this, `},
		{`matcher.apply(this, `, `callable(matcher).apply(this, `},
		{`replacer.apply(self, `, `callable(replacer).apply(self, `},
		{`comp = comparator;`, `comp = callable(comparator);`},
	},
	"name in a time": { // of which jsonata-js reads only one spelling, and leaves others out
		{`return lookup[value];`, `return lookup[Object.keys(lookup).find(k => k.toLowerCase() === value.toLowerCase())];`},
		{`components[mpart.component] = mpart.parse(info[i]);`, `const v = mpart.parse(info[i]); if (v === undefined || v !== v) return undefined; components[mpart.component] = v;`},
	},
	"property of an array": { // such as sequence, which "*", $each and $sift find
		{`return typeof arg === 'object' && arg !== null ? Object.keys(arg) : [];`, `return Array.isArray(arg) ? Array.from(arg.keys(), String) : typeof arg === 'object' && arg !== null ? Object.keys(arg) : [];`},
	},
	"separator of a picture": { // beyond the digits, or between those that an ordinal or a sign is read from
		{`const pos = formattedInteger.length - separator.position;`, `const pos = formattedInteger.length - separator.position; if (pos < 0) return;`},
		{`var lastDigit = formattedInteger[formattedInteger.length - 1];`, `var lastDigit = String(value % 10);`},
		{`(formattedInteger.length > 1 && formattedInteger[formattedInteger.length - 2] === '1')`, `Math.floor(value / 10) % 10 === 1`},
		{`String.fromCodePoint(char.codePointAt(0) - formatSpec.zeroCode + 0x30)`, `(n => n >= 0 && n <= 9 ? String(n) : char)(char.codePointAt(0) - formatSpec.zeroCode)`},
		{`pic.fractionalPartGroupingPositions.forEach(function (pos) {`, `pic.fractionalPartGroupingPositions.forEach(function (pos, nth) { pos += nth; if (pos + decimalPos + 1 >= stringValue.length || pos === 0) return;`},
		{`pic.integerPartGroupingPositions.forEach(function (pos) {`, `pic.integerPartGroupingPositions.forEach(function (pos) { if (pos >= decimalPos) return;`},
	},
	"side effect of a grouping": {
		{`input.push(undefined);`, `input = [undefined];`},
		{`delete tuple['@'];`, `tuple = { ...tuple }; delete tuple['@'];`},
	},
	"side effect of a transform": {
		{`var result = await apply(cloneFunction, [obj], null, environment);`, `var result = owned(copyOf(await apply(cloneFunction, [obj], null, environment)));`},
		{`return JSON.parse(fn.string(arg));`, `return owned(JSON.parse(fn.string(arg)));`},
		{`match[prop] = update[prop];`, `if (Object(match) !== match || copies.has(match)) match[prop] = update[prop];`},
		{`delete match[deletions[jj]];`, `if (copies.has(match)) delete match[deletions[jj]];`},
	},
	"source text of jsonata-js": { // which is inserted, or searched
		{`result += replacement;`, `result += withText(replacement);`},
		{`re.exec(str);`, `re.exec(withText(str));`},
	},
	"time zone": { // which jsonata-js reads as a whole number, and adds to the minutes of one before UTC
		{`const offset = parseInt(timezone);`, `const offset = zoneOffset(timezone);`},
		{`offsetHours = Math.floor(offset / 100);`, `offsetHours = Math.trunc(offset / 100);`},
		{`formatInteger(offsetMinutes, '00')`, `formatInteger(Math.abs(offsetMinutes), '00')`},
		{`return offsetHours * 60 + offsetMinutes;`, `return offsetHours * 60 + (value[0] === '-' ? -offsetMinutes : offsetMinutes);`},
	},
	"unchecked arguments of a partial application": {
		{`result = partialApplyNativeFunction(proc.implementation, `, `proc.implementation.signature = proc.signature; result = partialApplyNativeFunction(proc.implementation, `},
		{`var result = proc.apply(focus, args);`, `var result = proc.apply(focus, proc.signature ? checked(proc.signature, args) : args);`},
	},
}
