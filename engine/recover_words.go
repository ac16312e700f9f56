package engine

import "strings"

// foreignWords are the words of other systems and of models for the format's own: by the
// place where they are written, and by the word. In the table a place is followed by
// lines that each have one of our words and those that stand for it.
var foreignWords = readWords(`
document
	executionLimits     limits
	mcpServers          servers
	tools               tool graphs workflows
executionLimits
	maxResultBytes      maxOutputBytes
	maxNodeExecutions   maxNodes
	maxExecutionTimeMs  timeoutMs maxExecutionTime
tool
	inputSchema         parameters inputs input schema args arguments
	outputSchema        outputs output returns
	nodes               steps graph tasks
	description         summary
type
	string              str text date url file path
	integer             int long
	number              float double decimal numeric
	boolean             bool
	object              dict map json hash
	array               list tuple
	null                none nil
workflow
	on                  workflowType type method
	enabled             active
condition
	rule                condition if when expr expression logic test case jsonlogic jsonLogic value
	next                then goto to node output nextNode
operator
	==                  == === = eq equals equal is
	!=                  != !== ne neq notequals
	>                   > gt greaterthan larger
	>=                  >= gte ge
	<                   < lt lessthan smaller
	<=                  <= lte le
	in                  in
	contains            contains
transform
	expr                expr expression jsonata code script template mapping transformation query value
foreach
	items               in of over list array collection source expr from values
	as                  item var variable name itemName alias
	concurrency         parallel parallelism maxConcurrency max_concurrency limit batchSize
	onItemError         onError on_error errorPolicy
retry
	maxAttempts         attempts max times count maxRetries retries limit
	initialMs           delay delayMs interval intervalMs backoffMs waitMs initialDelayMs
	maxMs               maxDelayMs maxDelay
	factor              backoff multiplier backoffFactor
	unsafe              force
auth
	bearer              token bearerToken oauth2 jwt
	header              apiKey
	basic               basicAuth
credentials
	username            user login
	password            pass pwd
	name                key header
	value               token
hook
	script              code js javascript
	expr                jsonata
	module              hookModuleId
`)

// readWords reads the table.
func readWords(table string) map[string]map[string]string {
	places := map[string]map[string]string{}
	var place map[string]string
	for line := range strings.Lines(table) {
		switch words := strings.Fields(line); len(words) {
		case 0:
		case 1:
			place = map[string]string{}
			places[words[0]] = place
		default:
			for _, word := range words[1:] {
				place[word] = words[0]
			}
		}
	}
	return places
}
