package shape

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// Form is a kind of file that a stage may have, and of change that writes it. PLACE stands for the stage or one of its
// targets, NAME for a warehouse and VALUE for the value of freight.
type Form struct {
	kind   string // its key in the pipeline file
	path   string
	text   string // of the file before the first promotion
	change string // of one value, in the pipeline file
	value  string // the text that replaces VALUE

	// at is a regexp that finds the value: the text before it, an optional quote, the value, and an optional quote. where
	// has the regexp of each warehouse.
	at    string
	where map[string]*regexp.Regexp
}

var forms = compiled([]Form{
	{
		kind: "set", path: "PLACE.yaml", text: "# what runs here\napi: none\nweb: none\nreplicas: 1\n",
		change: `NAME: "VALUE"`, value: "VALUE", at: `(?m)^(NAME: )("?)([^"\s]*)("?)`,
	},
	{
		kind: "json", path: "PLACE.json", text: `{
  "about": "what runs here",
  "api": "none",
  "web": "none",
  "replicas": 1
}
`,
		change: `NAME: "VALUE"`, value: "VALUE", at: `("NAME": )(")([^"]*)(")`,
	},
	{
		kind: "kustomize", path: "PLACE/kustomization.yaml", text: `# what runs here
images:
- name: api
  newTag: none
- name: web # the other one
  newTag: none
replicas: 1
`,
		change: `NAME: {newTag: "VALUE"}`, value: "VALUE", at: `(name: NAME(?: #.*)*\n  newTag: )("?)([^"\s]*)("?)`,
	},
	{
		kind: "helm", path: "PLACE/Chart.yaml", text: `name: what-runs-here
dependencies:
  - name: api
    version: 0.0.0
  - name: web
    version: 0.0.0
replicas: 1
`,
		change: `NAME: "VALUE"`, value: "0.0.0-g.VALUE", at: `(name: NAME(?: #.*)*\n    version: )("?)([^"\s]*)("?)`,
	},
	{
		kind: "replace", path: "PLACE.tfvars", text: `# what runs here
api = "none"   # waybill: api
web = "none" # waybill: web
replicas = 1
`,
		change: `NAME: "VALUE"`, value: "VALUE", at: `(?m)^(NAME = )(")([^"]*)(")`,
	},
})

func compiled(all []Form) []Form {
	for i := range all {
		all[i].where = map[string]*regexp.Regexp{}
		for _, warehouse := range []string{"api", "web"} {
			all[i].where[warehouse] = regexp.MustCompile(strings.ReplaceAll(all[i].at, "NAME", warehouse))
		}
	}
	return all
}

// drawForm draws one of the forms, most often the plainest.
func drawForm(r *rand.Rand) *Form {
	if r.IntN(2) == 0 {
		return &forms[0]
	}
	return &forms[r.IntN(len(forms))]
}

// Says returns the value of a warehouse in a file, and whether the file has one.
func (f *Form) Says(text, warehouse string) (value string, there bool) {
	found := f.where[warehouse].FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	return found[3], true
}

// Writes returns the text that a promotion writes for freight of a value.
func (f *Form) Writes(value string) string { return strings.ReplaceAll(f.value, "VALUE", value) }

// With returns the file with another value of a warehouse, as a person writes it.
func (f *Form) With(text, warehouse, value string) string {
	return f.where[warehouse].ReplaceAllString(text, "${1}${2}"+strings.ReplaceAll(f.value, "VALUE", value)+"${4}")
}

// Beside returns a file without the value of a warehouse and the quotes around it.
func (f *Form) Beside(text, warehouse string) string {
	return f.where[warehouse].ReplaceAllString(text, "${1}")
}

// Touched returns a file in which a person has changed text that no promotion writes.
func (f *Form) Touched(text string, n int) string {
	if f.kind == "set" { // every line
		return strings.ReplaceAll(byHand.ReplaceAllString(text, ""), "\n", fmt.Sprintf(" # by hand %d\n", n))
	}
	return Replicas.ReplaceAllString(text, fmt.Sprintf("${1}%d", n))
}

var (
	Replicas = regexp.MustCompile(`(replicas\W+)\d+`)
	byHand   = regexp.MustCompile(`(?m) # by hand \d+$`)
)

// File returns the path of the file that promotions write for a stage, or for one of its targets.
func (s *Stage) File(target string) string {
	place := s.Name
	if target != "" {
		place += "/" + target
	}
	return strings.ReplaceAll(s.Form.path, "PLACE", place)
}

// changesFiles reports whether promotions into the stage change single files.
func (s *Stage) changesFiles() bool { return !s.Whole && !s.Starts }

// Places returns the targets of a stage, or one without a name if the stage has no targets.
func (s *Stage) Places() []string {
	if s.Rolls() {
		return s.Targets
	}
	return []string{""}
}

// Files returns the paths of all files that promotions write for a stage.
func (s *Stage) Files() (all []string) {
	if s.Passes || !s.changesFiles() {
		return nil
	}
	for _, target := range s.Places() {
		all = append(all, s.File(target))
	}
	return all
}

// StageOf returns the stage whose file has a path.
func StageOf(path string) string {
	if end := strings.IndexAny(path, "/."); end >= 0 {
		return path[:end]
	}
	return path
}

// TargetOf returns the target whose file has a path, of a stage that has targets.
func TargetOf(path string) string {
	_, rest, _ := strings.Cut(path, "/")
	return StageOf(rest)
}

// FormOf returns the form of a stage's file; nil if no form has such a path.
func FormOf(path string) (best *Form) {
	for i := range forms {
		end := strings.TrimPrefix(forms[i].path, "PLACE")
		if strings.HasSuffix(path, end) && (best == nil || len(end) > len(best.path)-len("PLACE")) {
			best = &forms[i]
		}
	}
	return best
}

// Lacking returns the files of stages that do not exist, each with its first text.
func (p *Pipeline) Lacking(there func(s *Stage, path string) bool) map[string]*string {
	files := map[string]*string{}
	for i := range p.Stages {
		s := &p.Stages[i]
		for _, path := range s.Files() {
			if !there(s, path) {
				files[path] = new(s.Form.text)
			}
		}
	}
	return files
}
