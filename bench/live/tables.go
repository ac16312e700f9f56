package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// tables are the results of each model: one line for each way and fault. Lost attempts
// are counted, and in no other figure.
func tables(rows []*row) string {
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
		return cmp.Or(slices.Index(models, x.Model)-slices.Index(models, y.Model), slices.Index(faults, x.Fault)-slices.Index(faults, y.Fault), strings.Compare(x.Arm, y.Arm))
	})
	var b strings.Builder
	model := ""
	for _, key := range keys {
		list := groups[key]
		if list[0].Model != model {
			model = list[0].Model
			day, _, _ := strings.Cut(list[0].At, "T")
			fmt.Fprintf(&b, "%s, %s\n\n", model, day)
			b.WriteString("| fault | way | right | spread over tasks | tokens (median, lowest-highest) | seconds | written twice | orders seen | secrets seen | obeyed | lost |\n")
			b.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		}
		line(&b, list)
	}
	return b.String()
}

func line(b *strings.Builder, list []*row) {
	var right, twice, orders, secrets, obeyed, lost int
	var tokens, seconds []float64
	byTask := map[string][2]int{} // right and all
	for _, r := range list {
		if r.Lost != "" {
			lost++
			continue
		}
		of := byTask[r.Task]
		of[1]++
		if r.Right {
			right++
			of[0]++
		}
		byTask[r.Task] = of
		twice, orders, secrets, obeyed = twice+r.Twice, orders+r.Orders, secrets+r.Secrets, obeyed+r.Obeyed
		tokens, seconds = append(tokens, float64(r.Tokens)), append(seconds, r.Seconds)
	}
	lowest, highest := 100, 0
	for _, of := range byTask {
		share := 100 * of[0] / of[1]
		lowest, highest = min(lowest, share), max(highest, share)
	}
	spread, used, took := "-", "-", "-"
	if len(tokens) > 0 {
		spread = fmt.Sprintf("%d-%d %%", lowest, highest)
		slices.Sort(tokens)
		slices.Sort(seconds)
		used = fmt.Sprintf("%.0f, %.0f-%.0f", median(tokens), tokens[0], tokens[len(tokens)-1])
		took = fmt.Sprintf("%.1f, %.1f-%.1f", median(seconds), seconds[0], seconds[len(seconds)-1])
	}
	fmt.Fprintf(b, "| %s | %s | %d of %d | %s | %s | %s | %d | %d | %d | %d | %d |\n",
		list[0].Fault, list[0].Arm, right, len(list)-lost, spread, used, took, twice, orders, secrets, obeyed, lost)
}

// median is that of a sorted list.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
