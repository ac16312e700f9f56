package states

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/run"
)

// The marks of the schedules of a project are in the workflow of a state without a graph.
const (
	queryMarks = "marks" // returns them, by the names of their schedules
	updateMark = "mark"  // takes a claim, and returns whether the mark was still the one that it replaces
)

// claim replaces a mark by another.
type claim struct {
	Name string            `json:"name"`
	Was  *run.ScheduleMark `json:"was,omitempty"`
	Is   run.ScheduleMark  `json:"is"`
}

// handleMarks lets a workflow keep marks. It calls changed with each change.
func (s *state) handleMarks(ctx workflow.Context, changed func()) error {
	if err := workflow.SetQueryHandler(ctx, queryMarks, func() (map[string]run.ScheduleMark, error) { return s.Marks, nil }); err != nil {
		return err
	}
	return workflow.SetUpdateHandler(ctx, updateMark, func(_ workflow.Context, c claim) (bool, error) {
		changed()
		stored, there := s.Marks[c.Name]
		if there != (c.Was != nil) || there && !same(stored, *c.Was) {
			return false, nil
		}
		if s.Marks == nil {
			s.Marks = map[string]run.ScheduleMark{}
		}
		s.Marks[c.Name] = c.Is
		return true, nil
	})
}

// same reports whether two marks are the same.
func same(a, b run.ScheduleMark) bool {
	return a.At.Equal(b.At) && a.Definition == b.Definition && a.Run == b.Run
}

// abandonedAfter is how long the process that has claimed a schedule may take to start its run.
const abandonedAfter = 10 * time.Minute

// Mark is ScheduleMark of run.ScheduleStore. A run that was not started for ten minutes after
// its claim is abandoned.
func (s *Store) Mark(ctx context.Context, project, name string) (*run.ScheduleMark, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	v, err := s.Client.QueryWorkflow(ctx, idOf(project, ""), "", queryMarks)
	var marks map[string]run.ScheduleMark
	if err == nil {
		err = v.Get(&marks)
	}
	if _, none := errors.AsType[*serviceerror.NotFound](err); err != nil && !none {
		return nil, err
	}
	mark, there := marks[name]
	if !there {
		return nil, nil //nolint:nilnil // there is none
	}
	if mark.Run != "" && time.Since(mark.At) > abandonedAfter {
		_, err := s.Client.DescribeWorkflowExecution(ctx, mark.Run, "")
		_, none := errors.AsType[*serviceerror.NotFound](err)
		mark.Abandoned = none
	}
	return &mark, nil
}

// SetMark is SetScheduleMark of run.ScheduleStore.
func (s *Store) SetMark(ctx context.Context, project, name string, was *run.ScheduleMark, is run.ScheduleMark) (ours bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	is.Abandoned = false
	err = s.update(ctx, state{Project: project, Most: s.Most}, "", updateMark, claim{name, was, is}, &ours)
	return ours, err
}
