package gitstore

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Person is an author or committer with a time, to the second.
type Person struct {
	Name  string
	Email string
	When  time.Time
}

// Commit is one commit object.
type Commit struct {
	SHA       string
	Tree      string
	Parents   []string
	Author    Person
	Committer Person
	Message   string
}

// Commit reads a commit.
func (db *Objects) Commit(sha string) (Commit, error) {
	if c, ok := db.commits[sha]; ok {
		return c, nil
	}
	data, err := db.readKind(KindCommit, sha)
	if err != nil {
		return Commit{}, err
	}
	header, message, _ := strings.Cut(string(data), "\n\n")
	c := Commit{SHA: sha, Message: message}
	for _, line := range strings.Split(header, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "author":
			c.Author, err = parsePerson(value)
		case "committer":
			c.Committer, err = parsePerson(value)
		}
		if err != nil {
			return Commit{}, fmt.Errorf("read commit %s: %w", sha, err)
		}
	}
	db.commits[sha] = c
	return c, nil
}

// WriteCommit stores a commit and returns its SHA. The tree and the parents must exist.
func (db *Objects) WriteCommit(c Commit) (string, error) {
	if !db.Has(KindTree, c.Tree) {
		return "", fmt.Errorf("write commit: tree %s: %w", c.Tree, ErrNotFound)
	}
	var text strings.Builder
	text.WriteString("tree " + c.Tree + "\n")
	for _, parent := range c.Parents {
		if !db.Has(KindCommit, parent) {
			return "", fmt.Errorf("write commit: parent %s: %w", parent, ErrNotFound)
		}
		text.WriteString("parent " + parent + "\n")
	}
	text.WriteString("author " + formatPerson(c.Author) + "\n")
	text.WriteString("committer " + formatPerson(c.Committer) + "\n\n")
	text.WriteString(c.Message)
	return db.write(KindCommit, []byte(text.String())), nil
}

func formatPerson(p Person) string {
	return fmt.Sprintf("%s <%s> %d +0000", p.Name, p.Email, p.When.Unix())
}

func parsePerson(text string) (Person, error) {
	name, rest, ok := strings.Cut(text, " <")
	email, stamp, closed := strings.Cut(rest, "> ")
	seconds, _, _ := strings.Cut(stamp, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if !ok || !closed || err != nil {
		return Person{}, fmt.Errorf("parse person %q", text)
	}
	return Person{Name: name, Email: email, When: time.Unix(unix, 0).UTC()}, nil
}

// IsAncestor reports whether ancestor is commit itself or reachable from it.
func (db *Objects) IsAncestor(ancestor, commit string) bool {
	if ancestor == commit {
		return true
	}
	found := false
	db.walk([]string{commit}, func(c Commit) bool {
		found = found || c.SHA == ancestor
		return !found
	})
	return found
}

// MergeBase returns the newest common ancestor of two commits, or false if they have none.
func (db *Objects) MergeBase(a, b string) (string, bool) {
	reachable := map[string]bool{}
	db.walk([]string{a}, func(c Commit) bool { reachable[c.SHA] = true; return true })
	var candidates []string
	db.walkPruned([]string{b}, func(c Commit) bool {
		if reachable[c.SHA] {
			candidates = append(candidates, c.SHA)
			return false
		}
		return true
	})
	for _, one := range candidates {
		if db.independent(one, candidates) {
			return one, true
		}
	}
	return "", false
}

// independent reports whether one is not an ancestor of another candidate.
func (db *Objects) independent(one string, candidates []string) bool {
	for _, other := range candidates {
		if other != one && db.IsAncestor(one, other) {
			return false
		}
	}
	return true
}

// Between lists the commits reachable from head and not from base, oldest first.
func (db *Objects) Between(base, head string) []Commit {
	known := map[string]bool{}
	db.walk([]string{base}, func(c Commit) bool { known[c.SHA] = true; return true })
	var commits []Commit
	db.walkPruned([]string{head}, func(c Commit) bool {
		if known[c.SHA] {
			return false
		}
		commits = append(commits, c)
		return true
	})
	for i, j := 0, len(commits)-1; i < j; i, j = i+1, j-1 {
		commits[i], commits[j] = commits[j], commits[i]
	}
	return commits
}

// Log lists the commits reachable from head, newest first.
func (db *Objects) Log(head string) []Commit {
	var commits []Commit
	db.walk([]string{head}, func(c Commit) bool { commits = append(commits, c); return true })
	return commits
}

// walk visits every reachable commit once, newest committer date first (ties in order of discovery), until visit
// returns false.
func (db *Objects) walk(heads []string, visit func(Commit) bool) {
	stop := false
	db.walkPruned(heads, func(c Commit) bool {
		if !stop && !visit(c) {
			stop = true
		}
		return !stop
	})
}

// walkPruned is like walk, but if visit returns false, it leaves out only that commit's parents.
func (db *Objects) walkPruned(heads []string, visit func(Commit) bool) {
	seen := map[string]bool{}
	var queue []Commit
	push := func(sha string) {
		if seen[sha] {
			return
		}
		seen[sha] = true
		c, err := db.Commit(sha)
		if err != nil {
			return // a missing parent ends the history, as in a shallow clone
		}
		at := len(queue)
		for at > 0 && queue[at-1].Committer.When.Before(c.Committer.When) {
			at--
		}
		queue = append(queue, Commit{})
		copy(queue[at+1:], queue[at:])
		queue[at] = c
	}
	for _, head := range heads {
		push(head)
	}
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		if !visit(c) {
			continue
		}
		for _, parent := range c.Parents {
			push(parent)
		}
	}
}
