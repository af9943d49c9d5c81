package torture

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"waybill/app/api"
	"waybill/handlers"
	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
	"waybill/internal/wireless"
)

// source is something that people or CI have brought about and that is freight: a merged pull request, a push, a
// release, a tag or a report.
type source struct {
	warehouses []string
	kind       string // of the warehouse, as the pipeline file calls it
	repo       string
	number     int // of the pull request, if it is one
	sha        string
	tag        string // of a release or tag
	version    string // of those and of a report
	author     string
	at         time.Time // by which it is in order
	nth        int       // of the same second
	doubtful   bool      // it may be freight or not: it was taken back, or nobody knows whether it was told
}

// name is what freight of a source is called in a warehouse.
func (s source) name(warehouse string) string {
	switch s.kind {
	case "pushes":
		return warehouse + "@" + s.sha[:10]
	case "releases", "tags":
		return warehouse + "@" + s.tag
	case "reports":
		return warehouse + "@" + s.version
	}
	return fmt.Sprintf("%s#%d", warehouse, s.number)
}

// ref is what commands call it by.
func (s source) ref() string {
	if s.number == 0 && len(s.warehouses) > 0 {
		return s.name(s.warehouses[0])
	}
	return fmt.Sprintf("#%d", s.number)
}

// value is what stages write of it.
func (s source) value() string {
	if s.version != "" {
		return s.version
	}
	return s.sha[:7]
}

// sourceOf returns what a promotion promotes.
func (w *World) sourceOf(p promo) (source, bool) {
	for _, s := range w.sources {
		if slices.Contains(s.warehouses, p.warehouse) && s.name(p.warehouse) == p.name {
			return s, true
		}
	}
	return source{}, false
}

// publish brings something about that one warehouse takes, several, or none.
func (w *World) publish(a Act) {
	if len(w.unbuilt) > 0 && a.B%4 == 3 {
		w.buildImages()
		return
	}
	defer w.buildSome(a)
	all := w.pipeline.Warehouses
	switch first := all[a.A%len(all)]; w.pipeline.Kinds[first] {
	case "pull-requests":
		w.mergeSource(a, first)
	case "pushes":
		w.pushSource(a, first)
	case "releases":
		w.release(a, first)
	case "tags":
		w.pushTag(a, first)
	case "reports":
		w.reportBuild(a, first)
	}
}

// buildSome has CI build the images of what was brought about, unless it takes its time.
func (w *World) buildSome(a Act) {
	if a.C%4 != 3 {
		w.buildImages()
	}
}

// buildImages has CI push the images that are still to be made.
func (w *World) buildImages() {
	for _, s := range w.unbuilt {
		for _, warehouse := range s.warehouses {
			if w.pipeline.Built[warehouse] {
				w.pushImage(s, warehouse)
			}
		}
	}
	w.unbuilt = nil
}

func (w *World) pushImage(s source, warehouse string) {
	sum := sha256.Sum256([]byte(s.sha + warehouse))
	spec := githubsim.ImageSpec{Name: warehouse, Tags: []string{s.sha}, Digest: "sha256:" + hex.EncodeToString(sum[:])}
	if s.nth%3 == 0 { // it moves
		spec.Tags, spec.Labels = []string{"latest"}, map[string]string{"org.opencontainers.image.revision": s.sha}
	}
	err := w.github.PushImage(s.repo, "ann", spec)
	w.images[s.name(warehouse)] = true
	w.note("  CI pushes the image of %s: %v", s.name(warehouse), err)
	w.told.prose("(CI pushes the image of %s)", s.name(warehouse))
}

// checkBuilt: what waits for an image goes nowhere before it has one.
func (w *World) checkBuilt(p promo) {
	if w.pipeline.Built[p.warehouse] && !w.images[p.name] {
		w.broken("freight goes nowhere without its image", "p%d of %s in %s", p.number, p.name, p.stage)
	}
}

// happened adds what people or CI have brought about.
func (w *World) happened(s source, what string) {
	s.at = time.Now().Truncate(time.Second)
	w.sources = append(w.sources, s)
	w.unbuilt = append(w.unbuilt, s)
	w.note("  %s %s in %s (%.7s) for %v", s.author, what, s.repo, s.sha, s.warehouses)
	w.told.prose("(%s %s in %s)", s.author, what, s.repo)
}

