import Foundation

/// Takes calls on any thread and writes their messages before they return. One lock guards identity and open batches; it
/// is held for an append, never for a sync, the network or code of the app. Closed batches go to the outbox.
final class Recorder: @unchecked Sendable {
    // @unchecked: `lock` guards all mutable members.
    private let lock = NSLock()
    private let settings: Settings
    private let ports: Ports
    private let folder: DeviceFolder
    private let queue: QueueFolder
    private let identity: Guarded<Identity>
    private let reporter: Reporter
    private let inbox: Inbox
    private var plugins: [Plugin]

    private var state: Consent
    private var isActive = true
    /// Calls that wait until the values can be read; nil if they can.
    private var early: [() -> Void]?
    /// True while calls that waited are made. Others that come meanwhile wait behind them.
    private var isCatchingUp = false
    private var probes = 0
    private var stream: String?
    private var seq = 0
    private var hasBadClock = false
    /// Identifies are closed and sent first.
    private var open: [Message.Kind: OpenBatch] = [:]
    /// Keys of batches that the outbox does not have yet and must not adopt.
    private var owned: Set<String> = []
    private var denials = 0
    /// False while nothing may be written.
    private var isPersistent = false
    /// Reports to make once the lock is released.
    private var notices: [() -> Void] = []

    init(
        configuration: Configuration, settings: Settings, ports: Ports, identity: Guarded<Identity>, reporter: Reporter,
        inbox: Inbox
    ) {
        self.settings = settings
        self.ports = ports
        self.identity = identity
        self.reporter = reporter
        self.inbox = inbox
        folder = DeviceFolder(configuration, room: ports.room)
        queue = folder.queue
        plugins = configuration.plugins
        state = configuration.consent
    }

    /// Runs work under the lock, then makes the reports that it left.
    private func sync<Result>(_ work: () throws -> Result) rethrows -> Result {
        lock.lock()
        defer {
            let told = notices
            notices = []
            lock.unlock()
            for tell in told { tell() }
        }
        return try work()
    }

    private func report(_ error: SluiceError) { notices.append { [reporter] in reporter.report(error) } }
    private func storageFailed(_ cause: any Error) { notices.append { [reporter] in reporter.storageFailed(cause) } }
    private func storageWorks() { notices.append { [reporter] in reporter.storageWorks() } }

    // MARK: Calls

    struct Fields {
        var kind: Message.Kind
        var event: String?
        var free: [String: Any]?
        var userId: String?
        var context: [String: Any] = [:]
        var timestamp: Date?
        /// True if the properties get the id of the device, once it can be read.
        var namesDevice = false
    }

    /// Returns true if the message was accepted; otherwise errorHandler was told why.
    func record(_ fields: Fields) -> Bool {
        let context = ports.context().merging(fields.context) { $1 }
        let isLate: Bool? = sync {
            guard isTaking else { return false }
            guard early != nil else { return nil }
            return keep(fields, context)
        }
        return isLate ?? take(fields, context)
    }

    /// Registers a push token.
    func register(_ token: String) -> Bool {
        guard sync({ isTaking }) else { return false }
        guard !token.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty else {
            reporter.report(SluiceError(.invalid, "a push token is blank"))
            return false
        }
        var properties = ["key": token, "sdk": "IOS"]
        properties["package_name"] = ports.packageName
        return record(Fields(kind: .track, event: "bb_notification_registered", free: properties, namesDevice: true))
    }

    /// Keeps a call with its time until the values can be read.
    private func keep(_ fields: Fields, _ context: [String: Any]) -> Bool {
        guard early?.count ?? 0 < settings.maxMessages else {
            report(SluiceError(.overflow, "too many calls before the device was unlocked", count: 1))
            return false
        }
        var later = fields
        later.timestamp = fields.timestamp ?? Date(timeIntervalSince1970: ports.clock.now() / 1_000)
        early?.append { [weak self] in _ = self?.take(later, context) }
        return true
    }

    private func take(_ fields: Fields, _ context: [String: Any]) -> Bool {
        do {
            let (made, plugins) = try sync { (try self.message(fields, context), self.plugins) }
            guard var message = made else { return false }
            // Plugins are code of the app, so they run without the lock.
            for plugin in plugins {
                guard let next = try plugin(message) else { return false }
                message = next
            }
            return try sync { try add(message) }
        } catch {
            let part = (error as? BrokenRule)?.part ?? "a plugin"
            let why = "\(fields.event ?? fields.kind.rawValue): \(part) breaks its rule or failed"
            reporter.report(SluiceError(.invalid, why, cause: error))
            return false
        }
    }

