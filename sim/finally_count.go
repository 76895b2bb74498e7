package sim

// finallyCount counts what makes a world worth living in.
func finallyCount(w *World) {
	for _, o := range w.history {
		if o.verdict == 0 && !o.noEffect {
			w.checks.stats.Unknown++
		}
	}
}
