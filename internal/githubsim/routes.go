package githubsim

// routeTable lists every operation the simulator knows. Among routes that match, the first one is taken.
func (s *Server) routeTable() []route {
	t := &table{}
	s.appRoutes(t)
	s.deliveryRoutes(t)
	s.repoRoutes(t)
	s.contentRoutes(t)
	s.objectRoutes(t)
	s.refRoutes(t)
	s.branchRoutes(t)
	s.checkRoutes(t)
	s.statusRoutes(t)
	s.pullRoutes(t)
	s.reviewRoutes(t)
	s.commitRoutes(t)
	s.commentRoutes(t)
	s.issueRoutes(t)
	s.labelRoutes(t)
	s.reactionRoutes(t)
	s.deploymentRoutes(t)
	s.releaseRoutes(t)
	s.packageRoutes(t)
	s.peopleRoutes(t)
	return t.routes
}
