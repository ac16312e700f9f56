// Package child starts processes that end with this one, each in a process group of
// its own with all that it starts. It knows nothing of what they do.
package child

import (
	"os/exec"
	"runtime"
	"sync"
)

// A Starter starts processes from one thread that lives as long as it does: the system
// is asked to kill children when the thread that started them ends, which it must then
// not do before its time. The zero Starter is usable.
type Starter struct {
	once sync.Once
	work chan func()
}

// Start starts a command in a process group of its own, on Windows in a job object. Where the system can do so, the
// process is killed should this one be killed.
func (s *Starter) Start(cmd *exec.Cmd) error {
	s.once.Do(func() {
		s.work = make(chan func())
		go func() {
			runtime.LockOSThread()
			for f := range s.work {
				f()
			}
		}()
	})
	ownGroup(cmd)
	done := make(chan error, 1)
	s.work <- func() { done <- cmd.Start() }
	if err := <-done; err != nil {
		return err
	}
	return adopt(cmd)
}

// Wait waits for a command that was started, as its own Wait does, and keeps no thread of the
// system meanwhile where the system can tell of the end of a process.
func Wait(cmd *exec.Cmd) error {
	await(cmd.Process.Pid)
	return cmd.Wait()
}

// Stop ends the thread, and with it the processes that still run where the system kills
// them. No Start may follow.
func (s *Starter) Stop() {
	s.once.Do(func() {})
	if s.work != nil {
		close(s.work)
	}
}
