package yamledit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/keypath"
	"waybill/internal/yamledit"
)

// manifests is a typical file for kubectl: several documents, comments between them, an empty document at the end.
const manifests = `# api
apiVersion: v1
kind: Service
metadata: {name: api}
spec:
  ports: [{port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  template:
    spec:
      containers:
        - name: api
          image: ghcr.io/acme/api:v1 # here
---
# the worker
kind: Deployment
metadata: {name: worker}
spec:
  template:
    spec:
      containers:
        - {name: worker, image: "w1"}
---
`

func TestAPathSaysWhichOfSeveralDocumentsItMeans(t *testing.T) {
	for path, old := range map[string]string{
		"[metadata.name=worker].spec.template.spec.containers[0].image":             "\"w1\"",
		"[2].spec.template.spec.containers[name=worker].image":                      "\"w1\"",
		"spec.template.spec.containers[name=worker].image":                          "\"w1\"",
		"[metadata.name=api].spec.template.spec.containers[name=api].image":         "ghcr.io/acme/api:v1",
		"[kind=Deployment].spec.template.spec.containers[name=api].image":           "ghcr.io/acme/api:v1",
		"[kind=Service].spec.ports[0].port":                                         "80",
		"spec.ports[port=80].port":                                                  "",
		`["metadata".name="worker"]."spec".template.spec.containers[image=w1].name`: "worker",
	} {
		got, err := set(t, manifests, path, "v2")
		if old == "" {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err, path)
		require.Equal(t, replaced(manifests, old), got, path)
	}
}

// replaced replaces the last old by v2 and keeps its quotes.
func replaced(text, old string) string {
	at := len(text) - len(old)
	for text[at:at+len(old)] != old {
		at--
	}
	quote := ""
	if old[0] == '"' {
		quote = `"`
	}
	return text[:at] + quote + "v2" + quote + text[at+len(old):]
}

func TestAPathThatMayMeanSeveralDocumentsIsRefused(t *testing.T) {
	tests := []struct{ path, want string }{
		{"kind", "3 documents have it, the first two at lines 2 and 8; begin the path with what tells them apart, such as " +
			"[kind=Deployment] or [metadata.name=api]"},
		{"[kind=Deployment].metadata.name", "2 documents have it, the first two at lines 8 and 19; begin the path with " +
			"what tells them apart, such as [kind=Deployment] or [metadata.name=api]"},
		{"spec.replicas", "none of 3 documents has it"},
		{"[kind=Job].spec", "none of the file's 3 documents is [kind=Job]"},
		{"[3].spec", "the file has 3 documents and no [3]"},
		{"[kind=Service].spec.type", `spec has no key "type"`},
		{"[0].status", `the document has no key "status"`},
		{"[0].metadata", "metadata is a mapping, and only a single value can be set"},
	}
	for _, test := range tests {
		_, err := set(t, manifests, test.path, "v2")
		require.EqualError(t, err, "set "+test.path+": "+test.want)
	}
}

func TestADocumentThatSaysNothingDoesNotCount(t *testing.T) {
	for _, file := range []string{"---\na: v1\n---\n", "---\n---\na: v1\n", "# x\n---\n# y\n...\n---\na: v1\n...\n"} {
		got, err := set(t, file, "a", "v2")
		require.NoError(t, err, file)
		require.Equal(t, replaced(file, "v1"), got)
	}
	_, err := set(t, "---\n---\n", "a", "v2")
	require.EqualError(t, err, `set a: the file is empty, which has no key "a"`)
}

func TestSeveralDocumentsAreSetAtOnce(t *testing.T) {
	got, err := yamledit.Set([]byte("kind: A\nv: 1\n---\nkind: B\nv: 2\n"), []keypath.Assignment{
		{Path: "[kind=B].v", Value: "20"}, {Path: "[kind=A].v", Value: "10"},
	})
	require.NoError(t, err)
	require.Equal(t, "kind: A\nv: 10\n---\nkind: B\nv: 20\n", string(got))
}
