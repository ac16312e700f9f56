// The graphs that the tests open.

export const readNotes = `# Counts the lines of a file, and asks before it counts much.
name: count_lines
description: Counts the lines of a file
inputSchema:
  type: object
  properties:
    path: {type: string, description: The file}
  required: [path]
outputSchema: {type: object, properties: {lines: {type: number}}, required: [lines]}
nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: filesystem, tool: read_text_file, args: {path: {expr: $.entry.path}}, next: count}
  - {id: count, type: transform, transform: {expr: '{"lines": $count($split($.read.content, "\\n"))}'}, next: exit}
  - {id: exit, type: exit}
`;

/** A workflow whose hook is JavaScript, and its tests. */
export const workflow = `name: block # stays
description: Blocks calls of one tool
workflow: {on: tools/call}
nodes:
  - {id: start, type: start, next: check}
  - id: check
    type: hook
    hook:
      script: |
        async (context) => {
          if (context.request.params.name === "write") return { continue: false, error: { code: "NO", message: "no" } };
        }
    next: call
  - {id: call, type: mcp-call, next: end}
  - {id: end, type: end}
`;

export const workflowTests = `- name: reading is allowed
  arguments: {request: {method: tools/call, params: {name: read, arguments: {}}}, metadata: {}}
  pins: {call: {response: {content: []}}}
  result: {content: []}
- name: deleting is blocked
  arguments: {request: {method: tools/call, params: {name: delete, arguments: {}}}, metadata: {}}
  pins: {call: {response: {content: []}}}
  error: hook-blocked
`;

export const asks = `name: approve
description: Asks a person
inputSchema: {type: object, properties: {amount: {type: number}}, required: [amount]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: approve}
  - id: approve
    type: ask
    message: {expr: '"Pay " & $string($.entry.amount) & "?"'}
    schema: {type: object, properties: {reason: {type: string, title: Reason}}, required: [reason]}
    next: exit
  - {id: exit, type: exit, result: {expr: '{"action": $.approve.action, "reason": $.approve.content.reason}'}}
`;

export const loops = `name: many
description: Reads a file often
executionLimits: {maxNodeExecutions: 20000}
inputSchema: {type: object, properties: {path: {type: string}, n: {type: integer, default: 50}}, required: [path]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: mcp, server: filesystem, tool: read_text_file, args: {path: {expr: $.entry.path}}, foreach: {items: {expr: "[1..$.entry.n]"}, concurrency: 4}, next: sum}
  - {id: sum, type: transform, transform: {expr: '{"n": $count($.each)}'}, next: exit}
  - {id: exit, type: exit}
`;

/** Two tools: one calls the other, which calls itself, beside branches. */
export const nested = `version: "1.0"
tools:
  - name: outer
    description: Calls another tool of this document
    inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
    outputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, next: fork}
      - {id: fork, type: parallel, branches: [left, right], join: call}
      - {id: left, type: transform, transform: {expr: $.entry.n + 1}, next: call}
      - {id: right, type: transform, transform: {expr: $.entry.n + 2}, next: call}
      - {id: call, type: graph, graph: inner, args: {n: {expr: $.right}}, foreach: {items: {expr: "[1, 2]"}}, next: exit}
      - {id: exit, type: exit, result: {all: {expr: $.call}}}
  - name: inner
    description: Doubles a number until it is large
    inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
    outputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, next: twice}
      - {id: twice, type: transform, transform: {expr: $.entry.n * 2}, next: again}
      - {id: again, type: graph, graph: least, args: {n: {expr: $.twice}}, next: exit}
      - {id: exit, type: exit, result: {n: {expr: $.again.n}}}
  - name: least
    description: A number, or 1 if it is less
    inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
    outputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, next: one}
      - {id: one, type: transform, transform: {expr: "$max([1, $.entry.n])"}, next: exit}
      - {id: exit, type: exit, result: {n: {expr: $.one}}}
`;

export const waits = `name: waits
description: Waits for an hour
inputSchema: {type: object, properties: {}}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: pause}
  - {id: pause, type: wait, ms: 3600000, next: exit}
  - {id: exit, type: exit, result: {done: true}}
`;

export const counts = `name: counts
description: Doubles and adds one
inputSchema: {type: object, properties: {amount: {type: number}}, required: [amount]}
outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: double}
  - {id: double, type: transform, transform: {expr: $.entry.amount * 2}, next: more}
  - {id: more, type: transform, transform: {expr: '{"n": $.double + 1}'}, next: exit}
  - {id: exit, type: exit}
`;
