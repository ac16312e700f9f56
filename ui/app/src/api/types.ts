// What the server replies with: the results of the operations, as docs/reference/tools.md
// describes them.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  definitions?: Record<string, JsonSchema>;
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: Json[];
  enumNames?: string[];
  const?: Json;
  default?: Json;
  examples?: Json[];
  format?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
}

/** Why a request or a run failed. */
export interface Fault {
  code: string;
  message: string;
  node?: string;
  path?: string;
  got?: Json;
  want?: Json;
  hint?: string;
  suggestions?: string[];
}

export interface Position {
  line: number;
  column: number;
}

export interface Fix {
  title: string;
  patch?: { op: string; path: string; from?: string; value?: Json }[];
}

export type Severity = "error" | "warning" | "note";

export interface Diagnostic {
  code: string;
  severity: Severity;
  path: string;
  node?: string;
  range?: { start: Position; end: Position };
  message: string;
  hint?: string;
  got?: Json;
  want?: Json;
  related?: { path: string; range?: { start: Position; end: Position }; message: string }[];
  fixes?: Fix[];
}

export interface OperationInfo {
  name: string;
  title?: string;
  summary?: string;
}

export interface Session {
  version: string;
  project?: string;
  file: { path: string; name: string } | null;
  principal?: string;
  scopes?: string[];
  operations: OperationInfo[];
  limits?: Record<string, Json>;
}

export interface CatalogState {
  pending?: string[];
  failed?: Record<string, string>;
}

export interface FoundNode {
  id?: string; // of details; idOf gives it in every case
  node_type: string;
  subtype: string;
  title?: string;
  description?: string;
  signature?: string;
  relevance_score?: number;
  unmatched?: string[]; // words of the query that it lacks
  runnable?: boolean;
  reason?: string; // why it cannot be run
  hint?: string;
  also?: string[];
  connects?: string[]; // in a search by type, how
}

/** Nodes that connect what is there with what is wanted. */
export interface FoundChain {
  nodes: string[];
  relevance_score: number;
  connects: string[];
  holes?: string[];
  draft: string; // what get_graph takes as a name
}

export interface SearchResult {
  query: string;
  hint?: string;
  confidence?: number; // 0 to 1: how likely the first of all results is what was asked for
  total: number;
  results: FoundNode[];
  chains?: FoundChain[];
  corrected?: Record<string, string>;
  assumed?: Record<string, string>;
  catalog?: CatalogState;
  next_cursor?: string;
}

export interface NodeTypes {
  types: Record<string, string[]>;
  counts: Record<string, number>;
  catalog?: CatalogState;
  next_cursor?: string;
}

export interface Parameter {
  name: string;
  type: string;
  required: boolean;
  default_value?: Json;
  description?: string;
  enum_values?: Json[];
  validation_pattern?: string;
}

export interface Port {
  name: string;
  type: string;
  required: boolean;
  max_connections?: number;
  description?: string;
  data_format?: { mime_type: string; schema?: JsonSchema; examples?: Json[] };
  validation_schema?: JsonSchema;
}

export interface NodeExample {
  title: string;
  graph?: string;
  parameters?: Json;
  arguments?: Json;
  result?: Json;
}

export interface NodeDetails extends FoundNode {
  version?: string;
  category?: string;
  tags?: string[];
  source?: string;
  parameters?: Parameter[];
  input_ports?: Port[];
  output_ports?: Port[];
  skeleton?: Json;
  followed_by?: string[];
  graph?: string;
  examples?: NodeExample[];
  annotations?: {
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
    trusted: boolean;
  };
  observed?: { samples: number; schema: JsonSchema };
  error?: string;
  hint?: string;
  suggestions?: string[];
}

export interface ValidateResult {
  valid: boolean;
  errors?: Diagnostic[];
  warnings?: Diagnostic[];
  notes?: Diagnostic[];
  more?: number;
  fixed_graph?: Json;
  diff?: string;
  flow?: string;
  missing_to_save?: string[];
  draft?: string;
  hint?: string;
  catalog?: CatalogState;
}

export interface EditResult extends ValidateResult {
  revision?: string;
  graph?: string;
  saved?: boolean;
}

export type RunStatus = "running" | "succeeded" | "failed" | "cancelled" | "interrupted" | "rejected";

export interface TraceStep {
  node: string;
  key?: string;
  index: number;
  ms: number;
  start_ms?: number;
  input?: Json;
  output?: Json;
  output_size?: number;
  simulated?: string;
  error?: string;
  caught?: boolean;
  attempts?: number;
  more?: number;
  expressions?: { path?: string; expr: string; value?: Json; type?: string }[];
  not_recorded?: boolean;
}

/** A question that a run waits with. */
export interface Ask {
  step: string;
  message: string;
  server?: string;
  permits?: string;
  schema?: JsonSchema;
  until?: string;
}

export interface UnknownCall {
  step?: string;
  server: string;
  tool: string;
  arguments?: Json;
  failure?: string;
  completed?: boolean;
}

export interface RunResult {
  run_id: string;
  status: RunStatus;
  result?: Json;
  error?: Fault;
  diagnostics?: Diagnostic[];
  trace?: TraceStep[];
  duration_ms?: number;
  node_executions?: number;
  asks?: Ask[];
  open?: string[];
  unknown_calls?: UnknownCall[];
  hint?: string;
  /** What models have taken, by node too. */
  tokens?: Tokens & { nodes: (Tokens & { node: string; requests: number })[] };
}

