package jsonata

// Functions returns the names of the functions every expression may call, sorted
// and without their $: JSONata's built-in functions (docs.jsonata.org, function
// library 2.x), Patchbay's history functions and those that a program adds.
func Functions() []string { return Builtins() }

// IsFunction reports whether every expression may call a function of the name.
func IsFunction(name string) bool { return Signatures[name] != "" }
