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

// stage returns the one stage that the path names.
func (c *call) stage() (promotion.StageName, error) {
	word := c.PathValue("stage")
	all := c.named(word)
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) > 1:
		return "", badRequest("this is about one stage, and %s names %d: name one of %s", word, len(all),
			strings.Join(promotion.FirstOf(promotion.Texts(all)), ", "))
	case c.pipeline == nil:
		return "", notFound("%s has no stages, because no pipeline file of it is in force", c.row.Repo)
	}
	return "", newProblem(http.StatusNotFound, "%s", say.Sentence(command.NoStage(c.pipeline, word)))
}

// stagesPast returns the stages whose past a word asks for: a name that no stage has now may be that of one which is
// gone.
func (c *call) stagesPast(word string) []promotion.StageName {
	if all := c.named(word); len(all) > 0 || command.Several(word) {
		return all
	}
	return []promotion.StageName{promotion.StageName(word)}
}
