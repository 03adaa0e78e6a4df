import Foundation

/// Batches that still get messages: one of each kind. Used under the recorder's lock only.
final class OpenBatches {
    private let settings: Settings
    private let ports: Ports
    private let queue: QueueFolder
    private let inbox: Inbox
    private let notices: Notices
    /// Identifies are closed and sent first.
    private var open: [BatchKind: OpenBatch] = [:]
    /// Keys of batches that the outbox does not have yet and must not adopt.
    private var owned: Set<String> = []
    /// False while nothing may be written.
    var isPersistent = false
    /// Number of times that consent was denied: messages from before are neither sent nor written.
    private(set) var epoch = 0
    /// Kinds of which nothing can be delivered.
    private(set) var heldBack: Set<BatchKind> = []
    /// Called when a batch has been open for `flushInterval`.
    var whenDue: @Sendable (OpenBatch) -> Void = { _ in }

    init(settings: Settings, ports: Ports, queue: QueueFolder, inbox: Inbox, notices: Notices) {
        self.settings = settings
        self.ports = ports
        self.queue = queue
        self.inbox = inbox
        self.notices = notices
    }

    func append(_ kind: BatchKind, _ text: String) {
        if let last = open[kind], last.batch.bytes + 1 + text.utf8.count > Settings.maxBatchBytes { close(last) }
        let entry = open[kind] ?? begin(kind, ports.random.uuid(.key))
        open[kind] = entry
        append(entry, text)
        if entry.batch.count >= settings.flushAt, open[kind] === entry { close(entry) }
    }

    /// Opens a batch, which is closed after `flushInterval`, if something can be delivered then.
    private func begin(_ kind: BatchKind, _ key: String) -> OpenBatch {
        let entry = OpenBatch(
            Origin(
                key: key, host: settings.host, sourceIdentifier: settings.sourceIdentifier, kind: kind,
                created: ports.clock.now()))
        owned.insert(key)
        entry.cancelTimer = ports.clock.later(settings.flushInterval) { [whenDue, weak entry] in
            if let entry { whenDue(entry) }
        }
        let messages = open.values.reduce(1) { $0 + $1.batch.count }
        let bytes = open.values.reduce(entry.batch.bytes) { $0 + $1.batch.bytes }
        inbox.post { $0.makeRoom(messages: messages, bytes: bytes) }
        return entry
    }

    private func append(_ entry: OpenBatch, _ text: String) {
        let place = entry.batch.count
        entry.texts.append(text)
        entry.batch.count += 1
        entry.batch.bytes += text.utf8.count + (place > 0 ? 1 : 0)
        write(entry, place)
    }

    // MARK: Files

    private func write(_ entry: OpenBatch, _ place: Int) {
        guard isPersistent, !entry.isRefused else { return }
        do {
            let text = entry.texts[place]
            if place == 0 { entry.writer = try beginFile(entry, text) }
            let isTaken = place == 0 ? entry.writer != nil : try entry.writer?.append(text) ?? false
            if isTaken {
                entry.isStored = true
                notices.storageWorks()
                return
            }
            if place == 0 { throw FileFailure("create", entry.batch.key, code: EEXIST) }
        } catch let failure as FileFailure where failure.isBusy && place > 0 {
            // Another process holds the file. No thread of the app waits for it: the next batch takes the message.
        } catch {
            notices.storageFailed(error)
        }
        // Ends the stored batch before a message that was not written: later messages must keep their positions.
        if place > 0 { moveOn(entry, from: place) } else { entry.isRefused = true }
    }

    /// Begins the file of a batch, under another key if another process holds the new file.
    private func beginFile(_ entry: OpenBatch, _ text: String) throws -> BatchWriter? {
        for _ in 0..<3 {
            do {
                return try queue.begin(entry.batch.origin, text)
            } catch let failure as FileFailure where failure.isBusy {
                owned.remove(entry.batch.key)
                entry.batch.origin.key = ports.random.uuid(.key)
                owned.insert(entry.batch.key)
            }
        }
        return try queue.begin(entry.batch.origin, text)
    }

    /// Ends the stored batch before this message and moves this and all later messages to a new batch.
    private func moveOn(_ entry: OpenBatch, from place: Int) {
        let moved = Array(entry.texts[place...])
        entry.texts = Array(entry.texts[..<place])
        entry.batch = Batch(entry.batch.origin, entry.texts, isSealed: false)
        let kind = entry.batch.origin.kind
        let next = begin(kind, entry.batch.origin.derived(place).key)
        if open[kind] === entry { open[kind] = next }
        for text in moved { append(next, text) }
        close(entry)
    }

    /// Writes the messages that were collected while consent was pending.
    func persist() {
        isPersistent = true
        for kind in BatchKind.allCases {
            guard let entry = open[kind], !entry.isStored else { continue }
            var place = 0
            while place < entry.texts.count {
                write(entry, place)
                place += 1
            }
        }
    }

    // MARK: Closing

    /// Hands a batch to the outbox.
    private func close(_ entry: OpenBatch) {
        entry.cancelTimer?()
        entry.writer = nil
        entry.batch.isSealed = true
        let kind = entry.batch.origin.kind
        if open[kind] === entry { open[kind] = nil }
        let closed = ClosedBatch(batch: entry.batch, texts: entry.texts, isStored: entry.isStored, epoch: epoch)
        inbox.post { $0.take(closed) }
    }

    /// Closes a batch that is due. While nothing can be delivered it stays open, so that sparse events share a batch.
    func closeDue(_ entry: OpenBatch) {
        guard open[entry.batch.origin.kind] === entry else { return }
        if heldBack.contains(entry.batch.origin.kind) { entry.isOverdue = true } else { close(entry) }
    }

    /// - Parameter kinds: those of which batches wait because the last try failed
    func holdBack(_ kinds: Set<BatchKind>) {
        heldBack = kinds
        for kind in BatchKind.allCases where !kinds.contains(kind) {
            if let entry = open[kind], entry.isOverdue { close(entry) }
        }
    }

    func closeAll() {
        for kind in BatchKind.allCases { if let entry = open[kind] { close(entry) } }
    }

    func cancelTimers() {
        for entry in open.values { entry.cancelTimer?() }
    }

    /// Forgets all messages, because consent was denied. Returns the number of those that are only in memory.
    func erase() -> Int {
        defer { open = [:] }
        epoch += 1
        cancelTimers()
        owned = []
        return open.values.filter { !$0.isStored }.reduce(0) { $0 + $1.batch.count }
    }

    // MARK: For the outbox

    func owns(_ key: String) -> Bool { owned.contains(key) }
    func release(_ key: String) { owned.remove(key) }
}
