package layout

import (
	"path"
	"strings"

	"waybill/promotion"
)

// kustomize is an overlay that says which images run.
type kustomize struct{}

// Versions implements Layout.
func (kustomize) Versions(f File) (found []Version) {
	base := path.Base(f.Path)
	if strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml") != "kustomization" && base != "Kustomization" ||
		len(f.Docs) != 1 {
		return nil
	}
	for _, one := range elements(child(f.Docs[0], "images")) {
		name, tag := text(child(one, "name")), text(child(one, "newTag"))
		image := name
		if renamed := text(child(one, "newName")); renamed != "" {
			image = renamed
		}
		pinned := child(one, "digest") != nil
		if name == "" || tag == "" && !pinned {
			continue
		}
		found = append(found, Version{
			Kind: promotion.ChangeKustomize, Key: name, Text: tag, Image: image, App: appOf(image), Pinned: pinned,
		})
	}
	return found
}
