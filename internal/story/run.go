package story

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Run plays a story in a world from its first step to its last. It returns the story with the actual outcomes. An error
// names the step that is impossible; the steps before it are filled in.
func Run(ctx context.Context, s Story, w World) (Story, error) {
	n := narrator{numbers: numbering{}, heads: heads{}}
	played := s
	played.Steps = make([]Step, len(s.Steps))
	copy(played.Steps, s.Steps)
	for i := range played.Steps {
		step := &played.Steps[i]
		outcomes, err := n.play(ctx, step.Happening, w)
		if err != nil {
			return played, stepError(s.Name, *step, err)
		}
		step.Outcomes = outcomes
	}
	return played, nil
}

func (n *narrator) play(ctx context.Context, h Happening, w World) ([]Outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	told, err := n.numbers.inWorld(h)
	if err != nil {
		return nil, err
	}
	told.Freight = n.heads.back(h.Freight)
	began := w.Now()
	lines, err := w.Do(ctx, told)
	if err != nil {
		return nil, err
	}
	n.pipeline, n.happening, n.began = w.Pipeline(), h, began
	return n.outcomes(lines), nil
}

// stepError adds the position of the step to an error.
func stepError(file string, s Step, err error) error {
	var placed *Error
	if errors.As(err, &placed) {
		return err
	}
	return fmt.Errorf("%s:%d: > %s: %w", file, s.Line, s.source(), err)
}

// offset returns the time since the start of a wait, and 0 for other happenings.
func (n *narrator) offset(at time.Time) time.Duration {
	if n.happening.Kind != Wait {
		return 0
	}
	return max(at.Sub(n.began), 0)
}
