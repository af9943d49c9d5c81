package gh

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// lookedInto is how many repositories one query looks into.
const lookedInto = 50

// Holder is a repository that holds some of the files or folders that were looked for.
type Holder struct {
	Repo promotion.Repo
	Has  string // Git's names for them: others as soon as something is in them that was not
}

// Holding returns which of an installation's repositories hold one of some files or folders on their default branch.
// One query asks about fifty of them, with a token that reads contents of the installation and nothing else; a
// repository that cannot be read is left out.
func (h *Hub) Holding(
	ctx context.Context, installation int64, repos []promotion.Repo, paths []string,
) ([]Holder, error) {
	read := "read"
	over := h.installationOf(installation)
	scope := github.InstallationTokenOptions{
		Permissions: &github.InstallationPermissions{Metadata: &read, Contents: &read},
	}
	c := h.newClient(over, "", over.http(fmt.Sprintf("%d contents", installation), scope))
	var holding []Holder
	if len(repos) == 0 {
		return nil, nil
	}
	query := fmt.Sprintf("Holding %d", installation)
	err := inPortions(ctx, c, query, lookedInto, repos, func(some []promotion.Repo) error {
		part, err := whichHold(ctx, c, some, paths)
		holding = append(holding, part...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for %s in %d repositories: %w", strings.Join(paths, ", "), len(repos), err)
	}
	return holding, nil
}

// whichHold asks which of some repositories hold one of the files or folders.
func whichHold(
	ctx context.Context, c *Client, repos []promotion.Repo, paths []string,
) ([]Holder, error) {
	variables, declared, objects := map[string]any{}, "", ""
	for i, path := range paths {
		name := "path" + string(rune('A'+i))
		variables[name] = "HEAD:" + path
		declared += fmt.Sprintf("$%s: String!, ", name)
		objects += fmt.Sprintf(" %[1]s: object(expression: $%[1]s) { oid }", name)
	}
	fields := ""
	for i, repo := range repos {
		owner, name, err := split(repo)
		if err != nil {
			return nil, err
		}
		variables[fmt.Sprintf("o%d", i)], variables[fmt.Sprintf("n%d", i)] = owner, name
		declared += fmt.Sprintf("$o%d: String!, $n%d: String!, ", i, i)
		fields += fmt.Sprintf(" r%[1]d: repository(owner: $o%[1]d, name: $n%[1]d) {%[2]s }", i, objects)
	}
	var answer map[string]map[string]*struct {
		OID promotion.SHA `json:"oid"`
	}
	err := c.graph.ask(ctx, "query Holding("+strings.TrimSuffix(declared, ", ")+") {"+fields+" }", variables, &answer)
	if err != nil && (answer == nil || !errors.Is(err, ErrRefused)) { // one that is out of reach does not hide the others
		return nil, err
	}
	var holding []Holder
	for i, repo := range repos {
		has, objects := "", answer[fmt.Sprintf("r%d", i)]
		for _, name := range slices.Sorted(maps.Keys(objects)) {
			if object := objects[name]; object != nil {
				has += " " + name + ":" + string(object.OID)
			}
		}
		if has != "" {
			holding = append(holding, Holder{repo, has})
		}
	}
	return holding, nil
}
