package gh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/spent"
	"waybill/promotion"
)

const aSHA = "0123456789012345678901234567890123456789"

// call is one request to GitHub, and a check of its answer if there is no error.
type call struct {
	name string
	ask  func(ctx context.Context, c *Client) error
	// answers are possible answers of GitHub, one for each request. They are the seeds of the fuzz tests.
	answers []string
}

const (
	aPull = `{"number":1,"state":"open","head":{"ref":"waybill/dev/api-142/7","sha":"` + aSHA +
		`","repo":{"full_name":"acme/app"}},` +
		`"base":{"ref":"main","sha":"b"},"user":{"login":"waybill[bot]","id":9},"updated_at":"2026-03-02T12:00:00Z",` +
		`"mergeable":true,"mergeable_state":"clean"}`
	aMergedPull = `{"number":1,"state":"closed","merged":true,"merged_at":"2026-03-02T12:00:00Z","merge_commit_sha":"` +
		aSHA + `",` +
		`"head":{"ref":"x","sha":"c"},"base":{"ref":"main"},"user":{"login":"ann",` +
		`"id":3},"merged_by":{"login":"ann","id":3},"updated_at":"2026-03-02T12:00:00Z"}`
	aHead = `{"data":{"repository":{"id":"R_1","databaseId":1,"nameWithOwner":"acme/app",` +
		`"squashMergeAllowed":true,"branch":{"name":"main","target":{"oid":"` + aSHA +
		`","tree":{"oid":"t"},"f0":{"mode":33188,"object":{"text":"tag: ` +
		`v1\n","byteSize":8,"isBinary":false,"isTruncated":false}}}}}}}`
	aCommit = `{"sha":"` + aSHA +
		`","parents":[{"sha":"since"}],"commit":{"committer":{"date":"2026-03-02T12:00:00Z"}}}`
	aComparison = `{"status":"ahead","commits":[` + aCommit + `],"files":[{"filename":"b","previous_filename":"a"}]}`
	aRun        = `{"total_count":1,"check_runs":[{"id":5,"node_id":"CR_5","name":"e2e",` +
		`"status":"completed","conclusion":"success","app":{"id":2,"slug":"ci"},` +
		`"check_suite":{"id":4},"started_at":"2026-03-02T12:00:00Z","completed_at":"2026-03-02T12:01:00Z"}]}`
)

// aRelease is a published release.
const aRelease = `{"databaseId":1,"tagName":"v1.0.0","publishedAt":"2026-03-02T12:00:00Z","tagCommit":{"oid":"` + aSHA +
	`"}}`

// saneTags requires that every release or tag has a name, a commit and a time.
func saneTags(err error, all ...promotion.Tagged) error {
	for _, t := range all {
		if err == nil && (t.Tag == "" || t.SHA == "" || t.At.IsZero()) {
			return fmt.Errorf("%w: %+v", errInsane, t)
		}
	}
	return err
}

// aMove is the answer when a branch was moved.
const aMove = `{"data":{"updateRefs":{"clientMutationId":null}}}`

