package rest

// routeTable lists every operation of the simulator. If several routes match, the first is used.
func routeTable() []route {
	t := &table{}
	appRoutes(t)
	deliveryRoutes(t)
	repoRoutes(t)
	contentRoutes(t)
	objectRoutes(t)
	refRoutes(t)
	branchRoutes(t)
	activityRoutes(t)
	checkRoutes(t)
	statusRoutes(t)
	pullRoutes(t)
	reviewRoutes(t)
	commitRoutes(t)
	commentRoutes(t)
	issueRoutes(t)
	labelRoutes(t)
	reactionRoutes(t)
	deploymentRoutes(t)
	releaseRoutes(t)
	packageRoutes(t)
	peopleRoutes(t)
	return t.routes
}

// Operations lists the operations of the API, as "GET /repos/{owner}/{repo}".
func Operations() []string {
	var names []string
	for _, r := range routeTable() {
		names = append(names, r.method+" "+r.template)
	}
	return names
}