// mergeSource merges a pull request of a person, which one or all warehouses take, or none.
func (w *World) mergeSource(a Act, first string) {
	all := []string{first}
	if a.B%4 == 0 {
		all = w.pipeline.Warehouses
	}
	w.made++
	repo, n := w.pipeline.Sources[first], w.made
	files, taken := map[string]*string{}, []string{}
	for _, wh := range all {
		if w.pipeline.Sources[wh] == repo && w.pipeline.Kinds[wh] == "pull-requests" && a.B%11 != 10 {
			files[fmt.Sprintf("%s/%d", wh, n)] = githubsim.Text("x\n")
			taken = append(taken, wh)
		}
	}
	if len(files) == 0 {
		files[fmt.Sprintf("docs/%d", n)] = githubsim.Text("x\n")
	}
	author := []string{"ann", "bob"}[a.C%2]
	number, err := w.github.OpenPull(repo, githubsim.PullSpec{Title: fmt.Sprintf("Change %d", n), Head: fmt.Sprintf("change-%d", n), Author: author, Files: files})
	if err != nil {
		w.broken("people can work", "open: %v", err)
		return
	}
	sha, err := w.github.MergePull(repo, number, "bob", "squash")
	if err != nil {
		w.broken("people can work", "merge: %v", err)
		return
	}
	w.note("  %s merges %s#%d for %v", author, repo, number, taken)
	w.told.happening("merge %s by %s", where(repo, number), author)
	w.sources = append(w.sources, source{
		warehouses: taken, kind: "pull-requests", repo: repo, number: number, sha: sha, author: author, at: time.Now().Truncate(time.Second), nth: n,
	})
	w.unbuilt = append(w.unbuilt, w.sources[len(w.sources)-1])
}

// commit has a person push to the branch of a warehouse.
func (w *World) commit(warehouse, folder, author string) (sha string) {
	w.made++
	sha, err := w.github.PushFiles(w.pipeline.Sources[warehouse], "main", author, "Work", map[string]*string{
		fmt.Sprintf("%s/%d", folder, w.made): githubsim.Text("x\n"),
	})
	if err != nil {
		w.broken("people can work", "push: %v", err)
	}
	return sha
}

// work is something of a warehouse that a person has committed just now, with the next version.
func (w *World) work(a Act, warehouse string) source {
	author := []string{"ann", "bob"}[a.C%2]
	sha := w.commit(warehouse, warehouse, author)
	version := fmt.Sprintf("1.0.%d", w.made)
	return source{
		warehouses: []string{warehouse}, kind: w.pipeline.Kinds[warehouse], repo: w.pipeline.Sources[warehouse], author: author,
		sha: sha, tag: warehouse + "/v" + version, version: version, nth: w.made,
	}
}

// pushSource has a person push to the branch of a warehouse what it takes, or what it does not.
func (w *World) pushSource(a Act, warehouse string) {
	if a.B%7 == 6 {
		w.note("  ann pushes what is no freight: %.7s", w.commit(warehouse, "docs", "ann"))
		return
	}
	s := w.work(a, warehouse)
	s.tag, s.version = "", ""
	w.happened(s, "pushes")
}

// release has a person publish a release, or something that is none yet, or not for long.
func (w *World) release(a Act, warehouse string) {
	if len(w.unripe) > 0 && a.B%3 == 0 {
		w.ripen()
		return
	}
	s, err := w.work(a, warehouse), error(nil)
	switch a.B % 9 {
	case 5, 6:
		draft := a.B%9 == 5
		if draft {
			err = w.github.DraftRelease(s.repo, s.author, s.tag)
		} else {
			err = w.github.PublishRelease(s.repo, s.author, s.tag, true)
		}
		w.note("  %s makes a release of %s that is none yet, draft=%t: %v", s.author, s.tag, draft, err)
		s.at = time.Now().Truncate(time.Second)
		w.unripe = append(w.unripe, unripe{s, draft})
	case 7:
		err = w.github.PublishRelease(s.repo, s.author, "latest-"+s.version, false)
		w.note("  %s publishes a release that is no version: %v", s.author, err)
	case 8:
		if err = w.github.PublishRelease(s.repo, s.author, s.tag, false); err == nil {
			err = w.github.DeleteRelease(s.repo, s.tag)
		}
		s.doubtful = true
		w.happened(s, "publishes "+s.tag+" and takes it back")
	default:
		err = w.github.PublishRelease(s.repo, s.author, s.tag, false)
		w.happened(s, "publishes "+s.tag)
	}
	if err != nil {
		w.broken("people can work", "release: %v", err)
	}
}

// unripe is a release that is a draft or a pre-release.
type unripe struct {
	source
	draft bool
}

