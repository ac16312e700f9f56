package wire

import (
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Fault is a diag.Fault that keeps its details as JSON, and loses only its cause. The
// zero Fault is none, and null as JSON.
type Fault struct{ *diag.Fault }

// FaultOf returns the fault to send; of nil, none.
func FaultOf(f *diag.Fault) *Fault {
	if f == nil {
		return nil
	}
	return &Fault{f}
}

// Diag returns the fault, nil for none.
func (f *Fault) Diag() *diag.Fault {
	if f == nil {
		return nil
	}
	return f.Fault
}

type faultJSON struct {
	diag.Fault

	Got     json.RawMessage `json:"got,omitempty"`
	Want    json.RawMessage `json:"want,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (f Fault) MarshalJSON() ([]byte, error) {
	if f.Fault == nil {
		return []byte("null"), nil
	}
	return json.Marshal(faultJSON{Fault: *f.Fault, Got: run.AnyJSON(f.Got), Want: run.AnyJSON(f.Want), Details: run.AnyJSON(f.Details)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (f *Fault) UnmarshalJSON(b []byte) error {
	f.Fault = nil
	if string(b) == "null" {
		return nil
	}
	var k faultJSON
	if err := json.Unmarshal(b, &k); err != nil {
		return err
	}
	got := k.Fault
	if k.Got != nil {
		got.Got = k.Got
	}
	if k.Want != nil {
		got.Want = k.Want
	}
	if k.Details != nil {
		details, err := expr.Decode(k.Details)
		if err != nil {
			return err
		}
		got.Details = details
	}
	f.Fault = &got
	return nil
}
