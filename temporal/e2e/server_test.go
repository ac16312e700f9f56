package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

// namespace is the one that a server has from its first start.
const namespace = "e2e"

// A temporalServer is a Temporal server in a process of its own, which keeps everything in
// an SQLite file. After a kill it starts again on the same ports and file.
type temporalServer struct {
	Dir   string
	Ports []int // of services, in their order

	cmd   *exec.Cmd
	stdin io.Closer
}

const serverEnv = "E2E_SERVER"

func newServer(dir string) (*temporalServer, error) {
	s := &temporalServer{Dir: dir}
	var taken []net.Listener // until all ports are chosen, so that they differ
	defer func() {
		for _, l := range taken {
			_ = l.Close()
		}
	}()
	for range temporal.DefaultServices {
		l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it listens at once
		if err != nil {
			return nil, err
		}
		taken = append(taken, l)
		s.Ports = append(s.Ports, l.Addr().(*net.TCPAddr).Port)
	}
	return s, nil
}

// ownServer is a server for one test.
func ownServer(t *testing.T) *temporalServer {
	t.Helper()
	s, err := newServer(t.TempDir())
	if err == nil {
		err = s.start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	return s
}

// start starts the server, and returns when it is ready. On a busy machine a server may end
// because its parts do not find each other in time: then it is started again.
func (s *temporalServer) start() error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if ready, err := s.spawn(ctx); ready || err != nil {
			return err
		}
	}
	return fmt.Errorf("the Temporal server does not start: %w", ctx.Err())
}

// spawn starts the process, and reports whether it got ready before it or ctx ended.
func (s *temporalServer) spawn(ctx context.Context) (ready bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	settings, err := json.Marshal(s)
	if err != nil {
		return false, err
	}
	s.cmd = exec.CommandContext(context.Background(), self)
	s.cmd.Env = append(os.Environ(), serverEnv+"="+string(settings))
	s.cmd.Stderr = os.Stderr
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return false, err
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := s.cmd.Start(); err != nil {
		return false, err
	}
	defer context.AfterFunc(ctx, func() { _ = s.cmd.Process.Kill() })()
	n, _ := stdout.Read(make([]byte, 1)) // at the end of the process, nothing
	if n == 0 {
		_ = s.cmd.Wait()
	}
	return n > 0, nil
}

// kill kills the server with SIGKILL.
func (s *temporalServer) kill() {
	if s.cmd != nil && s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		_ = s.stdin.Close()
	}
}

func (s *temporalServer) address() string { return fmt.Sprintf("127.0.0.1:%d", s.Ports[0]) }

// serveTemporal is the process of a server. It says when it is ready, and ends with its
// standard input.
func serveTemporal(settings string) error {
	var s temporalServer
	if err := json.Unmarshal([]byte(settings), &s); err != nil {
		return err
	}
	sql := &config.SQL{
		PluginName: sqliteplugin.PluginName, DatabaseName: filepath.Join(s.Dir, "temporal.db"),
		ConnectAttributes: map[string]string{"mode": "rwc", "journal_mode": "wal", "synchronous": "1", "busy_timeout": "10000"},
	}
	if _, err := os.Stat(sql.DatabaseName); os.IsNotExist(err) {
		if err := sqlite.SetupSchema(sql); err != nil {
			return err
		}
	}
	attributes := map[string]enumspb.IndexedValueType{}
	for _, name := range []string{"PatchbayGraph", "PatchbayProject", "PatchbayPrincipal", "PatchbayStatus"} {
		attributes[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	made, err := sqlite.NewNamespaceConfig("active", namespace, false, attributes)
	if err != nil {
		return err
	}
	if err := sqlite.CreateNamespaces(sql, made); err != nil {
		return err
	}
	cfg := &config.Config{
		Persistence: config.Persistence{
			DefaultStore: "file", VisibilityStore: "file", NumHistoryShards: 1, DataStores: map[string]config.DataStore{"file": {SQL: sql}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: "active", CurrentClusterName: "active",
			ClusterInformation: map[string]cluster.ClusterInformation{"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: s.address()}},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: s.address()},
		Services:            map[string]config.Service{},
	}
	cfg.Archival.History.State, cfg.Archival.Visibility.State = "disabled", "disabled"
	cfg.NamespaceDefaults.Archival.History.State, cfg.NamespaceDefaults.Archival.Visibility.State = "disabled", "disabled"
	hosts := map[primitives.ServiceName]static.Hosts{}
	for i, service := range temporal.DefaultServices {
		cfg.Services[service] = config.Service{RPC: config.RPC{GRPCPort: s.Ports[i], BindOnIP: "127.0.0.1"}}
		host := fmt.Sprintf("127.0.0.1:%d", s.Ports[i])
		hosts[primitives.ServiceName(service)] = static.Hosts{All: []string{host}, Self: host}
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(cfg), temporal.ForServices(temporal.DefaultServices), temporal.WithStaticHosts(hosts), temporal.WithLogger(log.NewNoopLogger()),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()), temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{
			dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key(): []dynamicconfig.ConstrainedValue{{Value: true}},
		}),
	)
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// quiet is a log of clients that nobody reads.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}
