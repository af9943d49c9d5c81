// Command sbom lists the modules that a Go binary is made of, as the binary itself says, in the format of CycloneDX.
// The list has no time and no number of its own, so that it is the same for the same binary.
//
//	sbom BINARY VERSION > BINARY.cdx.json
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "sbom: name a binary and its version")
		os.Exit(2)
	}
	if err := list(os.Args[1], os.Args[2], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// bill is a list of materials. The names of the keys are CycloneDX's.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// list writes the list of a binary, of whose own version Go knows nothing.
func list(binary, version string, out io.Writer) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	info.Main.Version = version
	b := bill{Format: "CycloneDX", Spec: "1.5", Version: 1, Metadata: metadata{of("application", &info.Main)}}
	for _, m := range info.Deps {
		b.Components = append(b.Components, of("library", m))
	}
	b.Components = append(b.Components, component{Type: "library", Name: "std", Version: info.GoVersion,
		PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")})
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", text)
	return err
}

// of describes a module as it was linked: what replaces it is what it is.
func of(kind string, m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	c := component{Type: kind, Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path}
	if m.Version != "" && m.Version != "(devel)" {
		c.PURL += "@" + url.QueryEscape(m.Version)
	}
	if m.Sum != "" {
		c.Properties = []property{{"go.sum", m.Sum}}
	}
	return c
}
