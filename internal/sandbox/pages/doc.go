// Package pages shows the sandbox to whoever sits at the browser: the simulated GitHub with its pull requests, checks
// and forms, and the simulated Slack with its channels. It is the only door for people in the sandbox, and nothing else
// serves it.
//
// What it shows comes from the reading methods of the simulators, and what people do goes in by the methods that play
// people: the webhooks, and all that follows from them, are the simulators' doing. The pages work without scripts; the
// one script there is looks for news.
//
// Texts in them were typed by anybody. Markdown is rendered as GitHub would and cut down to what is known to be
// harmless (sanitize.go), everything else is escaped by html/template, and the policy of the answers lets a browser
// load nothing from elsewhere.
package pages
