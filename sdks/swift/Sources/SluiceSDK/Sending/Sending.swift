struct SendingState {
    /// Messages that the service has confirmed since the client started.
    var sent = 0
    /// Tries without a conclusive answer in a row, and answers in a row that made the client rest.
    var failures = 0
    var rests = 0
    /// Tries without an answer of the service in a row.
    var silences = 0
    var service = ServiceClock()
    /// End of the pause by the monotonic clock.
    var pausedUntil = 0.0
    /// True if the pause is our own guess, which a hint can shorten.
    var isGuess = false
    var flights = 0
    /// Functions that cancel the timeouts of the requests under way.
    var timeouts: [Int: @Sendable () -> Void] = [:]
}

/// Sends batches to the service and acts on the answers.
extension Outbox {
    private static let timeout = 30_000.0
    /// Tries in a row without an answer of the service that are reported as an outage.
    private static let silencesOfOutage = 3

    /// Milliseconds until the next try.
    var pause: Double { max(0, sending.pausedUntil - ports.clock.monotonic()) }

    /// False if consent was denied since; then nothing more is sent or written.
    private func isKnown(_ entry: Entry) -> Bool {
        entries[entry.batch.key] === entry && entry.epoch == recorder.epoch
    }

    /// Begins to send a batch. Returns false if it is gone or was postponed.
    func begin(_ entry: Entry) -> Bool {
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
        entry.flight = flight
        let key = entry.batch.key
        let ended: @Sendable (HTTPAnswer?) -> Void = { [inbox] answer in
            inbox.post { $0.answered(key, flight, answer) }
        }
        let abort = ports.transport.send(request(entry.batch, texts), ended)
        sending.timeouts[flight] = ports.clock.later(Outbox.timeout) {
            abort()
            ended(nil)
        }
        return true
    }

    private func request(_ batch: Batch, _ texts: [String]) -> HTTPRequest {
        HTTPRequest(
            method: "POST",
            url: url(batch.origin),
            headers: [
                "Authorization": "Bearer \(settings.apiKey)",
                "Content-Type": "application/json",
                "Idempotency-Key": batch.key,
                // A bad message is refused without the others.
                "Prefer": "handling=lenient",
            ],
            body: Batch.body(texts))
    }

    /// Below an operator's own address endpoints have short names, which content blockers do not recognize.
    private func url(_ origin: Origin) -> String {
        let source = PercentEncoding.encode(origin.sourceIdentifier)
        guard !origin.host.hasSuffix("/") else { return "\(origin.host)\(source)/\(origin.kind.rawValue.prefix(1))b" }
        return "\(origin.host)/api/tracker/sdk/\(source)/\(origin.kind.rawValue)Batch"
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
        if entry.triedAt == nil { entry.triedAt = ports.clock.monotonic() }
        date(entry)
        let isThere = try save(entry, doubts: 1)
        if let texts, !texts.isEmpty, isThere, isKnown(entry) { return texts }
        forget(entry)
        return nil
    }

    /// Dates the first try of a batch, once the service's time is known.
    private func date(_ entry: Entry) {
        guard entry.batch.tries.firstTry == 0 else { return }
        entry.batch.tries.firstTry = sending.service.at(entry.triedAt ?? ports.clock.monotonic())
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
        return isThere
    }

    private func answered(_ key: String, _ flight: Int, _ answer: HTTPAnswer?) {
        guard let cancel = sending.timeouts.removeValue(forKey: flight) else { return }
        cancel()
        if let entry = entries[key], entry.flight == flight {
            entry.flight = nil
            if isKnown(entry) { settleOrPostpone(entry, answer) }
            expire(entry)
        }
        isDraining = false
        drain()
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
        if verdict.isOfService {
            sending.silences = 0
            sending.service.hear(answer, at: ports.clock.monotonic())
            date(entry)
        } else {
            outage(answer)
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

    /// Reports an outage once, at the try that makes it one.
    private func outage(_ answer: HTTPAnswer?) {
        sending.silences += 1
        guard sending.silences == Outbox.silencesOfOutage else { return }
        let what = answer.map { "an answer \($0.status) that is not the service's" } ?? "no answer"
        reporter.report(SluiceError(.unreachable, "\(settings.host): \(what)"))
        reporter.debug?(
            "nothing is lost, tries continue. Check apiHost, its path and eventsPath, the network, proxies and VPNs, and App Transport Security")
    }

    /// Gives up a batch whose try failed past `maxAge`, by the service's clock or the monotonic one.
    private func expire(_ entry: Entry) {
        guard isKnown(entry) else { return }
        let now = ports.clock.monotonic()
        let first = entry.batch.tries.firstTry
        let known = first > 0 ? sending.service.at(now) - first : 0
        let age = max(known, entry.triedAt.map { now - $0 } ?? 0)
        if age > settings.maxAge { giveUp(entry, .expired, "too old to be sent") }
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
            enter(Entry(ClosedBatch(batch: batch, texts: part, isStored: entry.isStored, epoch: entry.epoch)))
        }
    }

    /// Shortens a guessed pause to the wait after one failure. Retry-After stays.
    func hurry() {
        guard sending.isGuess, pause > 0 else { return }
        let soon = RetryPolicy.wait(failures: 1, retryAfter: 0, fraction: ports.random.fraction())
        sending.pausedUntil = min(sending.pausedUntil, ports.clock.monotonic() + soon)
        for entry in entries.values where entry.batch.tries.tooLarge == 0 { entry.due = min(entry.due, sending.pausedUntil) }
    }
}
