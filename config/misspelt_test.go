package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/txtar"

	"waybill/config"
)

// TestOfAMisspeltKeyOnlyTheSlipIsTold misspells each key of each example: what follows from that is no second mistake.
func TestOfAMisspeltKeyOnlyTheSlipIsTold(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/examples/pipelines.txtar")
	require.NoError(t, err)
	told := map[string]bool{}
	for _, f := range archive.Files {
		before := check(f.Name, string(f.Data)).String() // it names files that are not there
		var root yaml.Node
		require.NoError(t, yaml.Unmarshal(f.Data, &root))
		for _, key := range keysIn(&root) {
			slip := key.Value[:len(key.Value)/2] + key.Value[len(key.Value)/2+1:]
			lines := strings.SplitAfter(string(f.Data), "\n")
			line, col := lines[key.Line-1], key.Column-1
			if len(key.Value) < 4 || !strings.HasPrefix(line[col:], key.Value+":") {
				continue
			}
			lines[key.Line-1] = line[:col] + slip + line[col+len(key.Value):]
			problems := check(f.Name, strings.Join(lines, ""))
			says := fmt.Sprintf("unknown key %q; did you mean %q?", slip, key.Value)
			if !strings.Contains(problems.String(), says) {
				continue // it is a name
			}
			told[key.Value] = true
			for _, p := range problems {
				if !strings.Contains(p.Message, says) && !strings.Contains(before, p.Message) {
					t.Errorf("of %q in place of %q also this is told: %s", slip, key.Value, p)
				}
			}
		}
	}
	require.Greater(t, len(told), 70, "so many keys were tried")
}

func check(name, pipeline string) config.Problems {
	return config.Check(config.Sources{Home: "acme/deploy", Branch: "main", PipelineName: name,
		Pipeline: []byte(pipeline)})
}

// keysIn returns the keys of a file that are words.
func keysIn(n *yaml.Node) (all []*yaml.Node) {
	for i, inner := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && inner.Kind == yaml.ScalarNode {
			all = append(all, inner)
		}
		all = append(all, keysIn(inner)...)
	}
	return all
}

// TestAMisspeltPermissionIsNoPermission: what is read under a misspelt key is never obeyed.
func TestAMisspeltPermissionIsNoPermission(t *testing.T) {
	for text, want := range map[string]int{"allow: [acme/deploy]": 1, "alow: [acme/deploy]": 0} {
		allowed, _ := config.Allowed("waybill.yml", []byte("version: 1\n"+text+"\n"))
		require.Len(t, allowed, want, text)
	}
}
