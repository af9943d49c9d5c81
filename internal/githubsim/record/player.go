package record

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// player plays one play. Its requests keep the first error, after which they do nothing, as with bufio.Writer.
type player struct {
	*client
	ctx    context.Context
	name   string
	played Played
	head   string   // the default branch's commit at the beginning
	made   []string // branches
	err    error
}

// object is a JSON object.
type object = map[string]any

// begin looks for the default branch and the branch that the play needs.
func (p *player) begin(branch string) {
	p.played.Name = p.name
	ref := p.rest("GET", p.repo("/git/ref/heads/"+p.branch), nil)
	if p.head = ref.text("object", "sha"); p.head == "" && p.err == nil {
		p.err = fmt.Errorf("look at the branch %s: %s", p.branch, ref.said())
	}
	if branch == "" || p.err != nil {
		return
	}
	if there := p.rest("GET", p.repo("/git/ref/heads/"+branch), nil); there.status != 200 {
		p.played.Skipped = fmt.Sprintf("the scratch repository has no branch %q", branch)
	}
}

// finish deletes the branches that the play has made, also when somebody has ended it.
func (p *player) finish() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), time.Minute)
	defer cancel()
	failed := p.err
	p.ctx, p.err = ctx, nil
	for _, branch := range p.made {
		p.rest("DELETE", p.repo("/git/refs/heads/"+branch), nil)
	}
	p.err = failed
	p.played.Exchanges = p.take()
	slices.SortFunc(p.played.Facts, func(a, b Fact) int { return strings.Compare(a.Name, b.Name) })
}

// fact notes something that was seen.
func (p *player) fact(name string, value any) {
	if p.err == nil {
		p.played.Facts = append(p.played.Facts, Fact{name, strings.Join(strings.Fields(clean(fmt.Sprint(value))), " ")})
	}
}

// repo returns a path of the scratch repository.
func (p *player) repo(path string) string { return "/repos/" + p.host.Repo + path }

// rest sends a request to the REST API as the installation.
func (p *player) rest(method, path string, body any) answer {
	return p.send(p.bot, method, p.host.API+path, body, nil)
}

// asApp sends a request to the REST API as the App.
func (p *player) asApp(method, path string, body any) answer {
	return p.send(p.app, method, p.host.API+path, body, nil)
}

// graphql sends a document as the installation.
func (p *player) graphql(document string, variables object) answer {
	return p.send(p.bot, "POST", p.host.GraphQL, object{"query": document, "variables": variables}, nil)
}

// must returns a part of an answer that the play cannot do without.
func (p *player) must(a answer, path ...any) string {
	text := a.text(path...)
	if text == "" && p.err == nil {
		p.err = fmt.Errorf("the answer has no %v: %s", path, a.said())
	}
	return text
}

// fresh returns a name for a branch that no play has used.
func (p *player) fresh() string {
	name := fmt.Sprintf("record/%s-%d-%d", p.name, time.Now().UnixNano(), len(p.made))
	p.made = append(p.made, name)
	return name
}

// tree makes a tree with a file that no other has, on that of a commit.
func (p *player) tree(on string) string {
	return p.must(p.rest("POST", p.repo("/git/trees"), object{"base_tree": on, "tree": []object{{
		"path": fmt.Sprintf("record/%d", time.Now().UnixNano()), "mode": "100644", "type": "blob", "content": p.name,
	}}}), "sha")
}

// commit makes a commit with a new file on a parent.
func (p *player) commit(parent string) string {
	return p.must(p.commitOf(object{"message": "record " + p.name, "tree": p.tree(parent), "parents": []string{parent}}),
		"sha")
}

// commitOf asks for a commit until GitHub sees its tree.
func (p *player) commitOf(body object) (made answer) {
	p.eventually(func() bool {
		made = p.rest("POST", p.repo("/git/commits"), body)
		return made.status != 422
	})
	return made
}

// push makes a branch at a commit.
func (p *player) push(branch, sha string) answer {
	return p.rest("POST", p.repo("/git/refs"), object{"ref": "refs/heads/" + branch, "sha": sha})
}

// pull opens a pull request with one commit into a branch, and returns it. GitHub may need a moment to see its branch.
func (p *player) pull(base string) answer {
	ref := p.rest("GET", p.repo("/git/ref/heads/"+base), nil)
	branch := p.fresh()
	sha := p.commit(p.must(ref, "object", "sha"))
	p.eventually(func() bool { return p.push(branch, sha).status != 422 })
	var opened answer
	p.eventually(func() bool {
		opened = p.rest("POST", p.repo("/pulls"), object{"title": "record " + p.name, "head": branch, "base": base})
		return opened.status == 201
	})
	p.must(opened, "node_id")
	return opened
}

// mergeable waits until GitHub has found out whether a pull request can be merged.
func (p *player) mergeable(number string) {
	p.eventually(func() bool { return p.rest("GET", p.repo("/pulls/"+number), nil).at("mergeable") != nil })
}

// merge asks for a pull request to be merged.
func (p *player) merge(number, method string) answer {
	return p.rest("PUT", p.repo("/pulls/"+number+"/merge"), object{"merge_method": method})
}

// check makes a completed check run on a commit.
func (p *player) check(name, sha string) answer {
	return p.rest("POST", p.repo("/check-runs"),
		object{"name": name, "head_sha": sha, "status": "completed", "conclusion": "success"})
}

// eventually looks up to twenty times until something is as it is to be.
func (p *player) eventually(look func() bool) bool {
	for range 20 {
		if p.err != nil || look() {
			return p.err == nil
		}
		select {
		case <-time.After(p.host.Pause):
		case <-p.ctx.Done():
			p.err = p.ctx.Err()
		}
	}
	return false
}

// owner and name of the scratch repository.
func (p *player) names() object {
	owner, name, _ := strings.Cut(p.host.Repo, "/")
	return object{"owner": owner, "name": name}
}
