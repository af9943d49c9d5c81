package layout

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v4"

	"waybill/internal/keypath"
	"waybill/promotion"
)

// images returns the images below a value: `image: name:tag`, and `image: {repository: name, tag: tag}`.
func images(n *yaml.Node, p keypath.Path) (found []Version) {
	switch {
	case n == nil:
	case n.Kind == yaml.SequenceNode:
		for i, one := range n.Content {
			step := keypath.Step{Kind: keypath.ByIndex, Index: i}
			if name := text(child(one, "name")); name != "" {
				step = keypath.Step{Kind: keypath.ByMatch, Where: []string{"name"}, Is: name}
			}
			found = append(found, images(one, append(join(p), step))...)
		}
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			if v, is := image(n, key, value); is {
				v.Kind, v.Key = promotion.ChangeYAML, join(p, key).String()
				if v.App == "" {
					v.App = owner(p)
				}
				found = append(found, v)
				continue
			}
			found = append(found, images(value, join(p, key))...)
		}
	}
	return found
}

// image reads one key of a mapping as the version of an image.
func image(of *yaml.Node, key string, value *yaml.Node) (Version, bool) {
	written := text(value)
	switch {
	case written == "" || strings.Contains(written, "{{"):
	case key == "tag":
		repository := text(child(of, "repository"))
		return Version{Text: written, Image: repository, App: appOf(repository)}, true
	case key == "image":
		return tagged(written)
	}
	return Version{}, false
}

// tagged reads the name of an image with its tag, or with a digest.
func tagged(written string) (Version, bool) {
	if name, digest, pinned := strings.Cut(written, "@"); pinned {
		return Version{Text: digest, Image: name, App: appOf(name), Pinned: true}, true
	}
	colon := strings.LastIndexByte(written, ':')
	if colon <= 0 || strings.Contains(written[colon:], "/") {
		return Version{}, false
	}
	name := written[:colon]
	return Version{Before: written[:colon+1], Text: written[colon+1:], Image: name, App: appOf(name)}, true
}

// appOf is what people call the application in an image: the last part of its name.
func appOf(image string) string {
	if image == "" {
		return ""
	}
	return path.Base(image)
}

// owner names the application by the keys above `image.tag`: that of `web.image.tag` is web.
func owner(p keypath.Path) string {
	for i := len(p) - 1; i >= 0; i-- {
		switch key := p[i].Key; {
		case key == "spec" || key == "values" || key == "valuesObject" || key == "global":
			return ""
		case key != "" && !strings.HasSuffix(strings.ToLower(key), "image"):
			return key
		}
	}
	return ""
}
