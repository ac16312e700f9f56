package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// The extension for skills, its methods, and the scheme of its resources.
const (
	skillsExtension = "io.modelcontextprotocol/skills"
	skillsList      = "skills/list"
	skillsGet       = "skills/get"
	skillScheme     = "skill://"
)

// skillMethods answers what clients ask about skills.
type skillMethods struct{ pb *app.App }

// skillParams are those of the methods of skills.
type skillParams struct {
	mcp.ParamsBase
	Cursor string `json:"cursor,omitempty"`
	URI    string `json:"uri,omitempty"`
}

// A skillEntry is a skill as clients see it.
type skillEntry struct {
	URI         string          `json:"uri"`
	Frontmatter map[string]any  `json:"frontmatter"`
	Resources   []skillResource `json:"resources"`
}

type skillResource struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
}

// A skillResult is the reply to a method of skills.
type skillResult struct {
	mcp.ResultBase
	ResultType string        `json:"resultType,omitempty"`
	Skills     *[]skillEntry `json:"skills,omitempty"`
	NextCursor string        `json:"nextCursor,omitempty"`
	TTLMs      *int64        `json:"ttlMs,omitempty"`
	CacheScope string        `json:"cacheScope,omitempty"`
	Skill      *skillEntry   `json:"skill,omitempty"`
}

// offer lets the server know the methods of skills, and their resources.
func (k skillMethods) offer(s *mcp.Server) {
	for _, method := range []string{skillsList, skillsGet} {
		err := mcp.AddReceivingCustomMethod(s, method, func(context.Context, *mcp.ServerSession, *skillParams) (*skillResult, error) {
			return nil, noMethod(method) // [skillMethods.handle] has answered
		})
		if err != nil {
			panic(err) // the SDK has a method of this name
		}
	}
	receive(s, k.handle)
	template(s, skillScheme+"{name}/"+library.SkillFile, "skill", "How to use a graph, or to author one", func(ctx context.Context, key string) (string, any, *diag.Fault) {
		name, _ := strings.CutSuffix(key, "/"+library.SkillFile)
		for _, skill := range k.pb.Skills(ctx) {
			if skill.Name == name {
				return "text/markdown", skill.Text, nil
			}
		}
		return "", nil, diag.Faultf(codeUnknownSkill, "unknown skill %q", name)
	})
}

var codeUnknownSkill = diag.DefineFault("unknown-skill", diag.RefusesRequest, "no exposed graph has a skill of this name", "`skills/list`")

// handle answers the methods of skills.
func (k skillMethods) handle(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	r, ok := req.(*mcp.ServerRequest[*skillParams])
	if !ok {
		return next(ctx, method, req)
	}
	p := r.Params
	if p == nil {
		p = &skillParams{}
	}
	var skills []library.Skill
	if id := httpd.Caller(req); id == nil || id.Rights.May(access.Read) {
		skills = k.pb.Skills(ctx)
	}
	out := &skillResult{}
	if isModern(req) {
		out.ResultType = resultComplete
	}
	if method == skillsGet {
		for _, skill := range skills {
			if entry := entryOf(skill); entry.URI == p.URI {
				out.Skill = &entry
				return out, nil
			}
		}
		return nil, invalidParams("unknown skill %q", p.URI)
	}
	from := 0
	if p.Cursor != "" {
		var err error
		if from, err = strconv.Atoi(p.Cursor); err != nil || from < 0 || from > len(skills) {
			return nil, invalidParams("unknown cursor %q", p.Cursor)
		}
	}
	page := lists.Each(skills[from:min(len(skills), from+pageSize)], entryOf)
	if from+len(page) < len(skills) {
		out.NextCursor = strconv.Itoa(from + len(page))
	}
	if out.Skills = &page; isModern(req) {
		out.TTLMs, out.CacheScope = new(int64), "private"
	}
	return out, nil
}

// entryOf is a skill as clients see it.
func entryOf(s library.Skill) skillEntry {
	uri, sum := skillScheme+s.Name+"/"+library.SkillFile, sha256.Sum256([]byte(s.Text))
	return skillEntry{
		URI:         uri,
		Frontmatter: map[string]any{"name": s.Name, "description": s.Description, "metadata": map[string]any{"generator": library.SkillMaker}},
		Resources:   []skillResource{{uri, "sha256:" + hex.EncodeToString(sum[:])}},
	}
}
