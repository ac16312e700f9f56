// What the forms of the editor say about types of nodes and their fields. The catalog says the
// same to models, with how it is written as text.

const types: Record<string, string> = {
  ask: "Asks a person, and goes on with the answer.",
  end: "Where a workflow around calls ends.",
  entry: "Where a run starts. Its output is what the run is given.",
  exit: "Where a run ends, and what it returns.",
  graph: "Runs another graph as one step.",
  hook: "Looks at a call, and may change or stop it.",
  http: "Sends a request to a web address that the operator allows.",
  mcp: "Calls a tool of a server.",
  "mcp-call": "Makes the call around which the workflow runs.",
  model: "Asks a language model: to summarise, classify, extract or write.",
  parallel: "Runs branches at the same time, and goes on when all are done.",
  start: "Where a workflow around calls starts. Its output is the call.",
  state: "Keeps a value for later runs of this graph, or reads it.",
  switch: "Goes on at the node of the first condition that holds.",
  transform: "Computes a value from the outputs of the nodes before it.",
  wait: "Waits for a while, or until a point in time.",
};

const fields: Record<string, string> = {
  args: "What it is given.",
  auth: "How the request says who makes it. ${NAME} is a variable that the operator offers.",
  branches: "The first node of each branch.",
  conditions: "They are tried in this order.",
  delete: "What is kept is deleted.",
  detach: "The first nodes of branches that nobody waits for.",
  foreach: "The node is executed for each item of a list. Expressions read the item as $item, and its place as $index; the output is the list of the outputs.",
  get: "Reads the value; this is the value if none is kept.",
  graph: "A graph of this document, or a saved one.",
  headers: "Headers of the request.",
  hook: "An expression on $context, or JavaScript.",
  join: "The node where the branches meet.",
  key: "The name under which the value is kept.",
  message: "What the person is asked.",
  ms: "How many milliseconds it waits.",
  next: "The node that follows.",
  onError: "The node that follows when this one fails.",
  query: "Added to the address.",
  result: "What the run returns; without it, the output of the node before.",
  retry: "What fails is tried again after a wait. A call that may change something twice is tried again only if unsafe is true.",
  "schema of ask": "The fields of the form that the person gets.",
  "schema of model": "The fields of the reply; without it, the reply is text.",
  set: "The value to keep.",
  "timeoutMs of ask": "After so many milliseconds the run goes on without an answer.",
  transform: "An expression. $.name is the output of the node that is called name.",
  trusted: "Nobody is asked before the call.",
  until: "The time until which it waits.",
  "next of ask": "The node that follows, whatever the answer.",
  "next of entry": "The node that is executed first.",
  "next of start": "The node that is executed first.",
  "next of switch": "The node that follows when no condition holds.",
};

/** What a type of the program does; undefined of others. */
export const aboutType = (type: string): string | undefined => types[type];

/** What a field of a node of a type of the program is for; undefined where the catalog's words do. */
export const aboutField = (type: string, name: string): string | undefined => (type in types ? (fields[`${name} of ${type}`] ?? fields[name]) : undefined);
