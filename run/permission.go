package run

import "encoding/json"

// For how long a person can permit the calls of a tool.
const (
	AllowOnce    = "once"    // for the step that asks
	AllowRun     = "run"     // for the run
	AllowSession = "session" // for the session of the client
	AllowAlways  = "always"  // for good
)

// A Permission is to call a tool as its server has defined it, for good or in one session.
type Permission struct {
	Config     string `json:"config,omitempty"` // the real path of the configuration file
	Server     string `json:"server"`
	Tool       string `json:"tool"`
	Definition string `json:"definition"`        // its hash
	Session    string `json:"session,omitempty"` // "" is for good
}

// Allows returns for how long an answer to a question about a call permits the calls, "" if it
// does not permit them. Without a choice that is the run.
func (a *Answer) Allows() string {
	if a.Action != "accept" {
		return ""
	}
	var content struct {
		Allow string `json:"allow"`
	}
	if json.Unmarshal(a.Content, &content) != nil || content.Allow == "" {
		return AllowRun
	}
	return content.Allow
}

// AllowedOther reports whether the answer to the question of an intent permits the calls of one
// step only, which is another one.
func (in *Intent) AllowedOther(step string) bool {
	var a Answer
	return in.Step != step && json.Unmarshal(in.Outcome, &a) == nil && a.Allows() == AllowOnce
}
