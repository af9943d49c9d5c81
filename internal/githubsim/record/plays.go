package record

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// nothing is the name of an object that no repository has.
var nothing = strings.Repeat("1", 40)

// playRefAndPull makes a branch and a pull request from it in one document, as each promotion does.
func playRefAndPull(p *player) {
	branch := p.fresh()
	made := p.graphql(`mutation($repo: ID!, $ref: String!, $head: String!, $base: String!, $oid: GitObjectID!) {
		createRef(input: {repositoryId: $repo, name: $ref, oid: $oid}) { ref { name } }
		createPullRequest(input: {repositoryId: $repo, headRefName: $head, baseRefName: $base, title: "record"}) {
			pullRequest { number state } } }`, object{
		"repo": p.repository, "ref": "refs/heads/" + branch, "head": branch, "base": p.branch, "oid": p.commit(p.head),
	})
	p.fact("answer", strings.ReplaceAll(made.said(), branch, "x"))
	p.fact("state", made.at("data", "createPullRequest", "pullRequest", "state"))
}

// playQueue adds a pull request to a merge queue, which must not require a check or a review.
func playQueue(p *player) {
	opened := p.pull("queue")
	p.mergeable(opened.number("number"))
	p.fact("a merge", p.merge(opened.number("number"), "squash").said())
	added := p.graphql(`mutation($id: ID!) { enqueuePullRequest(input: {pullRequestId: $id}) { mergeQueueEntry {
		position } } }`, object{"id": opened.text("node_id")})
	p.fact("enqueuePullRequest", added.said())
	p.graphql(`mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { mergeQueueEntry { position } } }`,
		object{"id": opened.text("node_id")})
}

// playRestricted merges into a branch to which only people may push, by classic protection.
func playRestricted(p *player) {
	opened := p.pull("restricted")
	p.mergeable(opened.number("number"))
	p.fact("a merge", p.merge(opened.number("number"), "squash").said())
	rule := p.graphql(`query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
		ref(qualifiedName: "refs/heads/restricted") { refUpdateRule { viewerCanPush requiredStatusCheckContexts
		requiresSignatures requiresLinearHistory } } } }`, p.names())
	p.fact("refUpdateRule", rule.said())
	for _, field := range []string{
		"viewerCanPush", "requiredStatusCheckContexts", "requiresSignatures", "requiresLinearHistory",
	} {
		p.fact(field, rule.at("data", "repository", "ref", "refUpdateRule", field))
	}
}

// playCompletedRun updates a completed check run to one that is in progress.
func playCompletedRun(p *player) {
	run := p.check("record", p.head)
	path := p.repo("/check-runs/" + run.number("id"))
	updated := p.graphql(`mutation($repo: ID!, $id: ID!) { updateCheckRun(input: {repositoryId: $repo, checkRunId: $id,
		status: IN_PROGRESS}) { checkRun { status conclusion } } }`,
		object{"repo": p.repository, "id": p.must(run, "node_id")})
	p.fact("answer to updateCheckRun", fmt.Sprint(updated.said(), " ",
		updated.at("data", "updateCheckRun", "checkRun", "status"), " ",
		updated.at("data", "updateCheckRun", "checkRun", "conclusion")))
	patched := p.rest("PATCH", path, object{"status": "in_progress"})
	p.fact("answer to PATCH", fmt.Sprint(patched.said(), " ", patched.at("status"), " ", patched.at("conclusion")))
	shown := p.rest("GET", path, nil)
	p.fact("afterwards", fmt.Sprint(shown.at("status"), " ", shown.at("conclusion")))
}

// playSignedCommit makes a commit in nobody's name, and one in a person's.
func playSignedCommit(p *player) {
	own := p.rest("GET", p.repo("/git/commits/"+p.commit(p.head)), nil)
	p.fact("in nobody's name", own.at("verification", "verified"))
	named := p.commitOf(object{"message": "record", "tree": p.tree(p.head),
		"parents": []string{p.head}, "author": object{"name": "Ann", "email": "ann@example.com"}})
	p.fact("in a person's name", named.at("verification", "verified"))
}

