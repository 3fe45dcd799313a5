// Package filesys assembles the laboratory of file systems on an SSD that can be reached
// by blocks and by bytes (ByteFS).
package filesys
