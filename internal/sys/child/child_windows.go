package child

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// jobs are the job objects of the processes that were started, by process ID: what such a
// process starts is in its job too.
var jobs sync.Map // uint32 -> windows.Handle

// ownGroup has the command started without running, so that nothing it starts can be
// outside of its job.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP}
}

// adopt puts a process that was started into a job of its own, which ends with this
// process, and lets it run.
func adopt(cmd *exec.Cmd) error {
	pid := uint32(cmd.Process.Pid)
	job, err := newJob()
	if err == nil {
		if err = assign(job, pid); err == nil {
			err = resume(pid)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return errors.Join(fmt.Errorf("job object: %w", err), cmd.Process.Kill(), cmd.Wait())
	}
	jobs.Store(pid, job)
	return nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var limit windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limit.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limit)), uint32(unsafe.Sizeof(limit)))
	return job, err
}

func assign(job windows.Handle, pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process) //nolint:errcheck // a handle of ours
	return windows.AssignProcessToJobObject(job, process)
}

// resume lets the threads of a process run.
func resume(pid uint32) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(all) //nolint:errcheck // a handle of ours
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(all, &entry); err == nil; err = windows.Thread32Next(all, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread)
		if err != nil {
			return err
		}
	}
	return nil
}

// SignalGroup kills what is in the job of leader. There is nothing to ask it with: a child
// learns of its end by the end of its input.
func SignalGroup(leader int, kill bool) {
	if !kill {
		return
	}
	if job, ok := jobs.LoadAndDelete(uint32(leader)); ok {
		_ = windows.TerminateJobObject(job.(windows.Handle), 1)
		_ = windows.CloseHandle(job.(windows.Handle))
	}
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	TotalUserTime, TotalKernelTime, ThisPeriodTotalUserTime, ThisPeriodTotalKernelTime int64
	TotalPageFaultCount, TotalProcesses, ActiveProcesses, TotalTerminatedProcesses     uint32
}

const basicAccounting = 1 // JobObjectBasicAccountingInformation

// GroupAlive reports whether the job of leader has a process. A job without one is
// released.
func GroupAlive(leader int) bool {
	job, ok := jobs.Load(uint32(leader))
	if !ok {
		return false
	}
	var a accounting
	err := windows.QueryInformationJobObject(job.(windows.Handle), basicAccounting, uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)), nil)
	if err == nil && a.ActiveProcesses > 0 {
		return true
	}
	if jobs.CompareAndDelete(uint32(leader), job) {
		_ = windows.CloseHandle(job.(windows.Handle))
	}
	return false
}

// await does nothing: Wait keeps a thread.
func await(int) {}
