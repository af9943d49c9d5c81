package api

import (
	"net/http"
	"strings"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
)

// named returns the stages that a word names, as in a command (semantics 4.15): none where there are no pipeline files.
func (c *call) named(word string) []promotion.StageName {
	if c.pipeline == nil {
		return nil
	}
	return command.StagesNamed(c.pipeline, word)
}

// some returns the stages that a word names; an error if it names none.
func (c *call) some(word string) ([]promotion.StageName, error) {
	all := c.named(word)
	switch {
	case len(all) > 0:
		return all, nil
	case c.pipeline == nil:
		return nil, notFound("%s has no stages, because no pipeline file of it is in force", c.row.Repo)
	}
	return nil, newProblem(http.StatusNotFound, "%s", say.Sentence(command.NoStage(c.pipeline, word)))
}

// stage returns the one stage that the path names.
func (c *call) stage() (promotion.StageName, error) {
	word := c.PathValue("stage")
	all, err := c.some(word)
	switch {
	case err != nil:
		return "", err
	case len(all) > 1:
		return "", badRequest("this is about one stage, and %s names %d: name one of %s", word, len(all),
			strings.Join(promotion.FirstOf(promotion.Texts(all)), ", "))
	}
	return all[0], nil
}

// stagesPast returns the stages whose past a word asks for: a name that no stage has now may be that of one which is
// gone.
func (c *call) stagesPast(word string) []promotion.StageName {
	if all := c.named(word); len(all) > 0 || command.Several(word) {
		return all
	}
	return []promotion.StageName{promotion.StageName(word)}
}
