package torture

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"waybill/handlers"
	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// publish brings something about that one warehouse takes, several, or none.
func (d *Developer) publish(a Act) {
	if len(d.unbuilt) > 0 && a.B%4 == 3 {
		d.buildImages()
		return
	}
	defer d.buildSome(a)
	all := d.checkout.pipeline.Warehouses
	switch first := all[a.A%len(all)]; d.checkout.pipeline.Kinds[first] {
	case "pull-requests":
		d.mergeSource(a, first)
	case "pushes":
		d.pushSource(a, first)
	case "releases":
		d.release(a, first)
	case "tags":
		d.pushTag(a, first)
	case "reports":
		d.reportBuild(a, first)
	}
}

// buildSome has CI build the images of what was brought about, unless it takes its time.
func (d *Developer) buildSome(a Act) {
	if a.C%4 != 3 {
		d.buildImages()
	}
}

// buildImages has CI push the images that are still to be made.
func (d *Developer) buildImages() {
	for _, s := range d.unbuilt {
		for _, warehouse := range s.warehouses {
			if d.checkout.pipeline.Built[warehouse] {
				d.pushImage(s, warehouse)
			}
		}
	}
	d.unbuilt = nil
}

func (d *Developer) pushImage(s source, warehouse string) {
	sum := sha256.Sum256([]byte(s.sha + warehouse))
	spec := githubsim.ImageSpec{Name: warehouse, Tags: []string{s.sha}, Digest: "sha256:" + hex.EncodeToString(sum[:])}
	if s.nth%3 == 0 { // it moves
		spec.Tags, spec.Labels = []string{"latest"}, map[string]string{"org.opencontainers.image.revision": s.sha}
	}
	err := d.github.PushImage(s.repo, "ann", spec)
	d.sources.images[s.name(warehouse)] = true
	d.log.note("  CI pushes the image of %s: %v", s.name(warehouse), err)
	d.log.told.prose("(CI pushes the image of %s)", s.name(warehouse))
}

// happened adds what people or CI have brought about.
func (d *Developer) happened(s source, what string) {
	s.at = time.Now().Truncate(time.Second)
	d.sources.sources = append(d.sources.sources, s)
	d.unbuilt = append(d.unbuilt, s)
	d.log.note("  %s %s in %s (%.7s) for %v", s.author, what, s.repo, s.sha, s.warehouses)
	d.log.told.prose("(%s %s in %s)", s.author, what, s.repo)
}

// mergeSource merges a pull request of a person, which one or all warehouses take, or none.
func (d *Developer) mergeSource(a Act, first string) {
	all := []string{first}
	if a.B%4 == 0 {
		all = d.checkout.pipeline.Warehouses
	}
	d.made++
	repo, n := d.checkout.pipeline.Sources[first], d.made
	files, taken := map[string]*string{}, []string{}
	for _, wh := range all {
		if d.checkout.pipeline.Sources[wh] == repo && d.checkout.pipeline.Kinds[wh] == "pull-requests" && a.B%11 != 10 {
			files[fmt.Sprintf("%s/%d", wh, n)] = githubsim.Text("x\n")
			taken = append(taken, wh)
		}
	}
	if len(files) == 0 {
		files[fmt.Sprintf("docs/%d", n)] = githubsim.Text("x\n")
	}
	author := []string{"ann", "bob"}[a.C%2]
	number, err := d.github.OpenPull(repo, githubsim.PullSpec{Title: fmt.Sprintf("Change %d", n), Head: fmt.Sprintf("change-%d", n), Author: author, Files: files})
	if err != nil {
		d.log.broken("people can work", "open: %v", err)
		return
	}
	sha, err := d.github.MergePull(repo, number, "bob", "squash")
	if err != nil {
		d.log.broken("people can work", "merge: %v", err)
		return
	}
	d.log.note("  %s merges %s#%d for %v", author, repo, number, taken)
	d.log.told.happening("merge %s by %s", where(repo, number), author)
	d.sources.sources = append(d.sources.sources, source{
		warehouses: taken, kind: "pull-requests", repo: repo, number: number, sha: sha, author: author, at: time.Now().Truncate(time.Second), nth: n,
	})
	d.unbuilt = append(d.unbuilt, d.sources.sources[len(d.sources.sources)-1])
}

// commit has a person push to the branch of a warehouse.
func (d *Developer) commit(warehouse, folder, author string) (sha string) {
	d.made++
	sha, err := d.github.PushFiles(d.checkout.pipeline.Sources[warehouse], "main", author, "Work", map[string]*string{
		fmt.Sprintf("%s/%d", folder, d.made): githubsim.Text("x\n"),
	})
	if err != nil {
		d.log.broken("people can work", "push: %v", err)
	}
	return sha
}

// work is something of a warehouse that a person has committed just now, with the next version.
func (d *Developer) work(a Act, warehouse string) source {
	author := []string{"ann", "bob"}[a.C%2]
	sha := d.commit(warehouse, warehouse, author)
	version := fmt.Sprintf("1.0.%d", d.made)
	return source{
		warehouses: []string{warehouse}, kind: d.checkout.pipeline.Kinds[warehouse], repo: d.checkout.pipeline.Sources[warehouse], author: author,
		sha: sha, tag: warehouse + "/v" + version, version: version, nth: d.made,
	}
}

