package main

import (
	"io"

	"github.com/VictoriaMetrics/metrics"

	"ticketing/lock"
	"ticketing/node"
	"ticketing/storage"
)

func writeNodeMetrics(w io.Writer, n *node.Status, now lock.Time) {
	c := &n.Counts
	for _, m := range []struct {
		name  string
		value uint64
	}{
		{"ticketd_grants_total", c.Grants},
		{"ticketd_timeouts_total", c.TimeOuts},
		{"ticketd_busy_total", c.Busy},
		{"ticketd_releases_total", c.Releases},
		{"ticketd_keeps_total", c.Keeps},
		{"ticketd_not_held_total", c.NotHeld},
		{"ticketd_grants_given_back_total", c.GivenBack},
		{"ticketd_expires_total", c.Expires},
		{"ticketd_redirects_total", c.Redirects},
		{"ticketd_log_entries_total", c.Entries},
	} {
		metrics.WriteCounterUint64(w, m.name, m.value)
	}
	metrics.WriteGaugeUint64(w, "ticketd_keys", uint64(n.Keys))
	metrics.WriteGaugeUint64(w, "ticketd_waiters", uint64(n.Waiters))
	metrics.WriteGaugeUint64(w, "ticketd_pending_bytes", uint64(n.PendingBytes))
	metrics.WriteGaugeUint64(w, "ticketd_last_token", n.LastToken)
	metrics.WriteGaugeFloat64(w, "ticketd_log_time_seconds", seconds(now))
}

func writeStoreMetrics(w io.Writer, f storage.Figures) {
	metrics.WriteGaugeUint64(w, "ticketd_disk_free_bytes", f.FreeBytes)
	metrics.WriteGaugeUint64(w, "ticketd_disk_size_bytes", f.TotalBytes)
	metrics.WriteGaugeUint64(w, "ticketd_store_bytes", f.StoreBytes)
	metrics.WriteGaugeUint64(w, "ticketd_store_log_bytes", f.LogBytes)
	metrics.WriteGaugeUint64(w, "ticketd_store_buffer_bytes", f.BufferBytes)
	metrics.WriteCounterUint64(w, "ticketd_store_written_bytes_total", f.WrittenBytes)
	metrics.WriteCounterUint64(w, "ticketd_store_flushes_total", f.Flushes)
	metrics.WriteCounterUint64(w, "ticketd_store_compactions_total", f.Compactions)
	metrics.WriteCounterUint64(w, "ticketd_store_stalls_total", f.Stalls)
}
