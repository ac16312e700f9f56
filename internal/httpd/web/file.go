package web

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"

	"github.com/patchbay-mcp/patchbay/diag"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// A file is the graph document that the operator has named. No other file is read or
// written.
type file struct{ path string }

var errFileChanged = errors.New("the file has changed")

// A fileText is a text of the file. One that is not there is empty.
type fileText struct {
	Path string `json:"path"`
	Text string `json:"text"`
	Hash string `json:"hash"`
}

func (f *file) read() (*fileText, error) {
	text, err := files.ReadText(f.path, graph.MaxBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return f.newFileText(text), nil
}

func (f *file) newFileText(text string) *fileText {
	return &fileText{Path: f.path, Text: text, Hash: files.Hash(text)}
}

// has reports whether a text is what the file has.
func (f *file) has(text string) bool {
	now, err := f.read()
	return err == nil && text != "" && now.Text == text
}

// showFile returns the text of the file, unmasked: who edits it writes it back.
func (u *UI) showFile(w http.ResponseWriter, r *http.Request) {
	if u.file == nil || !callerFrom(r).session.operator {
		writeFault(w, http.StatusNotFound, "no-file", "the program was started without a file to edit", "patchbay ui FILE")
		return
	}
	text, err := u.file.read()
	if err != nil {
		writeFault(w, http.StatusUnprocessableEntity, "unreadable-file", "the file cannot be read: "+err.Error(), "")
		return
	}
	writeFile(w, text)
}

// saveFile replaces the text of the file, unless that has changed since the page read it.
func (u *UI) saveFile(w http.ResponseWriter, r *http.Request) {
	if u.file == nil || !callerFrom(r).session.operator {
		u.showFile(w, r)
		return
	}
	var in struct {
		Text     *string `json:"text"`
		BaseHash string  `json:"baseHash"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Text == nil {
		writeFault(w, http.StatusBadRequest, diag.CodeBadArgument, `the body of the request is not {"text": "…", "baseHash": "…"}`, "")
		return
	}
	if len(*in.Text) > graph.MaxBytes {
		writeFault(w, http.StatusRequestEntityTooLarge, "request-too-large", "the text is larger than a graph document may be", "")
		return
	}
	err := u.pb.Config().Beside.Carry(u.file.path, func() error {
		return files.Update(u.file.path, 0o644, func(old []byte) ([]byte, error) {
			if u.file.newFileText(string(old)).Hash != in.BaseHash {
				return nil, errFileChanged
			}
			if err := u.pb.Approvals.Keep(u.file.path, string(old), *in.Text); err != nil {
				return nil, err
			}
			return []byte(*in.Text), nil
		})
	})
	switch {
	case errors.Is(err, errFileChanged):
		writeFault(w, http.StatusConflict, "file-changed", "the file was changed since it was read", "read it again, and save your text with its hash if it is to be replaced")
		return
	case err != nil:
		writeFault(w, http.StatusUnprocessableEntity, "unwritable-file", "the file cannot be written: "+files.Reason(err).Error(), "")
		return
	}
	writeFile(w, u.file.newFileText(*in.Text))
}

// writeFile answers with a text of any length, which is not cut.
func writeFile(w http.ResponseWriter, text *fileText) {
	b, err := json.Marshal(text)
	if err != nil {
		http.Error(w, "the reply cannot be encoded", http.StatusInternalServerError)
		return
	}
	send(w, http.StatusOK, b)
}