// calls are all requests that the client can send to GitHub.
var calls = []call{
	{"read", func(ctx context.Context, c *Client) error {
		base, err := c.Files.Read(ctx, "main", []string{"dev.yaml"})
		if _, there := base.Files["dev.yaml"]; err == nil && (base.SHA == "" || base.Tree == "" || !there) {
			return fmt.Errorf("%w: %+v", errInsane, base)
		}
		return err
	}, []string{aHead}},
	{"commit", func(ctx context.Context, c *Client) error {
		base := Base{Branch: "main", SHA: "b", Tree: "t", Files: map[string]File{"dev.yaml": {Exists: true, Mode: "100644"}}}
		made, err := c.Commits.Make(ctx, base, Writes{Files: map[string]string{"dev.yaml": "tag: v2\n"}}, "m")
		return sane(err, made.SHA != "" && !made.At.IsZero(), made)
	}, []string{`{"sha":"t2"}`, `{"sha":"` + aSHA + `","committer":{"date":"2026-03-02T12:00:00Z"}}`}},
	{"open", func(ctx context.Context, c *Client) error {
		opened, err := c.Pulls.Open(ctx,
			OpenRequest{Branch: branch, Head: aSHA, Base: "main", Title: "t", Marker: "<!-- waybill:promotion=7 -->"})
		return sane(err, opened.Pull > 0 && known(opened.State), opened)
	}, []string{`{"data":{"repository":{"id":"R_1","ref":null,"pullRequests":{"nodes":[]}}}}`,
		`{"data":{"createRef":{"ref":{"name":"x"}},"createPullRequest":{"pullRequest":{"number":1,"url":"u","headRefOid":"` +
			aSHA + `"}}}}`}},
	{"adopt", func(ctx context.Context, c *Client) error {
		opened, err := c.Pulls.Open(ctx,
			OpenRequest{Branch: branch, Head: aSHA, Base: "main", Title: "t", Marker: "<!-- waybill:promotion=7 -->"})
		return sane(err, opened.Pull > 0 && known(opened.State), opened)
	}, []string{`{"data":{"repository":{"id":"R_1","ref":{"target":{"oid":"` + aSHA +
		`"}},"pullRequests":{"nodes":[{"number":1,"state":"OPEN","headRefOid":"` + aSHA +
		`","body":"<!-- waybill:promotion=7 -->","author":{"__typename":"Bot","login":"waybill"}}]}}}}`}},
	{"merge", func(ctx context.Context, c *Client) error {
		outcome, err := c.Pulls.Merge(ctx, MergeRequest{Pull: 1, Base: "main", Head: aSHA, Method: "squash"})
		whole := outcome.Result != "" &&
			(outcome.Result != Merged || outcome.Pull.MergeSHA != "" && outcome.Pull.State == promotion.PullMerged)
		return sane(err, whole, outcome)
	}, []string{`{"merged":true,"sha":"` + aSHA + `"}`}},
	{"pull", func(ctx context.Context, c *Client) error {
		pull, err := c.Pulls.Read(ctx, 1)
		return sane(err, saneOf(pull), pull)
	}, []string{aPull}},
	{"merged pull", func(ctx context.Context, c *Client) error {
		pull, err := c.Pulls.Read(ctx, 1)
		return sane(err, saneOf(pull), pull)
	}, []string{aMergedPull}},
	{"find pull", func(ctx context.Context, c *Client) error {
		pull, found, err := c.Pulls.find(ctx, branch)
		return sane(err, !found || saneOf(pull), pull)
	}, []string{"[" + aPull + "]", aPull}},
	{"close", func(ctx context.Context, c *Client) error {
		_, err := c.Pulls.Close(ctx, CloseRequest{Pull: 1, Branch: branch, Comment: "c", Marker: "<!-- m -->"})
		return err
	}, []string{aPull, `[]`, `{"id":1}`, aPull, aPull, aHead, aMove}},
	{"merged pulls", func(ctx context.Context, c *Client) error {
		pulls, err := c.Pulls.MergedInto(ctx, "main", noon.Add(-time.Hour))
		for _, one := range pulls {
			if err == nil && (one.Number <= 0 || one.MergeSHA == "") {
				return fmt.Errorf("%w: %+v", errInsane, one)
			}
		}
		return err
	}, []string{"[" + aMergedPull + "]"}},
	{"releases", func(ctx context.Context, c *Client) error {
		all, err := c.Releases.List(ctx, noon)
		return saneTags(err, all...)
	},
		[]string{
			`{"data":{"repository":{"page":{"nodes":[` + aRelease + `],"pageInfo":{"hasNextPage":true,"endCursor":"x"}}}}}`,
		}},
	{"release", func(ctx context.Context, c *Client) error {
		one, found, err := c.Releases.Read(ctx, "v1.0.0")
		if !found {
			return err
		}
		return saneTags(err, one)
	}, []string{`{"data":{"repository":{"one":` + aRelease + `}}}`}},
	{"tags", func(ctx context.Context, c *Client) error {
		all, err := c.Tags.List(ctx, noon)
		return saneTags(err, all...)
	},
		[]string{`{"data":{"repository":{"page":{"nodes":[{"name":"v1","target":{"oid":"` + aSHA +
			`","committedDate":"2026-03-02T12:00:00Z"}}],"pageInfo":{}}}}}`}},
	{"heads", func(ctx context.Context, c *Client) error {
		heads, err := c.Commits.Heads(ctx, []promotion.SHA{aSHA})
		return sane(err, len(heads) == 0 || heads[0].SHA == aSHA && heads[0].Count > 0, heads)
	}, []string{`{"data":{"repository":{"c0":{"oid":"` + aSHA +
		`","committedDate":"2026-03-02T12:00:00Z","history":{"totalCount":1}}}}}`}},
	{"newest pulls", func(ctx context.Context, c *Client) error {
		_, _, err := c.Pulls.NewestOpen(ctx, "main", 100)
		return err
	}, []string{"[" + aPull + "]"}},
	{"groups", func(ctx context.Context, c *Client) error { _, err := c.MergeQueue.Groups(ctx, "main"); return err },
		[]string{`[{"ref":"refs/heads/gh-readonly-queue/main/pr-7-` + aSHA + `","object":{"sha":"` + aSHA + `"}}]`}},
	{"pull files", func(ctx context.Context, c *Client) error { _, err := c.Pulls.Files(ctx, 1); return err },
		[]string{`[{"filename":"a","previous_filename":"b"}]`}},
	{"pushes", func(ctx context.Context, c *Client) error {
		_, err := c.Branches.Pushes(ctx, "main", "since", "head")
		return err
	}, []string{aComparison, aCommit, aComparison}},
	{"changed paths", func(ctx context.Context, c *Client) error {
		_, err := c.Commits.ChangedPaths(ctx, "a", "b")
		return err
	},
		[]string{`{"status":"diverged"}`, `{"tree":[{"path":"a","mode":"100644","type":"blob","sha":"s"}]}`, `{"tree":[]}`}},
	{"checks", func(ctx context.Context, c *Client) error { return signalsOf(ctx, c, promotion.KindCheck) },
		[]string{`{"check_suites":[{"id":4,"status":"completed","conclusion":"success",` +
			`"app":{"id":2,"slug":"ci"},"head_branch":"main"}]}`, aRun}},
	{"statuses", func(ctx context.Context, c *Client) error { return signalsOf(ctx, c, promotion.KindStatus) },
		[]string{`[{"id":1,"context":"argocd","state":"success","creator":{"login":"argo"},` +
			`"created_at":"2026-03-02T12:00:00Z","updated_at":"2026-03-02T12:00:00Z"}]`}},
	{"deployments", func(ctx context.Context, c *Client) error { return signalsOf(ctx, c, promotion.KindDeployment) },
		[]string{`[{"id":1,"environment":"dev","creator":{"login":"ci"}}]`,
			`[{"id":2,"state":"success","created_at":"2026-03-02T12:00:00Z"}]`}},
	{"save check run", func(ctx context.Context, c *Client) error {
		saved := c.Surfaces.Save(ctx, &CheckRun{SHA: aSHA, Name: "e2e", Status: "queued"})[0]
		return sane(saved.Err, saved.ID > 0 && saved.Node != "", saved)
	}, []string{aRun, aHead, `{"data":{"s0":{"checkRun":{"id":"CR_6","databaseId":6,"status":"COMPLETED"}}}}`,
		`{"data":{"s0":{"checkRun":{"id":"CR_7","databaseId":7,"status":"QUEUED"}}}}`}},
	{"save comment", func(ctx context.Context, c *Client) error {
		known, err := c.Comments.Save(ctx, Comment{Issue: 1, Marker: "<!-- m -->", Body: "b"})
		return sane(err, known.ID > 0, known)
	}, []string{`[{"id":1,"body":"<!-- m -->","user":{"login":"waybill[bot]"}}]`, `{"id":1}`}},
	{"permission", func(ctx context.Context, c *Client) error {
		p, err := c.People.Permission(ctx, "ann")
		return sane(err, p.Level != "", p)
	}, []string{`{"permission":"write","role_name":"maintain","user":{"id":3,"login":"ann"}}`}},
	{"move branch", func(ctx context.Context, c *Client) error { return c.Branches.Move(ctx, branch, aSHA, "b") },
		[]string{aHead, aMove}},
	{"moved branch", func(ctx context.Context, c *Client) error { return c.Branches.Move(ctx, branch, aSHA, "b") },
		[]string{aHead, `{"errors":[{"type":"UNPROCESSABLE","message":"m"}]}`, `{"object":{"sha":"b"}}`}},
	{"delete branch", func(ctx context.Context, c *Client) error { return c.Branches.delete(ctx, branch, aSHA) },
		[]string{aHead, aMove}},
	{"head", func(ctx context.Context, c *Client) error {
		head, err := c.Branches.Default(ctx)
		return sane(err, head.RepoID != 0 && head.Branch != "" && head.SHA != "", head)
	}, []string{`{"id":1,"default_branch":"main"}`, `{"object":{"sha":"` + aSHA + `"}}`}},
	{"digests", func(ctx context.Context, c *Client) error {
		digests, err := c.Signals.Digests(ctx, []promotion.SHA{aSHA})
		_, there := digests[aSHA]
		return sane(err, there, digests)
	}, []string{`{"data":{"repository":{"c0":{"checkSuites":{"totalCount":0,` +
		`"nodes":[]},"status":null,"deployments":{"totalCount":0,"nodes":[]}}}}}`}},
	{"holding", func(ctx context.Context, c *Client) error {
		holding, err := whichHold(ctx, c, []promotion.Repo{repo}, []string{"file", "folder"})
		return sane(err, len(holding) <= 1, holding)
	}, []string{`{"data":{"r0":{"object":{"oid":"` + aSHA + `"}}}}`}},
	{"app", func(ctx context.Context, c *Client) error {
		c.hub.self = nil
		self, err := c.hub.Self(ctx)
		return sane(err, self.AppID > 0 && self.Slug != "", self)
	}, []string{`{"id":4711,"slug":"waybill"}`}},
	{"installations", func(ctx context.Context, c *Client) error { _, err := c.hub.Installations(ctx); return err },
		[]string{`[{"id":1,"account":{"id":2,"login":"acme"},"suspended_at":null}]`}},
	{"repositories", func(ctx context.Context, c *Client) error { _, err := c.hub.Repositories(ctx, 1); return err },
		[]string{`{"token":"t","expires_at":"2030-01-01T00:00:00Z"}`,
			`{"repositories":[{"id":1,"full_name":"acme/app","default_branch":"main","archived":false}]}`}},
	{"save deployment", func(ctx context.Context, c *Client) error {
		saved := c.Surfaces.Save(ctx, &Deployment{Promotion: 7, SHA: aSHA, Environment: "dev", State: "success"})[0]
		return sane(saved.Err, saved.ID > 0 && saved.Node != "", saved)
	}, []string{`[{"id":1,"node_id":"DE_1","payload":{"waybill_promotion":7},"creator":{"login":"waybill[bot]"}}]`,
		`{"errors":[{"type":"NOT_FOUND","path":["s0"],"message":"m"}]}`,
		`[{"id":1,"node_id":"DE_1","payload":{"waybill_promotion":7},"creator":{"login":"waybill[bot]"}}]`, // still
		`{"id":2,"node_id":"DE_2"}`,
		`{"data":{"s0":{"deploymentStatus":{"id":"DES_1"}}}}`}},
	{"folder", func(ctx context.Context, c *Client) error {
		files, err := c.Files.In(ctx, aSHA, true)
		for path, one := range files {
			if err == nil && (path == "" || one.SHA == "" || one.Mode == "") {
				return fmt.Errorf("%w: %+v", errInsane, files)
			}
		}
		return err
	}, []string{`{"sha":"` + aSHA + `","tree":[{"path":"a","mode":"040000","type":"tree",` +
		`"sha":"t"},{"path":"a/b","mode":"100644","type":"blob","sha":"s","size":1}],"truncated":false}`}},
	{"texts", func(ctx context.Context, c *Client) error {
		const sha = "f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f" // of abc
		texts, err := c.Files.Texts(ctx, []promotion.SHA{sha})
		one, there := texts[sha]
		return sane(err, there && (one.Content == "abc" || one.Unfit != ""), texts)
	}, []string{`{"data":{"repository":{"b0":{"text":"abc","byteSize":3,"isBinary":false,"isTruncated":false}}}}`}},
}

