import Foundation
#if canImport(Glibc)
import Glibc
#endif

/// Batches as files in a folder (sdks/contract/store.md), for all clients and processes of a device: app, extensions,
/// earlier launches. Every call can throw.
struct QueueFolder: Sendable {
    /// Contents of the folder when it was read.
    struct Listing: Sendable {
        var batches: [Batch] = []
        /// Keys of all files.
        var keys: Set<String> = []
        /// Damaged batches, and the number of messages that each lost.
        var damaged: [(name: String, lost: Int)] = []
        /// Names of files that this SDK does not read.
        var strange: [String] = []
        /// True if some file cannot be read now. Unreadable is not empty: the reader tries again.
        var isPartial = false
    }

    private static let ending = ".batch"
    private static let unfinished = ".part"

    let path: String
    /// Throws if the disk has no room.
    let room: @Sendable () throws -> Void

    func path(_ key: String) -> String { "\(path)/\(key)\(QueueFolder.ending)" }

    /// Begins a file with its first message. Nil if there is a file of this name.
    func begin(_ origin: Origin, _ text: String) throws -> BatchWriter? {
        try room()
        let bytes = BatchFormat.fileHead + BatchFormat.header(origin) + BatchFormat.frame(.message, text)
        while true {
            let file: OpenFile
            do {
                file = try OpenFile.create(path(origin.key), O_RDWR | O_EXCL)
            } catch let failure as FileFailure where failure.isThere {
                return nil
            }
            let isKept = try lockedOrRemoved(file) {
                do {
                    try file.append(bytes, after: 0)
                } catch {
                    try? OpenFile.remove(file.path)
                    throw error
                }
                // Another client may have removed the file as an empty one before it was locked.
                return try file.size() != nil
            }
            if isKept { return BatchWriter(file, end: bytes.count, room: room) }
        }
    }

    /// Locks a new file, which another process may take for abandoned. Removes it if that process holds the lock.
    private func lockedOrRemoved<Result>(_ file: OpenFile, _ work: () throws -> Result) throws -> Result {
        do {
            return try file.locked(within: OpenFile.LockWait.caller, work)
        } catch let failure as FileFailure where failure.isBusy {
            try? OpenFile.remove(file.path)
            throw failure
        }
    }

    /// Permanently closes a batch for appends. Returns the number of its messages; nil if it is gone.
    func seal(_ key: String) throws -> Int? {
        try room()
        return try change(key) { file, content in
            if content.isSealed { return content.messages.count }
            var end = content.end
            if end != (try file.size()) { try file.truncate(to: end) }
            let frame = BatchFormat.seal(count: content.messages.count)
            try file.append(frame, after: end)
            end += frame.count
            if content.lost > 0 { try file.append(doubted(content), after: end) }
            try file.sync()
            OpenFile.syncFolder(path)
            return content.messages.count
        }
    }

    /// A damaged file may have lost a try, so its batch counts as tried.
    private func doubted(_ content: BatchFile) -> [UInt8] {
        var tries = content.tries ?? Tries()
        tries.doubts = max(1, tries.doubts)
        return BatchFormat.tries(tries)
    }

    /// The messages of a batch; nil if it is gone.
    func read(_ key: String) throws -> [String]? {
        try content(key)?.messages
    }

    /// Stores times and numbers of tries, and adds `doubts` to the stored ones, because several clients can try a batch.
    /// Returns the sum of doubts; nil if the batch is gone.
    func update(_ key: String, _ tries: Tries, doubts: Int) throws -> Int? {
        try change(key) { file, content in
            var stored = tries
            stored.doubts = max(0, (content.tries?.doubts ?? 0) + doubts)
            if content.end != (try file.size()) { try file.truncate(to: content.end) }
            try file.append(BatchFormat.tries(stored), after: content.end)
            // A try is durable before it is made.
            if doubts > 0 { try file.sync() }
            return stored.doubts
        }
    }

