import { expect, test } from "vitest";

import { forPeople } from "./hint";

test.each([
  ['check the arguments against get_node_details {"nodes": [{"id": "mcp:files/read_file"}]}', ""],
  ['get_run {"expr": "{\\"a\\": 1}; $.b"} shows it; look at the server\'s log', "look at the server's log"],
  ["give a literal or {expr: …}; run_graph and save_graph refuse the graph until then", "give a literal or {expr: …}"],
  ['did you mean "get_run_log"? the server has read_file; and more', 'did you mean "get_run_log"? the server has read_file; and more'],
  ["files/get_run is the tool of a server", "files/get_run is the tool of a server"],
  ['evaluate {"expression": "1"} computes it', ""],
  ["expressions that evaluate to nothing are left out", "expressions that evaluate to nothing are left out"],
  [undefined, ""],
])("a person reads of %j", (hint, want) => expect(forPeople(hint)).toBe(want));
