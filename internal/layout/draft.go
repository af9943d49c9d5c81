package layout

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"waybill/config"
	"waybill/promotion"
)

// StoryPath is where the story of a promotion is.
const StoryPath = ".github/waybill.story.txtar"

// Choice is what a person decides because the repository does not show it.
type Choice struct {
	App    App
	Source string  // the repository of the application; empty: the one that was looked at
	Kind   string  // OfMerges or OfTags; empty: as the versions look that are there
	Checks []Check // what verifies the stages
}

// Draft is Waybill's files for a repository.
type Draft struct {
	Pipeline, Policy, Story string
	Marks                   []string // sentences about lines that need a comment first
	Unlike                  []string // versions that name neither a commit nor a version
	Freight                 string   // what is promoted: OfMerges or OfTags
	Automatic               []string // the stages that promote by themselves
}

// Files returns the drafted files by their paths, in the order in which people read them.
func (d Draft) Files() [][2]string {
	return [][2]string{{config.PipelinePath, d.Pipeline}, {config.PolicyPath, d.Policy}, {StoryPath, d.Story}}
}

// Draft writes the files, and plays the story of one promotion. It fails if that does not get to the last stage.
func (f Found) Draft(ctx context.Context, c Choice) (Draft, error) {
	p := f.plan(c)
	d := Draft{Pipeline: p.pipeline(), Policy: p.policy(), Freight: p.kind, Automatic: p.automatic}
	for _, s := range c.App.Stages {
		for _, place := range s.Places {
			if place.Mark > 0 {
				d.Marks = append(d.Marks, fmt.Sprintf("%s:%d: add `# waybill: %s` at the end of the line", place.File,
					place.Mark, place.Key))
			}
			if shown := place.Before + place.Text; p.kind == OfMerges && !namesCommit(place.Text) &&
				!slices.Contains(d.Unlike, shown) {
				d.Unlike = append(d.Unlike, shown)
			}
		}
	}
	var err error
	d.Story, err = p.story(ctx, d, f.texts)
	return d, err
}

// StageNames returns the names of the stages, in their order.
func (a App) StageNames() (all []string) {
	for _, s := range a.Stages {
		all = append(all, s.Name)
	}
	return all
}

// plan is what the files say.
type plan struct {
	Choice
	warehouse string
	kind      string // OfMerges or OfTags
	automatic []string
}

// plan decides what the files say. Stages promote by themselves up to the first that nothing verifies: freight would
// run through it, good or bad. People promote into production.
func (f Found) plan(c Choice) plan {
	p := plan{Choice: c, warehouse: warehouseName(c.App.Name), kind: cmp.Or(c.Kind, c.App.kind())}
	if c.App.Name == nameless && c.Source != "" {
		p.warehouse = warehouseName(path.Base(c.Source))
	}
	for _, s := range c.App.Stages {
		if s.Production {
			break
		}
		p.automatic = append(p.automatic, s.Name)
		if len(p.checks(s.Name)) == 0 {
			break
		}
	}
	return p
}

// kind returns OfTags if every version of the application looks like a tag, else OfMerges.
func (a App) kind() string {
	for _, s := range a.Stages {
		for _, place := range s.Places {
			if kind, _, _ := freight(place.Text); kind == OfMerges {
				return OfMerges
			}
		}
	}
	return OfTags
}

// checks returns what verifies a stage.
func (p plan) checks(stage string) (all []Check) {
	for _, c := range p.Checks {
		if c.Verifies(stage) {
			all = append(all, c)
		}
	}
	return all
}

// value returns what a promotion writes to a place.
func (p plan) value(at Place) string {
	kind, before, word := freight(at.Text)
	switch {
	case kind == p.kind:
	case p.kind == OfTags:
		before, word = "", "tag"
	default:
		before, word = "", "short"
	}
	return at.Before + before + "${" + p.warehouse + "." + word + "}"
}

// warehouseName makes a name for a warehouse of that of an application.
func warehouseName(app string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, app)
	name = strings.TrimLeft(name, "-_")
	return cmp.Or(name[:min(len(name), 36)], "app")
}

// namesCommit reports whether a version is the name of a commit.
func namesCommit(text string) bool {
	return wholeCommit().MatchString(text) || shortCommit().MatchString(text)
}

// kinds are the kinds of change, in the order in which a stage has them.
var kinds = []promotion.ChangeKind{
	promotion.ChangeYAML, promotion.ChangeKustomize, promotion.ChangeJSON, promotion.ChangeReplace,
}
