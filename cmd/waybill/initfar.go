package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing/fstest"

	"waybill/app/gh"
	"waybill/app/setup"
	"waybill/internal/layout"
	"waybill/promotion"
)

// far is a repository on GitHub as it was at one commit. It has the names of all files and the contents of those that
// init looks at, and reads them over the API with a person's token; nothing of it is on the disk.
type far struct {
	fstest.MapFS
	client   *gh.Client
	base     gh.Base
	reported []layout.Check // on the last commits of its default branch
	unread   []string       // sentences about what of that GitHub did not show
}

// Close ends the use of the repository.
func (f *far) Close() error { return nil }

// openFar reads a repository of the GitHub at an address.
func openFar(ctx context.Context, github string, repo promotion.Repo, getenv func(string) string) (*far, error) {
	at, err := setup.At(github)
	if err != nil {
		return nil, misused("--github: %w", err)
	}
	if err := isRepo(string(repo)); err != nil {
		return nil, err
	}
	token, err := personalToken(at, getenv)
	if err != nil {
		return nil, err
	}
	f := &far{MapFS: fstest.MapFS{}}
	if f.client, err = gh.PersonalClient(gh.Config{V3URL: at.V3URL, V4URL: at.V4URL, WebURL: at.WebURL}, token,
		repo); err != nil {
		return nil, err
	}
	if err := f.read(ctx); err != nil {
		return nil, notShown(err)
	}
	f.ask(ctx)
	return f, nil
}

// personalToken returns the token of the person from the variables in which gh looks for it. One that is meant for
// github.com goes to no Enterprise Server.
func personalToken(at setup.GitHub, getenv func(string) string) (string, error) {
	names := []string{"GH_TOKEN", "GITHUB_TOKEN"}
	if at.IsServer() {
		names = []string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}
	}
	for _, name := range names {
		if token := strings.TrimSpace(getenv(name)); token != "" {
			return token, nil
		}
	}
	return "", misused("%s or %s must have a token of yours for %s: one that reads the repository, and for the pull "+
		"request writes to it (contents and pull requests)", names[0], names[1], at.WebURL)
}

// notShown is the error of a repository that could not be read.
func notShown(err error) error {
	switch {
	case errors.Is(err, gh.ErrTransient):
		return unreachable{fmt.Errorf("%w: try again", err)}
	case errors.Is(err, gh.ErrTooMany):
		return fmt.Errorf("%w: run waybill init in a clone", err)
	case errors.Is(err, gh.ErrNoAccess):
		return fmt.Errorf("%w: is the name right, and may your token read it?", err)
	}
	return err
}

// read reads the files at the head of the default branch.
func (f *far) read(ctx context.Context) (err error) {
	if f.base, err = f.client.Files.Read(ctx, "", nil); err != nil {
		return err
	}
	listed, err := f.client.Files.In(ctx, f.base.Tree, true)
	if err != nil {
		return err
	}
	var wanted []promotion.SHA
	for name, b := range listed {
		if !b.IsFile() {
			continue
		}
		f.MapFS[name] = &fstest.MapFile{}
		if layout.Reads(name, b.Size) {
			wanted = append(wanted, b.SHA)
		}
	}
	texts, err := f.client.Files.Texts(ctx, wanted)
	if err != nil {
		return err
	}
	for name, file := range f.MapFS {
		if text := texts[listed[name].SHA]; text.Unfit == "" && layout.Reads(name, listed[name].Size) {
			file.Data = []byte(text.Content)
		}
	}
	return nil
}

// ask asks which checks have reported. A token need not show them: GitHub has no permission for the check runs of
// private repositories that a fine-grained one could have.
func (f *far) ask(ctx context.Context) {
	for _, kind := range []promotion.SignalKind{promotion.KindCheck, promotion.KindStatus} {
		names, err := f.client.Signals.Names(ctx, f.base.Branch, kind)
		if err != nil {
			f.unread = append(f.unread, fmt.Sprintf("Not seen: %v", err))
		}
		for _, name := range names {
			c := layout.Check{Name: name, Status: kind == promotion.KindStatus}
			if _, err := layout.ParseCheck("=" + c.String()); err == nil {
				f.reported = append(f.reported, c)
			}
		}
	}
}
