package learn

import (
	"context"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/internal/change"
	"waybill/promotion"
	"waybill/store"
)

// Unread returns the stages, as far as they are on a branch, whose files have not been read there at a head. It leaves
// out stages that ignore drift and have no targets, unless a promotion waits for a file there: of the others a
// target may wait for its file.
func (fs *Files) Unread(
	ctx context.Context, pipeline int64, p *promotion.Pipeline, on promotion.Branch, head promotion.SHA,
) (stages []*promotion.Stage, err error) {
	err = fs.Store.ViewOne(ctx, func(tx *store.Tx) error {
		unread, err := tx.Readings.Unread(pipeline, on, head)
		for _, u := range unread {
			if s := p.Stage(u.Stage); s != nil && (s.Drift != promotion.DriftIgnore || s.Rolls() || u.Waits) {
				stages = append(stages, p.On(s, on))
			}
		}
		return err
	})
	return stages, err
}

// ReadFiles reads the files of stages on a branch in one query. It returns how to record them, and the head at which
// it has read them; empty if there are no stages. by returns the person who pushed a head, or the zero value if that is
// not known.
func ReadFiles(
	ctx context.Context, client *gh.Client, pipeline int64, on promotion.Branch, stages []*promotion.Stage,
	by func(head promotion.SHA) promotion.Actor,
) (rec work.Record, head promotion.SHA, err error) {
	var paths []string
	for _, s := range stages {
		paths = append(paths, PathsOf(s)...)
	}
	if len(stages) == 0 {
		return nil, "", nil
	}
	base, err := client.Files.Read(ctx, on.Name, paths)
	if err != nil {
		return nil, "", err
	}
	return func(tx *store.Tx) error {
		return work.RecordAll(stages, func(s *promotion.Stage) error {
			return tx.Readings.Record(store.StageKey{Pipeline: pipeline, Stage: s.Name}, promotion.Reading{
				On: on, Commit: base.SHA, By: by(base.SHA), Values: Values(s, base),
			})
		})
	}, base.SHA, nil
}

// UnknownPusher is the last argument of ReadFiles where the pusher of a head is not known.
func UnknownPusher(promotion.SHA) promotion.Actor { return promotion.Actor{} }

// Values returns the values of a stage in a base.
func Values(s *promotion.Stage, base gh.Base) []promotion.Value {
	return change.Values(s, Reading(base), func(folder string) string { return string(folderIn(base, folder)) })
}

// PathsOf returns the files and folders that a stage changes, and the workflow that it starts.
func PathsOf(s *promotion.Stage) []string {
	var paths []string
	for _, c := range s.Changes() {
		paths = append(paths, c.Path)
	}
	for _, c := range s.Copies() {
		if c.Path != promotion.Everything { // comes with every base
			paths = append(paths, c.Path)
		}
	}
	if s.Delivery == promotion.DeliveryWorkflow {
		paths = append(paths, s.Dispatch.Path())
	}
	return paths
}

// folderIn returns the tree of a folder in a base.
func folderIn(base gh.Base, folder string) promotion.SHA {
	if folder == promotion.Everything {
		return base.Tree
	}
	return base.Files[folder].Tree
}

// Reading reads the files of a base. A path that is not a plain text file is refused with the reason.
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
