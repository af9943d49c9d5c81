package act

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"waybill/handlers"
	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// Developer produces the sources of freight.
type Developer struct {
	apiUser  *APIUser
	checkout *ledger.Checkout
	db       *ledger.Database
	github   *githubsim.Server
	log      *ledger.Journal
	sources  *ledger.Sources

	made    int             // counts the sources, to number them
	unripe  []unripe        // drafts and pre-releases
	unbuilt []ledger.Source // sources whose images are not pushed yet
}

// Publish produces a source for one warehouse, for several, or for none.
func (d *Developer) Publish(a plan.Act) {
	if len(d.unbuilt) > 0 && a.B%4 == 3 {
		d.BuildImages()
		return
	}
	defer d.buildSome(a)
	all := d.checkout.Pipeline.Warehouses
	switch first := all[a.A%len(all)]; d.checkout.Pipeline.Kinds[first] {
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

// buildSome has CI build the images of the new sources, except in one case of four.
func (d *Developer) buildSome(a plan.Act) {
	if a.C%4 != 3 {
		d.BuildImages()
	}
}

// BuildImages has CI push the images that are not pushed yet.
func (d *Developer) BuildImages() {
	for _, s := range d.unbuilt {
		for _, warehouse := range s.Warehouses {
			if d.checkout.Pipeline.Built[warehouse] {
				d.pushImage(s, warehouse)
			}
		}
	}
	d.unbuilt = nil
}

func (d *Developer) pushImage(s ledger.Source, warehouse string) {
	sum := sha256.Sum256([]byte(s.SHA + warehouse))
	spec := githubsim.ImageSpec{Name: warehouse, Tags: []string{s.SHA}, Digest: "sha256:" + hex.EncodeToString(sum[:])}
	if s.Nth%3 == 0 { // the tag moves
		spec.Tags, spec.Labels = []string{"latest"}, map[string]string{"org.opencontainers.image.revision": s.SHA}
	}
	err := d.github.PushImage(s.Repo, "ann", spec)
	d.sources.Images[s.Name(warehouse)] = true
	d.log.Note("  CI pushes the image of %s: %v", s.Name(warehouse), err)
	d.log.Told.Prose("(CI pushes the image of %s)", s.Name(warehouse))
}

// happened records a source that people or CI have produced.
func (d *Developer) happened(s ledger.Source, what string) {
	s.At = time.Now().Truncate(time.Second)
	d.sources.Sources = append(d.sources.Sources, s)
	d.unbuilt = append(d.unbuilt, s)
	d.log.Note("  %s %s in %s (%.7s) for %v", s.Author, what, s.Repo, s.SHA, s.Warehouses)
	d.log.Told.Prose("(%s %s in %s)", s.Author, what, s.Repo)
}

// mergeSource merges a person's pull request for one warehouse, for several, or for none.
func (d *Developer) mergeSource(a plan.Act, first string) {
	all := []string{first}
	if a.B%4 == 0 {
		all = d.checkout.Pipeline.Warehouses
	}
	d.made++
	repo, n := d.checkout.Pipeline.Sources[first], d.made
	files, taken := map[string]*string{}, []string{}
	for _, wh := range all {
		if d.checkout.Pipeline.Sources[wh] == repo && d.checkout.Pipeline.Kinds[wh] == "pull-requests" && a.B%11 != 10 {
			files[fmt.Sprintf("%s/%d", wh, n)] = githubsim.Text("x\n")
			taken = append(taken, wh)
		}
	}
	if len(files) == 0 {
		files[fmt.Sprintf("docs/%d", n)] = githubsim.Text("x\n")
	}
	author := []string{"ann", "bob"}[a.C%2]
	number, err := d.github.OpenPull(repo, githubsim.PullSpec{Title: fmt.Sprintf("Change %d", n),
		Head: fmt.Sprintf("change-%d", n), Author: author, Files: files})
	if err != nil {
		d.log.Broken(ledger.PeopleCanWork, "open: %v", err)
		return
	}
	sha, err := d.github.MergePull(repo, number, "bob", "squash")
	if err != nil {
		d.log.Broken(ledger.PeopleCanWork, "merge: %v", err)
		return
	}
	d.log.Note("  %s merges %s#%d for %v", author, repo, number, taken)
	d.log.Told.Happening("merge %s by %s", ledger.Where(repo, number), author)
	d.sources.Sources = append(d.sources.Sources, ledger.Source{
		Warehouses: taken, Kind: "pull-requests", Repo: repo, Number: number, SHA: sha, Author: author,
		At: time.Now().Truncate(time.Second), Nth: n, Hands: []string{author, "bob"},
	})
	d.unbuilt = append(d.unbuilt, d.sources.Sources[len(d.sources.Sources)-1])
}

// commit has a person push to the branch of a warehouse.
func (d *Developer) commit(warehouse, folder, author string) (sha string) {
	d.made++
	sha, err := d.github.PushFiles(d.checkout.Pipeline.Sources[warehouse], "main", author, "Work", map[string]*string{
		fmt.Sprintf("%s/%d", folder, d.made): githubsim.Text("x\n"),
	})
	if err != nil {
		d.log.Broken(ledger.PeopleCanWork, "push: %v", err)
	}
	return sha
}

// work commits a change to the folder of a warehouse and returns it as a source with the next version.
func (d *Developer) work(a plan.Act, warehouse string) ledger.Source {
	author := []string{"ann", "bob"}[a.C%2]
	sha := d.commit(warehouse, warehouse, author)
	version := fmt.Sprintf("1.0.%d", d.made)
	return ledger.Source{
		Warehouses: []string{warehouse}, Kind: d.checkout.Pipeline.Kinds[warehouse],
		Repo: d.checkout.Pipeline.Sources[warehouse], Author: author,
		SHA: sha, Tag: warehouse + "/v" + version, Version: version, Nth: d.made, Hands: []string{author},
	}
}

// pushSource has a person push to the branch of a warehouse, sometimes outside the folder that it takes.
func (d *Developer) pushSource(a plan.Act, warehouse string) {
	if a.B%7 == 6 {
		d.log.Note("  ann pushes what is no freight: %.7s", d.commit(warehouse, "docs", "ann"))
		return
	}
	s := d.work(a, warehouse)
	s.Tag, s.Version = "", ""
	d.happened(s, "pushes")
}

// release has a person publish a release, or a draft, a pre-release, one without a version, or one deleted at once.
func (d *Developer) release(a plan.Act, warehouse string) {
	if len(d.unripe) > 0 && a.B%3 == 0 {
		d.ripen()
		return
	}
	s, err := d.work(a, warehouse), error(nil)
	switch a.B % 9 {
	case 5, 6:
		draft := a.B%9 == 5
		if draft {
			err = d.github.DraftRelease(s.Repo, s.Author, s.Tag)
		} else {
			err = d.github.PublishRelease(s.Repo, s.Author, s.Tag, true)
		}
		d.log.Note("  %s makes a release of %s that is none yet, draft=%t: %v", s.Author, s.Tag, draft, err)
		s.At = time.Now().Truncate(time.Second)
		d.unripe = append(d.unripe, unripe{s, draft})
	case 7:
		err = d.github.PublishRelease(s.Repo, s.Author, "latest-"+s.Version, false)
		d.log.Note("  %s publishes a release that is no version: %v", s.Author, err)
	case 8:
		if err = d.github.PublishRelease(s.Repo, s.Author, s.Tag, false); err == nil {
			err = d.github.DeleteRelease(s.Repo, s.Tag)
		}
		s.Doubtful = true
		d.happened(s, "publishes "+s.Tag+" and takes it back")
	default:
		err = d.github.PublishRelease(s.Repo, s.Author, s.Tag, false)
		d.happened(s, "publishes "+s.Tag)
	}
	if err != nil {
		d.log.Broken(ledger.PeopleCanWork, "release: %v", err)
	}
}

// unripe is a release that is a draft or a pre-release.
type unripe struct {
	ledger.Source
	draft bool
}

// ripen publishes the oldest draft or pre-release as a release. A draft gets its tag only now, on the newest commit.
func (d *Developer) ripen() {
	s := d.unripe[0]
	d.unripe = d.unripe[1:]
	if err := d.github.EditRelease(s.Repo, s.Tag, false); err != nil {
		d.log.Broken(ledger.PeopleCanWork, "release: %v", err)
	}
	published := s.At
	if s.draft {
		s.SHA, published = d.github.Head(s.Repo, "main"), time.Now().Truncate(time.Second)
	}
	d.happened(s.Source, "makes a release of "+s.Tag)
	d.sources.Sources[len(d.sources.Sources)-1].At = published
}

// pushTag has a person push a tag, push a tag that is no version, or move a tag that the program knows.
func (d *Developer) pushTag(a plan.Act, warehouse string) {
	s, what := d.work(a, warehouse), "pushes the tag "
	known := d.db.Texts(`SELECT name FROM freight WHERE warehouse = ?`, warehouse)
	switch {
	case a.B%7 == 6:
		s.Tag, s.Warehouses = "v1", nil
	case a.B%7 == 5 && len(known) > 0:
		s.Tag, s.Warehouses, what = strings.TrimPrefix(known[0], warehouse+"@"), nil, "moves the tag "
	}
	if err := d.github.PushTag(s.Repo, s.Author, s.Tag, s.SHA); err != nil {
		d.log.Broken(ledger.PeopleCanWork, "tag: %v", err)
	}
	if s.Warehouses == nil {
		d.sources.TagMoved(warehouse, s)
		d.log.Note("  %s %s%s", s.Author, what, s.Tag)
		return
	}
	d.happened(s, what+s.Tag)
}

// reportBuild has CI report a build. CI repeats a report whose answer it did not get.
func (d *Developer) reportBuild(a plan.Act, warehouse string) {
	s := d.work(a, warehouse)
	if a.C%5 == 4 {
		d.dispatchReport(s)
		return
	}
	status := d.apiUser.tell(s)
	if status/100 != 2 || a.B%5 == 0 {
		status = d.apiUser.tell(s)
	}
	s.Doubtful, s.Anybody = status/100 != 2, true // the token of CI names no person
	d.happened(s, fmt.Sprintf("has CI report %s: %d", s.Version, status))
}

// dispatchReport has CI report a build by a repository_dispatch. It may be lost without a trace, and its place in the
// order of freight depends on its arrival.
func (d *Developer) dispatchReport(s ledger.Source) {
	err := d.github.Dispatch(s.Repo, s.Author, handlers.ReportDispatch, map[string]any{
		"warehouse": s.Warehouses[0], "version": s.Version, "commit": s.SHA, "pipeline": shape.Home,
	})
	s.Doubtful = true
	d.happened(s, fmt.Sprintf("has CI dispatch a report of %s: %v", s.Version, err))
}
