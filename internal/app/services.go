package app

import (
	"sync"
)

// lifecycle is from the configuration to the end of the work in the background.
type lifecycle struct {
	setup     Setup      // with which the App was opened
	reloading sync.Mutex // one reload at a time
	closed    sync.Once
	flush     func() // sends the last spans; nil: there are none
}