// playLag makes trees, commits, branches and pull requests, and counts how often the next request does not see them.
func playLag(p *player) {
	var trees, commits, branches, moves, pulls int
	const rounds = 5
	for range rounds {
		tree := p.tree(p.head)
		body := object{"message": "record", "tree": tree, "parents": []string{p.head}}
		commit := p.rest("POST", p.repo("/git/commits"), body)
		if commit.status == 422 {
			trees++
			commit = p.commitOf(body)
		}
		sha, branch := p.must(commit, "sha"), p.fresh()
		if p.push(branch, sha).status == 422 {
			commits++
			p.eventually(func() bool { return p.push(branch, sha).status == 201 })
		}
		at := func() string { return p.rest("GET", p.repo("/git/ref/heads/"+branch), nil).text("object", "sha") }
		if at() != sha {
			branches++
			p.eventually(func() bool { return at() == sha })
		}
		next := p.commit(sha)
		p.eventually(func() bool {
			return p.rest("PATCH", p.repo("/git/refs/heads/"+branch), object{"sha": next}).status == 200
		})
		if at() != next {
			moves++
		}
		opened := p.rest("POST", p.repo("/pulls"), object{"title": "record", "head": branch, "base": p.branch})
		listed := p.rest("GET", p.repo("/pulls?per_page=100"), nil)
		if opened.status != 201 || !listed.has("number", opened.at("number")) {
			pulls++
		}
	}
	for name, n := range map[string]int{"tree": trees, "commit": commits, "branch": branches, "push": moves,
		"pull request": pulls} {
		p.fact("a new "+name+" not seen", fmt.Sprintf("%d of %d", n, rounds))
	}
}

// has reports whether a list has an object with a value.
func (a answer) has(field string, value any) bool {
	items, _ := a.body.([]any)
	return slices.ContainsFunc(items, func(one any) bool { return answer{body: one}.at(field) == value })
}

// playCountedHistory counts the commits of a branch by GraphQL, as a resync does.
func playCountedHistory(p *player) {
	names := p.names()
	if p.host.Large != "" {
		names["owner"], names["name"], _ = strings.Cut(p.host.Large, "/")
	}
	counted := p.graphql(`query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
		defaultBranchRef { target { ... on Commit { history(first: 1) { totalCount } } } } } }`, names)
	total, _ := counted.at("data", "repository", "defaultBranchRef", "target", "history", "totalCount").(float64)
	p.fact("answer", counted.said())
	p.fact("counted", total > 0)
}

// playVersion asks for the version of the REST API that the program asks for.
func playVersion(p *player) {
	shown := p.send(p.bot, "GET", p.host.API+p.repo(""), nil, http.Header{"X-Github-Api-Version": {"2022-11-28"}})
	p.fact("answer", shown.said())
	p.fact("ends", strings.TrimSpace(shown.header.Get("Deprecation")+" "+shown.header.Get("Sunset")))
}

// playOldHead pushes to a pull request, and looks at it and merges it at once.
func playOldHead(p *player) {
	opened := p.pull(p.branch)
	number := opened.number("number")
	p.mergeable(number)
	next := p.commit(p.must(opened, "head", "sha"))
	branch := p.made[len(p.made)-1]
	p.fact("the push", p.rest("PATCH", p.repo("/git/refs/heads/"+branch), object{"sha": next}).said())
	p.fact("the new head is shown", p.rest("GET", p.repo("/pulls/"+number), nil).text("head", "sha") == next)
	other := p.rest("PUT", p.repo("/pulls/"+number+"/merge"), object{"merge_method": "squash", "sha": nothing})
	p.fact("a merge of another head", other.said())
	merged := p.rest("PUT", p.repo("/pulls/"+number+"/merge"), object{"merge_method": "squash", "sha": next})
	p.fact("a merge of the new head", merged.said())
}

// playMergeDate compares the date of the answer to a merge with the time of the merge.
func playMergeDate(p *player) {
	opened := p.pull(p.branch)
	number := opened.number("number")
	p.mergeable(number)
	merged := p.merge(number, "squash")
	at, _ := time.Parse(time.RFC3339, p.rest("GET", p.repo("/pulls/"+number), nil).text("merged_at"))
	date, _ := http.ParseTime(merged.header.Get("Date"))
	p.fact("answer", merged.said())
	p.fact("dated later", date.Sub(at).Round(time.Second))
}

// playRequiredCheck merges where the check "record" is required and the head must be up to date.
func playRequiredCheck(p *player) {
	first, second := p.pull("checked"), p.pull("checked")
	p.mergeable(first.number("number"))
	p.fact("without the check", p.merge(first.number("number"), "squash").said())
	run := p.check("record", p.must(first, "head", "sha"))
	p.fact("asked for again", p.rest("POST", p.repo("/check-runs/"+run.number("id")+"/rerequest"), nil).said())
	p.fact("then a merge", p.merge(first.number("number"), "squash").said())
	p.check("record", p.must(first, "head", "sha"))
	p.check("record", p.must(second, "head", "sha"))
	p.fact("with the check", p.merge(first.number("number"), "squash").said())
	p.mergeable(second.number("number"))
	p.fact("behind", p.merge(second.number("number"), "squash").said())
}

// playRuleset asks whether the App may bypass a ruleset that restricts updates, and merges there.
func playRuleset(p *player) {
	rules := p.rest("GET", p.repo("/rules/branches/ruled"), nil)
	p.fact("rule", rules.at(0, "type"))
	p.fact("bypass", p.rest("GET", p.repo("/rulesets/"+rules.number(0, "ruleset_id")), nil).at("current_user_can_bypass"))
	opened := p.pull("ruled")
	p.mergeable(opened.number("number"))
	p.fact("a merge", p.merge(opened.number("number"), "squash").said())
}

