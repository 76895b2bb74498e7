package storage

// Figures are what a store shows of itself for metrics.
type Figures struct {
	FreeBytes    uint64 // that the file system would still give us
	TotalBytes   uint64 // of the file system
	StoreBytes   uint64 // that the engine's files take
	LogBytes     uint64 // of those, in the engine's log files
	BufferBytes  uint64 // memory in write buffers
	WrittenBytes uint64 // by flushes and compactions, since the start
	Flushes      uint64 // since the start
	Compactions  uint64 // since the start
	Stalls       uint64 // times that writes waited for a flush, since the start
}

// Figures returns them as they are. It takes the engine's locks and reads the
// file system: once per scrape, not per request. Any goroutine, not after Close.
func (s *Store) Figures() Figures {
	m := s.db.Metrics()
	total := m.Total()
	f := Figures{
		StoreBytes:   m.DiskSpaceUsage(),
		LogBytes:     m.WAL.PhysicalSize + m.WAL.ObsoletePhysicalSize,
		BufferBytes:  m.MemTable.Size + m.MemTable.ZombieSize,
		WrittenBytes: total.TableBytesFlushed + total.TableBytesCompacted,
		Flushes:      uint64(m.Flush.Count),
		Compactions:  uint64(m.Compact.Count),
		Stalls:       s.stalls.Load(),
	}
	if usage, err := s.opt.FS.GetDiskUsage(s.dir); err == nil { // 0 where the file system can't say
		f.FreeBytes, f.TotalBytes = usage.AvailBytes, usage.TotalBytes
	}
	return f
}
