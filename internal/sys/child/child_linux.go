package child

import (
	"syscall"
)

// diesWithUs asks for the child to be killed should we be killed ourselves.
func diesWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
