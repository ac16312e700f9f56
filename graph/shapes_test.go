package graph

// shapes are documents that between them use every way to write a value.
var shapes = []string{
	"a: 1\nb: two\nc: [x, y]\nd: {k: v}\n",
	"tools:\n  - name: t # the tool\n    nodes:\n      - {id: entry, type: entry, next: exit}\n      # the way out\n      - id: exit\n        type: exit\n",
	"a:\nb: # nothing\nc:\n  - \n  -\n  - x\n",
	"{a, b: , c: 1, 'd':2, \"e\":[]}\n",
	"k: [a: 1, {}, [], \"q\\u00e9\\n\", 'it''s']\n",
	"- a\n- - b\n  - c\n-   d: 1\n    e: 2\n",
	"e: |\n  line one\n    deeper\n\n  é last\nf: >-\n  folded\n  text\n\n  more\n   kept\n  end\ng: |+\n  keep\n\n\nh: >2\n    x\n  y\n",
	"a: |-\n  no newline at the end",
	"a: |\n  no newline at the end",
	"a: |\n\n\n  late\nb: |1\n   three\n",
	"p: plain text\n  over lines\n\n  and more # note\nq: 'single\n  over\n\n  lines'\nr: \"double\\\n   joined \\\n  x\n  y\\tz\"\n",
	"a: 1\r\nb: |\r\n  x\r\n  y\r\nc: 'q\r\n  r'\r\nd: [1,\r\n  2]\r\n",
	"\ufeffa: é\nb: 'ü x'\n",
	"--- # head\na: 1\n...\n# tail\n",
	"list:\n- x\n- y: 1\n  z: 2\nafter: 1\n",
	"# head\n\nname: n # n\n\n# about nodes\nnodes:\n\n  # first\n  - id: a   # id\n    type: t\n\n  # second\n  - id: b\n    type: t\n# end\n",
	"{\n  \"a\": 1,\n  \"b\": [1, 2.50, 1e400],\n  \"c\": {\"d\": \"x\\ny\\u00e9\\ud83d\\ude00\"},\n  \"e\": null\n}\n",
	`{"a":1,"b":[],"c":{},"d":"é"}`,
	"{a: 1, # one\n b: 2, # two\n}\n",
	"[1, 2]\n",
	"a: yes\nb: 1_000\nc: 0o17\nd: .inf\ne: 2001-01-01\nf: ~\ng: null\nh: True\ni: 012\nj: -0.5e3\n",
	"? a\n: b\n? c\n",
	"a: !!str 5\nb: &x\n  k: 1\nc: *x\n<<: *x\nd: ! e\n",
	"a: 1\na: 2\nb: {c: 1, c: 2}\n",
	"a: b\u2028 c\nd: 'x\u0085 y'\ne: |\n  l\u2029  m\n",
	"\"quoted key\": 1\n'other': 2\n: 3\n",
	"a:\n    b:\n        - c:\n            d: 1\n          # deep\n        # less\ne: 1\n",
	"expr: '{ \"count\": $count($split($.list.content, \"\\n\")) }'\n",
	"", "# only a comment\n", "---\n", "text\n", "|\n text\n", "'x'",
	"a: |+\n\nb: 1\n", "a: |\n  x\n ", "a: |\n  x\n    ", "a: >\n\n  x\n\n\n  y\n", "a: |\n  \tx\n",
	"a: \"\"\nb: ''\nc: |\nd: >-\ne: 1",
	"a: [\n  1, # one\n  two\n  lines,\n]\n",
	"a: 'x' # c\nb: \"y\"   # d\nc: z#z\n",
	": \u2028  'x\u0085 y'\ne: |\n  l\u2029", "? a: \n? c", ": ? c\n: b\n?", " ", "|\n   ", "\n\tx\n", "[:,{},'it''s']", ": :",
	"C         d: 1\n         A# deep\n     ", ": '\n......  r'\r\nd: [1,\r\n x\r]", "A:\n:\n: # 0", "a: 1\rb:\r  c: 2\rd: 3\n",
	"k: -x\nl: ?y\nm: a:b\nn: [a:b, 'c':1]\n",
}

// broken are documents that cannot be read.
var broken = []string{
	"a: b: c\n", "a:\n\tb: 1\n", "a: { \"count\": $count($split($.x, \"\\n\")) }\n", "a: 'x\n", "a: [1, 2\nb: 3\n",
	"a: 1\n b: 2\n", "a: @x\n", "- a\nb: 1\n", "a: \"\\q\"\n", "a: *x\n", "a: x\n- b\n", "a: {b: 1\n", "a: \"x\" y\n", "a: \x01\n",
	"%YAML 1.2\n---\na: 1\n", `{"a":1,}`, `{"a" 1}`, `{"a":"x`, "{\"a\":\"x\ny\"}", `{"a":"\q"}`, `{"a":1}}`, "\xff", "a: |x\n",
	"[,\n", "\ufeffxPP\nb: 'ü x'", "a: \"\\", "{\"a\":1 \"b\":2}",
}
