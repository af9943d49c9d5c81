package promotion

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAWarehouseAccepts(t *testing.T) {
	paths := func(p ...string) Warehouse { return Warehouse{Paths: p} }
	labels := func(l ...string) Warehouse { return Warehouse{Labels: l} }
	for _, c := range []struct {
		name   string
		w      Warehouse
		files  []string
		labels []string
		want   bool
	}{
		{"everything, when it asks for nothing", Warehouse{}, []string{"a.go"}, nil, true},
		{"nothing, when nothing changes", Warehouse{}, nil, nil, false},
		{"a file that a pattern includes", paths("src/**"), []string{"src/a/b.go"}, nil, true},
		{"no file that no pattern includes", paths("src/**"), []string{"docs/a.md", "src.go"}, nil, false},
		{"one file among others", paths("src/**"), []string{"docs/a.md", "src/a.go"}, nil, true},
		{"no file that a pattern excludes", paths("src/**", "!**/*.md"), []string{"src/a.md"}, nil, false},
		{"no excluded file, in whichever order the patterns stand", paths("!**/*.md", "src/**"), []string{"src/a.md"},
			nil, false},
		{"a file beside an excluded one", paths("src/**", "!**/*.md"), []string{"src/a.md", "src/a.go"}, nil, true},
		{"everything but what is excluded, when nothing is included", paths("!docs/**"), []string{"src/a.go"}, nil,
			true},
		{"not what is excluded, when nothing is included", paths("!docs/**"), []string{"docs/a.md"}, nil, false},
		{"a file that the second pattern includes", paths("src/**", "lib/**"), []string{"lib/a.go"}, nil, true},
		{"not a stage's file (7.7)", Warehouse{Except: []string{"dev.yaml"}}, []string{"dev.yaml"}, nil, false},
		{"not a stage's file as somebody else would write it", Warehouse{Except: []string{"./deploy//dev.yaml"}},
			[]string{"deploy/dev.yaml"}, nil, false},
		{"a stage's file beside another", Warehouse{Except: []string{"dev.yaml"}}, []string{"dev.yaml", "a.go"}, nil,
			true},
		{"what carries a label that it asks for", labels("freight"), []string{"a"}, []string{"x", "freight"}, true},
		{"what carries it in other letters", labels("Freight"), []string{"a"}, []string{"freight"}, true},
		{"not what lacks it", labels("freight"), []string{"a"}, []string{"x"}, false},
		{"not what lacks one of two", labels("freight", "x"), []string{"a"}, []string{"x"}, false},
		{"not what carries a label that it refuses", labels("!no-freight"), []string{"a"}, []string{"no-freight"},
			false},
		{"what does not carry it", labels("!no-freight"), []string{"a"}, nil, true},
		{"not what has the label and no file", Warehouse{Paths: []string{"src/**"}, Labels: []string{"freight"}},
			[]string{"a"}, []string{"freight"}, false},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.w.Accepts(Touched{Paths: c.files}, c.labels)) })
	}
}

// TestOneOfMoreFilesThanGitHubListsMayBeWanted: only labels exclude such a pull request.
func TestOneOfMoreFilesThanGitHubListsMayBeWanted(t *testing.T) {
	w := Warehouse{Paths: []string{"src/**"}, Labels: []string{"freight"}}
	files := Touched{Paths: []string{"docs/a.md"}, More: true}
	require.True(t, w.Accepts(files, []string{"freight"}))
	require.False(t, w.Accepts(files, nil))
}
