package shape

import (
	"fmt"
	"slices"
	"strings"
)

// Text writes the pipeline file.
func (p *Pipeline) Text() string {
	var b strings.Builder
	b.WriteString("version: 1\nwarehouses:\n")
	for _, w := range p.Warehouses {
		b.WriteString("  " + p.warehouseText(w) + "\n")
	}
	b.WriteString("stages:\n")
	for i := range p.Stages {
		b.WriteString("  " + p.stageText(&p.Stages[i]) + "\n")
	}
	if p.Broken {
		b.WriteString("  nonsense: {from: nowhere}\n")
	}
	return b.String()
}

func (p *Pipeline) stageText(s *Stage) string {
	from, gate := strings.Join(s.From, ", "), ""
	if len(s.After) > 0 {
		gate = fmt.Sprintf("after: {at-least: %d, of: [%s], soak: %s}", s.Need, strings.Join(s.After, ", "), s.Soak)
	}
	if len(s.From) > 1 {
		each := make([]string, len(s.From))
		for i, w := range s.From {
			each[i] = fmt.Sprintf("%s: {%s}", w, gate)
		}
		from, gate = "{"+strings.Join(each, ", ")+"}", ""
	}
	results := []string{"from: " + from}
	if gate != "" {
		results = append(results, gate)
	}
	if s.Passes {
		return fmt.Sprintf("%s: {%s}", s.Name, strings.Join(results, ", "))
	}
	var values []string
	for _, w := range s.From {
		value := strings.ReplaceAll(s.Form.value, "VALUE", p.valueOf(w))
		values = append(values, strings.NewReplacer("NAME", w, "VALUE", value).Replace(s.Form.change))
	}
	path := s.File("")
	if s.Rolls() {
		path = s.File("${target.name}")
		if s.Glob {
			path = "${target.path}"
		}
	}
	results = append(results, "queue: "+s.Queue, "on-failed-verification: "+s.onFailure,
		fmt.Sprintf("environment: %q", s.Environment("${target.name}")))
	switch {
	case s.Starts:
		results = append(results, s.dispatchText(p))
	case s.Whole:
		results = append(results, "branch: "+s.At().Branch)
	default:
		results = append(results, fmt.Sprintf("%s: {\"%s\": {%s}}", s.Form.kind, path, strings.Join(values, ", ")))
	}
	if !s.Starts {
		results = append(results, "merge: "+s.Merge, "drift: "+s.Drift)
	}
	if s.copies() {
		results = append(results, fmt.Sprintf("copy: {%s: %s}", s.folder(), p.original(s)))
	}
	results = append(results, s.targetsText()...)
	if s.elsewhere != (Place{}) && !s.Whole {
		results = append(results, fmt.Sprintf("files: {repo: %s, branch: %s}", s.elsewhere.Repo, s.elsewhere.Branch))
	}
	if s.Direct {
		results = append(results, "commit: direct")
	}
	if s.Approvals > 0 {
		results = append(results, fmt.Sprintf("approvals: %d", s.Approvals))
	}
	if s.Guard {
		results = append(results, "guard: true")
	}
	if s.Freeze != nil {
		results = append(results, s.Freeze.text())
	}
	if p.told {
		results = append(results, `slack: "#`+Room+`"`)
	}
	var all []string
	for _, m := range s.Verify {
		all = append(all, fmt.Sprintf("{%s: \"%s\", missing: %s, skipped: %s, appear: %s, timeout: 1h}", m.Kind, m.Pattern,
			m.Missing, m.Skipped, m.Appear))
	}
	if len(all) > 0 {
		results = append(results, "verify: ["+strings.Join(all, ", ")+"]")
	}
	return fmt.Sprintf("%s: {%s}", s.Name, strings.Join(results, ", "))
}

// original returns the source of a stage's copies: the copies of the one stage before it if that is allowed, otherwise
// the sources of api.
func (p *Pipeline) original(s *Stage) string {
	if len(s.After) == 1 && len(s.From) == 1 {
		if up := p.Stage(s.After[0]); up.At() == s.At() && !up.Passes && up.copies() && len(up.From) == 1 {
			return fmt.Sprintf("{from: %s, stage: %s}", up.folder(), up.Name)
		}
	}
	return "{from: api, warehouse: api}"
}

// valueOf returns the placeholder for the value of a warehouse's freight.
func (p *Pipeline) valueOf(warehouse string) string {
	switch p.Kinds[warehouse] {
	case "releases", "tags", "reports":
		return "${" + warehouse + ".version}"
	}
	return "${" + warehouse + ".short}"
}

// warehouseText returns the entry of a warehouse in the pipeline file.
func (p *Pipeline) warehouseText(warehouse string) string {
	more := ""
	switch p.Kinds[warehouse] {
	case "pull-requests", "pushes":
		more = fmt.Sprintf(", branch: main, paths: [%s/**]", warehouse)
	case "releases", "tags":
		more = fmt.Sprintf(", prefix: %s/", warehouse)
	}
	image := ""
	if p.Built[warehouse] {
		image = ", image: ghcr.io/acme/" + warehouse
	}
	return fmt.Sprintf("%s: {%s: {repo: %s%s}%s}", warehouse, p.Kinds[warehouse], p.Sources[warehouse], more, image)
}

// dispatchText returns the setting of the workflow that a stage starts.
func (s *Stage) dispatchText(p *Pipeline) string {
	return fmt.Sprintf(`dispatch: {workflow: %s.yml, inputs: {version: "%s"}, timeout: 1h}`, s.Name, p.valueOf(s.From[0]))
}

// Workflow returns the path and the text of the workflow file of a stage.
func (s *Stage) Workflow() (path, text string) {
	return ".github/workflows/" + s.Name + ".yml", `name: Deploy
run-name: "Deploy ${{ inputs.version }} (${{ inputs.waybill }})"
on:
  workflow_dispatch:
    inputs:
      waybill: {required: true}
      version: {required: true}
`
}

// PolicyText writes the policy file: the stages that promote automatically, and the commands that only maintainers may
// give.
func (p *Pipeline) PolicyText() string {
	var automatic []string
	for _, s := range p.Stages {
		if !slices.Contains(p.Manual, s.Name) {
			automatic = append(automatic, s.Name)
		}
	}
	return fmt.Sprintf("version: 1\nautomatic: [%s]\nmay:\n"+
		"  admit: [{permission: maintain}]\n  force: [{permission: maintain}]\n",
		strings.Join(automatic, ", "))
}

// Allowing is a file by which a repository allows the pipeline to write to it.
const Allowing = "version: 1\nallow: [" + Home + "]\n"
