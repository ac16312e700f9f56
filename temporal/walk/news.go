package walk

import (
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// note keeps what of an event is not in the record: how many items a foreach has.
func (s *session) note(e run.Event) {
	if of, item := wire.ForeachOf(e.Key); item && e.Items > 0 {
		s.items[of] = e.Items
	}
}

// news is what has happened since somebody has looked.
func (s *session) news(seen wire.Seen) (wire.News, error) {
	n := wire.NewsOf(s.rec, seen)
	for _, step := range n.Record.Steps {
		of, item := wire.ForeachOf(step.Key)
		if items := s.items[of]; item && items > 0 {
			if n.Items == nil {
				n.Items = map[string]int{}
			}
			n.Items[of] = items
		}
	}
	return n, nil
}
