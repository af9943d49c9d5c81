package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"waybill/promotion"
	"waybill/store"
)

// Report is a version that CI reports.
type Report struct {
	Warehouse string `json:"warehouse" doc:"the warehouse of the freight, as the pipeline file calls it"`
	Version   string `json:"version" doc:"letters, digits and . _ + -; a version means one content for ever"`
	Commit    string `json:"commit" doc:"of which it was made, with all its 40 digits"`
	Image     string `json:"image,omitempty" doc:"the name of an image, without tag and digest"`
	Digest    string `json:"digest,omitempty" doc:"of the image, sha256:..."`
}

var (
	// ErrOtherContents means that freight of that version is there, and is something else.
	ErrOtherContents = errors.New("that version is freight already, with other contents")
	// ErrNoCommit means that GitHub knows no such commit.
	ErrNoCommit = errors.New("there is no such commit")
)

// reportForm says how one value of a report looks.
type reportForm struct {
	name, looks string
	form        *regexp.Regexp
	of          func(Report) string
}

var reportForms = sync.OnceValue(func() []reportForm {
	return []reportForm{
		{
			"version", "letters, digits and . _ + - (100 at most), such as 1.4.2",
			regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$`), func(r Report) string { return r.Version },
		},
		{
			"commit", "the 40 digits of a commit",
			regexp.MustCompile(`^[0-9a-f]{40}$`), func(r Report) string { return r.Commit },
		},
		{
			"image", "the name of an image without tag and digest, such as ghcr.io/acme/api",
			regexp.MustCompile(`^$|^[a-z0-9][a-z0-9._-]*(:[0-9]+)?(/[a-z0-9][a-z0-9._-]*)*$`),
			func(r Report) string { return r.Image },
		},
		{
			"digest", "sha256: and 64 digits",
			regexp.MustCompile(`^$|^sha256:[0-9a-f]{64}$`), func(r Report) string { return r.Digest },
		},
	}
})

// maxImage bounds the name of an image.
const maxImage = 255

// created is an answer about a thing that was made just now.
type created struct{ answer any }

// report makes freight of a report of CI.
func (s *Server) report(c *call) (any, error) {
	r, err := readReport(c.Body)
	if err != nil {
		return nil, err
	}
	w, made, err := r.Build(c.pipeline, c.row.Repo)
	if err != nil {
		return nil, err
	}
	if c.who.run != nil {
		if why := w.Refuses(*c.who.run); why != "" {
			return nil, forbidden("%s", why)
		}
		if err := s.sameRepository(c, w); err != nil {
			return nil, err
		}
	}
	made.By = c.who.reporter()
	f, fresh, err := s.adapter.Report(c.Context(), c.row, w, made,
		r.Line(c.row.ID, w, c.who.Person(), "api", c.who.String()))
	switch refused := r.Refusal(w, err); {
	case refused != nil:
		return nil, refused
	case err != nil:
		zerolog.Ctx(c.Context()).Warn().Err(err).Msg("report not taken")
		return nil, unavailable("it could not be taken, and nothing was changed: %s", err)
	case fresh:
		return created{s.freightOf(f, nil)}, nil
	}
	return s.freightOf(f, nil), nil
}

// sameRepository refuses the report of a run of another repository than the warehouse means, which has its name now.
func (s *Server) sameRepository(c *call, w *promotion.Warehouse) error {
	id := c.who.run.RepoID
	took := w.Repo == c.row.Repo && id != c.row.ID
	if w.Repo != c.row.Repo {
		var err error
		if took, err = s.store.TookName(c.Context(), w.Repo, id); err != nil {
			return err
		}
	}
	if took {
		return forbidden("warehouse %s takes reports of %s, and this run is of another repository with the same name",
			w.Name, w.Repo)
	}
	return nil
}

func readReport(body io.Reader) (r Report, err error) {
	if err = strictly(body, &r); err == nil {
		err = r.wellFormed()
	}
	return r, err
}

// ReadDispatch reads the payload of a repository_dispatch: a report, and which pipeline it is for where there are
// several.
func ReadDispatch(payload []byte) (r Report, pipeline promotion.Repo, err error) {
	var d struct {
		Report
		Pipeline promotion.Repo `json:"pipeline"`
	}
	if err = strictly(bytes.NewReader(payload), &d); err == nil {
		err = d.wellFormed()
	}
	return d.Report, d.Pipeline, err
}

func strictly(body io.Reader, into any) error {
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return badRequest(`the body must be a report, such as {"warehouse": "api", "version": "1.4.2", "commit": "..."}: %s`,
			err)
	}
	return nil
}

func (r Report) wellFormed() error {
	for _, f := range reportForms() {
		if value := f.of(r); !f.form.MatchString(value) || len(value) > maxImage {
			return badRequest("%s must be %s, not %.100q", f.name, f.looks, value)
		}
	}
	return nil
}

// Build returns the warehouse of a report and the build, with every value that the stages write of it.
func (r Report) Build(p *promotion.Pipeline, home promotion.Repo) (*promotion.Warehouse, promotion.Build, error) {
	made := promotion.Build{Version: r.Version, Commit: promotion.SHA(r.Commit), Image: r.Image, Digest: r.Digest}
	w, err := r.warehouse(p, home)
	if err != nil {
		return nil, made, err
	}
	if lacking := p.Lacks(w.Reported(made, promotion.Head{}, promotion.Freight{}, time.Time{})); len(lacking) > 0 {
		return nil, made, unprocessable("stages write %s of freight of %s: report it, too", strings.Join(lacking, " and "),
			w.Name)
	}
	return w, made, nil
}

// warehouse finds the warehouse that the report names, which must take reports.
func (r Report) warehouse(p *promotion.Pipeline, home promotion.Repo) (*promotion.Warehouse, error) {
	if p == nil || len(p.Stages) == 0 {
		return nil, newProblem(http.StatusConflict, "%s has no stage in force: correct its pipeline file first", home)
	}
	var others []string
	for _, w := range p.Warehouses {
		switch {
		case w.Kind != promotion.FromReports:
		case string(w.Name) == r.Warehouse:
			return w, nil
		default:
			others = append(others, string(w.Name))
		}
	}
	if len(others) == 0 {
		return nil, unprocessable("no warehouse of %s takes reports: write `reports: {}` into one", home)
	}
	return nil, unprocessable("no warehouse %.100q of %s takes reports: those that do are %s", r.Warehouse, home,
		strings.Join(others, ", "))
}

// Line is the line of the audit trail about a report that was taken. From is who reported, in words.
func (r Report) Line(pipeline int64, w *promotion.Warehouse, by promotion.Actor, source, from string) store.Event {
	return store.Event{
		Pipeline: pipeline, Kind: store.EventCommand, Word: "report", By: by, Source: source, Outcome: string(promotion.Done),
		Text: w.NameOf(r.Version) + " by " + from,
	}
}

// Refusal says in words why a report was not taken; nil if that is not for who reported to put right.
func (r Report) Refusal(w *promotion.Warehouse, err error) error {
	switch {
	case errors.Is(err, ErrOtherContents):
		return newProblem(http.StatusConflict,
			"%s is freight already, with another commit, image or digest: report a new version", w.NameOf(r.Version))
	case errors.Is(err, ErrNoCommit):
		return unprocessable("%s has no commit %s: report the one that was built, as GitHub has it", w.Repo, r.Commit)
	}
	return nil
}