    /// Replaces a batch by its two halves. Changes nothing and returns false if it is gone or has doubts, which means
    /// that another client is sending it.
    func divide(_ key: String, at place: Int) throws -> Bool {
        try room()
        return try change(key) { file, content in
            guard content.tries?.doubts ?? 0 == 0 else { return false }
            try file.append(BatchFormat.divided(at: place), after: content.end)
            try file.sync()
            try finishDivision(content, at: place)
            return true
        } ?? false
    }

    /// Writes a sealed batch of these messages. Leaves an existing file unchanged.
    func create(_ origin: Origin, _ texts: [String], isSealed: Bool = true) throws {
        try room()
        try write(origin, texts, isSealed: isSealed)
        OpenFile.syncFolder(path)
    }

    /// Removes a batch with its first `count` messages. Later ones become the batch `key.<count>`.
    func remove(_ key: String, count: Int) throws {
        _ = try change(key) { _, content in
            let later = Array((content.messages + content.later).dropFirst(count))
            if !later.isEmpty { try write(content.origin.derived(count), later, isSealed: false) }
            try OpenFile.remove(path(key))
        }
    }

    /// Replaces a batch by one of the same messages for another host. Changes nothing and returns false if it is gone or has
    /// doubts, which means that another client is sending it.
    func move(_ key: String, to origin: Origin) throws -> Bool {
        try room()
        return try change(key) { _, content in
            guard content.tries?.doubts ?? 0 == 0 else { return false }
            try write(origin, content.messages, tries: content.tries.map { Tries(firstTry: $0.firstTry) })
            if !content.later.isEmpty {
                try write(content.origin.derived(content.messages.count), content.later, isSealed: false)
            }
            OpenFile.syncFolder(path)
            try OpenFile.remove(path(key))
            return true
        } ?? false
    }

    /// Removes the batches of a source, also those that another thread is writing. Returns the number of their messages.
    func clear(_ sourceIdentifier: String) throws -> Int {
        var erased = 0
        while true {
            var hasRemoved = false
            for name in try names() where name.hasSuffix(QueueFolder.ending) || name.hasSuffix(QueueFolder.unfinished) {
                guard let count = try clear("\(path)/\(name)", of: sourceIdentifier) else { continue }
                hasRemoved = true
                // An unfinished file is a copy.
                if name.hasSuffix(QueueFolder.ending) { erased += count }
            }
            if !hasRemoved { return erased }
        }
    }

    /// Removes a file if it is of this source. Returns the number of its messages; nil for another file.
    private func clear(_ path: String, of sourceIdentifier: String) throws -> Int? {
        guard let file = try open(path), case .batch(let content) = BatchFormat.read(try file.readAll()),
            content.origin.sourceIdentifier == sourceIdentifier
        else { return nil }
        try OpenFile.remove(path)
        return content.messages.count + content.later.count
    }

    /// All batches, oldest first; open ones too, because the caller adopts every batch that it does not own. Files of known
    /// batches are named, but not read.
    func list(except known: Set<String> = []) throws -> Listing {
        var listing = Listing()
        for name in try names() {
            if name.hasSuffix(QueueFolder.unfinished) { removeAbandoned("\(path)/\(name)") }
            guard name.hasSuffix(QueueFolder.ending) else { continue }
            let key = String(name.dropLast(QueueFolder.ending.count))
            listing.keys.insert(key)
            guard !known.contains(key) else { continue }
            do {
                try add(key, to: &listing)
            } catch {
                listing.isPartial = true
            }
        }
        listing.batches.sort { $0.origin.created < $1.origin.created }
        return listing
    }

