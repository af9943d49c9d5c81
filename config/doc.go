// Package config reads what people write down for Waybill: the pipeline file and the policy file of a repository, and
// the server's settings in the environment. Load turns the two files into a promotion.Pipeline or into everything that
// is wrong with them, each problem with its place and its remedy.
//
// Every key of the files is defined once, in pipelinefile.go, stagefile.go and policyfile.go, with its form, its
// default and the sentence that explains it. The reader and the JSON Schema are both made from these definitions. What
// one key says by itself is judged while reading; what keys say about each other is judged afterwards, by the files
// named compile*.go and what they call.
package config
