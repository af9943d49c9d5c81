package app

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"waybill/app/gh"
	"waybill/internal/change"
	"waybill/promotion"
)

// maxCarried bounds what is copied from one repository to another at a time, in bytes.
const maxCarried = 2 << 20

// carried returns the files that are copied as they are to be committed, with what they hold where they come from another
// repository; or why that cannot be.
func (a *App) carried(ctx context.Context, all *folders, copied map[string]change.Blob) (map[string]gh.Blob, promotion.Reason, error) {
	blobs := make(map[string]gh.Blob, len(copied))
	for path, b := range copied {
		blobs[path] = gh.Blob{SHA: promotion.SHA(b.SHA), Mode: b.Mode}
	}
	unread, size := all.unread(blobs)
	switch {
	case len(unread) == 0:
		return blobs, promotion.Reason{}, nil
	case size > maxCarried:
		why := fmt.Sprintf("what would be copied from there is %d KB at once; it may be %d", size>>10, maxCarried>>10)
		return nil, promotion.Because(promotion.Unreadable, string(all.freight.Repo)).With(why), nil
	}
	client, err := a.client(all.job.row.Installation, all.freight.Repo)
	if err != nil {
		return nil, promotion.Reason{}, err
	}
	texts, err := client.Texts(ctx, unread)
	if err != nil {
		return nil, promotion.Reason{}, err
	}
	return blobs, fill(blobs, texts), nil
}

// unread returns which of the files have to be read, each once, and how large they are together.
func (all *folders) unread(blobs map[string]gh.Blob) (unread []promotion.SHA, size int) {
	found := map[promotion.SHA]bool{}
	for _, b := range blobs {
		if one, is := all.abroad[b.SHA]; is && !found[b.SHA] {
			found[b.SHA], size = true, size+one.Size
		}
	}
	return slices.Sorted(maps.Keys(found)), size
}

// fill puts in what files hold, or returns which of them is not fit to be copied.
func fill(blobs map[string]gh.Blob, texts map[promotion.SHA]gh.File) promotion.Reason {
	for _, path := range slices.Sorted(maps.Keys(blobs)) {
		b := blobs[path]
		text, read := texts[b.SHA]
		if text.Unfit != "" {
			return promotion.Because(promotion.Unreadable, path).With(text.Unfit + "; from another repository only text is copied")
		}
		if read {
			b.Content = &text.Content
			blobs[path] = b
		}
	}
	return promotion.Reason{}
}
