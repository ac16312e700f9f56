package run

// stepsAtOnce is how many step records one allocation holds at most. Records do not
// move: a list of a million of them that was copied as it grows would hold up every
// goroutine of the process meanwhile.
const stepsAtOnce = 64

// Steps makes step records, several in one allocation. The zero value is ready.
type Steps struct {
	free []StepRecord
	made int
}

// New returns an empty record.
func (s *Steps) New() *StepRecord {
	if len(s.free) == 0 {
		s.reserve(min(max(s.made, 4), stepsAtOnce))
	}
	r := &s.free[0]
	s.free = s.free[1:]
	return r
}

func (s *Steps) reserve(n int) {
	s.free = make([]StepRecord, n)
	s.made += n
}

// Put files a copy of a record at its index in a list, and returns the list. Empty
// records fill the places before it.
func (s *Steps) Put(list []*StepRecord, step *StepRecord) []*StepRecord {
	for len(list) <= step.Index {
		empty := s.New()
		empty.Index = len(list)
		list = append(list, empty)
	}
	*list[step.Index] = *step
	return list
}

// CloneSteps appends copies of records to a list.
func CloneSteps(to, from []*StepRecord) []*StepRecord {
	var s Steps
	for i, step := range from {
		if len(s.free) == 0 {
			s.reserve(min(len(from)-i, stepsAtOnce))
		}
		own := s.New()
		*own = *step
		to = append(to, own)
	}
	return to
}
