package mcpserver

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// states makes the requestState of questions: the run that asks, encrypted for the
// call that may answer. Clients cannot read it, change it, or use it in a call of
// another tool, with other arguments or for another principal. It is valid as long
// as the process lives.
type states struct{ aead cipher.AEAD }

func newStates() states {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has a legal length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the block size of GCM
	}
	return states{aead}
}

// seal returns a state for the call of a principal, which differs each time.
func (s states) seal(run, principal string, p *mcp.CallToolParamsRaw) string {
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, []byte(run), callOf(principal, p)))
}

// open returns the run of the state that the call of a principal has, "" if it has none. A
// state that was not made for this call is an error of the protocol.
func (s states) open(principal string, p *mcp.CallToolParamsRaw) (run string, err error) {
	if p.RequestState == "" {
		return "", nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(p.RequestState)
	if err == nil {
		var text []byte
		if text, err = s.aead.Open(nil, nil, sealed, callOf(principal, p)); err == nil {
			return string(text), nil
		}
	}
	return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the requestState was not made for this call by this server: call again without it"}
}

// callOf identifies a call, whatever the order of the keys in its arguments.
func callOf(principal string, p *mcp.CallToolParamsRaw) []byte {
	args := []byte(p.Arguments)
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var v any
	if d.Decode(&v) == nil {
		args, _ = json.Marshal(v)
	}
	id, _ := json.Marshal([]string{principal, p.Name, string(args)})
	return id
}
