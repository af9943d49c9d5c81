package main

import (
	"context"
	"net/url"
	"strings"

	"waybill/app/api"
)

// ofStages is what the help of commands says of the stages that they take.
const ofStages = "STAGES is what commands take: a stage (dev), a pattern in quotes ('*-prod'), a group " +
	"(group:prod), or a list of\nthese (dev,group:prod)."

// listOf returns the words of a command line that name stages as one list of names.
func listOf(words []string) string { return strings.Join(words, ",") }

// stagesNamed returns a pipeline with the stages that a word names, as it does in a command; an error if there are
// none.
func (s *server) stagesNamed(ctx context.Context, repo, word string) (answer api.Pipeline, err error) {
	err = s.get(ctx, pipelinePath(repo)+"?"+url.Values{"stages": {word}}.Encode(), &answer)
	return answer, s.suggest(ctx, err, repo, word)
}
