package run

// An Actor makes a request. It decides which runs exist: an actor sees its
// own principal's, an operator sees all.
type Actor struct {
	Principal string // whom the runs that it starts belong to
	// Operator says that it is a person who operates Patchbay, and not an agent: it may
	// decide what a person was asked.
	Operator bool
}

// Sees reports whether the runs of a principal exist for the actor.
func (a Actor) Sees(principal string) bool { return a.Operator || a.Principal == principal }
