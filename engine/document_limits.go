package engine

import (
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

var limitAliases = map[string]string{
	"maxOutputBytes": "maxResultBytes", "maxNodes": "maxNodeExecutions", "timeoutMs": "maxExecutionTimeMs", "maxExecutionTime": "maxExecutionTimeMs",
}

// LimitKeys are the keys of executionLimits.
var LimitKeys = []string{"maxNodeExecutions", "maxExecutionTimeMs", "maxResultBytes", "maxTraceBytes"}

// limits reads the document's execution limits. Zero is what it does not say.
func (p *Pass) limits(v graph.Value) run.Limits {
	if !v.Exists() {
		return run.Limits{}
	}
	members := p.keysOf(v, "executionLimits", nil, LimitKeys, limitAliases)
	ceiling := p.env.Limits.OrCeiling()
	read := func(key string, most int64) int64 {
		m, ok := members[key]
		if !ok {
			return 0
		}
		n, ok := m.Int()
		if !ok || n <= 0 {
			p.Report(ruleBadLimit, m, nil, "%s is %s, expected a whole number above 0", key, diag.Cut(string(raw(m)), 40))
			return 0
		}
		if n > most {
			d := p.Report(ruleLimitCeiling, m, nil, "%s is %d, above the operator's ceiling of %d", key, n, most)
			d.Hint = "the run gets the ceiling; the operator can raise it with limits." + key + " in patchbay.yaml"
			return most
		}
		return n
	}
	return run.Limits{
		MaxNodeExecutions: int(read("maxNodeExecutions", int64(ceiling.MaxNodeExecutions))),
		MaxExecutionTime:  time.Duration(read("maxExecutionTimeMs", ceiling.MaxExecutionTime.Milliseconds())) * time.Millisecond,
		MaxResultBytes:    int(read("maxResultBytes", int64(ceiling.MaxResultBytes))),
		MaxTraceBytes:     int(read("maxTraceBytes", int64(ceiling.MaxTraceBytes))),
	}
}
