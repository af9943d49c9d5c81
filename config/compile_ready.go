package config

import (
	"slices"

	"waybill/promotion"
)

// compileReady compiles the conditions that a target must meet before it takes part.
func compileReady(b blanks) (all []promotion.Condition) {
	for i, f := range b.place.stage.file.value.ready.value {
		if !f.good() {
			continue
		}
		r := b.place.reader.key("ready").element(i)
		condition, ok := compileCondition(b, r, f)
		if slices.Contains(all, condition) {
			r.errorf(f.at, "%s is listed twice; remove one", quote(condition.Name))
		}
		if ok {
			all = append(all, condition)
		}
	}
	return all
}

func compileCondition(b blanks, r *reader, f found[conditionFile]) (promotion.Condition, bool) {
	kind, name := f.value.asks()
	if kind != promotion.KindCheck && f.value.app.given() {
		r.errorf(f.value.app.key, "`app` is only for checks; remove it")
	}
	filled, ok := b.name(r, name.at, name.value)
	condition := promotion.Condition{Kind: kind, Name: filled}
	if kind == promotion.KindCheck {
		condition.App = f.value.app.or(defaultApp)
	}
	if ok && kind == promotion.KindEnvironment && !environmentNames.MatchString(filled) {
		r.errorf(name.at, "%s cannot be the name of an environment: use at most 255 characters, "+
			"no control characters, and no space at an end", quote(filled))
	}
	return condition, ok
}

// asks returns the kind of a condition, and its name.
func (f conditionFile) asks() (promotion.SignalKind, found[string]) {
	switch {
	case f.status.given():
		return promotion.KindStatus, f.status
	case f.deployment.given():
		return promotion.KindDeployment, f.deployment
	case f.environment.given():
		return promotion.KindEnvironment, f.environment
	}
	return promotion.KindCheck, f.check
}
