package exact_test

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

// An option is what somebody may do about a run that has stopped: answer the question
// of a step, or decide.
type option struct {
	answer string
	run.Decision
}

// options are all that may be done about a run.
func options(rec *run.Record) []option {
	all := []option{{Decision: run.Decision{Do: "retry"}}}
	for _, in := range rec.Questions() {
		all = append(all, option{answer: in.Step})
	}
	for _, step := range rec.Open() {
		all = append(all, option{Decision: run.Decision{Do: "retry", Step: step.Key}})
		if step.Type != "switch" && step.Type != "exit" {
			all = append(all,
				option{Decision: run.Decision{Do: "skip", Step: step.Key}},
				option{Decision: run.Decision{Do: "pin", Step: step.Key, Pin: 7.0}})
		}
	}
	return all
}

// choose takes one of the options. Nothing is skipped or pinned in a run that is not
// stopped, and after many resumptions what ends the run is.
func (s *site) choose(rec *run.Record, resumed int) option {
	all := options(rec)
	of := func(is func(option) bool) []option {
		return slices.DeleteFunc(slices.Clone(all), func(o option) bool { return !is(o) })
	}
	named := of(func(o option) bool { return o.Do == "retry" && o.Step != "" })
	given := of(func(o option) bool { return o.Do == "skip" || o.Do == "pin" })
	answers := of(func(o option) bool { return o.answer != "" })
	choice := s.IntN(8)
	switch {
	case len(answers) > 0 && s.IntN(3) > 0:
		return answers[s.IntN(len(answers))]
	case len(given) > 0 && s.stop != "" && (choice > 5 || resumed > 30):
		return given[s.IntN(len(given))]
	case len(named) > 0 && choice > 2:
		return named[s.IntN(len(named))]
	}
	return all[0]
}

// take does what an option says.
func (s *site) take(rec *run.Record, o option) {
	if o.answer != "" {
		if _, fault := rec.Reply(o.answer, run.Answer{Action: "accept", Content: json.RawMessage(`{}`)}, time.Now()); fault != nil {
			s.breaks("the answer was refused: %v", fault)
		}
		return
	}
	fault := rec.Decide(o.Decision, time.Now())
	if fault != nil && fault.Code == "which-step" && o.Step == "" && rec.Fault.Code == run.OutcomeUnknown {
		doubt := rec.InDoubt()
		o.Step = doubt[s.IntN(len(doubt))].Step
		s.decide(o.Decision)
		fault = rec.Decide(o.Decision, time.Now())
	} else {
		s.decide(o.Decision)
	}
	if fault != nil {
		s.breaks("%+v: %v", o.Decision, fault)
	}
}

// decide notes which steps a decision is about.
func (s *site) decide(d run.Decision) {
	if d.Do != "retry" {
		s.given[d.Step], s.untouched = true, false
		return
	}
	if d.Step != "" {
		s.decided[d.Step] = true
		return
	}
	for key, state := range s.calls {
		if step, _ := stepOf(key); state == refused {
			s.decided[step] = true
		}
	}
}

// check sees that a run that has stopped asks for a decision where one is needed, and
// that every decision is possible.
func (s *site) check(rec *run.Record) {
	if rec.Fault == nil {
		s.breaks("%s without a fault", rec.Status)
		return
	}
	var open, doubt []string
	for _, step := range rec.Open() {
		open = append(open, step.Key)
	}
	for _, call := range rec.InDoubt() {
		doubt = append(doubt, call.Step)
		state := s.calls[call.Step+"/call"]
		if state != unknown && state != unusable || call.Completed && state != unusable || !call.Completed && state == unusable && !s.lossy {
			s.breaks("%s is %s and in doubt, completed: %v", call.Step, state, call.Completed)
		}
	}
	switch rec.Fault.Code {
	case run.OutcomeUnknown:
		if call := run.CallOf(rec.Fault); !slices.Contains(doubt, call.Step) {
			s.breaks("the run asks about %q, which is not in doubt: %q", call.Step, doubt)
		}
	case run.Diverged, "internal-error", "graph-changed":
		s.breaks("%s: %v", rec.Fault.Code, rec.Fault)
	case run.NeedsAnswer:
		if len(rec.Questions()) == 0 {
			s.breaks("the run waits for an answer to no question")
		}
	}
	for _, step := range open {
		state := s.calls[step+"/call"]
		if state == completed {
			s.breaks("%s has completed and is open", step)
		}
		if (state == unknown || state == unusable) && !s.decided[step] && !slices.Contains(doubt, step) {
			s.breaks("%s is %s and not in doubt", step, state)
		}
		if s.given[step] {
			s.breaks("%s was decided and is open: %v", step, rec.Fault)
		}
		for _, do := range []string{"skip", "pin"} {
			if fault := copied(rec).Decide(run.Decision{Do: do, Step: step}, time.Now()); fault != nil {
				s.breaks("%s %s: %v", do, step, fault)
			}
		}
	}
}
