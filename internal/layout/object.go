package layout

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"waybill/internal/keypath"
)

// object is a Kubernetes object in a file.
type object struct {
	*yaml.Node
	kind, group, name string
	path              keypath.Path // of the object in its file; empty if it is alone there
}

// objects returns the objects of a file. In a file with several they are called by their kind where that is enough,
// else by their name.
func (f File) objects() (all []object) {
	kinds := map[string]int{}
	for _, doc := range f.Docs {
		kinds[text(child(doc, "kind"))]++
	}
	for _, doc := range f.Docs {
		group, _, _ := strings.Cut(text(child(doc, "apiVersion")), "/")
		o := object{Node: doc, kind: text(child(doc, "kind")), group: group, name: text(at(doc, "metadata", "name"))}
		switch {
		case len(f.Docs) == 1:
		case kinds[o.kind] == 1:
			o.path = keypath.Path{{Kind: keypath.ByMatch, Where: []string{"kind"}, Is: o.kind}}
		default:
			o.path = keypath.Path{{Kind: keypath.ByMatch, Where: []string{"metadata", "name"}, Is: o.name}}
		}
		if o.kind != "" {
			all = append(all, o)
		}
	}
	return all
}

// below returns the path of what stands behind keys in an object.
func (o object) below(keys ...string) keypath.Path { return join(o.path, keys...) }

// join returns a path with more keys at its end.
func join(p keypath.Path, keys ...string) keypath.Path {
	long := append(keypath.Path{}, p...)
	for _, key := range keys {
		long = append(long, keypath.Step{Kind: keypath.ByKey, Key: key})
	}
	return long
}
