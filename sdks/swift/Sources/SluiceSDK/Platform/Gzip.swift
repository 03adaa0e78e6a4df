import Foundation
#if canImport(Compression)
import Compression
#endif

/// Bodies of requests in the format of RFC 1952.
enum Gzip {
    /// Bytes from which compressing pays.
    static let minBytes = 1_024

    typealias Deflate = @Sendable (Data) -> Data?

    /// Compresses by the system's library; nil where there is none, as on Linux.
    @Sendable static func platform(_ data: Data) -> Data? {
        #if canImport(Compression)
        let room = data.count + 64
        var deflated = Data(count: room)
        let count = deflated.withUnsafeMutableBytes { target in
            data.withUnsafeBytes { source -> Int in
                guard let to = target.bindMemory(to: UInt8.self).baseAddress, let from = source.bindMemory(to: UInt8.self).baseAddress
                else { return 0 }
                return compression_encode_buffer(to, room, from, data.count, nil, COMPRESSION_ZLIB)
            }
        }
        return count > 0 ? deflated.prefix(count) : nil
        #else
        return nil
        #endif
    }

    /// The compressed bytes between head and tail; nil if that is not smaller or cannot be done.
    static func compressed(_ data: Data, by deflate: Deflate) -> Data? {
        guard data.count >= minBytes, let deflated = deflate(data), deflated.count + 18 < data.count else { return nil }
        return framed(deflated, of: data)
    }

    static func framed(_ deflated: Data, of data: Data) -> Data {
        let bytes = Array(data)
        let tail = littleEndian(CRC32.of(bytes[...], [][...])) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
        // Deflate, no name, no time, Unix.
        return Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) + deflated + Data(tail)
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
    }
}
