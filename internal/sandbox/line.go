package sandbox

import (
	"context"
	"fmt"
	"strings"

	"waybill/internal/story"
	"waybill/promotion"
	"waybill/store"
)

// line turns an audit event into a line of a story; tells is false if stories do not list the event.
func (w *World) line(tx *store.Tx, e store.Event) (line story.Line, tells bool, err error) {
	var p promotion.Promotion
	if e.Promotion != 0 {
		if p, err = tx.Promotions.ByNumber(e.Pipeline, e.Promotion); err != nil {
			return line, false, err
		}
	}
	line = story.Line{
		At: e.At, Where: story.Where{Stage: e.Stage}, Promotion: e.Promotion, Freight: p.Freight.Name, Class: p.Class,
		Act: story.Act{Word: e.Word}, Merged: e.SHA != "", Reason: e.Reason,
	}
	switch e.Kind {
	case store.EventState, store.EventClass:
		return line, true, nil
	case store.EventStage:
		line.Freight = e.Text
		return line, true, nil
	case store.EventEffect:
		return w.effectLine(tx, e, p, line)
	}
	return line, false, nil
}

// effectLine returns the line of an effect that was carried out.
func (w *World) effectLine(
	tx *store.Tx, e store.Event, p promotion.Promotion, line story.Line,
) (story.Line, bool, error) {
	if promotion.Verb(e.Word) == promotion.Reply {
		return story.Line{
			At: e.At, Where: askedOn(e.Source, e.Stage), Act: story.Act{Word: e.Word, Args: []string{e.Text}}, Reason: e.Reason,
		}, true, nil
	}
	line.Reason = promotion.Reason{}
	switch promotion.Verb(e.Word) {
	case promotion.Open, promotion.Commit, promotion.Dispatching:
		a, err := tx.Attempts.Of(e.Pipeline, e.Promotion)
		if err == nil && a.Plan != nil {
			line.Act.Args = a.Plan.Paths
		}
		return line, true, err
	case promotion.Merge, promotion.Close, promotion.Observe:
		return line, true, nil
	case promotion.Tell:
		f, err := tx.Freight.ByID(e.Pipeline, p.Freight.ID)
		line.Act.Args = []string{e.Text}
		if f.Pull != 0 {
			line.Where = story.Where{Pull: story.Pull{Repo: f.Repo, Number: f.Pull}}
		}
		return line, e.Text != string(promotion.Void), err
	}
	return line, false, nil
}

// why answers a question of the story, such as where a freight is in a stage.
func (w *World) why(ctx context.Context, h story.Happening) (lines []story.Line, err error) {
	err = w.program.store.View(ctx, func(tx *store.Tx) error {
		s, err := w.snapshot(tx, h.Stage, h.Freight)
		if err != nil {
			return err
		}
		lines, err = story.Answer(s, h, w.clock.Now())
		return err
	})
	return lines, err
}

// snapshot returns the snapshot of a stage. It includes the freight with this name.
func (w *World) snapshot(tx *store.Tx, stage promotion.StageName, freight string) (*promotion.Snapshot, error) {
	if w.script.Scene.Pipeline.Stage(stage) == nil {
		return nil, fmt.Errorf("there is no stage %s", stage)
	}
	row, err := tx.Pipelines.ByRepo(story.Home)
	if err != nil {
		return nil, err
	}
	var about []promotion.FreightID
	for _, wh := range w.script.Scene.Pipeline.Warehouses {
		all, err := tx.Freight.Newest(row.ID, wh.Name, manyFreight)
		if err != nil {
			return nil, err
		}
		for _, f := range all {
			if f.Name == freight {
				about = append(about, f.ID)
			}
		}
	}
	return tx.Ledger.Snapshot(w.script.Scene.Pipeline, store.StageKey{Pipeline: row.ID, Stage: stage}, about...)
}

// manyFreight is more freight than any story has.
const manyFreight = 1000

// askedOn returns the place of the command that a reply answers: "acme/api#142/9871" is a comment on acme/api#142,
// "label:acme/api#142" a label of it, "slack:..." is in Slack, and "check:..." is a check run of a stage.
func askedOn(surface string, stage promotion.StageName) story.Where {
	switch {
	case strings.HasPrefix(surface, "slack:"):
		return story.Where{Slack: true}
	case strings.HasPrefix(surface, "check:"):
		return story.Where{Stage: stage}
	}
	return story.Where{Pull: pullOf(strings.TrimPrefix(surface, "label:"))}
}

// pullOf returns the pull request of a comment or label, as in "acme/api#142/9871".
func pullOf(surface string) story.Pull {
	before, after, _ := strings.Cut(surface, "#")
	number, _, _ := strings.Cut(after, "/")
	return story.PullOf(before + "#" + number)
}
