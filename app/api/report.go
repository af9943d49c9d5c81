package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/rs/zerolog"

	"waybill/promotion"
	"waybill/store"
)

// Report is what CI has made.
type Report struct {
	Warehouse string `json:"warehouse" doc:"whose freight it is, as the pipeline file calls it"`
	Version   string `json:"version" doc:"letters, digits and . _ + -; the freight is called warehouse@version, and a version means one content for ever"`
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

// reportForms says how the values of a report look.
var reportForms = []struct {
	name, looks string
	form        *regexp.Regexp
	of          func(Report) string
}{
	{"version", "letters, digits and . _ + - (100 at most), such as 1.4.2", regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$`), func(r Report) string { return r.Version }},
	{"commit", "the 40 digits of a commit", regexp.MustCompile(`^[0-9a-f]{40}$`), func(r Report) string { return r.Commit }},
	{"image", "the name of an image without tag and digest, such as ghcr.io/acme/api", regexp.MustCompile(`^$|^[a-z0-9][a-z0-9._-]*(:[0-9]+)?(/[a-z0-9][a-z0-9._-]*)*$`), func(r Report) string { return r.Image }},
	{"digest", "sha256: and 64 digits", regexp.MustCompile(`^$|^sha256:[0-9a-f]{64}$`), func(r Report) string { return r.Digest }},
}

// maxImage bounds the name of an image.
const maxImage = 255

// created is an answer that says what was made just now.
type created struct{ answer any }

// report makes freight of what CI has made.
func (s *Server) report(c *call) (any, error) {
	r, err := reportIn(c)
	if err != nil {
		return nil, err
	}
	w, err := c.reportsTo(r.Warehouse)
	if err != nil {
		return nil, err
	}
	line := store.Event{
		Pipeline: c.row.ID, Kind: store.EventCommand, Word: "report", By: c.who.Person(), Source: "api", Outcome: string(promotion.Done),
		Text: w.NameOf(r.Version) + " by " + c.who.String(),
	}
	made := promotion.Build{Version: r.Version, Commit: promotion.SHA(r.Commit), Image: r.Image, Digest: r.Digest}
	if lacking := c.pipeline.Lacks(w.Reported(made, promotion.Head{}, promotion.Freight{}, s.clock())); len(lacking) > 0 {
		return nil, unprocessable("stages write %s of freight of %s: report it, too", strings.Join(lacking, " and "), w.Name)
	}
	f, fresh, err := s.backstage.Report(c.Context(), c.row, w, made, line)
	switch {
	case errors.Is(err, ErrOtherContents):
		return nil, problem(http.StatusConflict, "%s is freight already, with another commit, image or digest: report a new version", w.NameOf(r.Version))
	case errors.Is(err, ErrNoCommit):
		return nil, unprocessable("%s has no commit %s: report the one that was built, as GitHub has it", w.Repo, r.Commit)
	case err != nil:
		zerolog.Ctx(c.Context()).Warn().Err(err).Msg("report not taken")
		return nil, unavailable("it could not be taken, and nothing was changed: %s", err)
	case fresh:
		return created{freightOf(f, nil)}, nil
	}
	return freightOf(f, nil), nil
}

// reportIn reads what a request reports.
func reportIn(c *call) (r Report, err error) {
	d := json.NewDecoder(c.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, badRequest(`the body must be a report, such as {"warehouse": "api", "version": "1.4.2", "commit": "..."}: %s`, err)
	}
	for _, f := range reportForms {
		if value := f.of(r); !f.form.MatchString(value) || len(value) > maxImage {
			return r, badRequest("%s must be %s, not %.100q", f.name, f.looks, value)
		}
	}
	return r, nil
}

// reportsTo finds the warehouse of that name, which must take reports.
func (c *call) reportsTo(name string) (*promotion.Warehouse, error) {
	if c.pipeline == nil || len(c.pipeline.Stages) == 0 {
		return nil, problem(http.StatusConflict, "%s has no stage in force: correct its pipeline file first", c.row.Repo)
	}
	var others []string
	for _, w := range c.pipeline.Warehouses {
		switch {
		case w.Kind != promotion.FromReports:
		case string(w.Name) == name:
			return w, nil
		default:
			others = append(others, string(w.Name))
		}
	}
	if len(others) == 0 {
		return nil, unprocessable("no warehouse of %s takes reports: write `reports: {}` into one", c.row.Repo)
	}
	return nil, unprocessable("no warehouse %.100q of %s takes reports: those that do are %s", name, c.row.Repo, strings.Join(others, ", "))
}