// playSwitchedOff merges by a method that the scratch repository does not allow: it has no rebases.
func playSwitchedOff(p *player) {
	opened := p.pull(p.branch)
	p.mergeable(opened.number("number"))
	p.fact("a rebase", p.merge(opened.number("number"), "rebase").said())
}

// playNarrowToken asks for a token with a permission that the App does not have.
func playNarrowToken(p *player) {
	token := p.asApp("POST", fmt.Sprintf("/app/installations/%d/access_tokens", p.install),
		object{"permissions": object{"workflows": "write"}})
	p.fact("answer", token.said())
}

// playCheckOfNothing makes a check run on a commit that does not exist.
func playCheckOfNothing(p *player) {
	p.fact("answer", strings.ReplaceAll(p.check("record", nothing).said(), nothing, "x"))
}

// playDeliveries makes a check run that is complete from the beginning, and lists the webhooks that tell of it.
func playDeliveries(p *player) {
	begun := time.Now().Add(-time.Minute)
	p.check("record deliveries", p.head)
	var told []string
	p.eventually(func() bool {
		told = nil
		all, _ := p.asApp("GET", "/app/hook/deliveries?per_page=20", nil).body.([]any)
		for _, one := range all {
			a := answer{body: one}
			at, _ := time.Parse(time.RFC3339, a.text("delivered_at"))
			if a.text("event") == "check_run" && at.After(begun) && !slices.Contains(told, a.text("action")) {
				told = append(told, a.text("action"))
			}
		}
		return len(told) > 1
	})
	slices.Sort(told)
	p.fact("webhooks", strings.Join(told, ", "))
	p.fact("one that GitHub has not", p.asApp("POST", "/app/hook/deliveries/1/attempts", nil).said())
}

// playDeployments makes two deployments, and looks at their order and their environment.
func playDeployments(p *player) {
	var ids []string
	for range 2 {
		made := p.rest("POST", p.repo("/deployments"), object{"ref": p.head, "environment": "record",
			"auto_merge": false, "required_contexts": []string{}})
		p.must(made, "node_id")
		ids = append(ids, made.number("id"))
	}
	listed := p.rest("GET", p.repo("/deployments?environment=record"), nil)
	p.fact("the newest is first", listed.number(0, "id") == ids[1])
	for _, state := range []string{"in_progress", "success"} {
		p.rest("POST", p.repo("/deployments/"+ids[1]+"/statuses"), object{"state": state, "auto_inactive": false})
	}
	statuses := p.rest("GET", p.repo("/deployments/"+ids[1]+"/statuses"), nil)
	p.fact("the newest status is first", statuses.at(0, "state"))
	environments, _ := p.rest("GET", p.repo("/environments?per_page=100"), nil).at("environments").([]any)
	p.fact("it made an environment", answer{body: environments}.has("name", "record"))
}

// playNoBranch opens pull requests from and into branches that do not exist.
func playNoBranch(p *player) {
	for name, body := range map[string]object{
		"no head": {"title": "record", "head": "record/none", "base": p.branch},
		"no base": {"title": "record", "head": p.branch, "base": "record/none"},
	} {
		p.fact(name, p.rest("POST", p.repo("/pulls"), body).said())
	}
}

// playNoWorkflow starts a workflow that does not exist.
func playNoWorkflow(p *player) {
	p.fact("answer", p.rest("POST", p.repo("/actions/workflows/none.yml/dispatches"), object{"ref": p.branch}).said())
}

// playObjects makes trees with paths that Git could not check out, and commits of what does not exist.
func playObjects(p *player) {
	for _, path := range []string{"../x", ".git/config", "/x"} {
		p.fact(path, p.rest("POST", p.repo("/git/trees"), object{"tree": []object{
			{"path": path, "mode": "100644", "type": "blob", "content": "x"},
		}}).said())
	}
	tree := p.tree(p.head)
	p.fact("no tree", p.rest("POST", p.repo("/git/commits"), object{"message": "m", "tree": nothing}).said())
	p.fact("no parent", p.rest("POST", p.repo("/git/commits"),
		object{"message": "m", "tree": tree, "parents": []string{nothing}}).said())
}

// playReferences makes references that are wrong, and deletes one twice.
func playReferences(p *player) {
	for name, body := range map[string]object{
		"missing object": {"ref": "refs/heads/record/none", "sha": nothing},
		"no reference":   {"ref": "heads", "sha": p.head},
		"bad name":       {"ref": "refs/heads/record/a..b", "sha": p.head},
	} {
		p.fact(name, p.rest("POST", p.repo("/git/refs"), body).said())
	}
	branch := p.fresh()
	p.push(branch, p.head)
	path := p.repo("/git/refs/heads/" + branch)
	p.fact("deleted", p.rest("DELETE", path, nil).said())
	p.fact("deleted again", p.rest("DELETE", path, nil).said())
}
