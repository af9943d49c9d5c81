package sandbox

import (
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"
	"github.com/palantir/go-githubapp/githubapp"
	"github.com/stretchr/testify/require"

	"waybill/handlers"
)

// BenchmarkDoors measures from outside how many signed deliveries of 10 KB are acknowledged to 64 connections, and how
// much processor time each costs until it is handled: by the server, by its door without storage, and by an App on
// go-githubapp that parses each delivery before it answers and stores nothing. Each is a process of its own. They take
// turns on the same processors as the clients, so only the ratios are meaningful.
//
// A comment without a command ends when it is acknowledged, and so does a check run that no pipeline waits for.
func BenchmarkDoors(b *testing.B) {
	b.Run("comment", func(b *testing.B) { benchmarkDoors(b, "issue_comment", 32) })
	b.Run("check run", func(b *testing.B) { benchmarkDoors(b, "check_run", 2) })
}

func benchmarkDoors(b *testing.B, event string, each int) {
	const connections, rounds = 64, 8
	c := newCost(b)
	v := newVictim(b, c.github)
	v.start()
	c.until(v.ready, "the process is ready")
	request := signedRequest(b, event, c.github.WebhookSecret())
	server := &measuredDoor{newClients(b, v.address, connections, request), v.pid(), 0}
	bare := startDoor(b, "bare", c.github.WebhookSecret(), connections, request)
	parsing := startDoor(b, "parsing", c.github.WebhookSecret(), connections, request)
	all := []*measuredDoor{server, bare, parsing}
	turn := func() {
		for _, d := range all {
			before := processorTime(b, d.pid)
			d.round(each)
			if d == server {
				c.until(func() bool { return v.waiting() == 0 }, "all is handled")
			}
			d.processor += processorTime(b, d.pid) - before
		}
	}
	turn() // with cold caches, an empty database and a small heap
	for _, d := range all {
		d.forget()
		d.processor = 0
	}
	for b.Loop() {
		for range rounds {
			turn()
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(server.rate(), "durable/s")
	b.ReportMetric(server.rate()/bare.rate(), "durable:bare")
	b.ReportMetric(server.rate()/parsing.rate(), "durable:go-githubapp")
	b.ReportMetric(server.cost(), "µs-of-processor")
	b.ReportMetric(server.cost()/parsing.cost(), "processor:go-githubapp")
}

// measuredDoor is a process that takes deliveries.
type measuredDoor struct {
	*clients
	pid       string
	processor time.Duration
}

// cost is the processor time of a delivery in microseconds.
func (d *measuredDoor) cost() float64 {
	return float64(d.processor.Microseconds()) / float64(d.counted)
}

// waiting counts the deliveries that the process has not handled yet.
func (v *victim) waiting() (n int) {
	db, err := sql.Open("sqlite", v.database)
	require.NoError(v.t, err)
	defer db.Close()
	require.NoError(v.t, db.QueryRow(`SELECT COUNT(*) FROM deliveries WHERE run_at IS NOT NULL`).Scan(&n))
	return n
}

// The environment of a door that is a process of this test binary.
const doorKind, doorAddress, doorSecret = "WAYBILL_DOOR", "WAYBILL_DOOR_ADDRESS", "WAYBILL_DOOR_SECRET"

// startDoor starts a door as a process of its own.
func startDoor(b *testing.B, kind, secret string, connections int, request []byte) *measuredDoor {
	self, err := os.Executable()
	require.NoError(b, err)
	address := freeAddress(b)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), doorKind+"="+kind, doorAddress+"="+address, doorSecret+"="+secret)
	cmd.Stderr = os.Stderr
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	require.Eventually(b, func() bool {
		answer, err := http.Get("http://" + address)
		return err == nil && answer.Body.Close() == nil
	}, 10*time.Second, 10*time.Millisecond)
	return &measuredDoor{newClients(b, address, connections, request), strconv.Itoa(cmd.Process.Pid), 0}
}

// serveDoor serves a door until it is killed.
func serveDoor(kind string) error {
	hook, err := handlers.GitHub(handlers.Options{Secret: os.Getenv(doorSecret), Inbox: oblivion{}})
	if err != nil {
		return err
	}
	if kind == "parsing" {
		hook = githubapp.NewEventDispatcher([]githubapp.EventHandler{parsing{}}, os.Getenv(doorSecret))
	}
	server := &http.Server{Addr: os.Getenv(doorAddress), Handler: hook, ReadHeaderTimeout: time.Minute}
	return server.ListenAndServe()
}

// oblivion is an inbox that stores nothing.
type oblivion struct{}

func (oblivion) Accept(context.Context, handlers.Delivery) (bool, error) { return true, nil }

// parsing does the minimal work of an App on go-githubapp.
type parsing struct{}

func (parsing) Handles() []string { return []string{"issue_comment", "check_run"} }

func (parsing) Handle(_ context.Context, event, _ string, payload []byte) error {
	_, err := github.ParseWebHook(event, payload)
	return err
}

// signedRequest is a webhook as GitHub sends it: the first published example of an event, made 10 KB long by its text.
func signedRequest(b *testing.B, event, secret string) []byte {
	payload := publishedExample(b, event)
	field := map[string]string{"issue_comment": "body", "check_run": "external_id"}[event]
	about := payload[strings.TrimPrefix(event, "issue_")].(map[string]any)
	body, err := json.Marshal(payload)
	require.NoError(b, err)
	about[field] = strings.Repeat("all is well, and ", max(0, 10<<10-len(body))/17)
	body, err = json.Marshal(payload)
	require.NoError(b, err)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return fmt.Appendf(nil,
		"POST /api/github/hook HTTP/1.1\r\nHost: waybill\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
			"X-GitHub-Event: %s\r\nX-GitHub-Delivery: %s\r\nX-Hub-Signature-256: sha256=%s\r\n\r\n%s",
		len(body), event, anyGUID, hex.EncodeToString(mac.Sum(nil)), body)
}

// publishedExample is the first of GitHub's examples of an event.
func publishedExample(b *testing.B, event string) map[string]any {
	file, err := os.Open("../../handlers/testdata/webhooks-examples.json.gz")
	require.NoError(b, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	require.NoError(b, err)
	var events []struct {
		Name     string
		Examples []map[string]any
	}
	require.NoError(b, json.NewDecoder(unzipped).Decode(&events))
	for _, e := range events {
		if e.Name == event {
			return e.Examples[0]
		}
	}
	require.FailNow(b, "there is no example", event)
	return nil
}
