package layout

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Bounds on what is read: more is no repository of configuration.
const (
	maxFile  = 512 << 10
	maxFiles = 20_000
)

// File is a file that may say what runs somewhere.
type File struct {
	Path string
	Text []byte
	Docs []*yaml.Node // the mappings of a YAML file; none if it is not YAML

	broken error // why it is not YAML although it is called so
}

// isYAML reports whether the file is called as YAML files are.
func isYAML(name string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, path.Ext(name)) || path.Base(name) == "Kustomization"
}

// interesting reports whether a layout may find something in a file of this name.
func interesting(name string) bool {
	return isYAML(name) || strings.HasSuffix(name, ".tfvars") || strings.HasSuffix(name, ".tfvars.json")
}

// passedOver are folders in which nothing says what runs where.
var passedOver = []string{"node_modules", "vendor", "testdata", "templates"}

// isPassedOver reports whether no file of a folder is looked at.
func isPassedOver(folder string) bool {
	return strings.HasPrefix(folder, ".") || slices.Contains(passedOver, folder)
}

// Reads reports whether Look reads a file of this name and size, for a repository whose files are far away. Of the
// others it needs the names.
func Reads(name string, size int) bool {
	if size > maxFile {
		return false
	}
	folder, _ := path.Split(name)
	if folder == workflows+"/" {
		return isYAML(name)
	}
	return interesting(name) && !slices.ContainsFunc(strings.Split(strings.TrimSuffix(folder, "/"), "/"), isPassedOver)
}

// read returns the files of a repository that a layout may find something in, in the order of their paths, and whether
// these are all.
func read(repository fs.FS) (files []File, all bool, err error) {
	all = true
	err = fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && isPassedOver(entry.Name()):
			return fs.SkipDir
		case !entry.Type().IsRegular() || !interesting(name):
			return nil
		case len(files) == maxFiles:
			all = false
			return fs.SkipAll
		}
		info, err := entry.Info()
		if err != nil || info.Size() > maxFile {
			return err
		}
		text, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		f := File{Path: name, Text: text}
		if isYAML(name) {
			f.Docs, f.broken = documents(text)
		}
		files = append(files, f)
		return nil
	})
	return files, all, err
}

// documents returns the mappings of a YAML file; none, with the reason, if it is not YAML, as a template of Helm.
func documents(text []byte) (docs []*yaml.Node, broken error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			return docs, nil
		case err != nil:
			return nil, err
		case len(doc.Content) == 1 && doc.Content[0].Kind == yaml.MappingNode:
			docs = append(docs, doc.Content[0])
		}
	}
}

// at returns what stands behind keys in a mapping; nil if there is nothing.
func at(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		n = child(n, key)
	}
	return n
}

// child returns the value of a key of a mapping; nil if there is none.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// text returns a scalar as it is written; "" if it is none.
func text(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// elements returns those of a list; none if it is no list.
func elements(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}
