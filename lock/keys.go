package lock

// keys keeps the bytes of keys: for each length its own chunks, so that a key
// costs its own length and no more.
type keys struct {
	classes [KeyMax]keyClass // by length - 1
}

type keyClass struct {
	numbers numbers
	chunks  [][]byte
}

// A key is named by its length (less one) above refBits bits of its number.
const _ = uint(32 - refBits - 7)
const _ = uint(1<<7 - KeyMax)

// add copies key and returns its name.
func (k *keys) add(key []byte) uint32 {
	length := len(key)
	class := &k.classes[length-1]
	number, made := class.numbers.take()
	c := int(number >> chunkBits)
	if made {
		if c == len(class.chunks) {
			class.chunks = append(class.chunks, nil)
		}
		class.chunks[c] = make([]byte, chunkLen*length)
	}
	copy(class.chunks[c][int(number&chunkMask)*length:], key)
	return uint32(length-1)<<refBits | number
}

// get returns the key of that name, not to be changed, good until remove.
func (k *keys) get(name uint32) []byte {
	length := int(name>>refBits) + 1
	number := name & refMask
	at := int(number&chunkMask) * length
	return k.classes[length-1].chunks[number>>chunkBits][at : at+length : at+length]
}

func (k *keys) remove(name uint32) {
	class := &k.classes[name>>refBits]
	if c, dropped := class.numbers.give(name & refMask); dropped {
		class.chunks[c] = nil
	}
}
