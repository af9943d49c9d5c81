// Package surface defines a [Surface]: GitHub, Slack, the API, or any other place where people give commands, get
// answers, and see the state of their freight. To add one, implement Surface in a package beside show/ongithub and list
// it in package app. Addresses of answers and kinds of views are data here, because the database keeps them.
package surface
