package story

import (
	"fmt"

	"waybill/internal/change"
	"waybill/promotion"
)

// TargetFiles returns what a happening makes of the files of a target: none of them is there any more, or those that were
// not there are, with `none` at each place. A file is nil where it goes.
func TargetFiles(p *promotion.Pipeline, h Happening, exists func(path string) bool) (map[string]*string, error) {
	stage := p.Stage(h.Stage)
	if stage == nil || stage.Target(promotion.TargetName(h.Target)) == nil {
		return nil, fmt.Errorf("there is no target %s/%s", h.Stage, h.Target)
	}
	files := map[string]*string{}
	for _, c := range stage.Target(promotion.TargetName(h.Target)).Changes {
		switch {
		case h.Result == "disappears":
			files[c.Path] = nil
		case h.Result != "appears":
			return nil, fmt.Errorf("%q cannot happen to a target: this version knows no such thing", h.Result)
		case !exists(c.Path):
			contents, err := change.Sketch(c, "none")
			if err != nil {
				return nil, err
			}
			text := string(contents)
			files[c.Path] = &text
		}
	}
	return files, nil
}
