package act

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"waybill/app/gh"
	"waybill/internal/change"
	"waybill/promotion"
)

// maxCopied bounds the bytes that are copied from another repository at a time.
const maxCopied = 2 << 20

// pointer is how a file begins that Git LFS keeps elsewhere: in a store of its repository, where others do not find it.
const pointer = "version https://git-lfs.github.com/spec/v1\n"

// blobs returns the blobs of copied files for the commit, with their contents if they come from another repository;
// or the reason why they cannot be copied.
func (all *folders) blobs(
	ctx context.Context, copied map[string]change.Blob,
) (map[string]gh.Blob, promotion.Reason, error) {
	blobs := make(map[string]gh.Blob, len(copied))
	for path, b := range copied {
		blobs[path] = gh.Blob{SHA: promotion.SHA(b.SHA), Mode: b.Mode}
	}
	unread, size := all.unread(blobs)
	if size > maxCopied {
		why := fmt.Sprintf("what would be copied from other repositories is %d KB at once; it may be %d", size>>10,
			maxCopied>>10)
		return nil, promotion.Because(promotion.Unreadable, string(slices.Sorted(maps.Keys(unread))[0])).With(why), nil
	}
	for _, repo := range slices.Sorted(maps.Keys(unread)) {
		client, err := all.env.Client(repo)
		if err != nil {
			return nil, promotion.Reason{}, err
		}
		texts, err := client.Files.Texts(ctx, slices.Sorted(maps.Keys(unread[repo])))
		if err != nil {
			return nil, promotion.Reason{}, err
		}
		if problem := fill(blobs, texts); !problem.IsZero() {
			return nil, problem, nil
		}
	}
	return blobs, promotion.Reason{}, nil
}

// unread returns the files whose contents have to be read, by repository, and their total size.
func (all *folders) unread(blobs map[string]gh.Blob) (unread map[promotion.Repo]map[promotion.SHA]bool, size int) {
	unread = map[promotion.Repo]map[promotion.SHA]bool{}
	for _, b := range blobs {
		one, is := all.foreign[b.SHA]
		if !is || unread[one.repo][b.SHA] {
			continue
		}
		if unread[one.repo] == nil {
			unread[one.repo] = map[promotion.SHA]bool{}
		}
		unread[one.repo][b.SHA], size = true, size+one.Size
	}
	return unread, size
}

// fill sets the contents of files, or returns the reason why one of them cannot be copied.
func fill(blobs map[string]gh.Blob, texts map[promotion.SHA]gh.File) promotion.Reason {
	for _, path := range slices.Sorted(maps.Keys(blobs)) {
		b := blobs[path]
		text, read := texts[b.SHA]
		switch {
		case text.Unfit != "":
			return promotion.Because(promotion.Unreadable,
				path).With(text.Unfit + "; from another repository only text is copied")
		case strings.HasPrefix(text.Content, pointer):
			return promotion.Because(promotion.Unreadable,
				path).With("it is a pointer of Git LFS, whose content is in another repository")
		}
		if read {
			b.Content = &text.Content
			blobs[path] = b
		}
	}
	return promotion.Reason{}
}
