package yamledit

// Get returns the texts of the scalars at paths, the same that Set would replace. A path that leads to none is left out;
// it is an error when content is not one YAML document.
func Get(content []byte, paths []string) (map[string]string, error) {
	root, err := parse(content)
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string, len(paths))
	for _, text := range paths {
		path, err := ParsePath(text)
		if err != nil {
			continue
		}
		if node, err := path.find(root); err == nil {
			texts[text] = node.Value
		}
	}
	return texts, nil
}
