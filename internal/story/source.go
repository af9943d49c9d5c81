package story

import (
	"fmt"
	"strings"

	"waybill/promotion"
)

// SourceFile returns the one file that source pull request #number of a repository changes. Every warehouse of that
// repository accepts the file. repo may lack its owner, or be empty for the home repository.
func SourceFile(p *promotion.Pipeline, repo promotion.Repo, number int) (string, error) {
	repo = SourceRepo(p, repo)
	warehouses := warehousesOf(p, repo)
	if len(warehouses) == 0 {
		return "", fmt.Errorf("no warehouse takes pull requests of %s", repo)
	}
	name := fmt.Sprintf("change-%d", number)
	candidates := []string{name + ".txt"}
	for _, w := range warehouses {
		for _, pattern := range w.Paths {
			if !strings.HasPrefix(pattern, "!") {
				candidates = append(candidates, fill(pattern, name))
			}
		}
	}
	for _, file := range candidates {
		if acceptedByAll(warehouses, file) {
			return file, nil
		}
	}
	return "", fmt.Errorf("there is no file that every warehouse of %s accepts", repo)
}

// SourceRepo returns the full name of a repository in a story. An empty name is the home repository. A name without an
// owner gets the owner of the home repository.
func SourceRepo(p *promotion.Pipeline, repo promotion.Repo) promotion.Repo {
	switch {
	case repo == "":
		return p.Home
	case strings.Contains(string(repo), "/"):
		return repo
	}
	owner, _, _ := strings.Cut(string(p.Home), "/")
	return promotion.Repo(owner + "/" + string(repo))
}

// OfBranch reports whether a warehouse watches a branch.
func OfBranch(w *promotion.Warehouse) bool {
	return w.Kind == promotion.FromPulls || w.Kind == promotion.FromPushes
}

func warehousesOf(p *promotion.Pipeline, repo promotion.Repo) []*promotion.Warehouse {
	var all []*promotion.Warehouse
	for _, w := range p.Warehouses {
		if w.Repo == repo && OfBranch(w) {
			all = append(all, w)
		}
	}
	return all
}

// TaggedIn returns the repository and the tag of a release or tag in a story. The name web@v1.2 is tag v1.2 in the
// repository of warehouse web. The name v1.2 is that tag in the repository of the first warehouse of the kind.
func TaggedIn(
	p *promotion.Pipeline, kind promotion.WarehouseKind, name string,
) (repo promotion.Repo, tag string, err error) {
	warehouse, tag, named := strings.Cut(name, "@")
	if !named {
		warehouse, tag = "", name
	}
	for _, w := range p.Warehouses {
		if w.Kind == kind && (warehouse == "" || string(w.Name) == warehouse) {
			return w.Repo, tag, nil
		}
	}
	return "", "", fmt.Errorf("there is no warehouse %s that takes %s", warehouse, kind)
}

func acceptedByAll(warehouses []*promotion.Warehouse, file string) bool {
	for _, w := range warehouses {
		if !w.WantsFile(file) {
			return false
		}
	}
	return true
}

// fill makes a file name from a glob. A * becomes name; of alternatives and classes, fill takes the first.
func fill(pattern, name string) string {
	var b strings.Builder
	for rest := pattern; rest != ""; {
		c := rest[0]
		rest = rest[1:]
		switch c {
		case '*':
			rest = strings.TrimLeft(rest, "*")
			b.WriteString(name)
		case '?':
			b.WriteByte('x')
		case '{':
			alternatives, after, _ := strings.Cut(rest, "}")
			first, _, _ := strings.Cut(alternatives, ",")
			rest = first + after
		case '[':
			class, after, _ := strings.Cut(rest, "]")
			b.WriteString(class[:min(1, len(class))])
			rest = after
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
