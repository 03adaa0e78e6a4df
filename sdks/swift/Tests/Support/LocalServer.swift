import Foundation
#if canImport(Glibc)
import Glibc
#endif

/// The smallest HTTP server that a test needs: POSIX sockets, one request a connection.
package final class LocalServer: @unchecked Sendable {
    package let port: UInt16
    private let descriptor: Int32
    private let lock = NSLock()
    private var received: [String] = []
    package var requests: [String] { lock.withLock { received } }
    package var url: String { "http://127.0.0.1:\(port)" }

    package init(_ answer: String = "HTTP/1.1 200 OK\r\nContent-Length: 19\r\nConnection: close\r\n\r\n{\"status\":\"QUEUED\"}") throws {
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound, listen(descriptor, 8) == 0 else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0, let self else { return }
                let text = LocalServer.request(connection)
                self.lock.withLock { self.received.append(text) }
                _ = Array(answer.utf8).withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
                close(connection)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    private static func request(_ connection: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(connection, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            guard let head = text.range(of: "\r\n\r\n") else { continue }
            let lengths = text[..<head.lowerBound].lowercased().components(separatedBy: "\r\n")
                .filter { $0.hasPrefix("content-length:") }
            let wanted = lengths.first.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
            if text[head.upperBound...].utf8.count >= wanted { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
