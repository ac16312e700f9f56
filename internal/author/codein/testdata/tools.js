// The tools that the functions of this folder call.
const orders = [
  { id: 1, customerId: "c1", amount: 120.5, status: "open", tags: ["big", "new"] },
  { id: 2, customerId: "c2", amount: 8, status: "paid", tags: [] },
  { id: 3, customerId: "c1", amount: 33.25, status: "open", tags: ["new"] },
  { id: 4, customerId: "c9", amount: 0, status: "open", tags: ["odd"] },
  { id: 5, customerId: "c3", amount: 75, status: "paid", tags: ["big"] },
];
const customers = [{ id: "c1", name: "Ada", city: "Bern" }, { id: "c2", name: "Bo" }, { id: "c3", name: "Cyd", city: "Oslo" }];
const files = {
  "src/a.go": "package a\n\n// TODO one\nfunc A() {}\n// FIXME two TODO\n",
  "src/b.go": "package b\n",
  "src/c.md": "  hello wide  world \n",
  "src/data.csv": "region,amount\nnorth,10\nsouth,2.5\nnorth,1\n",
  "src/conf.json": '{"limits":{"max":3},"on":1,"list":["x"]}',
  "src/broken.json": "{nope",
};
const dirs = { src: [...Object.keys(files).map(f => ({ name: f.slice(4), type: "file" })), { name: "deep", type: "dir" }], "src/deep": [], empty: [] };

module.exports = () => {
  let flaky = 0;
  const found = (v, what) => { if (v === undefined) throw new Error(what); return v; };
  return {
    shop: {
      list_orders({ cursor, limit, status } = {}) {
        const all = orders.filter(o => !status || o.status === status), from = cursor ?? 0, n = limit ?? 2;
        return { orders: all.slice(from, from + n), ...(from + n < all.length ? { nextCursor: from + n } : {}) };
      },
      get_order: ({ id }) => found(orders.find(o => o.id === id), "no order " + id),
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
