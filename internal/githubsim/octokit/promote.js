// A second client of the simulated GitHub, written by others: what octokit.js understands, our own client did not make up.
//
// It takes the file that `waybill sandbox --connect FILE` writes, signs in as the App's installation, has freight promoted
// by a pull request of Waybill that waits for a person, merges that, and sees the check runs that follow.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { App, Octokit } from "octokit";

const patience = 60_000; // how long to wait for one thing, in milliseconds
const freight = 143; // a pull request of the sandbox that nobody has merged yet

const sandbox = JSON.parse(await readFile(process.argv[2], "utf8"));
const [owner, source] = sandbox.source.split("/");
const deploy = sandbox.deploy.split("/")[1];

const app = new App({
  appId: sandbox.appId,
  privateKey: sandbox.privateKey,
  Octokit: Octokit.defaults({ baseUrl: sandbox.api }),
});

// until asks again and again until the answer is not undefined.
async function until(what, ask) {
  for (const end = Date.now() + patience; Date.now() < end; await pause(250)) {
    const answer = await ask();
    if (answer !== undefined) {
      console.log(`ok   ${what}`);
      return answer;
    }
  }
  throw new Error(`waited in vain: ${what}`);
}

async function promotionPull(octokit, title, wanted) {
  const pulls = await octokit.paginate(octokit.rest.pulls.list, { owner, repo: deploy, state: "all", per_page: 2 });
  return pulls.find((pull) => pull.title === title && wanted(pull));
}

async function checkRun(octokit, repo, ref, name) {
  const { data } = await octokit.rest.checks.listForRef({ owner, repo, ref, check_name: name });
  return data.check_runs.find((run) => run.conclusion === "success");
}

// leaveTheMerge changes the pipeline file, so that Waybill opens pull requests for dev and people merge them.
async function leaveTheMerge(octokit) {
  const path = ".github/waybill.yml";
  const { data: file } = await octokit.rest.repos.getContent({ owner, repo: deploy, path });
  const text = Buffer.from(file.content, "base64").toString();
  const changed = text.replace("verify: [smoke]\n", "verify: [smoke]\n    merge: manual\n");
  assert.notEqual(changed, text, "dev has its verification in the pipeline file");
  await octokit.rest.repos.createOrUpdateFileContents({
    owner, repo: deploy, path, sha: file.sha, message: "Merge by hand", content: Buffer.from(changed).toString("base64"),
  });
}

const { data: self } = await app.octokit.rest.apps.getAuthenticated();
assert.equal(self.id, sandbox.appId);
console.log(`ok   signed in as the App ${self.slug}`);

const octokit = await app.getInstallationOctokit(sandbox.installation);
const repos = await octokit.paginate(octokit.rest.apps.listReposAccessibleToInstallation);
assert.deepEqual(repos.map((repo) => repo.full_name).sort(), [sandbox.source, sandbox.deploy].sort());
console.log("ok   the installation reaches both repositories");

const first = await until("Waybill promotes api#142 to dev by itself", () =>
  promotionPull(octokit, "Promote api#142 to dev", (pull) => pull.merged_at !== null));
await until("smoke is green on its merge commit", () => checkRun(octokit, deploy, first.merge_commit_sha, "smoke"));

await leaveTheMerge(octokit);
console.log("ok   the pipeline file leaves the merge to people");

const { data: merged } = await octokit.rest.pulls.merge({ owner, repo: source, pull_number: freight, merge_method: "squash" });
assert.ok(merged.merged);
const pull = await until(`Waybill opens a pull request that brings api#${freight} to dev`, () =>
  promotionPull(octokit, `Promote api#${freight} to dev`, (one) => one.state === "open"));
assert.match(pull.body, /<!-- waybill:promotion=\d+\/\d+ -->/);
assert.match(pull.head.ref, /^waybill\/dev\/api-143\/\d+$/);
assert.equal(pull.user.login, "waybill[bot]");
const { data: files } = await octokit.rest.pulls.listFiles({ owner, repo: deploy, pull_number: pull.number });
assert.deepEqual(files.map((file) => file.filename), ["deploy/dev/values.yaml"]);
// YAML reads a tag such as 1234567 or 12e4567 as a number: it stands in quotes.
const tag = merged.sha.slice(0, 7);
assert.match(files[0].patch, new RegExp(`^\\+  tag: ("?)${tag}\\1\\s`, "m"), "the new tag is the source commit");
console.log("ok   it changes one value of one file");

await assert.rejects(
  octokit.rest.pulls.merge({
    owner, repo: deploy, pull_number: pull.number, merge_method: "squash", sha: first.head.sha, request: { retries: 0 },
  }),
  { status: 409 },
);
console.log("ok   GitHub refuses to merge another head than the one that was seen (409)");
const { data: promoted } = await octokit.rest.pulls.merge({
  owner, repo: deploy, pull_number: pull.number, merge_method: "squash", sha: pull.head.sha,
});
assert.ok(promoted.merged);
const answer = await octokit.graphql(
  `query ($owner: String!, $name: String!, $number: Int!) {
    repository(owner: $owner, name: $name) { pullRequest(number: $number) { state mergeCommit { oid } } }
  }`,
  { owner, name: deploy, number: pull.number },
);
assert.deepEqual(answer.repository.pullRequest, { state: "MERGED", mergeCommit: { oid: promoted.sha } });
console.log("ok   merged, and GraphQL says so");

await until("smoke is green on the merge commit", () => checkRun(octokit, deploy, promoted.sha, "smoke"));
const verified = await until("Waybill says on the source commit that dev has verified it", () =>
  checkRun(octokit, source, merged.sha, "waybill / dev"));
assert.equal(verified.app.slug, "waybill");
