import Foundation
#if canImport(Glibc)
import Glibc
#endif

/// Small values of one source on one device: ids, and the number of lost messages. A file of its own, because
/// UserDefaults is empty while a device is locked after its start, and is not one store for an app and its extensions.
/// Not safe for several threads.
final class ValuesFile {
    enum Name: String, CaseIterable {
        case device, anonymousId, userId
        /// Number of messages given up on this device.
        case lost
    }

    private struct Version: Equatable {
        let node: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    private let path: String
    private let room: @Sendable () throws -> Void
    private var known: [String: String] = [:]
    private var version: Version?

    init(path: String, room: @escaping @Sendable () throws -> Void) {
        self.path = path
        self.room = room
    }

    /// Throws while the values cannot be read, which does not mean that there are none.
    func assertReadable() throws { try refresh() }

    /// Nil for a value that is not there.
    func get(_ name: Name) throws -> String? {
        try refresh()
        return known[name.rawValue]
    }

    func set(_ name: Name, _ value: String, within seconds: Double = OpenFile.LockWait.caller) throws {
        try change(name, within: seconds) { _ in value }
    }

    /// Changes a value while no other process does. Returns the new value.
    @discardableResult
    func change(
        _ name: Name, within seconds: Double = OpenFile.LockWait.caller, _ next: (String?) -> String
    ) throws -> String {
        try room()
        return try OpenFile.create("\(path).lock", O_RDWR).locked(within: seconds) {
            try refresh()
            var values = known
            let value = next(known[name.rawValue])
            values[name.rawValue] = value
            try write(values)
            return value
        }
    }

    func clear() throws {
        known = [:]
        version = nil
        try OpenFile.remove(path)
    }

    /// Reads the file if it was replaced.
    private func refresh() throws {
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            let failure = FileFailure("stat", path)
            guard failure.isMissing else { throw failure }
            known = [:]
            version = nil
            return
        }
        #if canImport(Darwin)
        let changed = facts.st_mtimespec
        #else
        let changed = facts.st_mtim
        #endif
        let newVersion = Version(
            node: UInt64(facts.st_ino), size: Int64(facts.st_size), seconds: changed.tv_sec,
            nanoseconds: changed.tv_nsec)
        guard newVersion != version else { return }
        let bytes = try OpenFile(path, O_RDONLY).readAll()
        guard case .object(let members) = JSON(parsing: String(decoding: bytes, as: UTF8.self)) ?? .null else {
            known = [:]
            version = newVersion
            return
        }
        known = Dictionary(members.compactMap { member in member.value.text.map { (member.name, $0) } }) { $1 }
        version = newVersion
    }

    private func write(_ values: [String: String]) throws {
        var json = JSONText()
        json.raw("{")
        for (at, member) in values.sorted(by: { $0.key < $1.key }).enumerated() {
            if at > 0 { json.raw(",") }
            json.string(member.key)
            json.raw(":")
            json.string(member.value)
        }
        json.raw("}\n")
        let unfinished = "\(path).\(getpid()).part"
        let file = try OpenFile.create(unfinished, O_RDWR | O_TRUNC)
        try file.append(Array(json.text.utf8), after: 0)
        // Else a power loss could leave an empty file, and the device would get another id.
        try file.sync()
        try OpenFile.move(unfinished, to: path)
        known = values
        version = nil
    }
}
