package tidy

func checkFlags(t *tree) []string    { return nil }
func checkEnvTwins(t *tree) []string { return nil }
