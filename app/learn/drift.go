package learn

import (
	"context"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/internal/change"
	"waybill/promotion"
	"waybill/store"
)

// Unread returns what there is on a branch of stages whose files there have not been read at a head, and may differ
// from what was promoted by now, as far as anybody wants to know: where there are targets, one may wait for its file.
func (fs *Files) Unread(
	ctx context.Context, pipeline int64, p *promotion.Pipeline, on promotion.Branch, head promotion.SHA,
) (stages []*promotion.Stage, err error) {
	err = fs.Store.View(ctx, func(tx *store.Tx) error {
		names, err := tx.Facts.Unread(pipeline, on, head)
		for _, name := range names {
			if s := p.Stage(name); s != nil && (s.Drift != promotion.DriftIgnore || s.Rolls()) {
				stages = append(stages, p.On(s, on))
			}
		}
		return err
	})
	return stages, err
}

// ReadFiles reads the files of stages on a branch in one query. by says who pushed a head, if that is known.
func ReadFiles(
	ctx context.Context, client *gh.Client, pipeline int64, on promotion.Branch, stages []*promotion.Stage, by func(
		head promotion.SHA,
	) promotion.Actor,
) (work.Record, error) {
	var paths []string
	for _, s := range stages {
		paths = append(paths, PathsOf(s)...)
	}
	if len(stages) == 0 {
		return nil, nil
	}
	base, err := client.Read(ctx, on.Name, paths)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		return work.RecordAll(stages, func(s *promotion.Stage) error {
			return tx.Facts.RecordReading(store.StageKey{Pipeline: pipeline, Stage: s.Name}, promotion.Reading{
				On: on, Commit: base.SHA, By: by(base.SHA), Values: Values(s, base),
			})
		})
	}, nil
}

// UnknownPusher says of a head that it is not known who pushed it.
func UnknownPusher(promotion.SHA) promotion.Actor { return promotion.Actor{} }

// Values returns what the files of a stage say in a base.
func Values(s *promotion.Stage, base gh.Base) []promotion.Value {
	return change.Values(s, Reading(base), func(folder string) string { return string(folderIn(base, folder)) })
}

// PathsOf returns the files that a stage changes, and the folders, or the workflow that it starts.
func PathsOf(s *promotion.Stage) []string {
	var paths []string
	for _, c := range s.Changes() {
		paths = append(paths, c.Path)
	}
	for _, c := range s.Copies() {
		if c.Path != promotion.Everything { // which comes with every base
			paths = append(paths, c.Path)
		}
	}
	if s.Delivery == promotion.DeliveryWorkflow {
		paths = append(paths, s.Dispatch.Path())
	}
	return paths
}

// folderIn returns Git's name for what a folder of a base holds.
func folderIn(base gh.Base, folder string) promotion.SHA {
	if folder == promotion.Everything {
		return base.Tree
	}
	return base.Files[folder].Tree
}

// Reading reads the files of a base. What is not a plain text file is refused with the reason.
func Reading(base gh.Base) change.Read {
	return func(path string) ([]byte, string) {
		f := base.Files[path]
		switch {
		case !f.Exists:
			return nil, change.NotThere
		case f.Unfit != "":
			return nil, f.Unfit
		}
		return []byte(f.Content), ""
	}
}
