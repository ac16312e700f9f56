package config_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

func TestConfinement(t *testing.T) {
	for entry, want := range map[string]string{
		`{image: mcp/time}`: "image mcp/time, memory 512m",
		`{image: mcp/fs, args: [/data], mounts: ["/a:/data", "/b:/out:rw", "/c:ro"], network: true, memory: 1g}`: "image mcp/fs, memory 1g, network, reads /a=/data /c=/c, writes /b=/out",
		`{command: x, sandbox: bwrap, mounts: [/n:rw]}`:                                                          "sandbox bwrap, writes /n=/n",
		`{image: "--privileged"}`:                   `image of server "s" is not the name of an image`,
		`{image: a, sandbox: bwrap}`:                `server "s" has both an image and a sandbox`,
		`{command: x, sandbox: jail}`:               `sandbox of server "s" is "jail", expected bwrap`,
		`{command: x, network: true}`:               `network of server "s" has no effect without image or sandbox`,
		`{image: a, memory: lots}`:                  `memory of server "s" is "lots", expected the size of a container`,
		`{image: a, mounts: ["/a,readonly=false"]}`: `mounts[0] of server "s" is not a path`,
		`{image: a, mounts: /a}`:                    `mounts of server "s" is text, not a list`,
	} {
		text := "servers:\n  s: " + entry + "\n"
		cfg, found, err := config.Load(config.Options{File: "patchbay.yaml", Text: &text, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(found) > 0 {
			got = found[0].Message
		} else {
			got = confinementText(cfg.Servers[0].Confine)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\ngot  %s\nwant %s", entry, got, want)
		}
	}
}

func confinementText(c config.Confinement) string {
	var parts []string
	add := func(word, value string) {
		if value != "" {
			parts = append(parts, strings.TrimSpace(word+" "+value))
		}
	}
	mounts := func(list []string) string { return strings.ReplaceAll(strings.Join(list, " "), "\x00", "=") }
	add("image", c.Image)
	add("sandbox", c.Sandbox)
	add("memory", c.Memory)
	if c.Network {
		add("network", " ")
	}
	add("reads", mounts(c.Reads))
	add("writes", mounts(c.Writes))
	return strings.Join(parts, ", ")
}
