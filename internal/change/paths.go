package change

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Forbidden returns the reason why Waybill never changes a file or folder with that path, or "". A person who may edit
// a pipeline file, or the source folder of a copy, must not be able to change the files that protect the repository.
func Forbidden(name string) string {
	lower := strings.ToLower(path.Clean(name))
	switch {
	case !utf8.ValidString(name) || strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0:
		return "a path is not changed that has characters nobody can see"
	case strings.Contains(name, `\`):
		return `a path has / between its parts, not \`
	case slices.Contains(strings.Split(lower, "/"), ".git"), path.Base(lower) == ".gitmodules",
		path.Base(lower) == ".gitattributes":
		return "what Git keeps for itself is never changed"
	case lower == ".github" || strings.HasPrefix(lower, ".github/"):
		return "nothing in .github/ is ever changed"
	case path.Base(lower) == "codeowners":
		return "CODEOWNERS is never changed"
	}
	return ""
}
