package journal

import (
	"context"
	"crypto/hmac"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// heldQuestion is the first question with which a call of a run waits, or NULL.
var heldQuestion = "CASE status WHEN 'running' THEN (SELECT " + columnText("detail") + " FROM intents WHERE run = runs.n AND kind = '" + string(run.IntentHeld) + "' AND outcome IS NULL ORDER BY intents.n LIMIT 1) END"

// setAnswer sets the outcome of a question with which a call waits, once.
const setAnswer = "UPDATE intents SET outcome = ?1, code = ?4 WHERE run = ?2 AND key = ?3 AND kind = '" + string(run.IntentHeld) + "' AND outcome IS NULL"

// Reply keeps the answer to a question with which a call waits, and passes it to the
// process that executes the run. The first answer counts: that there is one already, or no
// such question, is a fault with the code not-asked. A run that does not execute is a fault
// with the code not-running; one that the actor does not see is [run.ErrNoRun].
func (j *Journal) Reply(actor run.Actor, id, key string, answer json.RawMessage) error {
	encoded := &row{}
	j.encoder().json(encoded, answer)
	code := j.sealer.answer(id, key, encoded.columns[0])
	var owner string
	err := j.queue.put(&op{do: func(t *writer) error {
		n, of, err := j.executed(t, actor, id)
		if err != nil {
			return err
		}
		owner = of
		res, err := t.exec(setAnswer, encoded.columns[0], n, key, code)
		if err != nil {
			return err
		}
		if changed, err := res.RowsAffected(); err != nil || changed == 0 {
			if err == nil {
				err = notAsked(id)
			}
			return err
		}
		return t.keep(n, encoded.blobs)
	}}, true)
	if err != nil {
		return j.failed("written", err)
	}
	if owner != j.owner.id {
		return j.failed("written", j.owner.call(owner))
	}
	j.passOn([]reply{{id, key, answer}})
	return nil
}

func notAsked(id string) *diag.Fault {
	return diag.Faultf(run.CodeNotAsked, "the question of the run %s is not open any more", id).WithHint("runs show " + id + " shows its state")
}

// OnReply sets what is called soon after a question with which a call of this process waits
// was answered, here or in another process, with the run, the key of the question and the
// answer. It may be called again for one answer.
func (j *Journal) OnReply(f func(id, key string, answer json.RawMessage)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.onReply = f
}

// reply is the answer to a question with which a call waits.
type reply struct {
	run, key string
	answer   json.RawMessage
}

func (j *Journal) passOn(replies []reply) {
	j.mu.Lock()
	f := j.onReply
	j.mu.Unlock()
	for _, r := range replies {
		if f != nil {
			f(r.run, r.key, r.answer)
		}
	}
}

// replies returns the answers to questions with which calls of this process have waited.
func (j *Journal) replies() (list []reply, err error) {
	rows, err := j.reads.QueryContext(context.Background(), "SELECT runs.id, intents.key, "+columnText("outcome")+
		", code FROM runs JOIN intents ON intents.run = runs.n WHERE runs.owner = ? AND runs.status = 'running' AND intents.kind = ? AND intents.outcome IS NOT NULL", j.owner.id, string(run.IntentHeld))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var r reply
		var answer, code []byte
		if err := rows.Scan(&r.run, &r.key, &answer, &code); err != nil {
			return nil, err
		}
		if !hmac.Equal(code, j.sealer.answer(r.run, r.key, stored(answer, largeValue))) {
			continue
		}
		r.answer = j.restored(answer)
		list = append(list, r)
	}
	return list, rows.Err()
}
