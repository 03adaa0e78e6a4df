import Foundation
#if canImport(Glibc)
import Glibc
#endif

/// A system call that failed.
struct FileFailure: Error {
    let operation: String
    let path: String
    let code: Int32

    init(_ operation: String, _ path: String, code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    var isMissing: Bool { code == ENOENT || code == ENOTDIR }
    var isThere: Bool { code == EEXIST }
    /// True if another process holds the lock of the file.
    var isBusy: Bool { code == EWOULDBLOCK }
}

/// An open file, closed with its last reference. Its lock is held for single changes only, never while the app waits:
/// iOS ends apps that are suspended with a locked file in a shared container.
final class OpenFile {
    let path: String
    private let descriptor: Int32

    /// - Throws: `FileFailure`
    init(_ path: String, _ flags: Int32) throws {
        self.path = path
        descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure("open", path) }
    }

    /// A file to write, in a folder that is made again if it was removed.
    static func create(_ path: String, _ flags: Int32) throws -> OpenFile {
        do {
            return try OpenFile(path, flags | O_CREAT)
        } catch let failure as FileFailure where failure.isMissing {
            try DeviceFolder.make((path as NSString).deletingLastPathComponent)
            return try OpenFile(path, flags | O_CREAT)
        }
    }

    deinit { close(descriptor) }

    /// Limits of the wait for a lock, in seconds: a process may be stopped while it holds one.
    enum LockWait {
        /// On a thread of the app.
        static let caller = 0.02
        /// On the first start on a device, when the store has no ids yet: events made without the lock would get other ids.
        static let firstValues = 1.0
        /// On the outbox, off the app's threads.
        static let outbox = 5.0
    }

    /// Runs `work` while no other process or client changes the file.
    /// - Throws: `FileFailure` that `isBusy` if the lock cannot be taken within `seconds`.
    func locked<Result>(within seconds: Double, _ work: () throws -> Result) throws -> Result {
        var waited = 0.0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR || errno == EWOULDBLOCK else { throw FileFailure("lock", path) }
            guard waited < seconds else { throw FileFailure("lock", path, code: EWOULDBLOCK) }
            // Many locks last microseconds.
            let pause = min(0.005, max(0.0001, waited / 2))
            usleep(UInt32(pause * 1_000_000))
            waited += pause
        }
        defer { flock(descriptor, LOCK_UN) }
        return try work()
    }

    /// Size in bytes; nil if the file was removed.
    func size() throws -> Int? {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw FileFailure("stat", path) }
        return facts.st_nlink == 0 ? nil : Int(facts.st_size)
    }

    func readAll() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: try size() ?? 0)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress! + count, $0.count - count, off_t(count)) }
            if read < 0 && errno == EINTR { continue }
            guard read >= 0 else { throw FileFailure("read", path) }
            if read == 0 { break }
            count += read
        }
        return Array(bytes[..<count])
    }

    /// Appends all bytes or, if that fails, none.
    func append(_ bytes: [UInt8], after end: Int) throws {
        var count = 0
        while count < bytes.count {
            let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress! + count, $0.count - count, off_t(end + count)) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else {
                let failure = FileFailure("write", path)
                try truncate(to: end)
                throw failure
            }
            count += written
        }
    }

    func truncate(to end: Int) throws {
        guard ftruncate(descriptor, off_t(end)) == 0 else { throw FileFailure("truncate", path) }
    }

    func sync() throws {
        guard fsync(descriptor) == 0 else { throw FileFailure("sync", path) }
    }

    /// Makes names of a folder durable. Some file systems refuse it; the file's own sync must then be enough.
    static func syncFolder(_ path: String) {
        guard let folder = try? OpenFile(path, O_RDONLY) else { return }
        try? folder.sync()
    }

    static func move(_ from: String, to path: String) throws {
        guard rename(from, path) == 0 else { throw FileFailure("rename", from) }
    }

    /// Removes a file; one that is missing is removed already.
    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure("remove", path) }
    }
}
