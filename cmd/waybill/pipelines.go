package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"waybill/app/api"
	"waybill/config"
	"waybill/promotion/command"
)

// pipelinesPath is where pipelines are asked for.
const pipelinesPath = "/api/v1/pipelines"

// pipelinePath is where everything about one pipeline is asked for.
func pipelinePath(repo string, more ...string) string {
	owner, name, _ := strings.Cut(repo, "/")
	return pipelinesPath + path(append([]string{owner, name}, more...)...)
}

// pipelines lists all pipelines that may be read.
func (s *server) pipelines(ctx context.Context) ([]api.PipelineHead, error) {
	var all []api.PipelineHead
	for cursor := ""; ; {
		var page api.Pipelines
		if err := s.get(ctx, pipelinesPath+"?limit=100&cursor="+url.QueryEscape(cursor), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Pipelines...)
		if cursor = page.Next; cursor == "" {
			return all, nil
		}
	}
}

// only returns the pipeline that is meant when none is named: the only one.
func (s *server) only(ctx context.Context) (string, error) {
	all, err := s.pipelines(ctx)
	switch {
	case err != nil:
		return "", err
	case len(all) == 0:
		return "", fmt.Errorf("%s has no pipeline that you may read", s.base)
	case len(all) > 1:
		return "", misused("which pipeline? %s", names(all))
	}
	return all[0].Repo, nil
}

// suggest adds the pipeline, or the stage, that was probably meant to an error about one that is not there.
func (s *server) suggest(ctx context.Context, err error, repo, stage string) error {
	var p *api.Problem
	if !errors.As(err, &p) || p.Status != http.StatusNotFound {
		return err
	}
	all, listErr := s.pipelines(ctx)
	if listErr != nil {
		return err
	}
	for _, one := range all {
		switch {
		case one.Repo != repo:
		case command.Several(stage):
			return err // it says which name in it names nothing
		default:
			return fmt.Errorf("%s has no stage %s%s", repo, stage, meant(stage, one.StageNames))
		}
	}
	return fmt.Errorf("there is no pipeline of %s that you may read%s", repo, meant(repo, repos(all)))
}

// meant is the end of a message about a name that is unknown.
func meant(name string, known []string) string {
	if best := config.Nearest(name, known); best != "" {
		return "; did you mean " + best + "?"
	}
	if len(known) == 0 {
		return "; there is none at all"
	}
	return "; there is " + strings.Join(known, ", ")
}

func repos(all []api.PipelineHead) (names []string) {
	for _, one := range all {
		names = append(names, one.Repo)
	}
	return names
}

func names(all []api.PipelineHead) string { return "there is " + strings.Join(repos(all), ", ") }
