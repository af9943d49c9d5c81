package store_test

import (
	"strings"
	"testing"

	"waybill/promotion"
	"waybill/store"
)

// imaged is the warehouse of freightNo when it awaits two images.
var imaged = &promotion.Warehouse{Name: "api", Repo: "acme/api", Branch: "main", Images: []promotion.Awaited{
	{Name: "api", Image: "ghcr.io/acme/api"}, {Name: "worker", Image: "ghcr.io/acme/worker"},
}}

// image is an image that was built from a commit. Its digest repeats one digit.
func image(name, tag string, digit string) promotion.Image {
	return promotion.Image{Image: "ghcr.io/acme/" + name, Tag: tag, Digest: "sha256:" + strings.Repeat(digit, 64)}
}

func TestImages(t *testing.T) { prove(t, images) }

var images = []test{
	{"freight is complete with the last image that it lacks, and concerns the stages then", func(w *world) {
		f := w.merge(1)
		w.settle()
		w.update(func(tx *store.Tx) error {
			w.NoError(tx.Freight.RecordImage(image("api", "sha-c0000001", "a")))
			w.NoError(tx.Freight.RecordImage(image("worker", "c0000002", "a")), "of other freight")
			return tx.Freight.Complete(pipeline, imaged, f)
		})
		w.Equal([]string{dev, "gate", prod}, w.undecided(), "people see what is missing now")
		w.update(func(tx *store.Tx) error {
			w.NoError(tx.Freight.RecordImage(image("worker", "c000000", "b")))
			f, err := tx.Freight.ByID(pipeline, f.ID)
			w.NoError(err)
			return tx.Freight.Complete(pipeline, imaged, f)
		})
		w.view(func(tx *store.Tx) error {
			f, err := tx.Freight.ByID(pipeline, f.ID)
			w.Empty(imaged.Awaits(f))
			w.Equal([]promotion.Artifact{
				{Image: "ghcr.io/acme/api", Tag: "sha-c0000001", Digest: "sha256:" + strings.Repeat("a", 64)},
				{Image: "ghcr.io/acme/worker", Tag: "c000000", Digest: "sha256:" + strings.Repeat("b", 64)},
			}, f.Images)
			return err
		})
	}},
	{"the first image of a commit is that of its freight for ever", func(w *world) {
		f := w.merge(1)
		for _, digit := range []string{"a", "b"} {
			w.update(func(tx *store.Tx) error {
				w.NoError(tx.Freight.RecordImage(image("api", "c0000001", digit)))
				f, err := tx.Freight.ByID(pipeline, f.ID)
				w.NoError(err)
				return tx.Freight.Complete(pipeline, imaged, f)
			})
		}
		w.view(func(tx *store.Tx) error {
			f, err := tx.Freight.ByID(pipeline, f.ID)
			w.Len(f.Images, 1)
			w.Equal("sha256:"+strings.Repeat("a", 64), f.Images[0].Digest)
			return err
		})
	}},
	{"freight is found by the first digits of its commit", func(w *world) {
		f := w.merge(1)
		w.merge(2)
		w.view(func(tx *store.Tx) error {
			found, err := tx.Freight.BuiltOf(pipeline, "api", f.SHA)
			w.Equal([]promotion.Freight{f}, found)
			w.NoError(err)
			found, err = tx.Freight.BuiltOf(pipeline, "api", "c000000")
			w.Len(found, 2)
			w.NoError(err)
			found, err = tx.Freight.BuiltOf(pipeline, "web", f.SHA)
			w.Empty(found)
			return err
		})
	}},
}
