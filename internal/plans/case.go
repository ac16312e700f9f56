package plans

// MaxCases is how many calls of a graph one call of run_graph makes, and how many tests
// a saved graph keeps.
const MaxCases = 100
