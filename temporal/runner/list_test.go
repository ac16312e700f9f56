package runner_test

import (
	"context"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	namespacepb "go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/runner"
)

// sqlService is a service over an SQL database: search attributes are aliases of a namespace.
type sqlService struct {
	service
	aliases map[string]string
}

func (*sqlService) GetSearchAttributes(context.Context) (*workflowservice.GetSearchAttributesResponse, error) {
	return &workflowservice.GetSearchAttributesResponse{Keys: map[string]enumspb.IndexedValueType{"Keyword01": 2, "Keyword02": 2}}, nil
}

func (s *sqlService) WorkflowService() workflowservice.WorkflowServiceClient {
	return namespaceOf{aliases: s.aliases}
}

type namespaceOf struct {
	workflowservice.WorkflowServiceClient
	aliases map[string]string
}

func (n namespaceOf) DescribeNamespace(_ context.Context, r *workflowservice.DescribeNamespaceRequest, _ ...grpc.CallOption) (*workflowservice.DescribeNamespaceResponse, error) {
	of := &workflowservice.DescribeNamespaceResponse{Config: &namespacepb.NamespaceConfig{}}
	if r.GetNamespace() == "shop" {
		of.Config.CustomSearchAttributeAliases = n.aliases
	}
	return of, nil
}

// Lists use the search attributes where the namespace has all of them.
func TestAttributesOfANamespace(t *testing.T) {
	for _, test := range []struct {
		aliases map[string]string
		used    bool
	}{
		{map[string]string{"Keyword01": "PatchbayGraph", "Keyword02": "PatchbayProject", "Keyword06": "PatchbayPrincipal", "Keyword07": "PatchbayStatus"}, true},
		{map[string]string{"Keyword01": "PatchbayGraph"}, false},
	} {
		s := &sqlService{aliases: test.aliases}
		r := runner.New(s, runner.Options{Temporal: config.Temporal{Address: "127.0.0.1:1", Namespace: "shop"}}, runs.Options{})
		if _, fault := r.List(run.Filter{Actor: operator, Graph: "hello"}); fault != nil {
			t.Fatal(fault)
		}
		if used := strings.Contains(s.listed[0], "(PatchbayGraph = 'hello' OR PatchbayGraph IS NULL)"); used != test.used {
			t.Errorf("with %v, the query is %s", test.aliases, s.listed[0])
		}
		r.Close(t.Context())
	}
}