    /// The message of a call; nil if it names no valid user.
    private func message(_ fields: Fields, _ context: [String: Any]) throws -> Message? {
        if fields.kind == .identify {
            guard let user = fields.userId, Rules.isPersonId(user) else {
                identity.with { $0.reset() }
                report(SluiceError(.invalid, "userId breaks its rule"))
                return nil
            }
            identity.with { $0.become(user) }
        }
        let (userId, anonymousId) = identity.with { ($0.userId, $0.anonymousId) }
        var free = fields.free
        if fields.namesDevice { free?["device_id"] = identity.with { $0.device } }
        return Message(
            kind: fields.kind, userId: userId, anonymousId: anonymousId, event: fields.event,
            properties: fields.kind == .track ? free : nil, traits: fields.kind == .identify ? free : nil,
            context: context, timestamp: try timestamp(fields.timestamp))
    }

    private func timestamp(_ given: Date?) throws -> String? {
        if let given {
            guard let text = Timestamp.text(given) else { throw BrokenRule(part: "timestamp") }
            return text
        }
        let text = Timestamp.text(milliseconds: ports.clock.now())
        if text == nil && !hasBadClock {
            hasBadClock = true
            report(SluiceError(.invalid, "the clock is wrong"))
        }
        return text
    }

    private func add(_ message: Message) throws -> Bool {
        guard isTaking else { return false }
        let (device, lost) = identity.with { ($0.device, $0.lost) }
        if identity.with({ $0.takeCleared() }) {
            for entry in open.values { entry.isCleared = true }
            inbox.post { $0.cleared() }
        }
        let stream = self.stream ?? ports.random.uuid(.stream)
        self.stream = stream
        let stamp = Stamp(
            name: ports.sdk.name, version: ports.sdk.version, device: device, stream: stream, seq: seq, lost: lost)
        let text = try message.text(stamp) { [reporter] in reporter.debug?("\($0) is left out: \($1)") }
        seq += 1
        append(message.kind, text)
        return true
    }

    func reset() {
        sync {
            guard isTaking else { return }
            let work = { [identity] in identity.with { $0.reset() } }
            if early != nil { early?.append(work) } else { work() }
        }
    }

    func use(_ plugin: @escaping Plugin) { sync { plugins.append(plugin) } }

    private var isTaking: Bool { isActive && state != .denied }
    private var isGranted: Bool { isActive && state == .granted && (early == nil || isCatchingUp) }
    var mayReport: Bool { sync { isGranted } }

    /// An id, if there are ids.
    func known<Id>(_ id: (inout Identity) -> Id?) -> Id? {
        sync { isTaking && early == nil ? identity.with(id) : nil }
    }

    // MARK: Open batches

    private func append(_ kind: Message.Kind, _ text: String) {
        if let last = open[kind], last.batch.bytes + 1 + text.utf8.count > Settings.maxBatchBytes { close(last) }
        let entry = open[kind] ?? begin(kind, ports.random.uuid(.key))
        open[kind] = entry
        append(entry, text)
        if entry.batch.count >= settings.flushAt, open[kind] === entry { close(entry) }
    }

