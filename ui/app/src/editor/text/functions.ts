// The functions of JSONata, with their arguments.
export const functions = `abs(n) append(a, b) assert(condition, message) average(numbers) base64decode(s) base64encode(s) boolean(v) ceil(n) clone(v) contains(s, pattern) count(list)
decodeUrl(s) decodeUrlComponent(s) distinct(list) each(object, f) encodeUrl(s) encodeUrlComponent(s) error(message) eval(expr) exists(v) filter(list, f) floor(n)
formatBase(n, base) formatInteger(n, picture) formatNumber(n, picture) fromMillis(n, picture) join(list, separator) keys(object) length(s) lookup(object, key)
lowercase(s) map(list, f) match(s, pattern) max(numbers) merge(objects) millis() min(numbers) not(v) now() number(v) pad(s, width) parseInteger(s, picture) power(n, exponent)
random() reduce(list, f, start) replace(s, pattern, by) reverse(list) round(n, digits) shuffle(list) sift(object, f) single(list, f) sort(list, f) split(s, separator)
spread(object) sqrt(n) string(v) substring(s, start, length) substringAfter(s, part) substringBefore(s, part) sum(numbers) toMillis(s, picture) trim(s) type(v) uppercase(s) zip(lists)`
  .split(/(?<=\))\s+/)
  .map((f) => ({ name: "$" + f.slice(0, f.indexOf("(")), arguments: f.slice(f.indexOf("(")) }));

/** Variables that expressions have in a node with foreach, or in a workflow. */
export const variables = ["$item", "$index", "$context"];
