package change

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"waybill/internal/keypath"
	"waybill/internal/yamledit"
)

// A kustomization lists images by the name that the manifests use, each with its replacement: newName, newTag, digest.
// A change only sets values that already exist in the file.

// ImageKey returns the key of one field of an image.
func ImageKey(image, field string) string {
	return keypath.Path{
		{Kind: keypath.ByKey, Key: "images"},
		{Kind: keypath.ByMatch, Where: []string{"name"}, Is: image},
		{Kind: keypath.ByKey, Key: field},
	}.String()
}

// The characters that are valid in names, tags and digests of images.
var (
	imageName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[A-Za-z0-9.-]+(?::[0-9]+)?/)?[a-z0-9._-]+(?:/[a-z0-9._-]+)*$`)
	})
	imageTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)
	})
	imageDigest = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-f]{32,}$`)
	})
)

func acceptImage(key, value string) string {
	switch {
	case strings.HasSuffix(key, ".newTag") && !imageTag().MatchString(value):
		return "the tag of an image has letters, digits, _ . and -, and at most 128 of them"
	case strings.HasSuffix(key, ".newName") && !imageName().MatchString(value):
		return "the name of an image has no tag and no blanks, as in ghcr.io/acme/api"
	case strings.HasSuffix(key, ".digest") && !imageDigest().MatchString(value):
		return "a digest is written as sha256:0123..."
	}
	return ""
}

// setImages sets values of images. It refuses a new tag beside a digest that stays: a digest takes precedence over a
// tag, so the file would name one image and deploy another.
func setImages(content []byte, all []keypath.Assignment) ([]byte, error) {
	for _, a := range all {
		image, isTag := strings.CutSuffix(a.Path, ".newTag")
		if !isTag {
			continue
		}
		digest := image + ".digest"
		says, err := yamledit.Get(content, []string{digest})
		if err != nil {
			return nil, err
		}
		if says[digest] != "" && !slices.ContainsFunc(all, func(b keypath.Assignment) bool { return b.Path == digest }) {
			return nil, &keypath.Error{Path: a.Path, Reason: "the image has a digest there, which would go on being deployed " +
				"whatever the tag says; promote the digest too, or remove it from the file"}
		}
	}
	return yamledit.Set(content, all)
}
