// The tools that the functions of this folder call, over one of several sets of data.
const some = [
  { id: 1, customerId: "c1", amount: 120.5, status: "open", tags: ["big", "new"] },
  { id: 2, customerId: "c2", amount: 8, status: "paid", tags: [] },
  { id: 3, customerId: "c1", amount: 33.25, status: "open", tags: ["new"] },
  { id: 4, customerId: "c9", amount: 0, status: "open", tags: ["odd"] },
  { id: 5, customerId: "c3", amount: 75, status: "paid", tags: ["big"] },
];
const orders = {
  some, none: [], one: [some[2]],
  many: Array.from({ length: 23 }, (_, i) => ({ ...some[i % 5], id: i + 1, amount: (i * 37) % 101 })),
  decimals: some.map(o => ({ ...o, amount: o.amount / 3 + 0.005 })),
};
const customers = [{ id: "c1", name: "Ada", city: "Bern" }, { id: "c2", name: "Bo" }, { id: "c3", name: "Cyd", city: "Oslo" }];
const texts = {
  "src/a.go": "package a\n\n// TODO one\nfunc A() {}\n// FIXME two TODO\n",
  "src/b.go": "package b\n",
  "src/c.md": "  hello wide  world \n",
  "src/data.csv": "region,amount\nnorth,10\nsouth,2.5\nnorth,1\n",
  "src/conf.json": '{"limits":{"max":3},"on":1,"list":["x"]}',
  "src/broken.json": "{nope",
};
const trees = {
  some: texts, none: {}, one: { "src/a.go": texts["src/a.go"] }, decimals: { "src/data.csv": "region,amount\nnorth,0.1\nnorth,0.2\nsouth,0.25\n" },
  many: { ...texts, ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`src/deep/f${i}.${i % 2 ? "txt" : "go"}`, "TODO\n".repeat(i) + "\nend"])) },
};

module.exports = (world = "some") => {
  let flaky = 0;
  const files = trees[world];
  const inside = dir => Object.keys(files).filter(f => f.slice(0, f.lastIndexOf("/")) === dir).map(f => ({ name: f.slice(dir.length + 1), type: "file" }));
  const dirs = { src: [...inside("src"), { name: "deep", type: "dir" }], "src/deep": inside("src/deep"), empty: [] };
  const found = (v, what) => { if (v === undefined) throw new Error(what); return v; };
  return {
    shop: {
      list_orders({ cursor, limit, status } = {}) {
        const all = orders[world].filter(o => !status || o.status === status), from = cursor ?? 0, n = limit ?? 2;
        return { orders: all.slice(from, from + n), ...(from + n < all.length ? { nextCursor: from + n } : {}) };
      },
      get_order: ({ id }) => found(orders[world].find(o => o.id === id), "no order " + id),
    },
    crm: {
      get_customer: ({ id }) => found(customers.find(c => c.id === id), "no customer " + id),
      add_note: ({ id, text }) => ({ ok: !!id, length: String(text).length }),
    },
    files: {
      list_dir: ({ path }) => ({ entries: found(dirs[path], "no folder " + path) }),
      read_file: ({ path }) => ({ content: found(files[path], "no file " + path) }),
    },
    flaky: { get({ ok_after }) { if (flaky++ < (ok_after ?? 0)) throw new Error("busy"); return { value: flaky }; } },
  };
};
