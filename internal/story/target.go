package story

import (
	"fmt"
	"strings"

	"waybill/internal/change"
	"waybill/promotion"
)

// TargetFiles returns what a happening makes of the files of a target: none of them is there any more, or those that
// were not there are, with `none` at each place. A file is nil where it goes. The files of a target that the stage has
// not are like those of its first, with the other name.
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

// renamed is a target as it would be under another name.
func renamed(t promotion.Target, name string) *promotion.Target {
	other := promotion.Target{Name: promotion.TargetName(name)}
	for _, c := range t.Changes {
		c.Path = strings.ReplaceAll(c.Path, string(t.Name), name)
		other.Changes = append(other.Changes, c)
	}
	return &other
}

// AboutReadiness reports whether the happening is about what a target shows, rather than about its files.
func (h Happening) AboutReadiness() bool { return h.Result == "ready" || h.Result == "unready" }

// TargetShows returns what a target must show before it takes part, and what becomes of each: it is reported good, or
// bad; an environment is there, or is not.
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
