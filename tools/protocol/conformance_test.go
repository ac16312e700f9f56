package protocol

import (
	"slices"
	"testing"
)

// TestConformance runs the official suite, for both revisions of the protocol, and compares
// what fails with the files of expected failures: these can only get shorter.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("the suite waits for each of some hundred processes")
	}
	node(t)
	f := newFigures()
	control := map[string]checks{} // of the bare SDK, by revision
	gateway := map[string]*outcome{}
	t.Run("suite", func(t *testing.T) {
		for _, revision := range revisions {
			start := func(name, label string, prepare func(t *testing.T, s *subject), then func(*outcome)) {
				t.Run(name+"-"+revision, func(t *testing.T) {
					t.Parallel()
					s := &subject{name: name, role: "server", revision: revision}
					prepare(t, s)
					o := s.judge(t)
					f.add(label, revision, o.passed, o.total)
					then(o)
				})
			}
			ignore := func(*outcome) {}
			start("plain", labelPlain, plainServer, ignore)
			start("client", labelClient, client, ignore)
			start("gateway", labelGateway, gatewayServer, func(o *outcome) { f.locked(func() { gateway[revision] = o }) })
			start("control", labelControl, controlServer, func(o *outcome) { f.locked(func() { control[revision] = o.found }) })
		}
	})
	if t.Failed() {
		return
	}
	for revision, o := range gateway {
		for _, line := range o.subject.expected(t) {
			scenario, check := split(line)
			if slices.Contains(o.scored, scenario) && (check == "" || control[revision][scenario][check] != "FAILURE") {
				t.Errorf("%s: the bare SDK passes %s, so a failure of the gateway is not the SDK's", revision, line)
			}
		}
	}
	f.check(t)
}

// An outcome is what the suite says about a subject.
type outcome struct {
	subject       *subject
	found         checks
	scored        []string
	passed, total int // of the scenarios that are scored
}

// judge runs the suite and fails the test for what is not as expected. A check fails only if
// it fails each time: the suite waits a second and a half for what a busy machine may not
// have done by then.
func (s *subject) judge(t *testing.T) *outcome {
	t.Helper()
	expected := s.expected(t)
	judged := s.name != "" // the control is only compared
	o := &outcome{subject: s, found: s.run(t, ""), scored: scored(t, s.revision, s.role)}
	names := slices.Clone(o.scored)
	for scenario := range o.found {
		if !slices.Contains(names, scenario) {
			names = append(names, scenario)
		}
	}
	slices.Sort(names)
	for _, scenario := range names {
		failing := s.failing(scenario, o.found)
		for n := 1; judged && n < attempts && len(unexpected(failing, expected)) > 0; n++ {
			t.Logf("again, because these fail: %v", failing)
			again := s.run(t, scenario)
			failing = both(failing, s.failing(scenario, again))
		}
		for _, check := range unexpected(failing, expected) {
			if !judged {
				break
			}
			t.Errorf("%s fails; run with -v, and see the suite's own report", check)
		}
		if slices.Contains(o.scored, scenario) {
			o.total++
			if len(failing) == 0 {
				o.passed++
			}
		}
	}
	for _, line := range expected {
		scenario, check := split(line)
		if passes := o.found[scenario][check] == "SUCCESS"; passes || check == "" && len(s.failing(scenario, o.found)) == 0 {
			t.Errorf("%s passes: remove its line from testdata/%s-%s.yml", line, s.name, s.revision)
		}
	}
	return o
}

func unexpected(failing, expected []string) (list []string) {
	for _, check := range failing {
		scenario, _ := split(check)
		if !slices.Contains(expected, check) && !slices.Contains(expected, scenario) {
			list = append(list, check)
		}
	}
	return list
}

// both are the members of a that b has too.
func both(a, b []string) (list []string) {
	for _, x := range a {
		if slices.Contains(b, x) {
			list = append(list, x)
		}
	}
	return list
}
