package local

import "context"

// A Place is the right of a run to execute; other runs may wait for one. It has its
// place when it begins.
type Place interface {
	// Leave gives the place back. Return returns when there is one again, or with the cause
	// of the end of the run.
	Leave()
	Return(ctx context.Context) error
}

// branches are those of a run. While all of them wait for a time or a person, the run has
// no place. A nil one does nothing.
type branches struct {
	place  Place
	turn   chan struct{}  // holds one while somebody uses what follows
	active int            // branches, also those that wait
	waits  map[string]int // branches that wait, by the keys of their steps
	left   bool
}

func newBranches(p Place) *branches {
	if p == nil {
		return nil
	}
	return &branches{place: p, turn: make(chan struct{}, 1), active: 1, waits: map[string]int{}}
}

// add says that so many branches begin, or have ended.
func (b *branches) add(n int) {
	if b == nil {
		return
	}
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	b.active += n
	b.settle()
}

// wait calls f, which waits for a time or a person in the branch that executes a step.
func (b *branches) wait(ctx context.Context, key string, f func() error) error {
	if b == nil {
		return f()
	}
	b.turn <- struct{}{}
	b.waits[key]++
	b.settle()
	<-b.turn
	err := f()
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	if b.waits[key]--; b.waits[key] == 0 {
		delete(b.waits, key)
	}
	if !b.left {
		return err
	}
	b.left = false
	if ended := b.place.Return(ctx); err == nil {
		err = ended
	}
	return err
}

// settle gives the place back if all branches wait.
func (b *branches) settle() {
	if !b.left && len(b.waits) > 0 && len(b.waits) >= b.active {
		b.left = true
		b.place.Leave()
	}
}
