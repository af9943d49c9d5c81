package config

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"waybill/promotion"
)

// reserved are names that mean something else between ${ and }.
var reserved = []string{"stage", "target"}

func compileWarehouse(r *reader, e entry[warehouseFile], home promotion.Branch) *promotion.Warehouse {
	if name := own(r.report.part(e.key), e.name); slices.Contains(reserved, name) {
		r.errorf(e.key, "%s cannot be the name of a warehouse: ${%s} means something else; "+
			"choose another name", quote(name), name)
	}
	w := &promotion.Warehouse{Name: promotion.WarehouseName(e.name)}
	switch f := e.value; {
	case f.pushes.given():
		w.Kind = promotion.FromPushes
		compilePushes(r.key("pushes"), w, f.pushes.value, home)
	case f.reports.given():
		w.Kind = promotion.FromReports
		compileReports(r.key("reports"), w, f.reports.value, home)
	case f.releases.given():
		w.Kind = promotion.FromReleases
		compileVersions(r.key("releases"), w, f.releases.value, home.Repo)
	case f.tags.given():
		w.Kind = promotion.FromTags
		compileVersions(r.key("tags"), w, f.tags.value, home.Repo)
	default:
		w.Kind = promotion.FromPulls
		compilePulls(r.key("pull-requests"), w, f.pullRequests.value, home)
	}
	compileImages(r, w, e.value)
	return w
}

func compilePulls(r *reader, w *promotion.Warehouse, f pullRequestsFile, home promotion.Branch) {
	compilePushes(r, w, f.pushesFile, home)
	for i, l := range f.labels.value {
		if l.good() && strings.TrimPrefix(l.value, "!") == "" {
			r.key("labels").element(i).errorf(l.at, "! must be followed by a label")
		}
		w.Labels = append(w.Labels, l.value)
	}
}

// compilePushes works out which branch a warehouse looks at, and which files of it.
func compilePushes(r *reader, w *promotion.Warehouse, f pushesFile, home promotion.Branch) {
	w.Repo = promotion.Repo(f.repo.or(string(home.Repo)))
	w.Branch = f.branch.or(home.Name)
	if f.branch.good() && strings.HasPrefix(w.Branch, "refs/") {
		r.errorf(f.branch.at, "branch must be the name of a branch; write %s",
			quote(strings.TrimPrefix(w.Branch, "refs/heads/")))
	}
	for i, p := range f.paths.value {
		if p.good() && goodGlob(r.key("paths").element(i), p) {
			w.Paths = append(w.Paths, p.value)
		}
	}
}

// A glob is compared with every file of every pull request, and each brace doubles the ways to do it.
const (
	maxGlob   = 300
	maxBraces = 4
)

// goodGlob judges a glob of paths. They are compared with paths as Git has them: without a leading slash or dot.
func goodGlob(r *reader, p found[string]) bool {
	glob := strings.TrimPrefix(p.value, "!")
	switch {
	case glob == "":
		r.errorf(p.at, "! must be followed by a glob of paths")
	case len(glob) > maxGlob || strings.Count(glob, "{") > maxBraces:
		r.errorf(p.at, "%s is too long: a glob has at most %d characters and %d braces; use several globs", quote(glob),
			maxGlob, maxBraces)
	case !doublestar.ValidatePattern(glob):
		r.errorf(p.at, "%s is not a glob: a bracket or brace is not closed, or a backslash ends it", quote(glob))
	case strings.HasPrefix(glob, "/") || strings.HasPrefix(glob, "./") || strings.HasPrefix(glob, "../"):
		r.errorf(p.at, "%s matches no file: paths begin at the root of the repository, without / or . before them",
			quote(glob))
	case strings.HasSuffix(glob, "/"):
		r.errorf(p.at, "%s matches no file; write %s for all files below it", quote(glob), quote(glob+"**"))
	default:
		return true
	}
	return false
}

// maxGlobbed bounds how many times a glob is compared with a stage's file.
const maxGlobbed = 1_000_000

// separate keeps the files of stages out of the warehouses that look at the branch that they are on: else Waybill's own
// pull requests would become freight.
func separate(p *promotion.Pipeline, file *pipelineFile, r *reader) {
	comparisons := 0
	for i, w := range p.Warehouses {
		f := file.warehouses.value[i].value.branch()
		if f == nil {
			continue
		}
		files, folders := changedFiles(p, w), copiedFolders(p, w)
		if !f.paths.given() {
			w.Except = slices.Concat(files, folders)
			continue
		}
		if comparisons += len(w.Paths) * (len(files) + len(folders)); comparisons > maxGlobbed {
			r.key("warehouses").errorf(f.paths.at,
				"there are too many globs of paths for the %d files that the stages change; use fewer", len(files))
			return
		}
		if f.paths.good() {
			at := r.key("warehouses").key(string(w.Name)).key(string(w.Kind)).key("paths")
			takenIn(at, w, f.paths, files, folders)
		}
		w.Except = folders // the files there are not known beforehand
	}
}

// reaches reports whether a warehouse looks at a branch that holds files of stages, as far as it is known which branch
// that is.
func reaches(w *promotion.Warehouse, on promotion.Branch) bool {
	return w.Repo == on.Repo && (w.Branch == on.Name || on.Name == "" || w.Branch == "")
}

// branch returns which branch makes freight; nil if none does.
func (f *warehouseFile) branch() *pushesFile {
	switch {
	case f.pushes.given():
		return &f.pushes.value
	case f.pullRequests.given():
		return &f.pullRequests.value.pushesFile
	}
	return nil
}

// changedFiles returns the files that stages change on the branch that a warehouse looks at, each once.
func changedFiles(p *promotion.Pipeline, w *promotion.Warehouse) []string {
	var files []string
	seen := make(map[string]bool)
	for _, s := range p.Stages {
		for _, change := range s.Changes() {
			if reaches(w, p.FilesOn(s, change.Files)) && !seen[change.Path] {
				seen[change.Path] = true
				files = append(files, change.Path)
			}
		}
	}
	return files
}

// copiedFolders returns the folders that stages copy to that branch, each once.
func copiedFolders(p *promotion.Pipeline, w *promotion.Warehouse) (folders []string) {
	seen := make(map[string]bool)
	for _, s := range p.Stages {
		for _, one := range s.Copies() {
			if reaches(w, p.FilesOn(s, one.Files)) && !seen[one.Path] {
				seen[one.Path] = true
				folders = append(folders, one.Path)
			}
		}
	}
	return folders
}

// takenIn reports the first stage's file that a warehouse's globs take in, or the first folder of which they take in
// everything.
func takenIn(r *reader, w *promotion.Warehouse, paths found[[]found[string]], files, folders []string) {
	for _, folder := range folders {
		files = append(slices.Clip(files), folder+"/**")
	}
	i := slices.IndexFunc(files, w.WantsFile)
	if i < 0 {
		return
	}
	at := paths.at
	for _, p := range paths.value {
		if doublestar.MatchUnvalidated(p.value, files[i]) {
			at = p.at
			break
		}
	}
	r.errorf(at, "%s, which a stage changes, would be taken in, and Waybill's own pull requests would become "+
		"freight; exclude it with %s",
		quote(files[i]), quote("!"+files[i]))
}
