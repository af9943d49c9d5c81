package yamledit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/yamledit"
)

func TestGetReadsWhatSetWouldReplace(t *testing.T) {
	const file = "image: {tag: \"1.0\"} # by hand\nport: 80\nlist:\n  - {name: a, v: x}\n  - &b {name: b, v: 'it''s'}\n" +
		"again: *b\nempty:\n"
	got, err := yamledit.Get([]byte(file),
		[]string{"image.tag", "port", "list[name=b].v", "list[0].v", "empty", "gone", "image", "again.v", "a..b"})
	require.NoError(t, err)
	require.Equal(t,
		map[string]string{"image.tag": "1.0", "port": "80", "list[name=b].v": "it's", "list[0].v": "x", "empty": ""}, got)
}

func TestGetReadsNothingOfWhatIsNoYAML(t *testing.T) {
	for _, file := range []string{"", "a: ["} {
		_, err := yamledit.Get([]byte(file), []string{"a"})
		require.Error(t, err, file)
	}
}

func TestGetReadsFilesOfSeveralDocuments(t *testing.T) {
	const file = "kind: A\nv: 1\n---\nkind: B\nv: 2\nw: 3\n"
	got, err := yamledit.Get([]byte(file), []string{"[kind=A].v", "[1].v", "w", "v", "[kind=C].v"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"[kind=A].v": "1", "[1].v": "2", "w": "3"}, got)
}
