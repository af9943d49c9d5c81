package say

import (
	"cmp"

	"waybill/promotion"
)

// planned is a row of a plan: the place of a value, the present value, and the new one. Of a folder it is the first
// letters of Git's hash, by which people can tell equal ones.
func planned(v promotion.Value, now string) []string {
	if v.Key == promotion.EveryFile {
		return []string{v.Place(), "every file", cmp.Or(short(now), "not there"), short(v.Text)}
	}
	return []string{v.Files.File(v.Path), v.Key, now, v.Text}
}

func short(hash string) string { return hash[:min(7, len(hash))] }
