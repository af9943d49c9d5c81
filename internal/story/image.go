package story

import (
	"fmt"
	"strings"

	"waybill/promotion"
)

// Pushed images are written ghcr.io/acme/api@c142: the image, and of which commit it was built.

// ImageOf returns which image a happening means, and of the commit of which source pull request it was built.
func ImageOf(name string) (image string, pull int, err error) {
	image, of, found := strings.Cut(name, "@")
	commit, isCommit := commitOf(of)
	if !found || !isCommit || commit.Of != 'c' {
		return "", 0, fmt.Errorf("%q says not what was pushed: want an image and its commit, as in ghcr.io/acme/api@c142",
			name)
	}
	return image, commit.Number, nil
}

// ImageTag is the tag of an image that was built of a commit.
func ImageTag(commit promotion.SHA) string { return "sha-" + string(commit[:7]) }

// ImageDigest is the digest of an image that was built of a commit.
func ImageDigest(commit promotion.SHA) string {
	return "sha256:" + strings.Repeat(string(commit), 2)[:64]
}
