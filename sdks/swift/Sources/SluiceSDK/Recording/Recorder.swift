import Foundation

/// Takes calls on any thread and, if it can, writes their messages before they return. One lock guards identity and
/// open batches; it is held for an append, never for a sync, the network or code of the app. The outbox gets closed
/// batches.
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
    private let notices: Notices
    private let batches: OpenBatches
    private var plugins: [Plugin]
    /// Properties of every event.
    private var registered: [String: Any] = [:]

    private var state: Consent
    private var isActive = true
    /// Calls that wait until the values can be read; nil if they can.
    private var early: [() -> Void]?
    /// True while calls that waited are made. Calls that come in the meantime wait behind them.
    private var isCatchingUp = false
    private var probes = 0
    private var stream: String?
    private var seq = 0
    private var hasBadClock = false

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
        notices = Notices(reporter)
        batches = OpenBatches(settings: settings, ports: ports, queue: queue, inbox: inbox, notices: notices)
        plugins = configuration.plugins
        state = configuration.consent
        batches.whenDue = { [weak self] entry in self?.sync { self?.batches.closeDue(entry) } }
    }

    /// Runs work under the lock, then makes the reports that it left.
    private func sync<Result>(_ work: () throws -> Result) rethrows -> Result {
        lock.lock()
        defer {
            let due = notices.take()
            lock.unlock()
            for call in due { call() }
        }
        return try work()
    }

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
        /// True for the SDK's own events, whose properties the interface fixes.
        var isOurs: Bool { event?.hasPrefix("bb_notification_") ?? false }
    }

    /// False if the client is closed, consent is denied, a plugin drops the message, or it is refused (`errorHandler`).
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
        return record(Fields(kind: .track, event: BatchKind.registrationEvent, free: properties, namesDevice: true))
    }

    /// Keeps a call with its time until the values can be read.
    private func keep(_ fields: Fields, _ context: [String: Any]) -> Bool {
        guard early?.count ?? 0 < settings.maxMessages else {
            notices.report(SluiceError(.overflow, "too many calls before the device was unlocked", count: 1))
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
                notices.report(SluiceError(.invalid, "userId breaks its rule"))
                return nil
            }
            identity.with { $0.become(user) }
        }
        let (userId, anonymousId) = identity.with { ($0.userId, $0.anonymousId) }
        var free = fields.free
        if fields.kind == .track, !fields.isOurs, !registered.isEmpty { free = registered.merging(free ?? [:]) { $1 } }
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
            notices.report(SluiceError(.invalid, "the clock is wrong"))
        }
        return text
    }

    private func add(_ message: Message) throws -> Bool {
        guard isTaking else { return false }
        let (device, lost) = identity.with { ($0.device, $0.lost) }
        let stream = self.stream ?? ports.random.uuid(.stream)
        self.stream = stream
        let stamp = Stamp(
            name: ports.sdk.name, version: ports.sdk.version, device: device, stream: stream, seq: seq, lost: lost)
        let text = try message.text(stamp) { [reporter] in reporter.debug?("\($0) is left out: \($1)") }
        seq += 1
        batches.append(BatchKind(message), text)
        return true
    }

    func reset() {
        sync {
            guard isTaking else { return }
            let work = { [identity] in identity.with { $0.reset() } }
            if early != nil { early?.append(work) } else { work() }
        }
    }

    func register(_ properties: [String: Any]) { sync { registered.merge(properties) { $1 } } }
    func unregister(_ name: String) { sync { registered[name] = nil } }

    func use(_ plugin: @escaping Plugin) { sync { plugins.append(plugin) } }

    private var isTaking: Bool { isActive && state != .denied }
    private var isGranted: Bool { isActive && state == .granted && (early == nil || isCatchingUp) }
    var takes: Bool { sync { isTaking } }
    var consentState: Consent { sync { state } }
    var mayReport: Bool { sync { isGranted } }

    /// An id; nil if consent is denied, after closing, and until the values can be read.
    func known<Id>(_ id: (inout Identity) -> Id?) -> Id? {
        sync { isTaking && early == nil ? identity.with(id) : nil }
    }

    // MARK: Open batches

    func closeAll() { sync { batches.closeAll() } }

    // MARK: For the outbox

    func owns(_ key: String) -> Bool { sync { batches.owns(key) } }
    var heldBack: Set<BatchKind> { sync { batches.heldBack } }
    func holdBack(_ kinds: Set<BatchKind>) { sync { batches.holdBack(kinds) } }
    func release(_ key: String) { sync { batches.release(key) } }
    var epoch: Int { sync { batches.epoch } }

    // MARK: Consent and beginning

    /// Begins to read and write, or to wait until the values can be read.
    func start() {
        sync {
            if let failure = failureToRead() {
                early = []
                notices.storageFailed(failure)
                probeLater()
            } else {
                begin()
            }
        }
    }

    /// Nil if the store can be read, or does not exist yet.
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
        batches.persist()
        inbox.post { $0.start() }
    }

    func consent(_ next: Consent) {
        sync {
            guard isActive, next != state else { return }
            state = next
            identity.with { $0.pause() }
            batches.isPersistent = false
            inbox.post { $0.stop() }
            if next == .denied { erase() } else { begin() }
        }
    }

    private func erase() {
        var erased = batches.erase()
        if early != nil { early = [] }
        identity.with { $0.erase() }
        do { erased += try queue.clear(settings.sourceIdentifier) } catch { notices.storageFailed(error) }
        inbox.post { [erased] in $0.erase(erased) }
        // A new stream, so that it cannot be linked to the old one.
        stream = nil
        seq = 0
    }

    var waitingCalls: Int { sync { early?.count ?? 0 } }

    func deactivate() {
        sync {
            isActive = false
            batches.cancelTimers()
        }
        inbox.post { $0.stop() }
    }
}