// errInsane reports an invalid answer that the client accepted.
var errInsane = errors.New("this is no answer")

func sane(err error, is bool, what any) error {
	if err == nil && !is {
		return fmt.Errorf("%w: %+v", errInsane, what)
	}
	return err
}

func known(s promotion.PullState) bool {
	return s == promotion.PullOpen || s == promotion.PullClosed || s == promotion.PullMerged
}

func saneOf(p promotion.Pull) bool {
	return p.Number > 0 && known(p.State) && (p.State != promotion.PullMerged || p.MergeSHA != "")
}

func signalsOf(ctx context.Context, c *Client, kind promotion.SignalKind) error {
	signals, suites, err := c.Signals.On(ctx, []promotion.SHA{aSHA}, kind)
	for _, s := range signals {
		if s.ID == 0 || s.SHA != aSHA {
			return fmt.Errorf("%w: %+v", errInsane, s)
		}
	}
	for _, s := range suites {
		if s.ID == 0 {
			return fmt.Errorf("%w: %+v", errInsane, s)
		}
	}
	return err
}

// says answers each request with the next of its texts, and repeats the last one.
type says struct {
	header http.Header
	status int // status of the first answer
	texts  []string
	asked  int
}

const mostAsked = 200

// RoundTrip implements http.RoundTripper.
func (s *says) RoundTrip(r *http.Request) (*http.Response, error) {
	discard(r)
	s.asked++
	if s.asked > mostAsked {
		return nil, errors.New("asked too often")
	}
	text, status := s.texts[min(s.asked, len(s.texts))-1], http.StatusOK
	if s.asked == 1 {
		status = s.status
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Header: s.header.Clone(),
		Body: io.NopCloser(bytes.NewReader([]byte(text))), ContentLength: -1, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1,
	}, nil
}

