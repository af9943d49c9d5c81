package story

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waybill/promotion"
)

// numbering maps the world's numbers of promotions to the story's: p1, p2, ... in the order of their first outcomes.
type numbering map[promotion.Number]promotion.Number

// of returns a promotion's number in the story. fresh reports whether this call assigned it.
func (n numbering) of(world promotion.Number) (number promotion.Number, fresh bool) {
	if number, known := n[world]; known {
		return number, false
	}
	n[world] = promotion.Number(len(n) + 1)
	return n[world], true
}

// inWorld returns the happening with the world's numbers in it.
func (n numbering) inWorld(h Happening) (Happening, error) {
	var err error
	if h.Promotion != 0 {
		h.Promotion, err = n.back(h.Promotion)
	}
	if h.At.Commit.Of == 'm' && err == nil {
		var number promotion.Number
		number, err = n.back(promotion.Number(h.At.Commit.Number))
		h.At.Commit.Number = int(number)
	}
	return h, err
}

func (n numbering) back(number promotion.Number) (promotion.Number, error) {
	for world, story := range n {
		if story == number {
			return world, nil
		}
	}
	return 0, fmt.Errorf("there is no promotion p%d yet", number)
}

// reason returns a reason with the story's numbers of promotions.
func (n numbering) reason(r promotion.Reason) promotion.Reason {
	numbers := []promotion.Code{promotion.Behind, promotion.BeforeFailed, promotion.Merged}
	if !slices.Contains(numbers, r.Code) || len(r.Args) == 0 {
		return r
	}
	world, err := strconv.ParseInt(strings.TrimPrefix(r.Args[0], "p"), 10, 64)
	if err != nil {
		return r
	}
	number, _ := n.of(promotion.Number(world))
	args := append([]string{promotionName(number)}, r.Args[1:]...)
	return promotion.Because(r.Code, args...)
}

// promotionName returns the name of a promotion in the story.
func promotionName(n promotion.Number) string { return "p" + strconv.FormatInt(int64(n), 10) }
