package surface

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"waybill/promotion"
)

// PullAddress is the address of answers on a pull request: "acme/api#142/9871" answers comment 9871 on it,
// "acme/api#142" the pull request itself.
type PullAddress struct {
	Repo    promotion.Repo
	Number  int
	Comment int64 // 0: none
}

// String returns the address as the database keeps it.
func (s PullAddress) String() string {
	if s.Comment == 0 {
		return fmt.Sprintf("%s#%d", s.Repo, s.Number)
	}
	return fmt.Sprintf("%s#%d/%d", s.Repo, s.Number, s.Comment)
}

var pullAddresses = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([^#]+/[^#]+)#(\d+)(?:/(\d+))?$`)
})

// ParsePullAddress reads the text that String returns. It returns an error for any other text.
func ParsePullAddress(text string) (PullAddress, error) {
	m := pullAddresses().FindStringSubmatch(text)
	if m == nil {
		return PullAddress{}, fmt.Errorf("answer on %q: not a pull request", text)
	}
	s := PullAddress{Repo: promotion.Repo(m[1])}
	var err error
	if s.Number, err = strconv.Atoi(m[2]); err == nil && m[3] != "" {
		s.Comment, err = strconv.ParseInt(m[3], 10, 64)
	}
	return s, err
}
