package wire

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Record is a run.Record that is written as JSON, and read again as it was.
type Record struct{ run.Record }

type recordJSON struct {
	ID        string           `json:"id"`
	Graph     string           `json:"graph,omitempty"`
	Principal string           `json:"principal,omitempty"`
	Project   string           `json:"project,omitempty"`
	Source    run.Source       `json:"source"`
	Arguments json.RawMessage  `json:"arguments,omitempty"`
	Options   optionsJSON      `json:"options"`
	Mode      string           `json:"mode,omitempty"`
	Status    run.Status       `json:"status"`
	Result    json.RawMessage  `json:"result,omitempty"`
	Fault     *Fault           `json:"fault,omitempty"`
	Started   time.Time        `json:"started"`
	Ended     time.Time        `json:"ended,omitzero"`
	Steps     []stepJSON       `json:"steps,omitempty"`
	Intents   []run.Intent     `json:"intents,omitempty"`
	Resumed   []run.Resumption `json:"resumed,omitempty"`
	Begun     int              `json:"begun,omitempty"`
}

// optionsJSON has a pin as a list of its value, empty where that is undefined.
type optionsJSON struct {
	Limits   run.Limits                   `json:"limits,omitzero"`
	Pins     map[string][]json.RawMessage `json:"pins,omitempty"`
	Until    string                       `json:"until,omitempty"`
	Operator bool                         `json:"operator,omitempty"`
	Around   bool                         `json:"around,omitempty"`
	Session  string                       `json:"session,omitempty"`
}

// stepJSON is a step whose values and fault are written separately.
type stepJSON struct {
	run.StepRecord

	Input  json.RawMessage `json:",omitempty"`
	Output json.RawMessage `json:",omitempty"`
	Fault  *Fault          `json:",omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (r Record) MarshalJSON() ([]byte, error) {
	k := recordJSON{
		ID: r.ID, Graph: r.Graph, Principal: r.Principal, Project: r.Project, Source: r.Source, Arguments: r.Arguments, Mode: r.Mode,
		Status: r.Status, Fault: FaultOf(r.Fault), Started: r.Started, Ended: r.Ended, Intents: r.Intents, Resumed: r.Resumed, Begun: r.Begun,
	}
	k.Options = optionsJSON{Limits: r.Options.Limits, Until: r.Options.Until, Operator: r.Options.Operator, Around: r.Options.Around, Session: r.Options.Session}
	for id, v := range r.Options.Pins {
		if k.Options.Pins == nil {
			k.Options.Pins = map[string][]json.RawMessage{}
		}
		k.Options.Pins[id] = []json.RawMessage{}
		if v != nil {
			b, err := expr.Encode(v)
			if err != nil {
				return nil, fmt.Errorf("the pin of %q is not JSON: %w", id, err)
			}
			k.Options.Pins[id] = append(k.Options.Pins[id], b)
		}
	}
	var err error
	if k.Result, err = encode("the result", r.Result); err != nil {
		return nil, err
	}
	for _, s := range r.Steps {
		step := stepJSON{StepRecord: *s, Fault: FaultOf(s.Fault)}
		if step.Input, err = encode("the input of "+s.Key, s.Input); err != nil {
			return nil, err
		}
		if step.Output, err = encode("the output of "+s.Key, s.Output); err != nil {
			return nil, err
		}
		k.Steps = append(k.Steps, step)
	}
	return json.Marshal(k)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Record) UnmarshalJSON(b []byte) error {
	var k recordJSON
	if err := json.Unmarshal(b, &k); err != nil {
		return err
	}
	rec := run.Record{
		ID: k.ID, Graph: k.Graph, Principal: k.Principal, Project: k.Project, Source: k.Source, Arguments: k.Arguments, Mode: k.Mode,
		Status: k.Status, Fault: k.Fault.Diag(), Started: k.Started, Ended: k.Ended, Intents: k.Intents, Resumed: k.Resumed, Begun: k.Begun,
	}
	rec.Options = run.Options{ID: k.ID, Limits: k.Options.Limits, Until: k.Options.Until, Operator: k.Options.Operator, Around: k.Options.Around, Session: k.Options.Session}
	var err error
	for id, v := range k.Options.Pins {
		if rec.Options.Pins == nil {
			rec.Options.Pins = map[string]expr.Value{}
		}
		rec.Options.Pins[id] = nil
		if len(v) > 0 {
			if rec.Options.Pins[id], err = expr.Decode(v[0]); err != nil {
				return err
			}
		}
	}
	if rec.Result, err = decode(k.Result); err != nil {
		return err
	}
	var made run.Steps
	for i := range k.Steps {
		step := k.Steps[i].StepRecord
		step.Fault = k.Steps[i].Fault.Diag()
		if step.Input, err = decode(k.Steps[i].Input); err != nil {
			return err
		}
		if step.Output, err = decode(k.Steps[i].Output); err != nil {
			return err
		}
		own := made.New()
		*own = step
		rec.Steps = append(rec.Steps, own)
	}
	r.Record = rec
	return nil
}

// encode writes a value as JSON; nil, which is undefined, is left out.
func encode(what string, v expr.Value) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	b, err := expr.Encode(v)
	if err != nil {
		return nil, fmt.Errorf("%s is not JSON: %w", what, err)
	}
	return b, nil
}

func decode(b json.RawMessage) (expr.Value, error) {
	if b == nil {
		return nil, nil
	}
	return expr.Decode(b)
}