// ripen has a person make a release of what was none yet. A draft is published only now, on what is the newest commit
// now.
func (w *World) ripen() {
	s := w.unripe[0]
	w.unripe = w.unripe[1:]
	if err := w.github.EditRelease(s.repo, s.tag, false); err != nil {
		w.broken("people can work", "release: %v", err)
	}
	published := s.at
	if s.draft {
		s.sha, published = w.github.Head(s.repo, "main"), time.Now().Truncate(time.Second)
	}
	w.happened(s.source, "makes a release of "+s.tag)
	w.sources[len(w.sources)-1].at = published
}

// pushTag has a person push a tag, or one that is no version, or move one that the program knows.
func (w *World) pushTag(a Act, warehouse string) {
	s, what := w.work(a, warehouse), "pushes the tag "
	known := w.texts(`SELECT name FROM freight WHERE warehouse = ?`, warehouse)
	switch {
	case a.B%7 == 6:
		s.tag, s.warehouses = "v1", nil
	case a.B%7 == 5 && len(known) > 0:
		s.tag, s.warehouses, what = strings.TrimPrefix(known[0], warehouse+"@"), nil, "moves the tag "
	}
	if err := w.github.PushTag(s.repo, s.author, s.tag, s.sha); err != nil {
		w.broken("people can work", "tag: %v", err)
	}
	if s.warehouses == nil {
		w.note("  %s %s%s", s.author, what, s.tag)
		return
	}
	w.happened(s, what+s.tag)
}

// reportBuild has CI report what it has made, and again if it does not know whether it was heard.
func (w *World) reportBuild(a Act, warehouse string) {
	s := w.work(a, warehouse)
	if a.C%5 == 4 {
		w.dispatchReport(s)
		return
	}
	status := w.tell(s)
	if status/100 != 2 || a.B%5 == 0 {
		status = w.tell(s)
	}
	s.doubtful = status/100 != 2
	w.happened(s, fmt.Sprintf("has CI report %s: %d", s.version, status))
}

// dispatchReport has CI report what it has made by a repository_dispatch. Of one that is lost nobody knows, and one
// that comes late is in the order in which it comes.
func (w *World) dispatchReport(s source) {
	err := w.github.Dispatch(s.repo, s.author, handlers.ReportDispatch, map[string]any{
		"warehouse": s.warehouses[0], "version": s.version, "commit": s.sha, "pipeline": shape.Home,
	})
	s.doubtful = true
	w.happened(s, fmt.Sprintf("has CI dispatch a report of %s: %v", s.version, err))
}

// tell reports what CI has made over the API, and returns the answer's status; 0 if there is none.
func (w *World) tell(s source) int {
	ctx, cancel := context.WithTimeout(w.program.ctx, time.Minute)
	defer cancel()
	body, err := json.Marshal(api.Report{Warehouse: s.warehouses[0], Version: s.version, Commit: s.sha})
	if err != nil {
		w.broken("people can work", "%v", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, publicURL+"/api/v1/pipelines/"+shape.Home+"/freight", strings.NewReader(string(body)))
	if err != nil {
		w.broken("people can work", "%v", err)
		return 0
	}
	r.Header.Set("Authorization", "Bearer "+w.tokens[ci])
	answer, err := wireless.Answer(w.program.service.Handler(), r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// checkFreight: what has been brought about is freight once, of what it was first, and in its order; and nothing else
// is. Complete says that the program can know of all of it.
func (w *World) checkFreight(complete bool) {
	for _, warehouse := range w.pipeline.Warehouses {
		var are, want []string
		may := map[string]source{}
		for _, s := range w.inOrder(warehouse) {
			may[s.name(warehouse)] = s
			if !s.doubtful {
				want = append(want, s.name(warehouse)+" "+s.sha)
			}
		}
		for _, row := range w.texts(`SELECT name || ' ' || sha FROM freight WHERE warehouse = ? ORDER BY merged_at, number`, warehouse) {
			name, sha, _ := strings.Cut(row, " ")
			if s, is := may[name]; !is || s.sha != sha {
				w.broken("nothing else is freight", "%s in %s", row, warehouse)
			} else if !s.doubtful {
				are = append(are, row)
			}
		}
		if complete && !slices.Equal(are, want) {
			w.broken("everything is freight once, in its order", "%s has\n%s\ninstead of\n%s", warehouse, strings.Join(are, "\n"), strings.Join(want, "\n"))
		}
	}
}

// inOrder lists what a warehouse takes, the oldest first.
func (w *World) inOrder(warehouse string) []source {
	all := slices.DeleteFunc(slices.Clone(w.sources), func(s source) bool { return !slices.Contains(s.warehouses, warehouse) })
	slices.SortFunc(all, func(a, b source) int { return cmp.Or(a.at.Compare(b.at), a.nth-b.nth) })
	return all
}
