package say

import (
	"fmt"
	"strings"

	"waybill/promotion"
)

// Risks says how much a promotion changes in the application, where, and which files look like migrations, with show
// for each name; "" if that is not known.
func Risks(n *promotion.Notes, show func(string) string) string {
	if n == nil {
		return ""
	}
	r := n.Risk()
	if r.Files == 0 {
		return ""
	}
	least := ""
	if n.Left > 0 || r.More {
		least = "at least "
	}
	text := fmt.Sprintf("%s%s and %s in %s", least, counted(r.Files, "file"), counted(r.Lines, "line"),
		named(r.Areas, show))
	return text + after("; migrations: ", named(r.Migrations, show))
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// named lists the first names, and says how many more there are.
func named(names []string, show func(string) string) string {
	var all []string
	for _, name := range names[:min(len(names), someSaid)] {
		all = append(all, show(name))
	}
	if more := len(names) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return strings.Join(all, ", ")
}
