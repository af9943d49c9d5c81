package change

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"waybill/promotion"
)

// workflow has the parts of a workflow's file that are checked before it is started.
type workflow struct {
	RunName string    `yaml:"run-name"`
	On      yaml.Node `yaml:"on"`
}

// input is the declaration of one input of a workflow.
type input struct {
	Required bool `yaml:"required"`
	Default  any  `yaml:"default"`
}

// start computes the inputs with which the stage's workflow is started, and checks that it can be started. GitHub
// refuses inputs that a workflow does not declare, and a run that does not show its promotion could not be found again.
func start(stage *promotion.Stage, f promotion.Freight, read Read) Result {
	path := stage.Dispatch.Path()
	content, trouble := read(path)
	if trouble != "" {
		return Result{Problem: promotion.Because(promotion.Unreadable, path).With(trouble)}
	}
	r := Result{Paths: []string{path}}
	sum := sha256.New()
	for _, i := range stage.Dispatch.Inputs {
		value, err := i.Value.Expand(promotion.Values(stage.Name, f))
		if err != nil {
			continue // the value is of another warehouse's freight
		}
		r.Values = append(r.Values, promotion.Value{Path: path, Key: i.Name, Text: value})
		fmt.Fprintf(sum, "%s\x00%s\x00", i.Name, value)
	}
	if why := startable(content, r.Values); why != "" {
		return Result{Problem: promotion.Because(promotion.Unreadable, path).With(why)}
	}
	r.Hash = hex.EncodeToString(sum.Sum(nil)[:16])
	return r
}

var showsRun = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{\{[^}]*\binputs\.` + promotion.RunInput + `\b[^}]*\}\}`)
})

// startable returns the reason why a workflow cannot be started with these inputs, or "".
func startable(content []byte, values []promotion.Value) string {
	var file workflow
	if err := yaml.Unmarshal(content, &file); err != nil {
		return "it is not YAML"
	}
	inputs, can := file.dispatches()
	_, named := inputs[promotion.RunInput]
	switch {
	case !can:
		return "it does not run on workflow_dispatch"
	case !named:
		return fmt.Sprintf("it has no input `%s`, which tells the promotion: add it to the inputs of workflow_dispatch",
			promotion.RunInput)
	case !showsRun().MatchString(file.RunName):
		return fmt.Sprintf("its run-name does not show which promotion a run is of: add ${{ inputs.%s }} to it",
			promotion.RunInput)
	}
	for _, v := range values {
		if _, there := inputs[v.Key]; !there {
			return "it has no input `" + v.Key + "`"
		}
	}
	var missing []string
	for name, i := range inputs {
		given := slices.ContainsFunc(values, func(v promotion.Value) bool { return v.Key == name })
		if i.Required && i.Default == nil && !given && name != promotion.RunInput {
			missing = append(missing, name)
		}
	}
	if slices.Sort(missing); len(missing) > 0 {
		return "it requires the inputs " + strings.Join(missing, ", ")
	}
	return ""
}

// dispatches returns the inputs of a workflow, and whether it has the trigger workflow_dispatch.
func (f *workflow) dispatches() (inputs map[string]input, can bool) {
	switch f.On.Kind {
	case yaml.ScalarNode:
		return nil, f.On.Value == "workflow_dispatch"
	case yaml.SequenceNode:
		return nil, slices.ContainsFunc(f.On.Content, func(n *yaml.Node) bool { return n.Value == "workflow_dispatch" })
	}
	var on map[string]yaml.Node
	if f.On.Decode(&on) != nil {
		return nil, false
	}
	event, can := on["workflow_dispatch"]
	var detail struct {
		Inputs map[string]input `yaml:"inputs"`
	}
	if can && event.Kind == yaml.MappingNode && event.Decode(&detail) != nil {
		return nil, can
	}
	return detail.Inputs, can
}
