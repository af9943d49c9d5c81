package promotion

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Freight of a warehouse that names images is complete once all of them have been pushed for its commit. Until then it
// is known and available to no stage, even if it is admitted: a promotion would have nothing to write. The first image
// of a commit is the freight's for ever.

// Awaited is an image that makes freight of a warehouse complete.
type Awaited struct {
	Name  string // its name in the pipeline file; empty if it is the only one
	Image string // in a registry, without tag and digest: ghcr.io/acme/api
}

// Image is one that was pushed to a registry.
type Image struct {
	Image    string // without tag and digest
	Tag      string
	Digest   string
	Revision SHA // the commit in its label; empty if it has none
}

// Artifact is the image of a freight.
type Artifact struct {
	Image  string
	Tag    string
	Digest string
}

// Registry begins the name of every image of the registry that GitHub tells of.
const Registry = "ghcr.io/"

var (
	tagForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)
	})
	digestForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^sha256:[0-9a-f]{64}$`) })
)

// Of returns the commits that the image was built of, as its tag and its label say. An image without a tag is a part of
// an image for several platforms, and says nothing; neither does a tag that no registry would accept, because it is
// written into files.
func (i Image) Of() (commits []SHA) {
	if !tagForm().MatchString(i.Tag) || !digestForm().MatchString(i.Digest) {
		return nil
	}
	for _, said := range []string{strings.TrimPrefix(i.Tag, "sha-"), string(i.Revision)} {
		if isCommit(said) && !slices.Contains(commits, SHA(said)) {
			commits = append(commits, SHA(said))
		}
	}
	return commits
}

// BuiltOf reports whether the image says that it was built of a commit.
func (i Image) BuiltOf(commit SHA) bool {
	return slices.ContainsFunc(i.Of(), func(said SHA) bool { return strings.HasPrefix(string(commit), string(said)) })
}

// A commit is named by at least so many of its digits.
const (
	shortCommit = 7
	fullCommit  = 40
)

func isCommit(s string) bool {
	return len(s) >= shortCommit && len(s) <= fullCommit && strings.Trim(s, "0123456789abcdef") == ""
}

// Awaits returns the images that a freight of the warehouse lacks.
func (w *Warehouse) Awaits(f Freight) (lacking []string) {
	for _, a := range w.Images {
		if _, has := f.artifact(a.Image); !has {
			lacking = append(lacking, a.Image)
		}
	}
	return lacking
}

// With returns the freight with a further image. An image that it has already stays.
func (f Freight) With(a Artifact) Freight {
	if _, has := f.artifact(a.Image); !has {
		f.Images = append(f.Images[:len(f.Images):len(f.Images)], a)
	}
	return f
}

func (f Freight) artifact(image string) (Artifact, bool) {
	i := slices.IndexFunc(f.Images, func(a Artifact) bool { return a.Image == image })
	if i < 0 {
		return Artifact{}, false
	}
	return f.Images[i], true
}

// imageKey is the key of a value of an image. It does not contain the name in the pipeline file: renaming the image
// there changes no freight.
func imageKey(image, value string) string { return imageKeys + image + "." + value }

const imageKeys = "images."

// imageValues are the values that each image has.
func imageValues() []string { return []string{"image", "tag", "digest"} }

// imageValue returns the value that an ImageKey stands for, without its first word.
func (f Freight) imageValue(key string) (string, bool) {
	dot := strings.LastIndexByte(key, '.')
	a, has := f.artifact(key[:max(dot, 0)])
	if !has {
		return "", false
	}
	switch key[dot+1:] {
	case "image":
		return a.Image, true
	case "tag":
		return a.Tag, true
	case "digest":
		return a.Digest, true
	}
	return "", false
}
