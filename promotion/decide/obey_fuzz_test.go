package decide

import (
	"strings"
	"testing"
	"time"

	"waybill/internal/spent"
	"waybill/promotion"
	"waybill/promotion/command"
)

func FuzzEveryCommandIsAnswered(f *testing.F) {
	for _, seed := range []string{
		"/promote prod api#142", "@waybill rollback prod to api#1 --because \"x\"", "/hold --all --for 2h", "hold \"",
		"/verdict prod pass",
		"/admit api#1 prod --because", "/pro\u200bmote", "\xff/hold\x00", "/hold " + strings.Repeat("x ", 1000),
		"/rollbac\u212a", "\"\"\"\"", "/hold *", "/unhold *o* api", "/cancel group:x/y", "/status d*", "/deny *",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, is := command.ParseCommand(text)
		if !is || c.Trouble != "" {
			return
		}
		for _, c := range command.Each(inState(promotion.Succeeded).Pipeline, c, promotion.Admin, nil) {
			s := inState(promotion.Succeeded)
			stage, c := command.Address(s.Pipeline, c)
			s.Stage = s.Pipeline.Stage(stage)
			s.Requests = []promotion.Request{{ID: 1, Command: c, By: ann, Permission: promotion.Admin, At: noon,
				Observed: noon.Add(time.Second)}}
			var d promotion.Decision
			spent.Bound{Base: 1 << 20, PerByte: 1 << 10}.Check(t, len(text), func() { d = Decide(s, noon) })
			if len(d.Answered) != 1 {
				t.Fatalf("%q is not answered by %s", text, stage)
			}
		}
	})
}
