// Package plan draws the acts of a random history from a seed, and shrinks a plan that breaks a rule.
package plan
