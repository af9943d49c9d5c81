package layout

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"waybill/internal/keypath"
	"waybill/promotion"
)

// terraform is a file of variables for a root module.
type terraform struct{}

// These match a variable with the version of an application, and the line of one.
var (
	versioned = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?:(\w+?)_)?(?:image_tag|image_version|tag|release)|app_version|version)$`)
	})
	variable = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(\w+)\s*=\s*"([^"]+)"\s*(?:(?:#|//)(?:\s*waybill:\s*([\w./-]+)\s*|.*))?$`)
	})
)

// Versions implements Layout. Values of HCL are found by a comment that marks their line.
func (terraform) Versions(f File) []Version {
	switch {
	case strings.HasSuffix(f.Path, ".tfvars.json"):
		return inJSON(f.Text)
	case strings.HasSuffix(f.Path, ".tfvars"):
		return inHCL(f.Text)
	}
	return nil
}

// inJSON returns the variables of a JSON file that hold versions.
func inJSON(content []byte) (found []Version) {
	var all map[string]any
	if json.Unmarshal(content, &all) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value, is := all[name].(string)
		if m := versioned().FindStringSubmatch(name); m != nil && is && value != "" {
			found = append(found, Version{
				Kind: promotion.ChangeJSON, Key: join(keypath.Path{}, name).String(), Text: value, App: prefix(m[1]),
			})
		}
	}
	return found
}

// inHCL returns the lines that hold versions: those that are marked, or else those that have to be.
func inHCL(content []byte) (found []Version) {
	var marked []Version
	for i, line := range bytes.Split(content, []byte("\n")) {
		m := variable().FindStringSubmatch(strings.TrimSuffix(string(line), "\r"))
		if m == nil {
			continue
		}
		v := Version{Kind: promotion.ChangeReplace, Text: m[2]}
		if m[3] != "" {
			v.Key = m[3]
			marked = append(marked, v)
		} else if name := versioned().FindStringSubmatch(m[1]); name != nil {
			v.Key, v.App, v.Mark = m[1], prefix(name[1]), i+1
			found = append(found, v)
		}
	}
	if len(marked) > 0 {
		return marked
	}
	return found
}

// prefix returns the application in the name of a variable: api of api_image_tag, none of image_tag.
func prefix(name string) string {
	if name == "image" || name == "app" {
		return ""
	}
	return name
}
