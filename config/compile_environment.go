package config

import (
	"waybill/promotion"
)

// ofTargets reports whether each target has an environment of its own: a name or address that says which.
func (e environmentFile) ofTargets() bool {
	for _, text := range []string{e.name.value, e.url.value} {
		t, err := promotion.ParseTemplate(text)
		if err != nil {
			continue
		}
		for _, ref := range t.References() {
			if ofTarget(ref) {
				return true
			}
		}
	}
	return false
}

var environmentNames = expressed(environmentPattern)

// compileEnvironment works out in which environment promotions to a place are deployments.
func compileEnvironment(b blanks) (name, url string) {
	f, r := b.place.stage.file.value.environment, b.place.reader.key("environment")
	if !f.good() || !f.value.name.good() {
		return "", ""
	}
	name, ok := b.name(r, f.value.name.at, f.value.name.value)
	if ok && !environmentNames.MatchString(name) {
		r.errorf(f.value.name.at,
			"%s cannot be the name of an environment: use at most 255 characters, no control characters, and no space at an end",
			quote(name))
	}
	if f.value.url.good() {
		url, _ = b.name(r, f.value.url.at, f.value.url.value)
	}
	return name, url
}
