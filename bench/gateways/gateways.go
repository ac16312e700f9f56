package main

import "fmt"

// A gateway is how one is started and called.
type gateway struct {
	name   string
	ours   bool // this program itself
	stdio  bool // it starts the downstream server itself; otherwise that serves over HTTP
	tool   string
	path   string // of its endpoint
	wrap   func(args map[string]any) map[string]any
	files  func(p place) map[string]string
	args   func(p place) []string
	env    func(p place) []string
	enroll func(p place) [][]string // commands that register the downstream server once it serves
}

// A place is what the configuration of a gateway is written from.
type place struct {
	dir, binary, self, addr string
	fakeURL                 string // of the downstream server
	filesURL                string // of the folder
}

// port returns the number after the colon of its address.
func (p place) port() string { return p.addr[len("127.0.0.1:"):] }

// gateways lists what can be measured, in the order of the table. Each is configured as
// its own documentation says, with what it does besides passing calls on left as it is
// by default, but for the approval of tools by a person.
var gateways = []gateway{
	{
		name: "the server itself", ours: true, stdio: false, tool: "echo", path: "/",
		args: func(p place) []string { return []string{"-fake", p.addr} },
	},
	{
		name: "the thinnest", ours: true, stdio: true, tool: "echo", path: "/",
		args: func(p place) []string { return []string{"-thin", p.addr} },
	},
	{
		name: "patchbay", stdio: true, tool: "fake__echo", path: "/mcp",
		files: func(p place) map[string]string {
			return map[string]string{"patchbay.yaml": fmt.Sprintf("trust: [fake]\nexpose: {downstream: true}\nservers:\n  fake: {command: %q, args: [-fake, \"-\"]}\n", p.self)}
		},
		args: func(p place) []string { return []string{"serve", "--http", p.addr, "--config", "patchbay.yaml"} },
	},
	{
		name: "mcpproxy-go", stdio: true, tool: "fake__echo", path: "/mcp",
		files: func(p place) map[string]string {
			return map[string]string{"config.json": fmt.Sprintf(`{"listen": %q, "data_dir": %q, "routing_mode": "direct", "quarantine_enabled": false, "telemetry": {"enabled": false},
				"mcpServers": [{"name": "fake", "protocol": "stdio", "command": %q, "args": ["-fake", "-"], "enabled": true, "quarantined": false}]}`, p.addr, p.dir, p.self)}
		},
		args: func(p place) []string {
			return []string{"serve", "--config", "config.json", "--data-dir", p.dir, "--listen", p.addr}
		},
	},
	{
		name: "mcp-proxy", stdio: true, tool: "echo", path: "/fake/mcp",
		files: func(p place) map[string]string {
			return map[string]string{"config.json": fmt.Sprintf(`{"mcpProxy": {"baseURL": "http://%s", "addr": %q, "name": "proxy", "version": "1", "type": "streamable-http"},
				"mcpServers": {"fake": {"command": %q, "args": ["-fake", "-"]}}}`, p.addr, p.addr, p.self)}
		},
		args: func(place) []string { return []string{"--config", "config.json"} },
	},
	{
		name: "MCPJungle", tool: "fake/echo", path: "/mcp",
		args: func(p place) []string { return []string{"start", "--port", p.port()} },
		enroll: func(p place) [][]string {
			return [][]string{{"register", "--registry", "http://" + p.addr, "--name", "fake", "--url", p.fakeURL}}
		},
	},
	{
		name: "Unla", stdio: true, tool: "echo", path: "/fake/mcp",
		files: func(p place) map[string]string {
			return map[string]string{
				"gateway.yaml":               fmt.Sprintf("port: %s\npid: %s/pid\nlogger: {level: info, format: json, output: stdout}\nstorage: {type: api, api: {url: %q, timeout: 5s}}\nnotifier: {role: receiver, type: signal, signal: {signal: SIGHUP, pid: %s/pid}}\nsession: {type: memory}\n", p.port(), p.dir, p.filesURL+"/servers.json", p.dir),
				"assets/templates/none.html": "",
				"servers.json": fmt.Sprintf(`[{"name": "fake", "tenant": "default", "routers": [{"server": "fake", "prefix": "/fake"}],
					"mcpServers": [{"type": "stdio", "name": "fake", "command": %q, "args": ["-fake", "-"], "policy": "onDemand"}]}]`, p.self),
			}
		},
		args: func(place) []string { return []string{"--conf", "gateway.yaml"} },
	},
}
