package storage

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"ticketing/consensus"
)

// The files of our own, beside the engine's in the same directory.
const (
	// identityFile says whose store this is, in text. It gets this name last
	// when a store is made; before that it is unfinishedFile.
	identityFile   = "STORE"
	unfinishedFile = "STORE.unfinished"
	// watermarkFile says how far the engine's log had come when it last
	// began a new file.
	watermarkFile = "WATERMARK"
	watermarkTemp = "WATERMARK.new"
)

const (
	identityTitle  = "ticketd store, format "
	watermarkTitle = "ticketd watermark, format "
	markerMaxBytes = 256 << 10
)

// identityText is what identityFile and m/ident hold:
//
//	ticketd store, format 1
//	mode: cluster
//	cluster: "prod"
//	node: 2
//	store: 0123456789abcdef0123456789abcdef
//	members: base64
//	created: 2026-01-02T03:04:05Z
//	check: crc32c of all lines above, 8 hexadecimal digits
func identityText(id Identity) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%d\n", identityTitle, formatVersion)
	fmt.Fprintf(&b, "mode: %s\ncluster: %q\nnode: %d\nstore: %s\n", id.Mode, id.Cluster, id.Node, id.Store)
	fmt.Fprintf(&b, "members: %s\n", base64.StdEncoding.EncodeToString(id.Members))
	fmt.Fprintf(&b, "created: %s\n", id.Created.Format(time.RFC3339))
	return appendCheck(b.Bytes())
}

func appendCheck(text []byte) []byte {
	return fmt.Appendf(text, "check: %08x\n", crc32.Checksum(text, castagnoli))
}

// parseIdentity reads what identityText wrote, byte for byte.
func parseIdentity(file string, text []byte) (Identity, error) {
	f, err := parseMarker(file, text, identityTitle, "mode", "cluster", "node", "store", "members", "created")
	if err != nil {
		return Identity{}, err
	}
	id := Identity{Mode: ModeSingle}
	if f["mode"] == ModeCluster.String() {
		id.Mode = ModeCluster
	}
	var errs [5]error
	var node uint64
	id.Cluster, errs[0] = strconv.Unquote(f["cluster"])
	node, errs[1] = strconv.ParseUint(f["node"], 10, 8)
	id.Store, errs[2] = ParseID(f["store"])
	id.Members, errs[3] = base64.StdEncoding.DecodeString(f["members"])
	id.Created, errs[4] = time.Parse(time.RFC3339, f["created"])
	id.Node = consensus.NodeID(node)
	for _, err := range errs {
		if err != nil {
			return Identity{}, damaged(file, "%v", err)
		}
	}
	if !bytes.Equal(identityText(id), text) {
		return Identity{}, damaged(file, "not as it was written")
	}
	return id, nil
}

// readIdentity reads dir's identity file.
func readIdentity(dir string, fsys vfs.FS) (Identity, error) {
	file := fsys.PathJoin(dir, identityFile)
	text, err := readMarker(fsys, file)
	if err != nil {
		return Identity{}, err
	}
	return parseIdentity(file, text)
}

// watermark is what watermarkFile holds. It is made durable before the first
// answer that depends on a new log file of the engine.
type watermark struct {
	// log is the number of the engine's newest log file, without which the
	// store must not start; 0 while an Open is under way and log files come
	// and go.
	log uint64
	// batch is the number of a batch that the engine has made durable.
	batch uint64
}

// watermarkText is what watermarkFile holds:
//
//	ticketd watermark, format 1
//	log: 12
//	batch: 3456
//	check: as above
func watermarkText(w watermark) []byte {
	return appendCheck(fmt.Appendf(nil, "%s%d\nlog: %d\nbatch: %d\n", watermarkTitle, formatVersion, w.log, w.batch))
}

func parseWatermark(file string, text []byte) (watermark, error) {
	f, err := parseMarker(file, text, watermarkTitle, "log", "batch")
	if err != nil {
		return watermark{}, err
	}
	log, err1 := strconv.ParseUint(f["log"], 10, 64)
	batch, err2 := strconv.ParseUint(f["batch"], 10, 64)
	w := watermark{log: log, batch: batch}
	if err1 != nil || err2 != nil || !bytes.Equal(watermarkText(w), text) {
		return watermark{}, damaged(file, "not as it was written")
	}
	return w, nil
}

// parseMarker checks the title and the checksum and returns the fields.
func parseMarker(file string, text []byte, title string, names ...string) (map[string]string, error) {
	lines := strings.SplitAfter(string(text), "\n")
	number, ok := strings.CutPrefix(lines[0], title)
	if !ok {
		return nil, damaged(file, "it does not begin with %q", title)
	}
	format, err := strconv.ParseUint(strings.TrimSuffix(number, "\n"), 10, 32)
	if err == nil && format > formatVersion {
		return nil, &Error{File: file, Kind: ErrNewer,
			What:   fmt.Sprintf("written by a newer version: format %d, and this one knows up to %d", format, formatVersion),
			Advice: "run the version that wrote it, or a newer one"}
	}
	if err != nil || len(lines) != len(names)+3 || lines[len(lines)-1] != "" {
		return nil, damaged(file, "it has not the lines that it was written with")
	}
	whole := strings.Join(lines[:len(lines)-2], "")
	if string(appendCheck([]byte(whole))) != string(text) {
		return nil, damaged(file, "the checksum does not match")
	}
	fields := map[string]string{}
	for i, name := range names {
		v, ok := strings.CutPrefix(lines[i+1], name+": ")
		if !ok {
			return nil, damaged(file, "line %d is not %q", i+2, name)
		}
		fields[name] = strings.TrimSuffix(v, "\n")
	}
	return fields, nil
}

// readMarker reads a whole small file, which must be there.
func readMarker(fsys vfs.FS, path string) ([]byte, error) {
	f, err := fsys.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, damaged(path, "missing")
	}
	if err != nil {
		return nil, ioError(path, "can't be read", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, markerMaxBytes))
	if err != nil {
		return nil, ioError(path, "can't be read", err)
	}
	return text, nil
}

// writeMarker makes a file and its contents durable, but not its name: sync
// the directory for that.
func writeMarker(fsys vfs.FS, path string, text []byte) error {
	f, err := fsys.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return ioError(path, "can't be made", err)
	}
	_, err = f.Write(bytes.Clone(text)) // a vfs.File may change what it is given
	if err == nil {
		err = f.Sync()
	}
	if err1 := f.Close(); err == nil {
		err = err1
	}
	if err != nil {
		return ioError(path, "can't be written", err)
	}
	return nil
}

// rename moves a file within dir and makes that durable.
func rename(fsys vfs.FS, dir, from, to string) error {
	if err := fsys.Rename(fsys.PathJoin(dir, from), fsys.PathJoin(dir, to)); err != nil {
		return ioError(fsys.PathJoin(dir, from), "can't be renamed to "+to, err)
	}
	return syncDir(fsys, dir)
}

func syncDir(fsys vfs.FS, dir string) error {
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return ioError(dir, "can't be opened", err)
	}
	err = d.Sync()
	if err1 := d.Close(); err == nil {
		err = err1
	}
	if err != nil {
		return ioError(dir, "can't be synced", err)
	}
	return nil
}
