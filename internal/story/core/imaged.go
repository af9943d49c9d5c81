package core

import (
	"fmt"

	"waybill/internal/story"
	"waybill/promotion"
)

// pushImage pushes an image of the commit of a source pull request.
func (w *World) pushImage(h story.Happening) error {
	image, pull, err := story.ImageOf(h.Name)
	if err != nil {
		return err
	}
	sha, merged := w.github.sourceSHA(pull)
	if !merged {
		return fmt.Errorf("pull request #%d has not been merged", pull)
	}
	pushed := promotion.Image{Image: image, Tag: story.ImageTag(sha), Digest: story.ImageDigest(sha)}
	w.github.images = append(w.github.images, pushed)
	w.hook(imageFact(pushed))
	return nil
}

// imageFact gives an image to the freight of its commit.
func imageFact(i promotion.Image) fact {
	return func(m *memory) {
		m.images = append(m.images, i)
		for n := range m.freight {
			m.complete(&m.freight[n])
		}
	}
}

// complete gives freight the images that it waits for and that are known.
func (m *memory) complete(f *promotion.Freight) {
	w := m.pipeline.Warehouse(f.Warehouse)
	if w == nil {
		return
	}
	for _, image := range w.Awaits(*f) {
		for _, i := range m.images {
			if i.Image == image && i.BuiltOf(f.SHA) {
				*f = f.With(promotion.Artifact{Image: i.Image, Tag: i.Tag, Digest: i.Digest})
			}
		}
	}
}