export interface Tokens {
  input: number;
  output: number;
  /** An endpoint did not say how many. */
  estimated?: boolean;
}

export interface RunDetails extends RunResult {
  graph?: string;
  project?: string;
  started: string;
  arguments?: Json;
  step?: TraceStep;
  /** A page of all executions, and how many there are. */
  steps?: TraceStep[];
  step_count?: number;
  /** What started the run, with a page of steps. */
  by?: string;
  value?: Json;
  type?: string;
  size?: number;
  /** Why the run is not resumed, nor anything made of it. */
  unverified?: string;
  resumed?: { at: string; after: string; decision?: string; step?: string }[];
}

export interface RunSummary {
  run_id: string;
  graph?: string;
  status: RunStatus;
  project?: string;
  started: string;
  ended?: string;
  node_executions: number;
  arguments?: Json;
  code?: string;
  message?: string;
  /** Whether the journal does not know who wrote the run. */
  unverified?: boolean;
}

export interface NodeRun {
  status?: RunStatus;
  run_id?: string;
  output?: Json;
  output_size?: number;
  paths?: string[];
  duration_ms?: number;
  error?: Fault;
  diagnostics?: Diagnostic[];
  asks?: Ask[];
  hint?: string;
}

export interface Evaluation {
  value?: Json;
  type?: string;
  size?: number;
  diagnostics?: Diagnostic[];
}

/** A step before which a run is paused in a debugger. */
export interface PausedStep {
  step: string;
  node: string;
  node_type: string;
  why: "breakpoint" | "step";
  at: string;
  context: { node: string; output: Json; size?: number }[];
}

export interface DebugResult {
  run_id?: string;
  status: RunStatus | "paused";
  paused?: PausedStep[];
  breakpoints?: string[];
  run?: RunResult;
}

export interface ServerStatus {
  name: string;
  state: "starting" | "cached" | "idle" | "ready" | "failed";
  reason?: string;
  hint?: string;
  tools: number;
  transport: string;
  protocol?: string;
  software?: string;
  notes?: string[];
  junk?: string;
  confined?: boolean;
  /** Tools whose change waits for a person. */
  changed?: number;
}

/** A search that found nothing; … stands for a value. */
export interface MissedSearch {
  query: string;
  times: number;
  last: string;
  /** What the same caller then searched for, which found something. */
  then?: string;
}

export interface ServerTool {
  name: string;
  hash: string;
  state: "used" | "changed";
  result?: string;
  learned?: number;
  suspicions?: string[];
  note?: string;
  diff?: string;
  /** Of a change that waits: what it means for the graphs that use the tool, the most serious reason first. */
  change?: { class: string; reasons: string[] };
  changes?: { at?: string; hash?: string; from?: string; to?: string; by?: string }[];
  description?: string;
  inputSchema?: JsonSchema;
}

/** What recorded runs of a graph come to with a changed tool. */
export interface TriedGraph {
  graph: string;
  class: string;
  reasons?: string[];
  error?: { message: string };
  runs: number;
  same: number;
  live: number;
  recorded: number;
  differs?: { run_id: string; differences: { step: string; what: string; recorded?: string; replayed?: string }[] }[];
}

export interface ServerDetails extends ServerStatus {
  from?: string;
  trust: string;
  listed: ServerTool[];
}

/** A change of patchbay.yaml that adds servers. */
export interface AddedServers {
  file: string;
  servers: { name: string; notes?: string[] }[];
  /** What it starts or reaches, one setting a line. */
  starts: string[];
  diff: string;
  /** Identifies the change. */
  change: string;
  written: boolean;
  said?: string;
}

export interface SavedGraph {
  name: string;
  description?: string;
  revision?: string;
  exposed?: boolean;
  /** What starts it while patchbay serve runs. */
  starts?: { schedule?: string; cron?: string; timezone?: string; next?: string; webhook?: string }[];
  error?: string;
}

export interface GraphRevision {
  revision: string;
  saved: string;
}

export interface GraphText {
  name: string;
  graph: string;
  revision: string;
  flow?: string;
  /** What its runs have kept out of a model's context. */
  use?: { uses: number; calls_kept_out: number; tokens_kept_out: number };
  /** The latest first, which is the present one. */
  revisions?: GraphRevision[];
}

/** Whether a graph was saved; what was not has a reason, or lacks something. */
export interface SaveResult {
  status: "saved" | "draft" | "rejected";
  name: string;
  revision: string;
  missing?: string[];
  error?: Fault;
}

export interface WorkflowInfo {
  name: string;
  description?: string;
  enabled: boolean;
  path?: string;
  error?: Fault;
}

/** The outcome of the tests that are kept with workflows. */
export interface WorkflowTests {
  tests: { file: string; name?: string; passed: boolean; error?: Fault; differences?: { step: string; what: string; recorded?: string; replayed?: string }[] }[];
  passed: number;
  failed: number;
}

/** Something that happened in a run: see docs/reference/ui-api.md. */
export interface RunEvent {
  type: "nodeStarted" | "nodeCompleted" | "nodeFailed" | "paused" | "resumed" | "ended";
  run_id: string;
  node?: string;
  node_type?: string;
  key?: string;
  index?: number;
  at?: string;
  /** Of an item of a foreach: how many items that has. */
  items?: number;
  ms?: number;
  attempts?: number;
  caught?: boolean;
  simulated?: string;
  /** Of a run that has stopped. */
  status?: RunStatus;
  /** Of one that a debugger has paused, or lets continue. */
  why?: string;
  error?: Fault | string;
}
