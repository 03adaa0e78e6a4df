struct SendingState {
    /// Messages that the service has confirmed since the client started.
    var sent = 0
    /// Tries without a conclusive answer in a row, and answers in a row that made the client rest.
    var failures = 0
    var rests = 0
    /// By the monotonic clock.
    var pausedUntil = 0.0
    /// True if the pause is our own guess, which a hint can shorten.
    var isGuess = false
    var flights = 0
    /// Cancel the timeouts of the requests under way.
    var timeouts: [Int: @Sendable () -> Void] = [:]
    var flying = 0
    var flyingBytes = 0
}

/// Sends batches to the service and acts on the answers.
extension Outbox {
    private static let timeout = 30_000.0
    /// What may be sent at once while the app has little time left.
    private static let urgentBytes = 60 * 1_024
    private static let urgentRequests = 9

    /// Milliseconds until the next try.
    var pause: Double { max(0, sending.pausedUntil - ports.clock.monotonic()) }

    func fits(_ batch: Batch) -> Bool {
        sending.flying < Outbox.urgentRequests && sending.flyingBytes + batch.bytes <= Outbox.urgentBytes
    }

    /// False if consent was denied meanwhile; then nothing more is sent or written.
    private func isKnown(_ entry: Entry) -> Bool {
        entries[entry.batch.key] === entry && entry.epoch == recorder.epoch
    }

    /// Begins to send a batch. Returns false if there is nothing to send.
    func begin(_ entry: Entry, isUrgent: Bool) -> Bool {
        let texts: [String]
        do {
            guard let prepared = try prepare(entry) else { return false }
            texts = prepared
        } catch {
            reporter.storageFailed(error)
            postpone(entry, nil)
            return false
        }
        sending.flights += 1
        let flight = sending.flights
        let lasts = fits(entry.batch)
        entry.flight = flight
        sending.flying += 1
        sending.flyingBytes += entry.batch.bytes
        let key = entry.batch.key
        let ended: @Sendable (HTTPAnswer?) -> Void = { [inbox] answer in
            inbox.post { $0.answered(key, flight, isUrgent, answer) }
        }
        let abort = ports.transport.send(request(entry.batch, texts, isUrgent: lasts), ended)
        sending.timeouts[flight] = ports.clock.later(Outbox.timeout) {
            abort()
            ended(nil)
        }
        return true
    }

    private func request(_ batch: Batch, _ texts: [String], isUrgent: Bool) -> HTTPRequest {
        let source = PercentEncoding.encode(batch.origin.sourceIdentifier)
        return HTTPRequest(
            method: "POST",
            url: "\(batch.origin.host)/api/tracker/sdk/\(source)/\(batch.origin.kind.rawValue)Batch",
            headers: [
                "Authorization": "Bearer \(settings.apiKey)",
                "Content-Type": "application/json",
                "Idempotency-Key": batch.key,
                // Lets one bad message take no other with it.
                "Prefer": "handling=lenient",
            ],
            body: Batch.body(texts),
            isUrgent: isUrgent)
    }

    private func texts(of entry: Entry) throws -> [String]? {
        if let texts = entry.texts { return texts }
        return try queue.read(entry.batch.key)
    }

    /// Records a try in the store before it is made: a crash leaves it in doubt. Nil if the batch is gone.
    private func prepare(_ entry: Entry) throws -> [String]? {
        let texts = try texts(of: entry)
        entry.batch.tries.tries += 1
        entry.batch.tries.lastTry = ports.clock.now()
        // After a crash, an earlier value would be compared with the time of this try.
        entry.batch.tries.nextTry = 0
        if entry.batch.tries.firstTry == 0 { entry.batch.tries.firstTry = entry.batch.tries.lastTry }
        let isThere = try save(entry, doubts: 1)
        if let texts, !texts.isEmpty, isThere, isKnown(entry) { return texts }
        forget(entry)
        return nil
    }

    /// Saves the tries. Returns false if this client must no longer send the batch.
    private func save(_ entry: Entry, doubts: Int) throws -> Bool {
        entry.batch.tries.doubts += doubts
        guard entry.isStored else { return true }
        let isThere: Bool
        do {
            let sum = try queue.update(entry.batch.key, entry.batch.tries, doubts: doubts)
            if let sum { entry.batch.tries.doubts = sum }
            isThere = sum != nil
        } catch {
            // A try is made even if it cannot be recorded.
            reporter.storageFailed(error)
            isThere = try queue.read(entry.batch.key) != nil
        }
        return isThere || wasLost(entry)
    }

