package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"waybill/app/gh"
	"waybill/app/pipelines"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// ErrLong is returned for pipeline files that are longer than it was asked for.
var ErrLong = errors.New("the pipeline files are too long")

// ReadProposed reads the pipeline files of a commit, which are not in force, and sets them in the row of those that
// are. exists says whether there is one. trouble says why one cannot be read. It returns ErrLong if they have more than
// most bytes together; 0: any number.
func ReadProposed(
	ctx context.Context, client *gh.Client, at promotion.SHA, most int, row *store.PipelineRow,
) (exists bool, trouble string, err error) {
	files, err := client.Files.At(ctx, at, pipelinePaths)
	if err != nil {
		return false, "", err
	}
	return setFiles(ctx, client, files, most, row, readBefore(*row))
}

// setFiles sets the pipeline files of a commit in a row, and reads the parts among them unless their folder is the
// known one. It returns what ReadProposed does.
func setFiles(
	ctx context.Context, client *gh.Client, files map[string]gh.File, most int, row *store.PipelineRow, known config.Found,
) (exists bool, trouble string, err error) {
	if trouble := unreadable(files); trouble != "" {
		return true, trouble, nil
	}
	main, policy, tree := mainFile(files), files[config.PolicyPath].Content, files[config.PartsPath].Tree
	found, room := config.Found{PartsTree: string(tree)}, most-len(main)-len(policy)
	switch {
	case most > 0 && room < 0:
		return true, "", ErrLong
	case tree == "":
	case string(tree) == known.PartsTree:
		found.Parts, found.Overlooked = known.Parts, known.Overlooked
	default:
		parts, trouble, err := listParts(ctx, client, tree)
		switch {
		case err != nil || trouble != "":
			return true, trouble, err
		case most > 0 && parts.size > room:
			return true, "", ErrLong
		}
		if found.Parts, trouble, err = parts.read(ctx, client); err != nil || trouble != "" {
			return true, trouble, err
		}
		found.Overlooked = parts.overlooked
	}
	row.Config, row.Policy, row.Found = []byte(main), []byte(policy), nil
	if tree != "" {
		row.Found, err = json.Marshal(found)
	}
	return files[config.PipelinePath].Exists || len(found.Parts) > 0, "", err
}

// readBefore returns what was read for a pipeline before, as it is in the repository.
func readBefore(row store.PipelineRow) config.Found {
	if row.ConfigError != "" {
		return config.Found{} // some of it may be the last good version
	}
	return pipelines.FoundIn(row)
}

// parts are the parts of a pipeline as their folder lists them.
type parts struct {
	blobs map[string]promotion.SHA // by their paths in the repository
	size  int                      // of all together, in bytes

	overlooked []string // what else lies there and looks like a part, in order
}

// maxPartsBytes is how many bytes the parts of a pipeline may have together.
const maxPartsBytes = 8 << 20

// listParts lists the parts in their folder. trouble says why they cannot be used.
func listParts(ctx context.Context, client *gh.Client, tree promotion.SHA) (all parts, trouble string, err error) {
	files, err := client.Files.In(ctx, tree, false)
	switch {
	case errors.Is(err, gh.ErrTooMany):
		return all, config.PartsPath + " has more files than GitHub lists at once; keep others elsewhere", nil
	case err != nil:
		return all, "", err
	}
	all.blobs = map[string]promotion.SHA{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, blob := path.Join(config.PartsPath, name), files[name]
		if blob.IsFolder() {
			file += "/"
		}
		switch {
		case config.Overlooked(file):
			all.overlooked = append(all.overlooked, file)
		case config.PartOf(file) == "":
		case !blob.IsFile():
			return all, file + " is no regular file; let the file itself lie there", nil
		default:
			all.blobs[file] = blob.SHA
			all.size += blob.Size
		}
	}
	if all.size > maxPartsBytes {
		return all, fmt.Sprintf("the files in %s have %d bytes together; at most %d are read", config.PartsPath, all.size,
			maxPartsBytes), nil
	}
	return all, "", nil
}

// read reads the contents of the parts. trouble says why one of them cannot be read.
func (p parts) read(ctx context.Context, client *gh.Client) (texts map[string]string, trouble string, err error) {
	found, err := client.Files.Texts(ctx, slices.Compact(slices.Sorted(maps.Values(p.blobs))))
	if err != nil {
		return nil, "", err
	}
	texts = map[string]string{}
	for _, file := range slices.Sorted(maps.Keys(p.blobs)) {
		text := found[p.blobs[file]]
		if text.Unfit != "" {
			return nil, fmt.Sprintf("%s cannot be read: %s", file, text.Unfit), nil
		}
		texts[file] = text.Content
	}
	return texts, "", nil
}

// withGoodParts puts the last good version of each part that has an error in place of it, in a row. It reports whether
// that may help: nothing else has an error.
func withGoodParts(row *store.PipelineRow, old store.PipelineRow, problems config.Problems) bool {
	now, before := pipelines.FoundIn(*row), pipelines.FoundIn(old)
	for _, one := range problems.Errors() {
		if config.PartOf(one.File) == "" {
			return false
		}
		if good, had := before.Parts[one.File]; had {
			now.Parts[one.File] = good
		} else {
			delete(now.Parts, one.File)
		}
	}
	now.Inventories, now.Globs = both(before.Inventories, now.Inventories), both(before.Globs, now.Globs)
	found, err := json.Marshal(now)
	row.Found = found
	return err == nil
}

// both returns the entries of two maps. Of those in both the newer one counts.
func both[V any](older, newer map[string]V) map[string]V {
	all := maps.Clone(older)
	if all == nil {
		return newer
	}
	maps.Copy(all, newer)
	return all
}
