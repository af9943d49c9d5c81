package layout

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"waybill/promotion"
)

// plain matches a text that needs no quotes in YAML, in a flow or outside of one.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_./][A-Za-z0-9_./-]*$`) })

// quoted returns a text as YAML has it.
func quoted(text string) string {
	if plain().MatchString(text) && !slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"},
		strings.ToLower(text)) {
		return text
	}
	return strconv.Quote(text)
}

// list returns a list as YAML has it, in a line.
func list(all []string) string {
	words := make([]string, len(all))
	for i, one := range all {
		words[i] = quoted(one)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// pipeline returns the pipeline file.
func (p plan) pipeline() string {
	var b strings.Builder
	b.WriteString("version: 1\n\nwarehouses:\n")
	fmt.Fprintf(&b, "  %s:\n", quoted(p.warehouse))
	source := "{}"
	if p.Source != "" {
		source = "{repo: " + quoted(p.Source) + "}"
	}
	if p.kind == OfTags {
		fmt.Fprintf(&b, "    tags: %s   # each tag that is a version, such as v1.4.2\n", source)
	} else {
		fmt.Fprintf(&b, "    pull-requests: %s   # each merged pull request\n", source)
	}
	b.WriteString("\nstages:\n")
	for i, s := range p.App.Stages {
		if i > 0 {
			b.WriteString("\n")
		}
		p.stage(&b, s)
	}
	return b.String()
}

// lookTime is how long the first of several targets has new freight alone, where only people look at it.
const lookTime = "15m"

// stage writes a stage of the pipeline file.
func (p plan) stage(b *strings.Builder, s Stage) {
	fmt.Fprintf(b, "  %s:\n    from: %s\n", quoted(s.Name), quoted(p.warehouse))
	if before := slices.Index(p.App.StageNames(), s.Name) - 1; before >= 0 {
		fmt.Fprintf(b, "    after: %s\n", quoted(p.App.Stages[before].Name))
	}
	if len(s.Targets) > 0 {
		fmt.Fprintf(b, "    targets: %s\n", list(s.Targets))
	}
	for _, kind := range kinds {
		p.changes(b, s, kind)
	}
	checks := p.checks(s.Name)
	switch {
	case len(s.Targets) == 0:
	case len(checks) == 0:
		fmt.Fprintf(b, "    rollout:\n      - {name: first, targets: %s, wait: %s}   # the time to look at it\n"+
			"      - {name: rest}\n", list(s.Targets[:1]), lookTime)
	default:
		fmt.Fprintf(b, "    rollout:\n      - {name: first, targets: %s}\n      - {name: rest, at-once: 1}\n",
			list(s.Targets[:1]))
	}
	if len(checks) == 0 {
		b.WriteString("    # verify: [NAME OF A CHECK]   # until then it counts as verified once it is merged\n")
		return
	}
	matchers := make([]string, len(checks))
	for i, c := range checks {
		matchers[i] = c.matcher()
	}
	fmt.Fprintf(b, "    verify: [%s]\n", strings.Join(matchers, ", "))
}

// changes writes what a promotion changes, of one kind.
func (p plan) changes(b *strings.Builder, s Stage, kind promotion.ChangeKind) {
	type place struct{ file, key string }
	var files []string
	values, written := map[string][]string{}, map[place]bool{}
	for _, at := range s.Places {
		file := at.path(len(s.Targets) > 0)
		value := quoted(at.Key) + ": " + strconv.Quote(p.value(at))
		if kind == promotion.ChangeKustomize {
			value = quoted(at.Key) + ": {newTag: " + strconv.Quote(p.value(at)) + "}"
		}
		one := place{file, at.Key}
		if at.Kind != kind || written[one] { // each target has it
			continue
		}
		written[one] = true
		if values[file] == nil {
			files = append(files, file)
		}
		values[file] = append(values[file], value)
	}
	if len(files) == 0 {
		return
	}
	fmt.Fprintf(b, "    %s:\n", kind)
	for _, file := range files {
		fmt.Fprintf(b, "      %s:\n", quoted(file))
		for _, value := range values[file] {
			fmt.Fprintf(b, "        %s\n", value)
		}
	}
}

// policy returns the policy file.
func (p plan) policy() string {
	text := "version: 1\n\n"
	if names := p.App.StageNames(); len(names) > len(p.automatic) {
		text += "# Into the other stages people promote: /promote " + names[len(names)-1] + "\n"
	}
	return text + "automatic: " + list(p.automatic) + "\n"
}
