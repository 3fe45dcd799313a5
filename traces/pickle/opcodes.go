package pickle

// Opcodes of what is read.
const (
	opMark            = '('
	opStop            = '.'
	opNone            = 'N'
	opBinInt          = 'J'
	opBinInt1         = 'K'
	opBinInt2         = 'M'
	opBinFloat        = 'G'
	opBinUnicode      = 'X'
	opShortBinUnicode = 0x8c
	opAppend          = 'a'
	opAppends         = 'e'
	opSetItem         = 's'
	opSetItems        = 'u'
	opEmptyDict       = '}'
	opEmptyList       = ']'
	opEmptyTuple      = ')'
	opTuple           = 't'
	opTuple1          = 0x85
	opTuple2          = 0x86
	opTuple3          = 0x87
	opNewTrue         = 0x88
	opNewFalse        = 0x89
	opLong1           = 0x8a
	opBinPut          = 'q'
	opLongBinPut      = 'r'
	opBinGet          = 'h'
	opLongBinGet      = 'j'
	opMemoize         = 0x94
	opProto           = 0x80
	opFrame           = 0x95
)

// refused are the opcodes that a recording does not need, and why.
var refused = map[byte]struct{ name, why string }{
	'c': {"GLOBAL", names}, 0x93: {"STACK_GLOBAL", names}, 'R': {"REDUCE", calls}, 'b': {"BUILD", calls},
	0x81: {"NEWOBJ", calls}, 0x92: {"NEWOBJ_EX", calls}, 'i': {"INST", calls}, 'o': {"OBJ", calls},
	'P': {"PERSID", outside}, 'Q': {"BINPERSID", outside}, 0x97: {"NEXT_BUFFER", outside}, 0x98: {"READONLY_BUFFER", outside},
	0x82: {"EXT1", names}, 0x83: {"EXT2", names}, 0x84: {"EXT4", names},
	'0': {"POP", unused}, '1': {"POP_MARK", unused}, '2': {"DUP", unused}, 'F': {"FLOAT", unused}, 'I': {"INT", unused},
	'L': {"LONG", unused}, 'S': {"STRING", unused}, 'T': {"BINSTRING", unused}, 'U': {"SHORT_BINSTRING", unused},
	'V': {"UNICODE", unused}, 'd': {"DICT", unused}, 'g': {"GET", unused}, 'l': {"LIST", unused}, 'p': {"PUT", unused},
	0x8b: {"LONG4", unused}, 'B': {"BINBYTES", unused}, 'C': {"SHORT_BINBYTES", unused}, 0x8d: {"BINUNICODE8", unused},
	0x8e: {"BINBYTES8", unused}, 0x8f: {"EMPTY_SET", unused}, 0x90: {"ADDITEMS", unused}, 0x91: {"FROZENSET", unused},
	0x96: {"BYTEARRAY8", unused},
}

const (
	names   = "it names a class or function"
	calls   = "it calls something"
	outside = "it refers to what is not in the file"
	unused  = "no recording needs it"
)
