package execution

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/run"
)

// A link answers one question of one run: whoever has it speaks for a person. It is signed,
// expires, and is of no use when the question has been answered. Agents are not shown links.

// AnswerPath is where a server over HTTP has the page of a question, before its token.
const AnswerPath = "/answer/"

// keySize is the size of a key that signs, in bytes.
const keySize = 32

// answerLinks makes and reads the tokens of links.
type answerLinks struct {
	execution *Execution

	mu      sync.Mutex
	Address string // of the server, without a path; "": none
	key     []byte // nil until the first link
	// notified are the subjects of tokens for which the graph of links.notify was started.
	notified *cache.Cache[string, bool]
}

// ListensAt says where the pages of this server are, such as http://127.0.0.1:8080, if the
// configuration does not say where people reach it.
func (al *answerLinks) ListensAt(address string) {
	al.mu.Lock()
	defer al.mu.Unlock()
	if al.Address == "" {
		al.Address = address
	}
}

// linkKey is the key that signs links: that of the operator's file, which is made when it
// is needed, or one of this process.
func (al *answerLinks) linkKey() ([]byte, error) {
	al.mu.Lock()
	defer al.mu.Unlock()
	if al.key != nil {
		return al.key, nil
	}
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	if cfg := al.execution.process.Config(); cfg.StateDir != "" {
		var err error
		if key, err = loadOrCreateKey(filepath.Join(cfg.StateDir, "links.key"), key); err != nil {
			return nil, err
		}
	}
	al.key = key
	return key, nil
}

// loadOrCreateKey returns the key of a file. If there is no file it gets a new one; of processes
// that start together see the same.
func loadOrCreateKey(file string, fresh []byte) (key []byte, err error) {
	err = files.Update(file, 0o600, func(old []byte) ([]byte, error) {
		if key = old; old == nil {
			key = fresh
		}
		return key, nil
	})
	if err == nil && len(key) != keySize {
		err = errors.New(file + " is damaged: put a copy of it back, or delete it; what it has signed is void then")
	}
	return key, err
}

// A linkSubject is what a link is for.
type linkSubject struct {
	Run     string `json:"r"`
	Step    string `json:"s"`
	Asked   int64  `json:"a"` // when, in nanoseconds: another question of the same step is not meant
	Expires int64  `json:"e"` // in seconds
}

// linkTo returns the link to a question, "" where there is no server for it.
func (al *answerLinks) linkTo(rec *run.Record, question *run.Intent) string {
	cfg := al.execution.process.Config()
	al.mu.Lock()
	address := al.Address
	al.mu.Unlock()
	if address == "" {
		return ""
	}
	expires := question.At.Add(time.Duration(cfg.Links.Hours) * time.Hour)
	if !question.Until.IsZero() && question.Until.Before(expires) {
		expires = question.Until
	}
	key, err := al.linkKey()
	if err != nil {
		al.execution.process.Log.Error("links cannot be signed", "error", err)
		return ""
	}
	subject, _ := json.Marshal(linkSubject{rec.ID, question.Step, question.At.UnixNano(), expires.Unix()}) // cannot fail
	return address + AnswerPath + base64.RawURLEncoding.EncodeToString(append(sign(key, subject), subject...))
}

func sign(key, subject []byte) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte("answer "))
	_, _ = mac.Write(subject)
	return mac.Sum(nil)
}

// A LinkedQuestion is the question of a link.
type LinkedQuestion struct {
	RunID, Graph string
	Ask
}

var (
	codeBadLink     = diag.DefineFault("bad-link", diag.RefusesRequest, "a [link](schedules.md#links) to a question is not valid", "`patchbay runs show ID` has the link")
	codeLinkExpired = diag.DefineFault("link-expired", diag.RefusesRequest, "the time to use a link is over", "`patchbay runs answer ID`")
	codeLinkUsed    = diag.DefineFault("link-used", diag.RefusesRequest, "the question of a link has been answered, or its run has ended", "`patchbay runs show ID` has what became of it")
)

