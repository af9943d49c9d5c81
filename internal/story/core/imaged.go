package core

import "waybill/promotion"

// imageFact adds an image to the freight of its commit.
func imageFact(i promotion.Image) fact {
	return func(m *memory) {
		m.images = append(m.images, i)
		for n := range m.freight {
			m.addImages(&m.freight[n])
		}
	}
}

// addImages adds the known images that the freight waits for.
func (m *memory) addImages(f *promotion.Freight) {
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
