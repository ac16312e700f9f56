package runs

import "context"

// A Remote is a [Runner] whose runs execute in other processes, the workers.
type Remote interface {
	Runner
	// Work executes runs and makes their calls, as far as the role says, until ctx ends. Other
	// workers take over what it has not completed. The error says why it cannot.
	Work(ctx context.Context, r Role) error
	// Examine says how everything stands that the runs need: the connection, the workers,
	// and the runs in progress. It takes a few seconds at most.
	Examine(ctx context.Context) []Finding
}

// A Role says what a worker does. The zero Role does nothing.
type Role struct {
	Walk bool // decides what each run does next
	Call bool // calls downstream servers and requests
}

// A Finding is something that [Remote.Examine] has found.
type Finding struct {
	OK   bool
	What string
	Hint string // what to do about it
}
