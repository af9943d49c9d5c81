package story

import (
	"strconv"
	"strings"

	"waybill/promotion"
)

// The words that outcomes are made of.
var (
	verbs   = []string{"open", "merge", "commit", "dispatch", "close", "observe", "tell", "reply"}
	classes = []string{string(promotion.Automatic), string(promotion.Manual), string(promotion.Rollback)}
	// stageEvents stand alone; freightEvents follow the name of a freight.
	stageEvents   = []string{"held", "released", "drifted", "left", "passes", "waits"}
	freightEvents = []string{"available", "unavailable", "skipped", "revoked"}
	codes         = []string{
		"over", "no-freight", "several", "hosts", "carried",
		"came-first", "keeps", "asked", "decided", "merged", "closed", "behind", "before-failed", "newer", "held",
		"frozen", "incomplete", "unverified", "rejected", "failed",
		"left", "soaking", "unapproved", "void", "plan-changed", "missing", "timed-out", "inconclusive", "no-change",
		"conflict",
		"overtaken", "unreadable", "foreign", "refused", "refusing", "removed", "moved", "drifted", "already", "done",
		"recovered", "lifted", "waiting",
		"not-ready", "to-merge", "enqueued", "in-turn", "unmergeable", "unknown", "which", "forbidden", "rolling", "resting",
		"paused", "skipped", "unready", "stale", "lapsed", "malformed",
	}
)

// states returns the words for the states of a promotion.
func states() []string {
	words := make([]string, len(promotion.States))
	for i, s := range promotion.States {
		words[i] = string(s)
	}
	return words
}

// natural reads a decimal number from 1 without a sign.
func natural(word string) (int, bool) {
	if word == "" || len(word) > 9 || word[0] == '0' || strings.Trim(word, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(word)
	return n, err == nil
}

// numbered reads a letter followed by a number, as in p3.
func numbered(word string, letter byte) (int, bool) {
	if word == "" || word[0] != letter {
		return 0, false
	}
	return natural(word[1:])
}

func commitOf(word string) (Commit, bool) {
	for _, letter := range []byte{'m', 'c'} {
		if n, ok := numbered(word, letter); ok {
			return Commit{Of: letter, Number: n}, true
		}
	}
	return Commit{}, false
}

// isCommit reports whether the word names a commit, of one target or of the whole: m3, m3/eu-1, c142.
func isCommit(word string) bool {
	name, _, _ := strings.Cut(word, "/")
	_, ok := commitOf(name)
	return ok
}

// isPull reports whether the word names a pull request: #142, acme/api#142.
func isPull(word string) bool {
	_, number, found := cutLast(word, "#")
	_, ok := natural(number)
	return found && ok
}

// PullOf reads the name of a pull request as Pull prints it.
func PullOf(word string) Pull {
	repo, number, _ := cutLast(word, "#")
	n, _ := natural(number)
	return Pull{Repo: promotion.Repo(repo), Number: n}
}

// isFreight reports whether the word names freight: api#142, api@v1.4.2.
func isFreight(word string) bool {
	if warehouse, tag, found := strings.Cut(word, "@"); found {
		return warehouse != "" && tag != ""
	}
	return isPull(word) && word[0] != '#'
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