// over returns a client without tokens whose requests are answered by s.
func over(hub *Hub, s *says) *Client {
	h := &Hub{
		config: hub.config, key: hub.key, clock: hub.clock, v3: hub.v3, nap: hub.nap,
		installations: map[int64]*installationState{}, self: &Self{AppID: 4711, Slug: "waybill"},
	}
	h.config.Transport = s
	h.answers, h.changes = &answers{lru: remember[answer](8)}, remember[[]string](8)
	i := h.installationOf(1)
	through := &http.Client{Transport: h.answers.revalidating("1", i.limited("", s)), CheckRedirect: never}
	h.app = h.rest(through)
	return h.newClient(i, repo, through)
}

func hubOfNobody(t testing.TB) *Hub {
	hub, err := New(Config{
		V3URL: "http://github.invalid", V4URL: "http://github.invalid/graphql", AppID: 4711, PrivateKey: someKey(),
		Clock: func() time.Time { return noon },
	})
	require.NoError(t, err)
	hub.nap = func(context.Context, time.Duration) error { return nil }
	return hub
}

func okHeader() http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Date": {noon.Format(http.TimeFormat)}}
}

func TestWhatFuzzingStartsFromIsUnderstood(t *testing.T) {
	hub := hubOfNobody(t)
	for _, one := range calls {
		require.NoError(t, one.ask(t.Context(), over(hub, &says{header: okHeader(), status: 200, texts: one.answers})),
			one.name)
	}
}

