package shape

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// Form is a kind of file that a stage may have, and of change that writes it. PLACE stands for the stage, or for one of
// its targets, NAME for a warehouse and VALUE for what is written.
type Form struct {
	kind   string // as the pipeline file calls it
	path   string
	text   string                    // of the file before anything was promoted
	change string                    // of one value, as the pipeline file has it
	value  string                    // that is written there
	at     string                    // where it stands: a regexp with what is before it, perhaps a quote, the value, and perhaps a quote
	where  map[string]*regexp.Regexp // that of each warehouse
}

var forms = compiled([]Form{
	{"set", "PLACE.yaml", "# what runs here\napi: none\nweb: none\nreplicas: 1\n", `NAME: "VALUE"`, "VALUE", `(?m)^(NAME: )("?)([^"\s]*)("?)`, nil},
	{"json", "PLACE.json", "{\n  \"about\": \"what runs here\",\n  \"api\": \"none\",\n  \"web\": \"none\",\n  \"replicas\": 1\n}\n", `NAME: "VALUE"`, "VALUE",
		`("NAME": )(")([^"]*)(")`, nil},
	{"kustomize", "PLACE/kustomization.yaml", "# what runs here\nimages:\n- name: api\n  newTag: none\n- name: web # the other one\n  newTag: none\nreplicas: 1\n",
		`NAME: {newTag: "VALUE"}`, "VALUE", `(name: NAME(?: #.*)*\n  newTag: )("?)([^"\s]*)("?)`, nil},
	{"helm", "PLACE/Chart.yaml", "name: what-runs-here\ndependencies:\n  - name: api\n    version: 0.0.0\n  - name: web\n    version: 0.0.0\nreplicas: 1\n",
		`NAME: "VALUE"`, "0.0.0-g.VALUE", `(name: NAME(?: #.*)*\n    version: )("?)([^"\s]*)("?)`, nil},
	{"replace", "PLACE.tfvars", "# what runs here\napi = \"none\"   # waybill: api\nweb = \"none\" # waybill: web\nreplicas = 1\n", `NAME: "VALUE"`, "VALUE",
		`(?m)^(NAME = )(")([^"]*)(")`, nil},
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

// Says is the value of a warehouse in a file, and whether there is one.
func (f *Form) Says(text, warehouse string) (value string, there bool) {
	found := f.where[warehouse].FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	return found[3], true
}

// Writes is what a promotion writes of freight of a value.
func (f *Form) Writes(value string) string { return strings.ReplaceAll(f.value, "VALUE", value) }

// With returns the file with another value of a warehouse, as a person writes it.
func (f *Form) With(text, warehouse, value string) string {
	return f.where[warehouse].ReplaceAllString(text, "${1}${2}"+strings.ReplaceAll(f.value, "VALUE", value)+"${4}")
}

// Beside returns all of a file but the value of a warehouse and the quotes around it.
func (f *Form) Beside(text, warehouse string) string {
	return f.where[warehouse].ReplaceAllString(text, "${1}")
}

// Touched returns a file in which a person has changed what no promotion writes.
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

// File is what promotions write in a stage, or in one of its targets.
func (s *Stage) File(target string) string {
	place := s.Name
	if target != "" {
		place += "/" + target
	}
	return strings.ReplaceAll(s.Form.path, "PLACE", place)
}

// changesFiles reports whether promotions into the stage change single files.
func (s *Stage) changesFiles() bool { return !s.Whole && !s.Starts }

// Places are the targets of a stage; one without a name if it has none.
func (s *Stage) Places() []string {
	if s.Rolls() {
		return s.Targets
	}
	return []string{""}
}

// Files are all that promotions write in a stage.
func (s *Stage) Files() (all []string) {
	if s.Passes || !s.changesFiles() {
		return nil
	}
	for _, target := range s.Places() {
		all = append(all, s.File(target))
	}
	return all
}

// StageOf is the stage whose file a path would be.
func StageOf(path string) string {
	if end := strings.IndexAny(path, "/."); end >= 0 {
		return path[:end]
	}
	return path
}

// TargetOf is the target whose file a path would be, of a stage that has targets.
func TargetOf(path string) string {
	_, rest, _ := strings.Cut(path, "/")
	return StageOf(rest)
}

// FormOf is the form of a stage's file; nil if it is none.
func FormOf(path string) (best *Form) {
	for i := range forms {
		end := strings.TrimPrefix(forms[i].path, "PLACE")
		if strings.HasSuffix(path, end) && (best == nil || len(end) > len(best.path)-len("PLACE")) {
			best = &forms[i]
		}
	}
	return best
}

// Lacking are those files of the stages that are not there.
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
