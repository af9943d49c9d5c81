package story

import (
	"fmt"
	"strings"

	"waybill/internal/change"
	"waybill/promotion"
)

// TargetFiles returns the changes that a happening makes to the files of a target. They are deleted (nil), or the
// missing ones are created with `none` at each place. A target that the stage lacks has the files of its first target,
// with the name replaced.
func TargetFiles(p *promotion.Pipeline, h Happening, exists func(path string) bool) (map[string]*string, error) {
	stage := p.Stage(h.Stage)
	if stage == nil || !stage.Rolls() {
		return nil, fmt.Errorf("there is no target %s/%s", h.Stage, h.Target)
	}
	target := stage.Target(promotion.TargetName(h.Target))
	if target == nil {
		target = renamed(stage.Targets[0], h.Target)
	}
	files := map[string]*string{}
	for _, c := range target.Changes {
		switch {
		case h.Result == "disappears":
			files[c.Path] = nil
		case !exists(c.Path):
			contents, err := change.Sketch(c, "none")
			if err != nil {
				return nil, err
			}
			text := string(contents)
			files[c.Path] = &text
		}
	}
	return files, nil
}

// renamed returns a copy of a target under another name, with that name in its paths.
func renamed(t promotion.Target, name string) *promotion.Target {
	other := promotion.Target{Name: promotion.TargetName(name)}
	for _, c := range t.Changes {
		c.Path = strings.ReplaceAll(c.Path, string(t.Name), name)
		other.Changes = append(other.Changes, c)
	}
	return &other
}

// AboutReadiness reports whether the happening changes the readiness of a target rather than its files.
func (h Happening) AboutReadiness() bool { return h.Result == "ready" || h.Result == "unready" }

// TargetShows returns the conditions of a target's `ready` and the state that a happening gives them: promotion.Met or
// "failure". It fails if the target has no conditions.
func TargetShows(p *promotion.Pipeline, h Happening) (conditions []promotion.Condition, state string, err error) {
	stage := p.Stage(h.Stage)
	if stage == nil || stage.Target(promotion.TargetName(h.Target)) == nil {
		return nil, "", fmt.Errorf("there is no target %s/%s", h.Stage, h.Target)
	}
	conditions, state = stage.Target(promotion.TargetName(h.Target)).Ready, "failure"
	if h.Result == "ready" {
		state = promotion.Met
	}
	if len(conditions) == 0 {
		err = fmt.Errorf("the target %s/%s need not show anything: give its stage `ready`", h.Stage, h.Target)
	}
	return conditions, state, err
}