// Question returns the open question that the token of a link is for. The fault bad-link
// says that the token is not valid, link-used that the question is not open any more, and
// link-expired that the time is up.
func (al *answerLinks) Question(ctx context.Context, token string) (*LinkedQuestion, *diag.Fault) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	key, keyErr := al.linkKey()
	if keyErr != nil {
		return nil, diag.Faultf(codeBadLink, "links cannot be read: %v", keyErr)
	}
	var s linkSubject
	if err != nil || len(raw) < sha256.Size || !hmac.Equal(raw[:sha256.Size], sign(key, raw[sha256.Size:])) || json.Unmarshal(raw[sha256.Size:], &s) != nil {
		return nil, diag.Faultf(codeBadLink, "this link is not valid")
	}
	if time.Now().Unix() >= s.Expires {
		return nil, diag.Faultf(codeLinkExpired, "the time to use this link is over")
	}
	rec, fault := al.execution.record(request.WithActor(ctx, run.Actor{Operator: true}), s.Run)
	if fault != nil {
		return nil, diag.Faultf(codeLinkUsed, "the run of this question does not exist any more")
	}
	for _, q := range rec.Questions() {
		if rec.Status != run.Interrupted && rec.Status != run.Running || q.Step != s.Step || q.At.UnixNano() != s.Asked {
			continue
		}
		a := Ask{Step: q.Step}
		_ = json.Unmarshal(q.Detail, &a)
		return &LinkedQuestion{rec.ID, rec.Graph, a}, nil
	}
	return nil, diag.Faultf(codeLinkUsed, "this question has been answered, or the run has ended")
}

// Answer answers the question of a link and resumes its run, which continues after the
// reply.
func (al *answerLinks) Answer(ctx context.Context, token, action string, content json.RawMessage) *diag.Fault {
	q, fault := al.Question(ctx, token)
	if fault != nil {
		return fault
	}
	ctx = request.WithClient(request.WithActor(ctx, run.Actor{Operator: true}), runs.Client{Background: true})
	_, fault = al.execution.Answer(context.WithoutCancel(ctx), AnswerInput{RunID: q.RunID, Step: q.Step, Action: action, Content: content})
	return fault
}

// maxNotified is how many questions are remembered for which a notification was sent.
const maxNotified = 10_000

// Notify starts the graph of links.notify for each open question of a run that has
// stopped, or that a call of the run waits for.
func (al *answerLinks) Notify(rec *run.Record) {
	cfg := al.execution.process.Config()
	if cfg.Links.Notify == "" || rec.Graph == cfg.Links.Notify || rec.Status != run.Interrupted && rec.Status != run.Running {
		return
	}
	for _, q := range rec.Questions() {
		link := al.linkTo(rec, q)
		if link == "" || !al.notified.Add(rec.ID+" "+q.Step+" "+strconv.FormatInt(q.At.UnixNano(), 10), true) {
			continue
		}
		ask := Ask{Step: q.Step}
		_ = json.Unmarshal(q.Detail, &ask)
		arguments, err := json.Marshal(map[string]any{"run_id": rec.ID, "graph": rec.Graph, "step": q.Step, "message": ask.Message, "link": link})
		if err != nil {
			continue
		}
		al.execution.process.Background(func() {
			r, fault := al.execution.startGraph(runs.Background(request.WithActor(al.execution.process.Working, operators)), "links.notify", cfg.Links.Notify, arguments, "")
			if fault == nil && r.Error != nil {
				fault = r.Error
			}
			if fault != nil && al.execution.process.Working.Err() == nil {
				al.execution.process.Log.Error("cannot send the notification of a question", "run", rec.ID, "graph", rec.Graph, "principal", rec.Principal, "code", fault.Code, "error", fault.Message)
			}
		})
	}
}

// LinkAddress is where the configuration says that people reach the server, "" if it does not.
func LinkAddress(s config.Serve) string {
	if u, err := url.Parse(s.URL); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	if s.Addr == "" || strings.HasSuffix(s.Addr, ":0") {
		return ""
	}
	if s.Cert != "" {
		return "https://" + s.Addr
	}
	return "http://" + s.Addr
}

// addLinks adds the links to the open questions of runs in a list, for the operator.
func (al *answerLinks) addLinks(ctx context.Context, list []run.Summary) {
	if !request.ActorFrom(ctx).Operator || !al.hasLinks() {
		return
	}
	for i := range list {
		if list[i].Code != run.NeedsAnswer {
			continue
		}
		if rec, fault := al.execution.record(ctx, list[i].ID); fault == nil {
			for _, q := range rec.Questions() {
				list[i].Links = append(list[i].Links, al.linkTo(rec, q))
			}
		}
	}
}

func (al *answerLinks) hasLinks() bool {
	al.mu.Lock()
	defer al.mu.Unlock()
	return al.Address != ""
}
