package sim

import (
	"fmt"
	"testing"

	"ticketing/consensus"
	"ticketing/storage/storagetest"
)

// suiteStore is a disk of the simulator as the suite of all stores sees it.
type suiteStore struct {
	d *disk
}

func (s suiteStore) Write(ws []consensus.Write) error {
	s.d.write(ws)
	return nil
}

func (s suiteStore) ReadChunk(gen uint64, index uint32) ([]byte, error) {
	data, ok := s.d.chunk(gen, index)
	if !ok {
		return nil, fmt.Errorf("there is no chunk %d of snapshot %d", index, gen)
	}
	return data, nil
}

func (s suiteStore) Close() error {
	s.d.close()
	return nil
}

func TestTheDisksOfTheWorldAreStores(t *testing.T) {
	for name, real := range map[string]bool{"plain": false, "beside the real one": true} {
		t.Run(name, func(t *testing.T) {
			storagetest.Run(t, func(*testing.T) storagetest.Disk {
				d := newDisk(real, 1)
				return func() (storagetest.Store, consensus.Recovered, [][]byte, error) {
					rec, chunks := d.open()
					return suiteStore{d}, rec, chunks, nil
				}
			})
		})
	}
}

// The real store must change nothing: neither what happens nor when.
func TestAWorldOnTheRealStoreIsTheSameWorld(t *testing.T) {
	crashes := 0
	for seed := *firstSeed; seed < *firstSeed+8; seed++ {
		on := func(real bool) Result {
			return Run(seed, Options{params: func(p *Params) { p.RealStore = real }})
		}
		plain, real := on(false), on(true)
		if plain.Hash != real.Hash || real.Failed() {
			t.Errorf("seed %d: hash %016x on the plain image, %016x on the real store: %s%s",
				seed, plain.Hash, real.Hash, real.Violation, real.Stuck)
		}
		crashes += real.Stats.Crashes
	}
	if crashes == 0 {
		t.Errorf("seed %d: no crash in any of the worlds", *firstSeed)
	}
}

// A store that comes back with something else is noticed.
func TestAStoreThatForgetsIsNoticed(t *testing.T) {
	write := func(d *disk, slot consensus.Slot) {
		d.write([]consensus.Write{{Seq: uint64(slot), Entries: entriesFrom(slot, "x")}})
	}
	for name, spoil := range map[string]func(d *disk){
		"an entry":  func(d *disk) { d.image.put(consensus.Entry{Slot: 2}) },
		"a promise": func(d *disk) { d.image.promised = consensus.Ballot{Round: 9, Node: 1} },
		"a commit":  func(d *disk) { d.image.commit = 1 },
		"a roster":  func(d *disk) { d.image.roster = []byte("r") },
		"a snapshot": func(d *disk) {
			d.image.apply(&consensus.Write{Chunk: &consensus.Chunk{Gen: 1}})
			d.image.apply(&consensus.Write{Snapshot: &consensus.SnapshotMeta{Gen: 1, Slot: 1, Chunks: 1}})
		},
	} {
		d := newDisk(true, 1)
		d.open()
		write(d, 1)
		spoil(d)
		d.crash(newStream(1, streamDisk))
		if violationOf(func() { d.open() }) == "" {
			t.Errorf("%s that the store does not have was not missed", name)
		}
		d.close()
	}
}

// violationOf returns what f fails with, "" if it does not.
func violationOf(f func()) (v violation) {
	defer func() {
		if r := recover(); r != nil {
			v = r.(violation)
		}
	}()
	f()
	return ""
}
