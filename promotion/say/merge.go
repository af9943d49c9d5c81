package say

import (
	"cmp"
	"strings"

	"waybill/promotion"
)

// dequeueWords says why GitHub took a pull request out of its merge queue, by the reason that it gives.
var dequeueWords = map[string]string{
	"CI_FAILURE": "its checks failed there", "CI_TIMEOUT": "its checks took too long there",
	"MERGE_CONFLICT":     "it conflicts with what is ahead of it there",
	"BRANCH_PROTECTIONS": "the rules of the branch are not met", "QUEUE_CLEARED": "the queue was cleared",
}

// Dequeued says that GitHub took a pull request out of its merge queue, for a reason that it gives or because a person
// asked.
func Dequeued(reason string, by promotion.Actor) string {
	why := dequeueWords[reason]
	if reason == "MANUAL" {
		why = "by " + string(by.Login)
	}
	return "it was taken out of the merge queue" +
		after(": ", cmp.Or(why, strings.ToLower(strings.ReplaceAll(reason, "_", " "))))
}
