package main

import (
	"flag"
)

var rewrite = flag.Bool("update", false, "rewrite the golden files")
