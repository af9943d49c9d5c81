package handlers

// Events lists the GitHub events that are stored and decoded: the App must subscribe to them. All others are
// acknowledged and forgotten.
func Events() []string {
	return []string{
		"check_run",
		"check_suite",
		"deployment_protection_rule",
		"deployment_status",
		"installation",
		"installation_repositories",
		"issue_comment",
		"member",
		"membership",
		"merge_group",
		"organization",
		"package",
		"pull_request",
		"pull_request_review",
		"push",
		"registry_package",
		"release",
		"repository",
		"repository_dispatch",
		"status",
		"team",
		"workflow_run",
	}
}
