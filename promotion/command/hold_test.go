package command_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/internal/fixture"
)

// meant prints the hold that a command means, at noon, in a stage that takes freight from three warehouses.
func meant(text string, targets ...promotion.Target) (h promotion.Hold) {
	p := fixture.DevPipeline()
	s := *p.Stages[0]
	s.From = []promotion.Source{{Warehouse: "api"}, {Warehouse: "web"}, {Warehouse: "WEB"}}
	if targets != nil {
		s.Targets = targets
	}
	c, _ := command.ParseCommand(text)
	_, c = command.Address(p, c)
	return command.HoldMeant(promotion.Request{Command: c, At: fixture.Noon.Add(-time.Minute)}, &s, nil, fixture.Noon)
}

func TestAWarehouseOrATimeCountsIfNothingElseIsSaid(t *testing.T) { // semantics 4.1
	hours := func(n time.Duration) time.Time { return fixture.Noon.Add(n * time.Hour) }
	for text, want := range map[string]promotion.Hold{
		"/hold dev":                            {Stage: "dev"},
		"/hold dev api":                        {Stage: "dev", Warehouse: "api"},
		"/hold dev API":                        {Stage: "dev", Warehouse: "api"},
		`/hold dev api --because "it burns"`:   {Stage: "dev", Warehouse: "api", Text: "it burns"},
		"/hold dev web":                        {Stage: "dev", Warehouse: "web"},
		"/hold dev Web":                        {Stage: "dev", Text: "Web"}, // it could mean two
		"/hold dev api burns":                  {Stage: "dev", Text: "api burns"},
		"/hold dev api because it burns":       {Stage: "dev", Warehouse: "api", Text: "it burns"},
		"/hold dev for 2h because lunch":       {Stage: "dev", Until: hours(2), Text: "lunch"},
		"/hold dev until 14:00 because lunch":  {Stage: "dev", Until: hours(2), Text: "lunch"},
		"/hold dev because we wait for 2h":     {Stage: "dev", Text: "we wait for 2h"},
		"/hold dev it burns because of me":     {Stage: "dev", Text: "it burns because of me"},
		"/hold --all for 2h because lunch":     {Until: hours(2), Text: "lunch"},
		"/hold nowhere for 2h because lunch":   {Text: "nowhere lunch", Until: hours(2)},
		"/hold dev api for 2h":                 {Stage: "dev", Warehouse: "api", Until: hours(2)},
		"/hold dev api --for 2h":               {Stage: "dev", Warehouse: "api", Until: hours(2)},
		"/hold dev --for 2h api":               {Stage: "dev", Warehouse: "api", Until: hours(2)},
		"/hold dev api for 2h --because lunch": {Stage: "dev", Warehouse: "api", Until: hours(2), Text: "lunch"},
		"/hold dev for 2h":                     {Stage: "dev", Until: hours(2)},
		"/hold dev for 2h api":                 {Stage: "dev", Text: "for 2h api"},
		"/hold dev for the weekend":            {Stage: "dev", Text: "for the weekend"},
		"/hold dev api web":                    {Stage: "dev", Text: "api web"},
		"/hold dev for 1h --for 2h":            {Stage: "dev", Until: hours(2), Text: "for 1h"},
		"/hold dev api for 1h --for 2h":        {Stage: "dev", Until: hours(2), Text: "api for 1h"},
		"/hold dev broken --for 2h":            {Stage: "dev", Until: hours(2), Text: "broken"},
		"/hold dev broken for 2h":              {Stage: "dev", Text: "broken for 2h"},
		"/hold --all for 2h":                   {Until: hours(2)},
		"/hold --all api":                      {Text: "api"},
		"/hold nowhere api":                    {Text: "nowhere api"},
		"/hold nowhere for 2h":                 {Text: "nowhere", Until: hours(2)},
		"/hold dev/api":                        {Stage: "dev", Text: "api"},
		"/hold dev until 14:00":                {Stage: "dev", Until: hours(2)},
		"/hold dev api until 14:00":            {Stage: "dev", Warehouse: "api", Until: hours(2)},
		"/hold dev UNTIL today at 2 PM":        {Stage: "dev", Until: hours(2)},
		"/hold dev until 14:00 or so":          {Stage: "dev", Text: "until 14:00 or so"},
		"/hold dev until we know":              {Stage: "dev", Text: "until we know"},
		"/hold dev until today 11:00":          {Stage: "dev", Text: "until today 11:00"},
		"/hold dev api until 2020-01-01 09:00": {Stage: "dev", Text: "api until 2020-01-01 09:00"},
		"/hold dev until 14:00 --for 1h":       {Stage: "dev", Until: hours(1), Text: "until 14:00"},
		"/hold --all until 14:00":              {Until: hours(2)},
		"/hold nowhere until 14:00":            {Text: "nowhere", Until: hours(2)},
		"/hold dev/eu for 2h":                  {Stage: "dev", Text: "eu for 2h"},
	} {
		require.Equal(t, want, meant(text), text)
	}
	eu := promotion.Target{Name: "eu"}
	require.Equal(t, promotion.Hold{Stage: "dev", Target: "eu", Until: hours(2)}, meant("/hold dev/eu for 2h", eu))
	require.Equal(t, promotion.Hold{Stage: "dev", Target: "eu", Text: "api"}, meant("/hold dev/eu api", eu),
		"a hold of a target is of all freight")
	require.Equal(t, promotion.Hold{Stage: "dev", Text: "us api"}, meant("/hold dev/us api", eu))
}
