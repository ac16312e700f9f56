package messages

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// FuzzDecode compares what is read without the SDK with what the SDK reads.
func FuzzDecode(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := read(text)
		if !ok {
			return
		}
		want, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			t.Fatalf("read %q, which the SDK does not: %v", text, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("read %q as %+v, the SDK as %+v", text, got, want)
		}
	})
}

var texts = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":"}\\\"]","b":[1,-2.5e3,{}]}}}`,
	"\t{ \"params\" : [ ] ,\"id\" : \"a b\" , \"method\" : \"\" ,\r\n \"jsonrpc\" : \"2.0\" } \n",
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","id":-7,"result":{"content":[{"type":"text","text":"\\"}]}}`,
	`{"jsonrpc":"2.0","id":"seven","result":"text"}`,
	`{"jsonrpc":"2.0","id":12345678901234,"result":false}`,
}

// left are texts that the SDK reads or refuses.
var left = []string{
	``, ` `, `7`, `[]`, `{}`, `{"jsonrpc":"2.0"`, `{"jsonrpc":"2.0","id":1,"result":1} 2`,
	`{"jsonrpc":"1.0","id":1,"result":1}`, `{"jsonrpc":"2.0","result":1}`,
	`{"jsonrpc":"2.0","id":null,"method":"m"}`, `{"jsonrpc":"2.0","id":1.5,"method":"m"}`, `{"jsonrpc":"2.0","id":{},"method":"m"}`,
	`{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}`, `{"jsonrpc":"2.0","id":"\u0041","method":"m"}`, `{"jsonrpc":"2.0","id":"ä","method":"m"}`,
	`{"jsonrpc":"2.0","id":1,"method":"\u006d"}`, `{"jsonrpc":"2.0","id":1,"method":7}`, `{"jsonrpc":"2.0","id":1,"method":null}`,
	`{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}`, `{"jsonrpc":"2.0","i\u0064":1,"method":"m"}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`, `{"jsonrpc":"2.0","id":1,"result":null}`, `{"jsonrpc":"2.0","id":1,"method":"m","more":1}`,
	`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`,
}

func TestDecode(t *testing.T) {
	for _, text := range texts {
		if _, ok := read([]byte(text)); !ok {
			t.Errorf("%q is not read", text)
		}
	}
	for _, text := range left {
		if m, ok := read([]byte(text)); ok {
			t.Errorf("%q is read as %+v", text, m)
		}
	}
	for _, text := range append(texts, left...) {
		got, err := Decode([]byte(text))
		want, wantErr := jsonrpc.DecodeMessage([]byte(text))
		if !reflect.DeepEqual(got, want) || (err == nil) != (wantErr == nil) {
			t.Errorf("%q is %+v, %v, want %+v, %v", text, got, err, want, wantErr)
		}
	}
}

func TestEncode(t *testing.T) {
	id := func(v any) jsonrpc.ID {
		id, err := jsonrpc.MakeID(v)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for _, m := range []jsonrpc.Message{
		&jsonrpc.Request{ID: id(7.0), Method: "tools/call", Params: json.RawMessage(`{"a":"<>& "}`)},
		&jsonrpc.Request{ID: id("a"), Method: "ping"},
		&jsonrpc.Request{ID: id("ä\"\n"), Method: "ping"},
		&jsonrpc.Request{Method: "notifications/\"x", Params: json.RawMessage(`[]`)},
		&jsonrpc.Response{ID: id(-1.0), Result: json.RawMessage(`{"z":9007199254740993}`)},
		&jsonrpc.Response{ID: id(1.0), Result: json.RawMessage("{\n \"a\": 1}")},
		&jsonrpc.Response{ID: id(1.0), Result: json.RawMessage("{\r \"a\": 1}")},
		&jsonrpc.Response{ID: id(1.0)},
		&jsonrpc.Response{ID: id(1.0), Error: &jsonrpc.Error{Code: 1, Message: "<no>"}},
		&jsonrpc.Response{Result: json.RawMessage(`1`)},
	} {
		got, err := Encode(m)
		want, wantErr := jsonrpc.EncodeMessage(m)
		if err != nil || wantErr != nil || !bytes.Equal(got, append(want, '\n')) {
			t.Errorf("%+v is %q, %v, want %q, %v", m, got, err, want, wantErr)
		}
	}
}

// BenchmarkDecode reads a request of 250 bytes and a result of 20 kB.
func BenchmarkDecode(b *testing.B) {
	for name, text := range map[string]string{"request": texts[0], "result": `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`line\n `, 3000) + `"}]}}`} {
		for of, decode := range map[string]func([]byte) (jsonrpc.Message, error){"ours": Decode, "sdk": jsonrpc.DecodeMessage} {
			b.Run(name+"/"+of, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := decode([]byte(text)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
