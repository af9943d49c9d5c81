package core

import (
	"fmt"

	"waybill/internal/story"
)

// why answers from what the stage's next decision would look at.
func (w *World) why(h story.Happening) ([]story.Line, error) {
	stage := w.Pipeline().Stage(h.Stage)
	if stage == nil {
		return nil, fmt.Errorf("there is no stage %s", h.Stage)
	}
	return story.Answer(w.snapshot(stage, false), h, w.now)
}
