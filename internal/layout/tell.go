package layout

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"golang.org/x/tools/txtar"

	"waybill/config"
	"waybill/internal/keypath"
	"waybill/internal/story"
	"waybill/internal/story/core"
	"waybill/internal/yamledit"
	"waybill/promotion"
)

// story returns the story of one promotion through all stages, with what happens filled in.
func (p plan) story(ctx context.Context, d Draft, texts map[string][]byte) (string, error) {
	archive := txtar.Archive{
		Comment: []byte("One version on its way through all stages, with the files as they are now.\n"),
		Files: []txtar.File{
			{Name: config.PipelinePath, Data: []byte(d.Pipeline)}, {Name: config.PolicyPath, Data: []byte(d.Policy)},
		},
	}
	promoted := p.promoted(texts)
	for _, file := range slices.Sorted(maps.Keys(promoted)) {
		archive.Files = append(archive.Files, txtar.File{Name: file, Data: promoted[file]})
	}
	archive.Files = append(archive.Files, txtar.File{Name: "story", Data: []byte(p.happenings())})
	written, err := story.Parse(StoryPath, txtar.Format(&archive))
	if err != nil {
		return "", err
	}
	world, err := core.New(written)
	if err != nil {
		return "", err
	}
	played, err := story.Run(ctx, written, world)
	if err != nil {
		return "", err
	}
	for _, stage := range p.App.Stages {
		if !succeeded(played, stage.Name) {
			_, told, _ := bytes.Cut(played.Format(), []byte("-- story --\n"))
			return "", fmt.Errorf("a promotion into %s would not succeed with the files as they are%s; this would happen:\n%s",
				stage.Name, p.stubborn(stage, promoted), bytes.TrimSpace(told))
		}
	}
	return string(played.Format()), nil
}

// stubborn says which values of a stage cannot be changed, and why.
func (p plan) stubborn(s Stage, promoted map[string][]byte) (reasons string) {
	for _, at := range s.Places {
		if at.Kind != promotion.ChangeYAML {
			continue
		}
		_, err := yamledit.Set(promoted[at.File], []keypath.Assignment{{Path: at.Key, Value: p.value(at)}})
		if err != nil {
			reasons += fmt.Sprintf(": %s: %v", at.File, err)
		}
	}
	return reasons
}

// promoted returns the files that promotions change, with the comments that they need.
func (p plan) promoted(texts map[string][]byte) map[string][]byte {
	all := map[string][]byte{}
	for _, s := range p.App.Stages {
		for _, at := range s.Places {
			if all[at.File] == nil {
				all[at.File] = bytes.ReplaceAll(texts[at.File], []byte("\r\n"), []byte("\n"))
			}
			if at.Mark > 0 {
				all[at.File] = marked(all[at.File], at.Mark, at.Key)
			}
		}
	}
	return all
}

// marked returns a text with a comment at the end of a line.
func marked(content []byte, line int, name string) []byte {
	lines := bytes.Split(bytes.Clone(content), []byte("\n"))
	if m := variable().FindSubmatchIndex(lines[line-1]); m != nil {
		behind := m[5] + 1 // the quote at the end of the value
		lines[line-1] = append(lines[line-1][:behind:behind], " # waybill: "+name...)
	}
	return bytes.Join(lines, []byte("\n"))
}

// happenings returns what happens in the story, without what comes of it.
func (p plan) happenings() string {
	var b strings.Builder
	pull := p.Source + "#1"
	if p.kind == OfTags {
		fmt.Fprintf(&b, "> tag %s\n", p.next())
	} else {
		fmt.Fprintf(&b, "> merge %s by ann\n", pull)
	}
	for _, s := range p.App.Stages {
		switch {
		case slices.Contains(p.automatic, s.Name):
		case p.kind == OfTags:
			fmt.Fprintf(&b, "> slack by ann: promote %s\n", s.Name)
		default:
			fmt.Fprintf(&b, "> comment %s by ann: /promote %s\n", pull, s.Name)
		}
		if len(s.Targets) > 0 && len(p.checks(s.Name)) == 0 {
			fmt.Fprintf(&b, "> wait %s\n", lookTime)
		}
		targets := s.Targets
		if len(targets) == 0 {
			targets = []string{""}
		}
		for _, target := range targets {
			for _, c := range p.checks(s.Name) {
				b.WriteString(c.happening(s.Name, target))
			}
		}
	}
	return b.String()
}

// next returns a version after all that are there.
func (p plan) next() string {
	newest := semver.MustParse("0.0.0")
	for _, s := range p.App.Stages {
		for _, at := range s.Places {
			if v, err := semver.NewVersion(at.Text); err == nil && v.GreaterThan(newest) {
				newest = v
			}
		}
	}
	return "v" + newest.IncMinor().String()
}

// succeeded reports whether a promotion into a stage succeeds in a story.
func succeeded(played story.Story, stage string) bool {
	for _, step := range played.Steps {
		for _, o := range step.Outcomes {
			if o.Where == stage && slices.ContainsFunc(o.Acts, func(a story.Act) bool {
				return a.Word == string(promotion.Succeeded)
			}) {
				return true
			}
		}
	}
	return false
}
