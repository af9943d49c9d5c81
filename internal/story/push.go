package story

import (
	"fmt"

	"waybill/internal/yamledit"
	"waybill/promotion"
)

// Pushed returns what a file says after somebody has pushed to it: text at every place that a stage sets there.
func Pushed(p *promotion.Pipeline, path, content, text string) string {
	for _, stage := range p.Stages {
		for _, c := range stage.Changes {
			for _, a := range c.Set {
				if changed, err := Edited(content, a.Key, text); c.Path == path && err == nil {
					content = changed
				}
			}
		}
	}
	return content
}

// Edited returns what a file says after somebody has changed one value in it.
func Edited(content, key, text string) (string, error) {
	changed, err := yamledit.Set([]byte(content), []yamledit.Assignment{{Path: key, Value: text}})
	if err != nil {
		return "", fmt.Errorf("edit %s: %w", key, err)
	}
	return string(changed), nil
}
