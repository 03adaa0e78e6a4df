/// All pending batches, of this client and of earlier ones. Sends one at a time. A batch leaves the outbox by an
/// answer, by its age, or because the queue is full, consent is denied or the store lacks it. All work of the outbox
/// with files is done here, off the app's threads.
actor Outbox {
    let settings: Settings
    let ports: Ports
    let queue: QueueFolder
    let reporter: Reporter
    let recorder: Recorder
    nonisolated let inbox: Inbox

    private(set) var entries: [String: Entry] = [:]
    private var order = 0
    /// Keys of batches of other sources, which wait for a client of their source.
    private var foreign: Set<String> = []
    private var bytes = 0
    private var messages = 0
    /// True from `start` to `stop`, that is, while consent is granted.
    private(set) var isOpen = false
    /// Number of callers that keep batches here even if another client is the sender.
    private var urgent = 0
    var isDraining = false
    /// Kinds of which batches wait because the last try failed.
    private var heldBack: Set<BatchKind> = []
    private var waiters: [@Sendable (isolated Outbox) -> Void] = []
    private var cancelTimer: (@Sendable () -> Void)?
    private var cancelReload: (@Sendable () -> Void)?
    private var strange: Set<String> = []
    var sending = SendingState()

    init(settings: Settings, ports: Ports, queue: QueueFolder, reporter: Reporter, recorder: Recorder, inbox: Inbox) {
        self.settings = settings
        self.ports = ports
        self.queue = queue
        self.reporter = reporter
        self.recorder = recorder
        self.inbox = inbox
    }

    /// Does the posted work until the inbox is finished.
    func run() async {
        for await job in inbox.jobs {
            job(self)
            inbox.done()
        }
        stop()
        for cancel in sending.timeouts.values { cancel() }
        // Later answers are not handled, so nobody waits for them.
        let done = waiters
        waiters = []
        for call in done { call(self) }
    }

    var left: Int { messages }

    // MARK: Batches that come and go

    /// Accepts a batch of the recorder, which gets no more messages.
    func take(_ closed: ClosedBatch) {
        let entry = Entry(closed)
        recorder.release(closed.batch.key)
        let key = closed.batch.key
        if entry.isStored, let count = reporter.storing({ try queue.seal(key) }) ?? nil, count > 0 {
            moveOn(entry, from: count)
        }
        if isSending || !entry.isStored {
            enter(entry)
            drain()
        }
    }

    /// Moves messages that another client's seal left out into a batch of their own.
    private func moveOn(_ entry: Entry, from count: Int) {
        guard let texts = entry.texts, count < texts.count else { return }
        let origin = entry.batch.origin.derived(count)
        let moved = Array(texts[count...])
        entry.texts = Array(texts[..<count])
        entry.batch = Batch(entry.batch.origin, entry.texts ?? [])
        var closed = ClosedBatch(batch: Batch(origin, moved), texts: moved, isStored: false, epoch: entry.epoch)
        closed.isStored = reporter.storing { try queue.create(origin, moved) } != nil
        enter(Entry(closed))
    }

    func enter(_ entry: Entry, isAdopted: Bool = false) {
        order += 1
        entry.order = order
        entries[entry.batch.key] = entry
        messages += entry.batch.count
        bytes += entry.batch.bytes
        if isAdopted { makeRoom(messages: 0, bytes: 0) }
    }

    /// Gives up the oldest batches while the queue has no room for this much more.
    func makeRoom(messages others: Int, bytes otherBytes: Int) {
        while messages + others > settings.maxMessages || bytes + otherBytes > settings.maxBytes {
            guard let oldest = idle().min(by: isOlder) else { return }
            giveUp(oldest, .overflow, "the queue is full")
        }
    }

    /// Removes the batch from memory; the store keeps it.
    func forget(_ entry: Entry) {
        guard entries[entry.batch.key] === entry else { return }
        entries[entry.batch.key] = nil
        messages -= entry.batch.count
        bytes -= entry.batch.bytes
    }

    func remove(_ entry: Entry) {
        forget(entry)
        guard entry.isStored else { return }
        let batch = entry.batch
        _ = reporter.storing { try queue.remove(batch.key, count: batch.count) }
    }

    func giveUp(_ entry: Entry, _ code: SluiceError.Code, _ why: String) {
        // Counted before it is removed: a kill between the two counts too much, never too little.
        reporter.report(SluiceError(code, why, count: entry.batch.count))
        remove(entry)
    }

    // MARK: Order of sending

    private func isOlder(_ one: Entry, _ other: Entry) -> Bool {
        (one.batch.origin.created, one.order) < (other.batch.origin.created, other.order)
    }

    private func idle() -> [Entry] { entries.values.filter { $0.flight == nil } }

    /// Due batches. Those tried often come last, so that a batch that always fails does not block the others.
    private func waiting() -> [Entry] {
        let now = ports.clock.monotonic()
        // A host that is silent keeps a request for 30 s: the present one comes first.
        func rank(_ entry: Entry) -> (Int, Int, Double, Int, Int) {
            (isHere(entry) ? 0 : 1, entry.batch.tries.tries >> 2, entry.batch.origin.created, entry.batch.origin.kind == .track ? 1 : 0, entry.order)
        }
        return idle().filter { due($0) <= now }.sorted { rank($0) < rank($1) }
    }

    private var isSending: Bool { urgent > 0 || settings.isSender }

    // MARK: Draining

    /// Sends the due batches one at a time. Calls back when none can be sent now.
    func drain(_ whenDone: (@Sendable (isolated Outbox) -> Void)? = nil) {
        if let whenDone { waiters.append(whenDone) }
        guard !isDraining else { return }
        while isOpen {
            cancelTimer?()
            guard isSending, pause == 0, let next = waiting().first else { break }
            if begin(next) {
                isDraining = true
                return
            }
        }
        let done = waiters
        waiters = []
        for call in done { call(self) }
        schedule()
    }

    private func schedule() {
        cancelTimer?()
        let heldBack = isOpen && messages > 0 ? Set(BatchKind.allCases.filter { isFailing || isUsedUp($0) }) : []
        if heldBack != self.heldBack {
            self.heldBack = heldBack
            recorder.holdBack(heldBack)
        }
        guard isOpen, settings.isSender, !isDraining else { return }
        // A batch in flight triggers the next drain itself.
        guard let due = idle().map(due).min() else { return }
        let wait = max(pause, due - ports.clock.monotonic())
        cancelTimer = ports.clock.later(wait.rounded(.up)) { [inbox] in inbox.post { $0.drain() } }
    }

    /// True while another batch would fail like those that wait: nobody answers, or the service refuses the credentials
    /// or everything. A single batch that keeps failing does not hold the others back.
    private var isFailing: Bool {
        if sending.rests > 0 { return true }
        guard sending.failures > 0 else { return false }
        let pending = entries.values.filter { isHere($0) && $0.batch.tries.tooLarge == 0 }
        return pending.count > 1 || pending.contains { $0.batch.tries.tries < 4 }
    }

    // MARK: Store

    /// Writes the batches that were kept in memory while consent was pending, lists the store, then sends.
    func start() {
        for entry in entries.values.sorted(by: isOlder) where !entry.isStored {
            guard let texts = entry.texts else { continue }
            let origin = entry.batch.origin
            entry.isStored = reporter.storing { try queue.create(origin, texts) } != nil
        }
        _ = reporter.storing { try load() }
        isOpen = true
        drain()
    }

    /// Lists the store again, because others may have changed it.
    func resume() {
        guard isOpen else { return }
        _ = reporter.storing { try load() }
        drain()
    }

    /// Adopts the batches that earlier owners left in the store.
    private func load() throws {
        let listing = try queue.list(except: Set(entries.keys).union(strange).union(foreign))
        foreign.formIntersection(listing.keys)
        for damage in listing.damaged {
            reporter.report(SluiceError(.storage, "batch \(damage.name) is damaged", count: damage.lost))
        }
        for name in listing.strange where strange.insert(name).inserted {
            reporter.report(SluiceError(.storage, "\(name) is not a batch of this version", count: 0))
        }
        let adopted = entries.values.filter { $0.texts == nil && $0.flight == nil }
        for entry in adopted where !listing.keys.contains(entry.batch.key) {
            forget(entry)
        }
        var isPartial = listing.isPartial
        for batch in listing.batches where entries[batch.key] == nil && !recorder.owns(batch.key) {
            guard batch.origin.sourceIdentifier == settings.sourceIdentifier else {
                foreign.insert(batch.key)
                continue
            }
            do {
                try adopt(batch)
            } catch {
                reporter.storageFailed(error)
                isPartial = true
            }
        }
        if isPartial { reloadLater() }
    }

    private func adopt(_ listed: Batch) throws {
        var batch = listed
        if !batch.isSealed { batch.count = try queue.seal(batch.key) ?? 0 }
        guard batch.count > 0 else { return try queue.remove(batch.key, count: 0) }
        batch.isSealed = true
        if batch.origin.host != settings.host { batch = try movedToHost(batch) }
        let entry = Entry(adopted: batch, epoch: recorder.epoch)
        // Limit the wait to its original length in case the clock was set back.
        let wait = min(batch.tries.nextTry - ports.clock.now(), batch.tries.nextTry - batch.tries.lastTry)
        entry.due = ports.clock.monotonic() + max(0, wait)
        enter(entry, isAdopted: true)
        guard isHere(entry), batch.tries.tooLarge == 0 else { return }
        adoptPause(entry)
    }

    /// Moves a batch to the present host, as a batch of its own: nothing of it was sent to the host that it was made for.
    /// Returns the batch as it is if a try is in doubt, so that its repeat meets the service that may have stored it.
    private func movedToHost(_ batch: Batch) throws -> Batch {
        var moved = batch
        moved.origin = batch.origin.derived(0, host: settings.host)
        moved.tries = Tries(firstTry: batch.tries.firstTry)
        return try queue.move(batch.key, to: moved.origin) ? moved : batch
    }

    /// Lists the store again in a minute: files of a locked device can be read later.
    private func reloadLater() {
        cancelReload?()
        cancelReload = ports.clock.later(60_000) { [inbox] in inbox.post { $0.resume() } }
    }

    // MARK: Lifecycle

    /// Batches that become ready between +1 and -1 stay here even if another client is the sender.
    func hold(_ change: Int) { urgent += change }

    /// Shortens waits, because the network may be back.
    func online() {
        hurry()
        drain()
    }

    func stop() {
        isOpen = false
        cancelTimer?()
        cancelReload?()
    }

    /// Forgets everything, because consent was denied, and reports how many messages are erased. The store was cleared
    /// before; batches written since go too.
    /// - Parameter erased: number of messages erased before
    func erase(_ erased: Int) {
        stop()
        for batch in entries.values.filter(\.isStored).map(\.batch) {
            _ = reporter.storing { try queue.remove(batch.key, count: batch.count) }
        }
        let unstored = entries.values.filter { !$0.isStored }.reduce(0) { $0 + $1.batch.count }
        entries = [:]
        messages = 0
        bytes = 0
        reporter.erased(erased + unstored)
    }
}
