package downstream

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestContainer starts a server by a program that is called docker, writes its arguments
// down and then runs the server.
func TestContainer(t *testing.T) {
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	script := "#!/bin/sh\necho \"$@\" >> " + said + "\n[ \"$1\" = run ] || exit 0\nexport FAKE=ok TOKEN_SEEN=$TOKEN\necho \"above: $PATCHBAY_ANCESTORS\" >> " + said + "\nexec " + os.Args[0] + "\n"
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	server := Server{
		Name: "fake", Args: []string{"--verbose"}, Env: map[string]string{"TOKEN": "sesame-opens"},
		Confine: Confinement{Image: "mcp/fake:1", Memory: "256m", Reads: []string{"/data\x00/in"}, Writes: []string{"/out\x00/out"}},
	}
	h := startHub(t, &Options{Ancestors: Ancestors{"a1", "b2"}}, server)
	if _, fault := call(t, h, `{"z":1}`); fault != nil {
		t.Fatal(fault)
	}
	if st := h.Status()[0]; !st.Confined || st.Transport != "stdio" {
		t.Errorf("status is %+v", st)
	}
	h.Close()
	b, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	line, rest, _ := strings.Cut(string(b), "\n")
	if !strings.HasPrefix(rest, "above: a1,b2\n") {
		t.Errorf("the engine is not told who is above: %s", rest)
	}
	args := strings.Fields(line)
	name := slices.Index(args, "--name")
	if name < 0 || !strings.HasPrefix(args[name+1], "patchbay-") {
		t.Fatalf("the arguments are %s", line)
	}
	args[name+1] = "NAME"
	want := "run -i --rm --init --name NAME --cap-drop all --security-opt no-new-privileges --pids-limit 512 --memory 256m --network none " +
		"--mount type=bind,source=/data,target=/in,readonly --mount type=bind,source=/out,target=/out --env PATCHBAY_ANCESTORS --env TOKEN mcp/fake:1 --verbose"
	if got := strings.Join(args, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestContainerWithNetworkAndWithoutAnEngine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	h := startHub(t, nil, Server{Name: "fake", Confine: Confinement{Image: "mcp/fake", Memory: "1g", Network: true}})
	_, fault := call(t, h, `{}`)
	if fault == nil || !strings.Contains(fault.Message, "neither docker nor podman is installed") {
		t.Errorf("without an engine: %v", fault)
	}
}

// TestSandbox reads from inside what a server must not see, and writes where it must not.
func TestSandbox(t *testing.T) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bwrap is not installed")
	}
	if exec.CommandContext(t.Context(), path, "--ro-bind", "/", "/", "--unshare-all", "true").Run() != nil {
		t.Skip("bwrap cannot make namespaces here")
	}
	home, cwd, out := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	for _, file := range []string{filepath.Join(home, "secret"), filepath.Join(cwd, "mine")} {
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := `cat "$0/secret" && echo saw-home; cat mine && echo saw-cwd; echo x > made && echo wrote-cwd; echo x > "$1/made" && echo wrote-mount; ls /proc/net/dev >/dev/null; grep -c : /proc/net/dev`
	s := &Server{Name: "x", Command: "/bin/sh", Args: []string{"-c", script, home, out}, Cwd: cwd, Confine: Confinement{Sandbox: "bwrap", Writes: []string{out + "\x00" + out}}}
	how, err := newLaunch(s)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := exec.CommandContext(t.Context(), how.name, how.args...).CombinedOutput()
	for word, want := range map[string]bool{"saw-home": false, "saw-cwd": true, "wrote-cwd": false, "wrote-mount": true, "\n1\n": true} {
		if strings.Contains(string(text), word) != want {
			t.Errorf("%q is said: %t\n%s", word, !want, text)
		}
	}
}

func TestInheritedEnvironment(t *testing.T) {
	for name, value := range map[string]string{"HTTPS_PROXY": "http://proxy:1", "SSL_CERT_FILE": "/ca", "XDG_CACHE_HOME": "/cache", "GITHUB_TOKEN": "sesame", "AWS_PROFILE": "x", "LC_ALL": "C"} {
		t.Setenv(name, value)
	}
	env := environment(map[string]string{"MINE": "1", "LC_ALL": "de"})
	for kv, want := range map[string]bool{"HTTPS_PROXY=http://proxy:1": true, "SSL_CERT_FILE=/ca": true, "XDG_CACHE_HOME=/cache": true, "MINE=1": true, "LC_ALL=de": true, "GITHUB_TOKEN=sesame": false, "AWS_PROFILE=x": false, "LC_ALL=C": false} {
		if slices.Contains(env, kv) != want {
			t.Errorf("%s is inherited: %t", kv, !want)
		}
	}
}
