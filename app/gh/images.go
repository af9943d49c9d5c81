package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// imagePages bounds how many pages of a hundred versions of a package are asked for. An image for several platforms has
// several versions.
const (
	imagePages    = 5
	versionsAPage = 100
)

// Images lists the latest pushes to an image of GitHub's registry, by its tags, the oldest first. The installation that
// reaches the repository is asked, with a token that reads packages and nothing else: an installation that does not
// grant that has everything but this. GitHub does not promise that an App may ask for packages, and shows it public
// ones only: a refusal says nothing of the image.
func (h *Hub) Images(ctx context.Context, repo promotion.Repo, image string) (all []promotion.Image, err error) {
	by, err := h.reaching(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("list the versions of %s: %w", image, err)
	}
	owner, name, _ := strings.Cut(strings.TrimPrefix(image, promotion.Registry), "/")
	path := fmt.Sprintf("%s/packages/container/%s/versions", url.PathEscape(owner), url.PathEscape(name))
	all, err = h.listImages(ctx, by, "orgs/"+path, image, imagePages)
	if errors.Is(err, ErrNotFound) { // of a person; there is one page of those
		all, err = h.listImages(ctx, by, "users/"+path, image, 1)
	}
	if err != nil {
		return nil, fmt.Errorf("list the versions of %s: %w", image, err)
	}
	slices.Reverse(all)
	return all, nil
}

func (h *Hub) listImages(
	ctx context.Context, by *installationState, path, image string, pages int,
) (all []promotion.Image, err error) {
	read := "read"
	rest := h.rest(by.http(fmt.Sprintf("%d packages", by.id), github.InstallationTokenOptions{
		Permissions: &github.InstallationPermissions{Metadata: &read, Packages: &read},
	}))
	for page := 1; page <= pages; page++ {
		query := ""
		if pages > 1 {
			query = fmt.Sprintf("?per_page=%d&page=%d", versionsAPage, page)
		}
		request, err := rest.NewRequest(http.MethodGet, path+query, nil)
		if err != nil {
			return nil, err
		}
		var versions []struct {
			Digest   string `json:"name"`
			Metadata struct {
				Container struct {
					Tags []string `json:"tags"`
				} `json:"container"`
			} `json:"metadata"`
		}
		if _, err := rest.Do(ctx, request, &versions); err != nil {
			return nil, classify(err)
		}
		for _, v := range versions {
			for _, tag := range v.Metadata.Container.Tags {
				all = append(all, promotion.Image{Image: image, Tag: tag, Digest: v.Digest})
			}
		}
		if len(versions) < versionsAPage {
			break
		}
	}
	return all, nil
}
