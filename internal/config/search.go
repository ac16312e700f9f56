package config

// Search is how nodes are found.
type Search struct {
	Synonyms string // a file of word classes, or ""
}

var searchSettings = []setting{
	{
		"synonyms", "A file of word classes in addition to Patchbay's own: each line has words that people use for one another, such as `rsvp respond invitation`. A line that begins with `#` is a comment. `patchbay doctor --searches` suggests lines.", "none",
		folder(func(c *Config, file string) { c.Search.Synonyms = file }),
	},
}
