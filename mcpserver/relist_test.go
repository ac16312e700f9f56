package mcpserver

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"
)

// TestRepliesWaitUntilTheNewToolIsListed: the reply of save_graph comes when the client has
// read the list with the new tool, and after relistTime if it does not. Other replies do not
// wait.
func TestRepliesWaitUntilTheNewToolIsListed(t *testing.T) {
	for _, reads := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, options{})
			began := time.Now()
			_, reply := c.begin("tools/call", map[string]any{"name": "save_graph", "arguments": map[string]any{"graph": json.RawMessage(orderGraph)}})
			c.note("notifications/tools/list_changed")
			time.Sleep(relistTime / 2)
			select {
			case m := <-reply:
				t.Fatalf("the client has not read the list: %s", m.Result)
			default:
			}
			if reads {
				c.list()
			}
			<-reply
			if took := time.Since(began); reads == (took >= relistTime) || took > relistTime {
				t.Errorf("reads the list: %t; the reply comes after %s", reads, took)
			}
			began = time.Now()
			c.call("save_graph", `{"graph":`+orderGraph+`,"overwrite":true}`) // as it is
			c.call("validate_graph", `{"graph":`+orderGraph+`}`)
			if took := time.Since(began); took != 0 {
				t.Errorf("calls that publish nothing take %s", took)
			}
		})
	}
}
