package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// The kinds of refusal. An error that is of none of them is the disk's own: a
// read or a write that failed.
var (
	ErrMissing  = errors.New("no store")
	ErrExists   = errors.New("store exists")
	ErrForeign  = errors.New("not a store")
	ErrMismatch = errors.New("store of another server")
	ErrNewer    = errors.New("store of a newer version")
	ErrLocked   = errors.New("store in use")
	ErrDamaged  = errors.New("store damaged")
	ErrClosed   = errors.New("store closed")
	ErrGone     = errors.New("chunk of a dropped snapshot")
)

// Error is a problem with a store as its operator needs to hear it.
type Error struct {
	File   string // what it is about
	What   string // what is wrong with it
	Advice string // what to do; may be empty
	Kind   error  // one of the errors above, or nil
	Err    error  // the cause, or nil
}

// Error returns one line: file, problem, cause, advice.
func (e *Error) Error() string {
	s := e.File + ": " + e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}

// Unwrap lets errors.Is find the kind and the cause.
func (e *Error) Unwrap() []error {
	var errs []error
	if e.Kind != nil {
		errs = append(errs, e.Kind)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}

// restoreAdvice is all that can be done about a damaged store: there is no
// second copy on this machine, and half of a store is worse than none.
const restoreAdvice = "nothing has been changed; stop, check the disk, and see \"Damage\" in docs/STORAGE.md:" +
	" put back a copy of the whole directory, or in a cluster replace this member's store"

// damaged says that file is not as it was written.
func damaged(file, format string, args ...any) error {
	return &Error{File: file, What: "damaged: " + fmt.Sprintf(format, args...), Advice: restoreAdvice, Kind: ErrDamaged}
}

// ioError puts advice to an error of the disk's own.
func ioError(file, what string, err error) error {
	return &Error{File: file, What: what, Advice: ioAdvice(err), Err: err}
}

func ioAdvice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the disk is full: free space, then start again"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only: see the kernel's log for why, mount it for writing, then start again"
	case errors.Is(err, fs.ErrPermission):
		return "let the server's user read and write the directory and all files in it"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "raise the limit on open files, then start again"
	case errors.Is(err, syscall.EIO):
		return "the disk reports an error: see the kernel's log, replace the disk if it is failing, then start again"
	}
	return "check the disk, then start again"
}
