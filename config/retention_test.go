package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/config"
)

const day = 24 * time.Hour

func TestWithoutAWordDeliveriesAreKeptTwoWeeksFactsAQuarterAndTheAuditTrailForEver(t *testing.T) {
	require.Equal(t, config.Retention{Deliveries: 14 * day, Facts: 90 * day}, config.ServerRetention("", nil))
	require.Equal(t, config.Retention{Deliveries: 14 * day, Facts: 90 * day},
		config.ServerRetention("p", []byte("version: 1\nretention:\n")))
}

func TestTheServersPolicySaysHowLongThingsAreKept(t *testing.T) {
	text := []byte("version: 1\nretention: {deliveries: 4d, facts: 400h, audit: 365d}\n")
	require.Empty(t, config.CheckPolicy("server", text).String())
	require.Equal(t, config.Retention{Deliveries: 4 * day, Facts: 400 * time.Hour, Audit: 365 * day},
		config.ServerRetention("server", text))
}

func TestNobodyForgetsSoSoonThatALateRedeliveryWouldBeNew(t *testing.T) {
	problems := config.CheckPolicy("server.yml",
		[]byte("version: 1\nretention: {deliveries: 3d, facts: 1h, audit: 0s, log: 1d}\n"))
	require.Equal(t,
		`server.yml:2:25: retention.deliveries: must be a duration from 96h to 876000h, such as 90s, 1h30m or 2d, not "3d"
server.yml:2:36: retention.facts: must be a duration from 336h to 876000h, such as 90s, 1h30m or 2d, not "1h"
server.yml:2:47: retention.audit: must be a duration from 2160h to 876000h, such as 90s, 1h30m or 2d, not "0s"
server.yml:2:51: retention: unknown key "log"; known are deliveries, facts, audit`, problems.String())
}

func TestARepositoryHasNoSayInRetention(t *testing.T) {
	_, problems := config.Load(config.Sources{
		Pipeline: []byte(pipelineOfDesign), Policy: []byte("version: 1\nretention: {facts: 20d}\n"),
	})
	require.Equal(t, ".github/waybill.policy.yml:2:1: `retention` is for the whole server: remove it, or put it into "+
		"the file that WAYBILL_POLICY_FILE names",
		problems.String())
}
