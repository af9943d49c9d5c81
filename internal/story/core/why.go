package core

import (
	"fmt"

	"waybill/internal/story"
)

// why answers a question from the snapshot of a stage.
func (w *World) why(h story.Happening) ([]story.Line, error) {
	stage := w.Pipeline().Stage(h.Stage)
	if stage == nil {
		return nil, fmt.Errorf("there is no stage %s", h.Stage)
	}
	return story.Answer(w.snapshot(stage, false), h, w.now)
}