    /// Opens a batch, which is closed after `flushInterval` at the latest.
    private func begin(_ kind: Message.Kind, _ key: String) -> OpenBatch {
        let entry = OpenBatch(
            Origin(
                key: key, host: settings.host, sourceIdentifier: settings.sourceIdentifier, kind: kind,
                created: ports.clock.now()))
        owned.insert(key)
        entry.cancelTimer = ports.clock.later(settings.flushInterval) { [weak self] in self?.closeNow(key) }
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

    private func write(_ entry: OpenBatch, _ place: Int) {
        guard isPersistent, !entry.isRefused else { return }
        do {
            let text = entry.texts[place]
            if place == 0 { entry.writer = try queue.begin(entry.batch.origin, text) }
            let isTaken = place == 0 ? entry.writer != nil : try entry.writer?.append(text) ?? false
            if isTaken {
                entry.isStored = true
                storageWorks()
                return
            }
            if place == 0 { throw FileFailure("create", entry.batch.key, code: EEXIST) }
        } catch {
            storageFailed(error)
        }
        // Ends the stored batch before a message that was not written: later messages must keep their positions.
        if place > 0 { moveOn(entry, from: place) } else { entry.isRefused = true }
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

    /// Hands a batch to the outbox.
    private func close(_ entry: OpenBatch) {
        entry.cancelTimer?()
        entry.writer = nil
        entry.batch.isSealed = true
        let kind = entry.batch.origin.kind
        if open[kind] === entry { open[kind] = nil }
        let closed = ClosedBatch(
            batch: entry.batch, texts: entry.texts, isStored: entry.isStored, isCleared: entry.isCleared, epoch: denials)
        inbox.post { $0.take(closed) }
    }

    private func closeNow(_ key: String) {
        sync { if let entry = open.values.first(where: { $0.batch.key == key }) { close(entry) } }
    }

    func closeAll() {
        sync { for kind in [Message.Kind.identify, .track] { if let entry = open[kind] { close(entry) } } }
    }

    // MARK: For the outbox

    func owns(_ key: String) -> Bool { sync { owned.contains(key) } }
    func release(_ key: String) { sync { _ = owned.remove(key) } }
    /// Number of times that consent was denied: what is older is neither sent nor written.
    var epoch: Int { sync { denials } }
    var isCleared: Bool { identity.with { $0.isCleared } }

    // MARK: Consent and beginning

    /// Begins to read and write, or to wait until the values can be read.
    func start() {
        sync {
            if let failure = failureToRead() {
                early = []
                storageFailed(failure)
                probeLater()
            } else {
                begin()
            }
        }
    }

    /// Nil if the store can be read, or is not there, which a new one can be.
    private func failureToRead() -> (any Error)? {
        let made = Result { try folder.make() }
        do {
            try identity.with { try $0.assertReadable() }
            return nil
        } catch {
            if case .failure(let cause) = made { return cause }
            return error
        }
    }

    private func probeLater() {
        probes += 1
        let wait = min(60_000, 1_000 * pow(2, Double(min(probes, 10) - 1)))
        _ = ports.clock.later(wait) { [weak self] in self?.probe() }
    }

    /// Makes the calls that were kept, if the values can be read now.
    func probe() {
        let isReadable: Bool = sync {
            guard early != nil, !isCatchingUp else { return false }
            guard failureToRead() == nil else {
                probeLater()
                return false
            }
            isCatchingUp = true
            begin()
            return true
        }
        while isReadable, let calls = sync({ waiting() }) { calls.forEach { $0() } }
    }

    /// The calls to make next; nil when none is left.
    private func waiting() -> [() -> Void]? {
        guard let calls = early else { return nil }
        isCatchingUp = !calls.isEmpty
        early = calls.isEmpty ? nil : []
        return early == nil ? nil : calls
    }

    private func begin() {
        guard isGranted else { return }
        identity.with { $0.persist() }
        isPersistent = true
        for kind in [Message.Kind.identify, .track] { persist(kind) }
        inbox.post { $0.start() }
    }

    /// Writes the messages of a batch that was collected while consent was pending.
    private func persist(_ kind: Message.Kind) {
        guard let entry = open[kind], !entry.isStored else { return }
        var place = 0
        while place < entry.texts.count {
            write(entry, place)
            place += 1
        }
    }

    func consent(_ next: Consent) {
        sync {
            guard isActive, next != state else { return }
            state = next
            isPersistent = false
            inbox.post { $0.stop() }
            if next == .denied { erase() } else { begin() }
        }
    }

    private func erase() {
        denials += 1
        for entry in open.values { entry.cancelTimer?() }
        open = [:]
        owned = []
        if early != nil { early = [] }
        identity.with { $0.erase() }
        do { try queue.clear() } catch { storageFailed(error) }
        inbox.post { $0.erase() }
        // A new stream, so that it cannot be linked to the old one.
        stream = nil
        seq = 0
    }

    var waitingCalls: Int { sync { early?.count ?? 0 } }

    func deactivate() {
        sync {
            isActive = false
            for entry in open.values { entry.cancelTimer?() }
        }
        inbox.post { $0.stop() }
    }
}
