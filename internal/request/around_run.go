package request

import (
	"context"
)

// clientID tells workflows who makes a request, as [WithClientID] says.
func ClientName(ctx context.Context) string {
	id, _ := ClientID(ctx)
	return id
}
