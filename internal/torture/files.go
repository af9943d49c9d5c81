package torture

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	"waybill/internal/githubsim"
)

// form is a kind of file that a stage may have, and of change that writes it. PLACE stands for the stage, or for one of
// its targets, NAME for a warehouse and VALUE for what is written.
type form struct {
	kind   string // as the pipeline file calls it
	path   string
	text   string                    // of the file before anything was promoted
	change string                    // of one value, as the pipeline file has it
	value  string                    // that is written there
	at     string                    // where it stands: a regexp with what is before it, perhaps a quote, the value, and perhaps a quote
	where  map[string]*regexp.Regexp // that of each warehouse
}

var forms = compiled([]form{
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

func compiled(all []form) []form {
	for i := range all {
		all[i].where = map[string]*regexp.Regexp{}
		for _, warehouse := range []string{"api", "web"} {
			all[i].where[warehouse] = regexp.MustCompile(strings.ReplaceAll(all[i].at, "NAME", warehouse))
		}
	}
	return all
}

// drawForm draws one of the forms, most often the plainest.
func drawForm(r *rand.Rand) *form {
	if r.IntN(2) == 0 {
		return &forms[0]
	}
	return &forms[r.IntN(len(forms))]
}

// says is the value of a warehouse in a file, and whether there is one.
func (f *form) says(text, warehouse string) (value string, there bool) {
	found := f.where[warehouse].FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	return found[3], true
}

// writes is what a promotion writes of freight of a value.
func (f *form) writes(value string) string { return strings.ReplaceAll(f.value, "VALUE", value) }

// with returns the file with another value of a warehouse, as a person writes it.
func (f *form) with(text, warehouse, value string) string {
	return f.where[warehouse].ReplaceAllString(text, "${1}${2}"+strings.ReplaceAll(f.value, "VALUE", value)+"${4}")
}

// beside returns all of a file but the value of a warehouse and the quotes around it.
func (f *form) beside(text, warehouse string) string {
	return f.where[warehouse].ReplaceAllString(text, "${1}")
}

// touched returns a file in which a person has changed what no promotion writes.
func (f *form) touched(text string, n int) string {
	if f.kind == "set" { // every line
		return strings.ReplaceAll(byHand.ReplaceAllString(text, ""), "\n", fmt.Sprintf(" # by hand %d\n", n))
	}
	return replicas.ReplaceAllString(text, fmt.Sprintf("${1}%d", n))
}

var (
	replicas = regexp.MustCompile(`(replicas\W+)\d+`)
	byHand   = regexp.MustCompile(`(?m) # by hand \d+$`)
)

// file is what promotions write in a stage, or in one of its targets.
func (s *stage) file(target string) string {
	place := s.name
	if target != "" {
		place += "/" + target
	}
	return strings.ReplaceAll(s.form.path, "PLACE", place)
}

// changesFiles reports whether promotions into the stage change single files.
func (s *stage) changesFiles() bool { return !s.whole && !s.starts }

// places are the targets of a stage; one without a name if it has none.
func (s *stage) places() []string {
	if s.rolls() {
		return s.targets
	}
	return []string{""}
}

// files are all that promotions write in a stage.
func (s *stage) files() (all []string) {
	if s.passes || !s.changesFiles() {
		return nil
	}
	for _, target := range s.places() {
		all = append(all, s.file(target))
	}
	return all
}

// stageOf is the stage whose file a path would be.
func stageOf(path string) string {
	if end := strings.IndexAny(path, "/."); end >= 0 {
		return path[:end]
	}
	return path
}

// targetOf is the target whose file a path would be, of a stage that has targets.
func targetOf(path string) string {
	_, rest, _ := strings.Cut(path, "/")
	return stageOf(rest)
}

// formOf is the form of a stage's file; nil if it is none.
func formOf(path string) (best *form) {
	for i := range forms {
		end := strings.TrimPrefix(forms[i].path, "PLACE")
		if strings.HasSuffix(path, end) && (best == nil || len(end) > len(best.path)-len("PLACE")) {
			best = &forms[i]
		}
	}
	return best
}

// lacking are those files of the stages that are not there.
func (p *pipeline) lacking(there func(s *stage, path string) bool) map[string]*string {
	files := map[string]*string{}
	for i := range p.stages {
		s := &p.stages[i]
		for _, path := range s.files() {
			if !there(s, path) {
				files[path] = githubsim.Text(s.form.text)
			}
		}
	}
	return files
}
