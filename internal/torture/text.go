package torture

import (
	"fmt"
	"slices"
	"strings"
)

// text writes the pipeline file.
func (p *pipeline) text() string {
	var b strings.Builder
	b.WriteString("version: 1\nwarehouses:\n")
	for _, w := range p.warehouses {
		b.WriteString("  " + p.warehouseText(w) + "\n")
	}
	b.WriteString("stages:\n")
	for i := range p.stages {
		b.WriteString("  " + p.stageText(&p.stages[i]) + "\n")
	}
	if p.broken {
		b.WriteString("  nonsense: {from: nowhere}\n")
	}
	return b.String()
}

func (p *pipeline) stageText(s *stage) string {
	from, gate := strings.Join(s.from, ", "), ""
	if len(s.after) > 0 {
		gate = fmt.Sprintf("after: {at-least: %d, of: [%s], soak: %s}", s.need, strings.Join(s.after, ", "), s.soak)
	}
	if len(s.from) > 1 {
		each := make([]string, len(s.from))
		for i, w := range s.from {
			each[i] = fmt.Sprintf("%s: {%s}", w, gate)
		}
		from, gate = "{"+strings.Join(each, ", ")+"}", ""
	}
	results := []string{"from: " + from}
	if gate != "" {
		results = append(results, gate)
	}
	if s.passes {
		return fmt.Sprintf("%s: {%s}", s.name, strings.Join(results, ", "))
	}
	var values []string
	for _, w := range s.from {
		value := strings.ReplaceAll(s.form.value, "VALUE", p.valueOf(w))
		values = append(values, strings.NewReplacer("NAME", w, "VALUE", value).Replace(s.form.change))
	}
	path := s.file("")
	if s.rolls() {
		path = s.file("${target.name}")
		if s.glob {
			path = "${target.path}"
		}
	}
	results = append(results, "queue: "+s.queue, "on-failed-verification: "+s.onFailure, fmt.Sprintf("environment: %q", s.environment("${target.name}")))
	switch {
	case s.starts:
		results = append(results, s.dispatchText(p))
	case s.whole:
		results = append(results, "branch: "+s.at().branch)
	default:
		results = append(results, fmt.Sprintf("%s: {\"%s\": {%s}}", s.form.kind, path, strings.Join(values, ", ")))
	}
	if !s.starts {
		results = append(results, "merge: "+s.merge, "drift: "+s.drift)
	}
	if s.copies() {
		results = append(results, fmt.Sprintf("copy: {%s: %s}", s.folder(), p.original(s)))
	}
	results = append(results, s.targetsText()...)
	if s.elsewhere != (place{}) && !s.whole {
		results = append(results, fmt.Sprintf("files: {repo: %s, branch: %s}", s.elsewhere.repo, s.elsewhere.branch))
	}
	if s.direct {
		results = append(results, "commit: direct")
	}
	if s.approvals > 0 {
		results = append(results, fmt.Sprintf("approvals: %d", s.approvals))
	}
	if s.guard {
		results = append(results, "guard: true")
	}
	if p.told {
		results = append(results, `slack: "#`+room+`"`)
	}
	var all []string
	for _, m := range s.verify {
		all = append(all, fmt.Sprintf("{%s: \"%s\", missing: %s, skipped: %s, appear: %s, timeout: 1h}", m.kind, m.pattern, m.missing, m.skipped, m.appear))
	}
	if len(all) > 0 {
		results = append(results, "verify: ["+strings.Join(all, ", ")+"]")
	}
	return fmt.Sprintf("%s: {%s}", s.name, strings.Join(results, ", "))
}

// original is what a stage copies: what the one stage before it has copied, where that is allowed, else the sources
// themselves.
func (p *pipeline) original(s *stage) string {
	if len(s.after) == 1 && len(s.from) == 1 {
		if up := p.stage(s.after[0]); up.at() == s.at() && !up.passes && up.copies() && len(up.from) == 1 {
			return fmt.Sprintf("{from: %s, stage: %s}", up.folder(), up.name)
		}
	}
	return "{from: api, warehouse: api}"
}

// valueOf is where the pipeline file has that of a warehouse.
func (p *pipeline) valueOf(warehouse string) string {
	switch p.kinds[warehouse] {
	case "releases", "tags", "reports":
		return "${" + warehouse + ".version}"
	}
	return "${" + warehouse + ".short}"
}

// warehouseText is a warehouse in the pipeline file.
func (p *pipeline) warehouseText(warehouse string) string {
	more := ""
	switch p.kinds[warehouse] {
	case "pull-requests", "pushes":
		more = fmt.Sprintf(", branch: main, paths: [%s/**]", warehouse)
	case "releases", "tags":
		more = fmt.Sprintf(", prefix: %s/", warehouse)
	}
	image := ""
	if p.built[warehouse] {
		image = ", image: ghcr.io/acme/" + warehouse
	}
	return fmt.Sprintf("%s: {%s: {repo: %s%s}%s}", warehouse, p.kinds[warehouse], p.sources[warehouse], more, image)
}

// dispatchText is what the pipeline file says of the workflow that a stage starts.
func (s *stage) dispatchText(p *pipeline) string {
	return fmt.Sprintf(`dispatch: {workflow: %s.yml, inputs: {version: "%s"}, timeout: 1h}`, s.name, p.valueOf(s.from[0]))
}

// workflow is where the workflow that a stage starts is, and what it says.
func (s *stage) workflow() (path, text string) {
	return ".github/workflows/" + s.name + ".yml", `name: Deploy
run-name: "Deploy ${{ inputs.version }} (${{ inputs.waybill }})"
on:
  workflow_dispatch:
    inputs:
      waybill: {required: true}
      version: {required: true}
`
}

// policyText writes the policy file: which stages promote by themselves, and that maintainers may do what else nobody
// may.
func (p *pipeline) policyText() string {
	var automatic []string
	for _, s := range p.stages {
		if !slices.Contains(p.manual, s.name) {
			automatic = append(automatic, s.name)
		}
	}
	return fmt.Sprintf("version: 1\nautomatic: [%s]\nmay:\n  admit: [{permission: maintain}]\n  force: [{permission: maintain}]\n",
		strings.Join(automatic, ", "))
}
