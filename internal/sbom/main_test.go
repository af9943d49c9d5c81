package main

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheListOfABinaryIsTheSameEachTime lists this test itself.
func TestTheListOfABinaryIsTheSameEachTime(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	var once, again bytes.Buffer
	require.NoError(t, list(self, "v1.2.3", &once))
	require.NoError(t, list(self, "v1.2.3", &again))
	require.Equal(t, once.String(), again.String())
	var b bill
	require.NoError(t, json.Unmarshal(once.Bytes(), &b))
	require.Equal(t, "CycloneDX", b.Format)
	require.Equal(t, "v1.2.3", b.Metadata.Component.Version)
	std := b.Components[len(b.Components)-1]
	require.Equal(t, "std", std.Name)
	require.Equal(t, runtime.Version(), std.Version)
	require.Error(t, list("main.go", "v1.2.3", &once), "no binary")
}

func TestAModuleIsListedAsItWasLinked(t *testing.T) {
	m := &debug.Module{Path: "example.com/a", Version: "v1.2.0+incompatible", Sum: "h1:x"}
	want := component{Type: "library", Name: "example.com/a", Version: "v1.2.0+incompatible",
		PURL: "pkg:golang/example.com/a@v1.2.0%2Bincompatible", Properties: []property{{"go.sum", "h1:x"}}}
	require.Equal(t, want, of("library", m))
	require.Equal(t, want, of("library", &debug.Module{Path: "example.com/b", Version: "v1.0.0", Replace: m}))
	require.Equal(t, "pkg:golang/waybill", of("application", &debug.Module{Path: "waybill", Version: "(devel)"}).PURL)
}
