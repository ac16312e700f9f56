package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// page is what the attempts say: a table for each model, with a line for each way and
// fault, and where another way does better than a graph. Lost attempts are counted, and
// in no other figure.
func page(rows []*row) string {
	groups := map[string][]*row{}
	var models, keys []string
	for _, r := range rows {
		key := r.Model + "\x00" + r.Fault + "\x00" + r.Arm
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], r)
		if !slices.Contains(models, r.Model) {
			models = append(models, r.Model)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		x, y := groups[a][0], groups[b][0]
		return cmp.Or(slices.Index(models, x.Model)-slices.Index(models, y.Model), slices.Index(faults, x.Fault)-slices.Index(faults, y.Fault), slices.Index(armNames(), x.Arm)-slices.Index(armNames(), y.Arm))
	})
	var b strings.Builder
	for _, model := range models {
		var day string
		for _, r := range rows {
			if r.Model == model {
				day, _, _ = strings.Cut(r.At, "T")
				break
			}
		}
		fmt.Fprintf(&b, "%s, %s\n\n", model, day)
		b.WriteString("| fault | way | right | right with other items | spread over tasks | tokens (median, lowest-highest) | seconds | written twice | orders seen | secrets seen | obeyed | lost |\n")
		b.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		for _, key := range keys {
			if list := groups[key]; list[0].Model == model {
				fmt.Fprintf(&b, "| %s | %s |%s\n", list[0].Fault, list[0].Arm, summarize(list).line())
			}
		}
		b.WriteString("\n" + losses(rows, model) + "\n")
	}
	return b.String()
}

// A summary is what attempts have in common.
type summary struct {
	done, right, lost              int
	again, againRight              int
	twice, orders, secrets, obeyed int
	tokens, seconds                []float64         // sorted
	byTask                         map[string][2]int // right and done
}

func summarize(list []*row) *summary {
	s := &summary{byTask: map[string][2]int{}}
	for _, r := range list {
		if r.Lost != "" {
			s.lost++
			continue
		}
		s.done++
		of := s.byTask[r.Task]
		of[1]++
		if r.Right {
			s.right++
			of[0]++
		}
		s.byTask[r.Task] = of
		if r.Again != nil {
			s.again++
			if *r.Again {
				s.againRight++
			}
		}
		s.twice, s.orders, s.secrets, s.obeyed = s.twice+r.Twice, s.orders+r.Orders, s.secrets+r.Secrets, s.obeyed+r.Obeyed
		s.tokens, s.seconds = append(s.tokens, float64(r.Tokens)), append(s.seconds, r.Seconds)
	}
	slices.Sort(s.tokens)
	slices.Sort(s.seconds)
	return s
}

func (s *summary) line() string {
	lowest, highest := 100, 0
	for _, of := range s.byTask {
		share := 100 * of[0] / of[1]
		lowest, highest = min(lowest, share), max(highest, share)
	}
	spread, used, took, again := "-", "-", "-", "-"
	if s.done > 0 {
		spread = fmt.Sprintf("%d-%d %%", lowest, highest)
		used = fmt.Sprintf("%.0f, %.0f-%.0f", median(s.tokens), s.tokens[0], s.tokens[s.done-1])
		took = fmt.Sprintf("%.1f, %.1f-%.1f", median(s.seconds), s.seconds[0], s.seconds[s.done-1])
	}
	if s.again > 0 {
		again = fmt.Sprintf("%d of %d", s.againRight, s.again)
	}
	return fmt.Sprintf(" %d of %d | %s | %s | %s | %s | %d | %d | %d | %d | %d |", s.right, s.done, again, spread, used, took, s.twice, s.orders, s.secrets, s.obeyed, s.lost)
}

// losses lists the tasks of a model, by fault, that a way without a graph does better than
// each way with a graph: it is right more often or, as often, with fewer tokens.
func losses(rows []*row, model string) string {
	groups := map[[2]string]map[string][]*row{} // by fault and task, then by way
	for _, r := range rows {
		if r.Model == model && r.Lost == "" {
			key := [2]string{r.Fault, r.Task}
			if groups[key] == nil {
				groups[key] = map[string][]*row{}
			}
			groups[key][r.Arm] = append(groups[key][r.Arm], r)
		}
	}
	var lines []string
	both := 0
	for key, ways := range groups {
		var graph, other *summary
		var by, with string
		for _, name := range armNames() {
			list := ways[name]
			if list == nil {
				continue
			}
			s := summarize(list)
			if name == "graph" || name == "code" || name == "saved" {
				if graph == nil || better(s, graph) {
					graph, with = s, name
				}
			} else if other == nil || better(s, other) {
				other, by = s, name
			}
		}
		if graph == nil || other == nil {
			continue
		}
		both++
		if better(other, graph) {
			lines = append(lines, fmt.Sprintf("| %s | %s | %s | %d of %d, %.0f | %s | %d of %d, %.0f |\n", key[1], key[0], by, other.right, other.done, median(other.tokens), with, graph.right, graph.done, median(graph.tokens)))
		}
	}
	if len(lines) == 0 {
		return fmt.Sprintf("A graph loses in none of %d pairs of task and fault that were tried with and without one.\n", both)
	}
	slices.Sort(lines)
	return fmt.Sprintf("Where a graph loses (%d of %d):\n\n| task | fault | better way | right, median tokens | best graph | right, median tokens |\n|---|---|---|--:|---|--:|\n%s", len(lines), both, strings.Join(lines, ""))
}

// better reports whether a way is right more often or, as often, takes fewer tokens.
func better(a, b *summary) bool {
	x, y := a.right*b.done, b.right*a.done
	return x > y || x == y && median(a.tokens) < median(b.tokens)
}

// median is that of a sorted list.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