// FuzzAnswers answers every request with arbitrary text. The client returns a valid result, or an error of a known
// class with a short text that discloses nothing, after a bounded number of requests.
func FuzzAnswers(f *testing.F) {
	for i, one := range calls {
		f.Add(i, 200, "", "", strings.Join(one.answers, "\x00"))
	}
	f.Add(0, 403, "30", "", `{"message":"You have exceeded a secondary rate limit"}`)
	f.Add(4, 405, "", "", `{"message":"Base branch was modified"}`+"\x00"+aPull)
	f.Add(13, 200, "", `<http://github.invalid/x?page=2>; rel="next"`, aComparison)
	f.Add(12, 200, "", "",
		`{"status":"ahead","commits":[{"sha":"a","parents":[{"sha":"b"}]},{"sha":"b","parents":[{"sha":"a"}]}]}`)
	f.Add(0, 200, "", "",
		`{"data":{"repository":null},"errors":[{"type":"NOT_FOUND","path":["repository"],"message":"no"}]}`)
	f.Add(24, 422, "", "", `{"message":"Validation Failed","errors":[{"resource":"x","field":"y","code":"z"},"w"]}`)
	hub := hubOfNobody(f)
	f.Fuzz(func(t *testing.T, which, status int, retryAfter, link, texts string) {
		if which < 0 || which >= len(calls) || status < 200 || status > 599 {
			return
		}
		s := &says{header: okHeader(), status: status, texts: strings.Split(texts, "\x00")}
		for name, value := range map[string]string{"Retry-After": retryAfter, "Link": link} {
			if value != "" {
				s.header.Set(name, value)
			}
		}
		var err error
		spent.Bound{Base: 16 << 20, PerByte: 64 << 10}.Check(t, len(texts)+len(link), func() {
			err = calls[which].ask(t.Context(), over(hub, s))
		})
		if s.asked > mostAsked {
			t.Fatalf("%s asks for ever", calls[which].name)
		}
		if err == nil {
			return
		}
		if errors.Is(err, errInsane) {
			t.Fatalf("%s: %v", calls[which].name, err)
		}
		if errors.Is(err, ErrRefused) == errors.Is(err, ErrTransient) && errors.Is(err, ErrRefused) {
			t.Fatalf("%s is of two classes: %v", calls[which].name, err)
		}
		if after := RetryAfter(err); after < 0 || after > longestPause {
			t.Fatalf("%s is tried again after %s", calls[which].name, after)
		}
		if text := Explain(err).Detail; text == "" || len(text) > 4*maxErrorText {
			t.Fatalf("%s is explained in %d bytes", calls[which].name, len(text))
		}
	})
}

