package schema

import (
	"sync/atomic"
	"time"
)

// maxAbandoned is the number of validations of this process that may still run
// after they were given up. A validation cannot be stopped.
const maxAbandoned = 2

var abandoned atomic.Int32

// watch runs a validation and gives it up when it takes too long.
func watch(validate func() error) error {
	if abandoned.Load() >= maxAbandoned {
		return refuse(nil, "the value is not validated: %d earlier validations of expensive schemas have not ended; simplify the schema, or restart the server", maxAbandoned)
	}
	const (
		ended = iota + 1
		givenUp
	)
	var state atomic.Int32
	done := make(chan error, 1)
	go func() {
		err := recovered(validate)
		if !state.CompareAndSwap(0, ended) {
			abandoned.Add(-1)
		}
		done <- err
	}()
	limit := time.NewTimer(maxTime)
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-limit.C:
	}
	abandoned.Add(1)
	if !state.CompareAndSwap(0, givenUp) {
		abandoned.Add(-1)
		return <-done
	}
	return refuse(nil, "the value cannot be validated: it takes longer than %s; simplify the schema, or send a smaller value", maxTime)
}

// recovered runs a validation and reports a panic as a refusal.
func recovered(validate func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refuse(nil, "the value cannot be validated: %v", p)
		}
	}()
	return validate()
}
