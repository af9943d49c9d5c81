package yamledit

import "waybill/internal/keypath"

// Get returns the texts of the scalars at paths, the same ones that Set would replace. It leaves out a path that leads
// to no scalar. It returns an error if content is not YAML.
func Get(content []byte, paths []string) (map[string]string, error) {
	return get(parseYAML, content, paths)
}

func get(parse func([]byte) (file, error), content []byte, paths []string) (map[string]string, error) {
	in, err := parse(content)
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string, len(paths))
	for _, text := range paths {
		path, err := keypath.Parse(text)
		if err != nil {
			continue
		}
		if node, err := find(in.documents, path); err == nil {
			texts[text] = node.Value
		}
	}
	return texts, nil
}
