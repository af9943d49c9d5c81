package story

import (
	"fmt"
	"strings"

	"waybill/promotion"
)

// Stories name a pushed image ghcr.io/acme/api@c142: the image and the commit that it was built from.

// ImageOf parses the name of a pushed image. It returns the image and the number of the source pull request whose
// commit it was built from.
func ImageOf(name string) (image string, pull int, err error) {
	image, of, found := strings.Cut(name, "@")
	commit, isCommit := commitOf(of)
	if !found || !isCommit || commit.Of != 'c' {
		return "", 0, fmt.Errorf("%q says not what was pushed: want an image and its commit, as in ghcr.io/acme/api@c142",
			name)
	}
	return image, commit.Number, nil
}

// ImageTag returns the tag of an image built from a commit.
func ImageTag(commit promotion.SHA) string { return "sha-" + string(commit[:7]) }

// ImageDigest returns the digest of an image built from a commit.
func ImageDigest(commit promotion.SHA) string {
	return "sha256:" + strings.Repeat(string(commit), 2)[:64]
}
