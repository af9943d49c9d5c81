package promotion

import (
	"strconv"
	"strings"
)

// letterOf is the place in the alphabet of the first letter; 0 if it is none.
func letterOf(prerelease string) int {
	letter := int(strings.ToLower(prerelease)[0]) - 'a' + 1
	return min(max(letter, 0), mostLetter-1)
}

// countOf is the number in which a name ends; 0 if there is none.
func countOf(prerelease string) int {
	letters := strings.TrimRight(prerelease, "0123456789")
	n, _ := strconv.Atoi(prerelease[len(letters):]) // the largest number, if it is too large
	return n
}
