package handlers

import (
	"encoding/json"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// packageEvent has the fields that are read of package and registry_package, which carry the same. go-github v60 cannot
// parse either of them.
type packageEvent struct {
	Action       string               `json:"action"`
	Package      *packagePayload      `json:"package"`
	Registry     *packagePayload      `json:"registry_package"`
	Repository   *github.Repository   `json:"repository"`
	Installation *github.Installation `json:"installation"`
	Sender       *github.User         `json:"sender"`
}

// packagePayload is a package, and the version of it that was published just now.
type packagePayload struct {
	Name  string `json:"name"`
	Type  string `json:"package_type"`
	Owner struct {
		Login string `json:"login"`
	} `json:"owner"`
	Version struct {
		Digest    string `json:"version"`
		Container struct {
			Tag struct {
				Name   string `json:"name"`
				Digest string `json:"digest"`
			} `json:"tag"`
			Labels json.RawMessage `json:"labels"`
		} `json:"container_metadata"`
	} `json:"package_version"`
}

// revisionLabel is the label that says which commit an image was built of.
const revisionLabel = "org.opencontainers.image.revision"

// image decodes a push to the registry of GitHub. Each part of an image for several platforms has a delivery too,
// without a tag; nothing deploys it.
func (us Self) image(event string, body []byte) (Told, error) {
	var e packageEvent
	if err := unmarshal(event, body, &e); err != nil {
		return Told{}, err
	}
	f, p := us.about(e.Repository, e.Installation, e.Sender), e.Package
	if p == nil {
		p = e.Registry
	}
	if !f.named() || p == nil {
		return Told{}, incomplete(event)
	}
	version := p.Version
	if !strings.EqualFold(p.Type, "container") || version.Container.Tag.Name == "" ||
		e.Action != "published" && e.Action != "updated" {
		return f, nil
	}
	f.tell(&promotion.Image{
		Image: promotion.Registry + strings.ToLower(p.Owner.Login+"/"+p.Name), Tag: version.Container.Tag.Name,
		Digest: version.Digest, Revision: revisionOf(version.Container.Labels),
	})
	return f, nil
}

// revisionOf reads the revision from the labels of an image. People write labels: if they cannot be read, the tag still
// counts.
func revisionOf(labels json.RawMessage) promotion.SHA {
	var read struct {
		Revision string         `json:"revision"`
		All      map[string]any `json:"all_labels"`
	}
	_ = json.Unmarshal(labels, &read)
	if written, is := read.All[revisionLabel].(string); is {
		return promotion.SHA(written)
	}
	return promotion.SHA(read.Revision)
}
