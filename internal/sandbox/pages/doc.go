// Package pages serves the pages of the sandbox: the simulated GitHub with its pull requests, checks and forms, and the
// simulated Slack with its channels. It is the only user interface of the sandbox.
//
// The pages read the state of the simulators and call the methods that simulate people. The simulators then send the
// webhooks. The pages work without scripts. The only script polls for changes.
//
// Texts on the pages are untrusted. Markdown is rendered as on GitHub and reduced to harmless HTML (sanitize.go).
// Package html/template escapes all other text. The Content-Security-Policy forbids the browser to load anything from
// elsewhere.
package pages
