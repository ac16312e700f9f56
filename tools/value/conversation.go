package main

import (
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/internal/tests/tokens"
)

// A conversation is what passes through a model. It counts the texts that the model
// reads and writes.
type conversation struct {
	context int // tokens so far
	reread  int // tokens read, if each turn reads all that came before again, and written
	turns   int
	calls   int
	err     error // of the first text that could not be counted
}

func (c *conversation) count(text any) int {
	var n int
	var err error
	if s, ok := text.(string); ok {
		n, err = tokens.Count(s)
	} else {
		n, err = tokens.CountJSON(text)
	}
	if err != nil && c.err == nil {
		c.err = err
	}
	return n
}

// read adds texts, or values as JSON, that the model gets.
func (c *conversation) read(texts ...any) {
	for _, text := range texts {
		c.context += c.count(text)
	}
}

// write adds a turn, in which the model reads everything before and writes texts.
func (c *conversation) write(texts ...any) {
	c.turns++
	c.reread += c.context
	for _, text := range texts {
		n := c.count(text)
		c.context += n
		c.reread += n
	}
}

// call adds a turn in which the model makes calls, and their results.
func (c *conversation) call(calls ...spoken) {
	said, replies := make([]any, len(calls)), make([]any, len(calls))
	for i, x := range calls {
		said[i], replies[i] = map[string]any{"name": x.tool, "arguments": x.arguments}, x.reply
	}
	c.calls += len(calls)
	c.write(said...)
	c.read(replies...)
}

// spoken is a call as a model writes it, and the reply as it reads it.
type spoken struct {
	tool      string
	arguments json.RawMessage
	reply     string
}

// cost is what a conversation took.
type cost struct {
	Tokens int // read and written, each text once
	Reread int // with everything before it read again in each turn
	Calls  int
	Turns  int
	Ms     float64 // of the calls; the time of a model is not counted
}

func (c *conversation) cost(ms float64) cost {
	return cost{Tokens: c.context, Reread: c.reread, Calls: c.calls, Turns: c.turns, Ms: ms}
}
