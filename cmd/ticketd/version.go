package main

import (
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"ticketing/storage"
)

// version is stamped by the linker.
var version = "unknown"

// firstBuild is before any build of this program.
var firstBuild = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// builtAfter is a time before which this program was not built: that of the
// commit it was built from, if it knows that.
func builtAfter() time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return firstBuild
	}
	for _, s := range info.Settings {
		if s.Key != "vcs.time" {
			continue
		}
		if t, err := time.Parse(time.RFC3339, s.Value); err == nil && t.After(firstBuild) {
			return t
		}
	}
	return firstBuild
}

// Run prints the version.
func (f *versionFlags) Run(out *output) error {
	fmt.Fprintf(out.stdout, "ticketd %s, %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if f.DataDir == "" {
		return nil
	}
	s, err := storage.Inspect(f.DataDir, storage.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "store    %s\n", f.DataDir)
	fmt.Fprintf(out.stdout, "mode     %s\n", s.Identity.Mode)
	if s.Identity.Mode == storage.ModeCluster {
		fmt.Fprintf(out.stdout, "cluster  %s, node %d\n", s.Identity.Cluster, s.Identity.Node)
	}
	fmt.Fprintf(out.stdout, "id       %s\n", s.Identity.Store)
	fmt.Fprintf(out.stdout, "created  %s\n", s.Identity.Created.Format(time.RFC3339))
	fmt.Fprintf(out.stdout, "format   %d, %s\n", s.Format, s.Engine)
	fmt.Fprintf(out.stdout, "size     %d bytes\n", s.Bytes)
	return nil
}