// pushSource has a person push to the branch of a warehouse what it takes, or what it does not.
func (d *Developer) pushSource(a Act, warehouse string) {
	if a.B%7 == 6 {
		d.log.note("  ann pushes what is no freight: %.7s", d.commit(warehouse, "docs", "ann"))
		return
	}
	s := d.work(a, warehouse)
	s.tag, s.version = "", ""
	d.happened(s, "pushes")
}

// release has a person publish a release, or something that is none yet, or not for long.
func (d *Developer) release(a Act, warehouse string) {
	if len(d.unripe) > 0 && a.B%3 == 0 {
		d.ripen()
		return
	}
	s, err := d.work(a, warehouse), error(nil)
	switch a.B % 9 {
	case 5, 6:
		draft := a.B%9 == 5
		if draft {
			err = d.github.DraftRelease(s.repo, s.author, s.tag)
		} else {
			err = d.github.PublishRelease(s.repo, s.author, s.tag, true)
		}
		d.log.note("  %s makes a release of %s that is none yet, draft=%t: %v", s.author, s.tag, draft, err)
		s.at = time.Now().Truncate(time.Second)
		d.unripe = append(d.unripe, unripe{s, draft})
	case 7:
		err = d.github.PublishRelease(s.repo, s.author, "latest-"+s.version, false)
		d.log.note("  %s publishes a release that is no version: %v", s.author, err)
	case 8:
		if err = d.github.PublishRelease(s.repo, s.author, s.tag, false); err == nil {
			err = d.github.DeleteRelease(s.repo, s.tag)
		}
		s.doubtful = true
		d.happened(s, "publishes "+s.tag+" and takes it back")
	default:
		err = d.github.PublishRelease(s.repo, s.author, s.tag, false)
		d.happened(s, "publishes "+s.tag)
	}
	if err != nil {
		d.log.broken("people can work", "release: %v", err)
	}
}

// unripe is a release that is a draft or a pre-release.
type unripe struct {
	source
	draft bool
}

// ripen has a person make a release of what was none yet. A draft is published only now, on what is the newest commit
// now.
func (d *Developer) ripen() {
	s := d.unripe[0]
	d.unripe = d.unripe[1:]
	if err := d.github.EditRelease(s.repo, s.tag, false); err != nil {
		d.log.broken("people can work", "release: %v", err)
	}
	published := s.at
	if s.draft {
		s.sha, published = d.github.Head(s.repo, "main"), time.Now().Truncate(time.Second)
	}
	d.happened(s.source, "makes a release of "+s.tag)
	d.sources.sources[len(d.sources.sources)-1].at = published
}

// pushTag has a person push a tag, or one that is no version, or move one that the program knows.
func (d *Developer) pushTag(a Act, warehouse string) {
	s, what := d.work(a, warehouse), "pushes the tag "
	known := d.db.texts(`SELECT name FROM freight WHERE warehouse = ?`, warehouse)
	switch {
	case a.B%7 == 6:
		s.tag, s.warehouses = "v1", nil
	case a.B%7 == 5 && len(known) > 0:
		s.tag, s.warehouses, what = strings.TrimPrefix(known[0], warehouse+"@"), nil, "moves the tag "
	}
	if err := d.github.PushTag(s.repo, s.author, s.tag, s.sha); err != nil {
		d.log.broken("people can work", "tag: %v", err)
	}
	if s.warehouses == nil {
		d.log.note("  %s %s%s", s.author, what, s.tag)
		return
	}
	d.happened(s, what+s.tag)
}

// reportBuild has CI report what it has made, and again if it does not know whether it was heard.
func (d *Developer) reportBuild(a Act, warehouse string) {
	s := d.work(a, warehouse)
	if a.C%5 == 4 {
		d.dispatchReport(s)
		return
	}
	status := d.apiUser.tell(s)
	if status/100 != 2 || a.B%5 == 0 {
		status = d.apiUser.tell(s)
	}
	s.doubtful = status/100 != 2
	d.happened(s, fmt.Sprintf("has CI report %s: %d", s.version, status))
}

// dispatchReport has CI report what it has made by a repository_dispatch. Of one that is lost nobody knows, and one
// that comes late is in the order in which it comes.
func (d *Developer) dispatchReport(s source) {
	err := d.github.Dispatch(s.repo, s.author, handlers.ReportDispatch, map[string]any{
		"warehouse": s.warehouses[0], "version": s.version, "commit": s.sha, "pipeline": shape.Home,
	})
	s.doubtful = true
	d.happened(s, fmt.Sprintf("has CI dispatch a report of %s: %v", s.version, err))
}

// Developer is who brings about what becomes freight.
type Developer struct {
	apiUser  *APIUser
	checkout *Checkout
	db       *Database
	github   *githubsim.Server
	log      *Journal
	sources  *Sources

	made    int      // how many things have been brought about
	unripe  []unripe // releases that are none yet
	unbuilt []source // of what images are still to be pushed
}
