package run

// A NoticeLog knows which events of one run were shown already. What happens in this process
// is told, and what another one does is read from the store: some events come both ways, and
// the store does not keep that a run has paused before. The zero NoticeLog is empty.
type NoticeLog struct {
	steps map[int]notedStep
	run   map[notedStop]bool
}

// A notedStep is the latest execution of a step: a run that is resumed may repeat it.
type notedStep struct {
	started int64
	ended   bool
}

type notedStop struct {
	what NoticeType
	key  string // of the step at which a debugger paused
	at   int64
}

// New are the events that were not shown yet. They count as shown.
func (l *NoticeLog) New(events []Notice) []Notice {
	if l.steps == nil {
		l.steps, l.run = map[int]notedStep{}, map[notedStop]bool{}
	}
	list := make([]Notice, 0, len(events))
	for _, n := range events {
		if l.note(&n) {
			list = append(list, n)
		}
	}
	return list
}

// note files an event and reports whether it is new.
func (l *NoticeLog) note(n *Notice) bool {
	at := n.At.UnixNano()
	switch n.Type {
	case NodeStarted:
		if was, ok := l.steps[n.Index]; ok && was.started >= at {
			return false
		}
		l.steps[n.Index] = notedStep{started: at}
	case NodeCompleted, NodeFailed:
		was := l.steps[n.Index]
		if was.ended {
			return false
		}
		l.steps[n.Index] = notedStep{was.started, true}
	default:
		stop := notedStop{n.Type, n.Key, at}
		known := l.run[stop]
		l.run[stop] = true
		return !known
	}
	return true
}
