package execution

// Memory is how much memory the process may take.
type Memory struct {
	Bytes int64
	From  string // what says so, such as "limits.memoryMB"
}