    private func add(_ key: String, to listing: inout Listing) throws {
        guard let file = try open(path(key)) else { return }
        try file.locked(within: OpenFile.LockWait.outbox) {
            guard try file.size() != nil else { return }
            switch BatchFormat.read(try file.readAll()) {
            case .foreign, .newer: listing.strange.append(key)
            case .empty(let lost):
                try OpenFile.remove(file.path)
                if lost > 0 { listing.damaged.append((key, lost)) }
            case .batch(let content):
                if let place = content.dividedAt {
                    try finishDivision(content, at: place)
                    try add(content.origin.derived(0).key, to: &listing)
                    try add(content.origin.derived(place).key, to: &listing)
                } else {
                    try repair(file, content)
                    if content.lost > 0 { listing.damaged.append((key, content.lost)) }
                    listing.batches.append(batch(of: content))
                }
            }
        }
    }

    /// Ends a damaged batch where its whole frames end, so that the loss is found once.
    private func repair(_ file: OpenFile, _ content: BatchFile) throws {
        guard content.lost > 0 else { return }
        try file.truncate(to: content.end)
        try file.append(BatchFormat.seal(count: content.messages.count) + doubted(content), after: content.end)
        try file.sync()
    }

    private func batch(of content: BatchFile) -> Batch {
        var batch = Batch(content.origin, content.messages, isSealed: content.isSealed || content.lost > 0)
        batch.tries = content.tries ?? Tries()
        if content.lost > 0 { batch.tries.doubts = max(1, batch.tries.doubts) }
        return batch
    }

    private func finishDivision(_ content: BatchFile, at place: Int) throws {
        let at = min(max(0, place), content.messages.count)
        try write(content.origin.derived(0), Array(content.messages[..<at]))
        try write(content.origin.derived(place), Array(content.messages[at...]))
        if !content.later.isEmpty {
            try write(content.origin.derived(content.messages.count), content.later, isSealed: false)
        }
        OpenFile.syncFolder(path)
        try OpenFile.remove(path(content.origin.key))
    }

    private func write(_ origin: Origin, _ texts: [String], isSealed: Bool = true, tries: Tries? = nil) throws {
        let end = path(origin.key)
        guard !texts.isEmpty, access(end, F_OK) != 0 else { return }
        let unfinished = "\(path)/\(origin.key).\(getpid())\(QueueFolder.unfinished)"
        let file = try OpenFile.create(unfinished, O_RDWR | O_TRUNC)
        do {
            let messages = texts.flatMap { BatchFormat.frame(.message, $0) }
            let seal = isSealed ? BatchFormat.seal(count: texts.count) : []
            let times = tries.map { BatchFormat.tries($0) } ?? []
            try file.append(BatchFormat.fileHead + BatchFormat.header(origin) + messages + seal + times, after: 0)
            try file.sync()
            try OpenFile.move(unfinished, to: end)
        } catch {
            try? OpenFile.remove(unfinished)
            throw error
        }
    }

    /// Changes a batch while no other client does. Nil if it is gone.
    private func change<Result>(_ key: String, _ work: (OpenFile, BatchFile) throws -> Result) throws -> Result? {
        guard let file = try open(path(key)) else { return nil }
        return try file.locked(within: OpenFile.LockWait.outbox) {
            guard try file.size() != nil, case .batch(let content) = BatchFormat.read(try file.readAll()),
                content.dividedAt == nil
            else { return nil }
            return try work(file, content)
        }
    }

    private func content(_ key: String) throws -> BatchFile? {
        guard let file = try open(path(key)), case .batch(let content) = BatchFormat.read(try file.readAll())
        else { return nil }
        return content
    }

    /// Nil if there is no such file.
    private func open(_ path: String) throws -> OpenFile? {
        do {
            return try OpenFile(path, O_RDWR)
        } catch let failure as FileFailure where failure.isMissing {
            return nil
        }
    }

    private func names() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            if access(path, F_OK) != 0 && errno == ENOENT { return [] }
            throw error
        }
    }

    /// Removes an unfinished file that was not written to for over a minute: its writer has ended.
    private func removeAbandoned(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return }
        #if canImport(Darwin)
        let changed = facts.st_mtimespec.tv_sec
        #else
        let changed = facts.st_mtim.tv_sec
        #endif
        if time(nil) - changed > 60 { try? OpenFile.remove(path) }
    }
}
