package lock

import (
	"encoding/binary"
	"fmt"
)

// Settings are the switches that decide answers. They travel in the log, so
// that a replay never depends on the flags of today.
type Settings struct {
	Version          uint32 // of this state machine; a table panics on a newer one
	MaxKeys          uint32 // keys held at a time
	MaxWaiters       uint32 // waiting acquires in all
	MaxWaitersPerKey uint32
	WaitZeroBlocks   bool   // wait 0 waits without limit
	ReleaseOnGone    bool   // a key ends with the connection that was granted it
	Lazy             bool   // single mode: an expired key is taken over by the next acquire
	TokenSeed        uint64 // the first token is above it; used only while none was issued
}

const settingsLen = 4*4 + 1 + 8

const (
	flagWaitZeroBlocks = 1 << iota
	flagReleaseOnGone
	flagLazy
	flagsKnown = 1<<iota - 1
)

// AppendSettings appends s to b: 25 bytes, the version first.
func AppendSettings(b []byte, s Settings) []byte {
	b = binary.BigEndian.AppendUint32(b, s.Version)
	b = binary.BigEndian.AppendUint32(b, s.MaxKeys)
	b = binary.BigEndian.AppendUint32(b, s.MaxWaiters)
	b = binary.BigEndian.AppendUint32(b, s.MaxWaitersPerKey)
	b = append(b, s.flags())
	return binary.BigEndian.AppendUint64(b, s.TokenSeed)
}

func (s *Settings) flags() byte {
	var f byte
	if s.WaitZeroBlocks {
		f |= flagWaitZeroBlocks
	}
	if s.ReleaseOnGone {
		f |= flagReleaseOnGone
	}
	if s.Lazy {
		f |= flagLazy
	}
	return f
}

// DecodeSettings reads what AppendSettings wrote, and refuses what a newer
// version wrote.
func DecodeSettings(b []byte) (Settings, error) {
	if len(b) >= 4 && binary.BigEndian.Uint32(b) > Version {
		return Settings{}, fmt.Errorf("lock: settings of version %d, and this program knows versions up to %d: run one at least as new as the one that wrote them",
			binary.BigEndian.Uint32(b), Version)
	}
	if len(b) != settingsLen {
		return Settings{}, fmt.Errorf("lock: settings of %d bytes, want %d", len(b), settingsLen)
	}
	flags := b[16]
	if flags&^flagsKnown != 0 {
		return Settings{}, fmt.Errorf("lock: settings with unknown flags %#x", flags)
	}
	return Settings{
		Version:          binary.BigEndian.Uint32(b),
		MaxKeys:          binary.BigEndian.Uint32(b[4:]),
		MaxWaiters:       binary.BigEndian.Uint32(b[8:]),
		MaxWaitersPerKey: binary.BigEndian.Uint32(b[12:]),
		WaitZeroBlocks:   flags&flagWaitZeroBlocks != 0,
		ReleaseOnGone:    flags&flagReleaseOnGone != 0,
		Lazy:             flags&flagLazy != 0,
		TokenSeed:        binary.BigEndian.Uint64(b[17:]),
	}, nil
}
