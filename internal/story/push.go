package story

import (
	"fmt"

	"waybill/internal/change"
	"waybill/promotion"
)

// Pushed returns the contents of a file after a person's push: text at every place that a stage sets in it.
func Pushed(p *promotion.Pipeline, path, content, text string) string {
	eachPlace(p, path, func(a promotion.Assignment) {
		if changed, err := change.Edit(a.Kind, []byte(content), a.Key, text); err == nil {
			content = string(changed)
		}
	})
	return content
}

// Edited returns the contents of a file after a person has changed one value, at a place that a stage sets or at a YAML
// path.
func Edited(p *promotion.Pipeline, path, content, key, text string) (string, error) {
	kind := promotion.ChangeYAML
	eachPlace(p, path, func(a promotion.Assignment) {
		if a.Key == key {
			kind = a.Kind
		}
	})
	changed, err := change.Edit(kind, []byte(content), key, text)
	if err != nil {
		return "", fmt.Errorf("edit %s: %w", key, err)
	}
	return string(changed), nil
}

// eachPlace calls do for every place that a stage sets in a file.
func eachPlace(p *promotion.Pipeline, path string, do func(promotion.Assignment)) {
	for _, stage := range p.Stages {
		for _, c := range stage.Changes() {
			for _, a := range c.Set {
				if c.Path == path {
					do(a)
				}
			}
		}
	}
}
