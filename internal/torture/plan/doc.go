// Package plan draws what happens in a random history from a seed, and makes a plan that breaks something small.
package plan