    private func answered(_ key: String, _ flight: Int, _ isUrgent: Bool, _ answer: HTTPAnswer?) {
        guard let cancel = sending.timeouts.removeValue(forKey: flight) else { return }
        cancel()
        sending.flying -= 1
        if let entry = entries[key], entry.flight == flight {
            sending.flyingBytes -= entry.batch.bytes
            entry.flight = nil
            if isKnown(entry) { settleOrPostpone(entry, answer) }
        }
        if sending.flying == 0 { sending.flyingBytes = 0 }
        ended(isUrgent: isUrgent)
    }

    private func settleOrPostpone(_ entry: Entry, _ answer: HTTPAnswer?) {
        do {
            try settle(entry, answer)
        } catch {
            reporter.storageFailed(error)
            postpone(entry, nil)
        }
    }

    private func settle(_ entry: Entry, _ answer: HTTPAnswer?) throws {
        let verdict = Verdict(answer)
        let requestId = answer?.headers["x-request-id"]
        reporter.debug?("batch \(entry.batch.key): \(answer.map { String($0.status) } ?? "no answer")")
        func report(_ code: SluiceError.Code, _ list: [Refusal], count: Int?) {
            guard !list.isEmpty else { return }
            reporter.report(SluiceError(code, Verdict.inWords(list), count: count, requestId: requestId))
        }
        switch verdict.meaning {
        case .unknown: return postpone(entry, answer)
        case .stored:
            let lost = min(Verdict.messagesNamed(verdict.reasons), entry.batch.count)
            sending.failures = 0
            sending.rests = 0
            sending.sent += entry.batch.count - lost
            remove(entry)
            report(.refused, verdict.reasons, count: lost)
            return report(.refused, verdict.dropped, count: 0)
        default: _ = try save(entry, doubts: -1)
        }
        switch verdict.meaning {
        case .later: postpone(entry, answer)
        case .unauthorized:
            sending.isGuess = false
            sending.rests += 1
            let rest = RetryPolicy.rest(times: sending.rests, fraction: ports.random.fraction())
            sending.pausedUntil = max(sending.pausedUntil, ports.clock.monotonic() + rest)
            if sending.rests == 1 { report(.unauthorized, verdict.reasons, count: nil) }
        case .tooLarge where entry.batch.tries.doubts > 0: setAside(entry)
        case .tooLarge where entry.batch.count > 1: try split(entry)
        default:
            remove(entry)
            report(.refused, verdict.reasons, count: entry.batch.count)
        }
    }

    private func postpone(_ entry: Entry, _ answer: HTTPAnswer?) {
        let retryAfter = RetryPolicy.retryAfter(answer, now: ports.clock.now())
        sending.isGuess = retryAfter == 0
        sending.failures += 1
        let failures = max(sending.failures, entry.batch.tries.tries)
        delay(entry, RetryPolicy.wait(failures: failures, retryAfter: retryAfter, fraction: ports.random.fraction()))
        sending.pausedUntil = max(sending.pausedUntil, entry.due)
    }

    private func delay(_ entry: Entry, _ milliseconds: Double) {
        entry.due = ports.clock.monotonic() + milliseconds
        // Both times are of the same clock setting: the user may have set the clock since the try began.
        entry.batch.tries.lastTry = ports.clock.now()
        entry.batch.tries.nextTry = entry.batch.tries.lastTry + milliseconds
        do { _ = try save(entry, doubts: 0) } catch { reporter.storageFailed(error) }
    }

    /// Keeps a batch unchanged, because the service may have stored its messages with this key and these positions.
    private func setAside(_ entry: Entry) {
        entry.batch.tries.tooLarge += 1
        delay(entry, RetryPolicy.rest(times: entry.batch.tries.tooLarge, fraction: ports.random.fraction()))
    }

    private func split(_ entry: Entry) throws {
        let key = entry.batch.key
        guard let texts = try texts(of: entry) else { return forget(entry) }
        let half = (texts.count + 1) / 2
        if entry.isStored, try !queue.divide(key, at: half) { return setAside(entry) }
        forget(entry)
        for (place, part) in [(0, Array(texts[..<half])), (half, Array(texts[half...]))] {
            let batch = Batch(entry.batch.origin.derived(place), part)
            enter(Entry(ClosedBatch(batch: batch, texts: part, isStored: entry.isStored, isCleared: false, epoch: entry.epoch)))
        }
    }

    /// Shortens the pause to the narrowest spread, but never below Retry-After.
    func hurry() {
        guard sending.isGuess, pause > 0 else { return }
        let soon = RetryPolicy.wait(failures: 1, retryAfter: 0, fraction: ports.random.fraction())
        sending.pausedUntil = min(sending.pausedUntil, ports.clock.monotonic() + soon)
        for entry in entries.values where entry.batch.tries.tooLarge == 0 { entry.due = min(entry.due, sending.pausedUntil) }
    }
}