// FuzzLimits answers with arbitrary rate limits. The client never waits for longer than the longest window, and never
// retries at once.
func FuzzLimits(f *testing.F) {
	f.Add(403, "60", "", "", "")
	f.Add(429, "", "0", fmt.Sprint(noon.Add(time.Minute).Unix()), "")
	f.Add(200, "", "0", "-1", "")
	f.Add(403, "9223372037", "1", "99999999999999999999", `{"message":"abuse detection"}`)
	f.Add(403, "", "", "", `{"documentation_url":"https://docs.github.com/rest#secondary-rate-limits"}`)
	f.Fuzz(func(t *testing.T, status int, retryAfter, left, reset, body string) {
		g := newGate(func() time.Time { return noon })
		header := http.Header{}
		for name, value := range map[string]string{
			"Retry-After": retryAfter, "X-Ratelimit-Remaining": left, "X-Ratelimit-Reset": reset,
		} {
			if value != "" {
				header.Set(name, value)
			}
		}
		var err error
		spent.Bound{Base: 64 << 10, PerByte: 1 << 10}.Check(t, len(retryAfter)+len(left)+len(reset)+len(body), func() {
			err = g.note(resourceREST, status, header, []byte(body))
		})
		shut := g.shut(resourceREST)
		if shut > longestPause || err != nil && shut < time.Second {
			t.Fatalf("shut for %s after %v", shut, err)
		}
		if after := RetryAfter(err); after > longestPause || err != nil && after < time.Second {
			t.Fatalf("tried again after %s", after)
		}
	})
}
